// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/close_rows.h"

#include <cmath>

namespace kf {
namespace {

constexpr std::int64_t min_row = 32; // elements that make a usable row
constexpr double row_factor = 4, rms_factor = 2, floor_ulps = 0.5, floor_rms_ulps = 0.25;

double rms(double squares, std::int64_t n) {
    return n > 0 ? std::sqrt(squares / static_cast<double>(n)) : 0.0;
}

template<class Value> double median_of(const CloseRows& rows, const std::vector<RowSums>& sums, Value value) {
    std::vector<double> values;
    values.reserve(sums.size());
    for (std::size_t r = 0; r < sums.size(); ++r)
        values.push_back(value(sums[r], rows.length_of(static_cast<std::int64_t>(r)) - sums[r].trusted_left_out));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

CloseRows::CloseRows(std::int64_t all, std::int64_t row_elements) : elements(all) {
    const std::int64_t joined = row_elements >= min_row ? 1 : (min_row + row_elements - 1) / row_elements;
    row = row_elements * joined;
    rows = std::max<std::int64_t>(1, elements / row);
}

std::vector<RowLimit> judge_close_rows(const CloseRows& rows, const std::vector<RowSums>& sums, DType dtype,
                                       bool with_trusted, Comparison& comparison) {
    std::vector<RowLimit> guilty;
    const double median_max = median_of(rows, sums, [](const RowSums& s, std::int64_t) { return s.max_trusted; });
    const double median_rms =
        median_of(rows, sums, [](const RowSums& s, std::int64_t n) { return rms(s.trusted_squares, n); });
    const bool few = rows.elements < min_row;
    const double widen = few ? static_cast<double>(min_row) / static_cast<double>(rows.elements) : 1.0;
    for (std::int64_t r = 0; r < rows.rows; ++r) {
        const RowSums& row = sums[static_cast<std::size_t>(r)];
        const double ulp = is_float(dtype) ? unit_in_last_place(dtype, std::max(row.largest, 0.0)) : 1.0;
        const double unit = ulp * widen;
        const std::int64_t n = rows.length_of(r);
        const double own = std::max(row.max_trusted, median_max);
        const double own_rms = std::max(rms(row.trusted_squares, n - row.trusted_left_out), median_rms);
        const double error_unit = std::max(own, floor_ulps * unit);
        const double rms_unit = std::max(own_rms, floor_rms_ulps * unit);
        const double error_rms = rms(row.squares, n - row.left_out);
        if (with_trusted) {
            comparison.worst_row_ratio = std::max(comparison.worst_row_ratio, row.max_error / error_unit);
            if (!few)
                comparison.worst_row_rms_ratio = std::max(comparison.worst_row_rms_ratio, error_rms / rms_unit);
        }
        const bool max_fits = row.max_error <= row_factor * error_unit;
        const bool rms_fits = few || error_rms <= rms_factor * rms_unit;
        if (max_fits && rms_fits)
            continue;
        comparison.failed_row = true;
        // By the RMS rule alone no element is guilty by itself: those above the row's limit are marked.
        guilty.push_back({r, max_fits ? rms_factor * rms_unit : row_factor * error_unit});
    }
    return guilty;
}

} // namespace kf
