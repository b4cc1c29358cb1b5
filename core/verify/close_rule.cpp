// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/close_rule.h"

#include <algorithm>
#include <array>

namespace kf {
namespace {

constexpr std::int64_t min_row = 32; // elements that make a usable row
constexpr std::size_t block = 1024;  // elements converted at once: three blocks of doubles fit the L1 cache
constexpr std::size_t lanes = 4;     // independent running values, so that a loop is not bound by one chain
constexpr double row_factor = 4, rms_factor = 2, floor_ulps = 0.5, floor_rms_ulps = 0.25;

// What one row (or group of short rows) adds up to.
struct RowSums {
    double max_error = 0, squares = 0, max_trusted = 0, trusted_squares = 0, largest = 0;
    std::int64_t left_out = 0, trusted_left_out = 0; // not finite: judged apart

    void add(const RowSums& other) {
        max_error = std::max(max_error, other.max_error);
        max_trusted = std::max(max_trusted, other.max_trusted);
        largest = std::max(largest, other.largest);
        squares += other.squares;
        trusted_squares += other.trusted_squares;
        left_out += other.left_out;
        trusted_left_out += other.trusted_left_out;
    }
};

double rms(double squares, std::int64_t n) {
    return n > 0 ? std::sqrt(squares / static_cast<double>(n)) : 0.0;
}

double larger(double a, double b) {
    return a > b ? a : b; // false for NaN in a: NaN is counted elsewhere
}

class CloseRule {
public:
    CloseRule(const OutputView& view, std::int64_t row, const Tolerance& tolerance, std::span<const std::byte> got,
              const Golden& golden, BadMask& bad, Comparison& comparison)
        : m_view(view), m_tolerance(tolerance), m_got(got), m_golden(golden), m_bad(bad), m_comparison(comparison) {
        const std::int64_t joined = row >= min_row ? 1 : (min_row + row - 1) / row;
        m_row = row * joined;
        m_rows = std::max<std::int64_t>(1, view.elements() / m_row);
    }

    void run() {
        std::vector<RowSums> sums(static_cast<std::size_t>(m_rows));
        for (std::int64_t r = 0; r < m_rows; ++r)
            sums[static_cast<std::size_t>(r)] = scan(begin_of(r), end_of(r));
        judge_rows(sums);
    }

private:
    std::int64_t begin_of(std::int64_t row) const { return row * m_row; }
    // The last row takes what is left over after joining.
    std::int64_t end_of(std::int64_t row) const { return row + 1 == m_rows ? m_view.elements() : (row + 1) * m_row; }
    std::int64_t length_of(std::int64_t row) const { return end_of(row) - begin_of(row); }

    void load(std::int64_t first, std::size_t n) {
        const auto at = static_cast<std::size_t>(first);
        load_elements(m_got, m_view.dtype(), at, std::span(m_y).first(n));
        load_elements(m_golden.golden, m_golden.integers ? DType::i64 : DType::f64, at, std::span(m_g).first(n));
        if (!m_golden.trusted.empty())
            load_elements(m_golden.trusted, m_view.dtype(), at, std::span(m_t).first(n));
    }

    RowSums scan(std::int64_t begin, std::int64_t end) {
        RowSums total;
        for (std::int64_t first = begin; first < end; first += static_cast<std::int64_t>(block)) {
            const auto n = static_cast<std::size_t>(std::min(end - first, static_cast<std::int64_t>(block)));
            load(first, n);
            if (!scan_fast(n, total))
                scan_careful(first, n, total);
        }
        return total;
    }

    // All elements finite and within the element-wise rule; anything else makes it give up, with nothing changed.
    bool scan_fast(std::size_t n, RowSums& total) {
        std::array<double, lanes> error{}, squares{}, largest{}, relative{}, trusted{}, trusted_squares{};
        std::array<std::int64_t, lanes> fine{};
        const bool with_trusted = !m_golden.trusted.empty();
        const double limit = m_view.largest();
        const auto element = [&](std::size_t i, std::size_t k) {
            const double magnitude = std::fabs(m_g[i]), difference = std::fabs(m_y[i] - m_g[i]);
            // `<` infinity: an infinite golden of a 64-bit type must not compare equal to a tolerance of infinity.
            fine[k] += static_cast<std::int64_t>(difference <= m_tolerance.atol + m_tolerance.rtol * magnitude) &
                       static_cast<std::int64_t>(magnitude <= limit) &
                       static_cast<std::int64_t>(magnitude < std::numeric_limits<double>::infinity());
            error[k] = larger(difference, error[k]);
            squares[k] += difference * difference;
            largest[k] = larger(magnitude, largest[k]);
            const double ratio = difference / magnitude;
            relative[k] = magnitude > 0 ? larger(ratio, relative[k]) : relative[k];
        };
        const auto trusted_element = [&](std::size_t i, std::size_t k) {
            const double difference = std::fabs(m_t[i] - m_g[i]);
            trusted[k] = larger(difference, trusted[k]);
            trusted_squares[k] += difference * difference;
        };
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k)
                element(i + k, k);
        for (; i < n; ++i)
            element(i, 0);
        std::int64_t all_fine = 0;
        for (const std::int64_t count : fine)
            all_fine += count;
        if (all_fine != static_cast<std::int64_t>(n))
            return false;
        if (with_trusted) {
            for (i = 0; i + lanes <= n; i += lanes)
                for (std::size_t k = 0; k < lanes; ++k)
                    trusted_element(i + k, k);
            for (; i < n; ++i)
                trusted_element(i, 0);
        }
        RowSums sums;
        double relative_error = 0;
        for (std::size_t k = 0; k < lanes; ++k) {
            sums.max_error = std::max(sums.max_error, error[k]);
            sums.squares += squares[k];
            sums.largest = std::max(sums.largest, largest[k]);
            sums.max_trusted = std::max(sums.max_trusted, trusted[k]);
            sums.trusted_squares += trusted_squares[k];
            relative_error = std::max(relative_error, relative[k]);
        }
        // A NaN or Inf of the trusted implementation makes its sum useless.
        if (!std::isfinite(sums.trusted_squares))
            return false;
        total.add(sums);
        note_errors(sums.max_error, relative_error);
        return true;
    }

    void scan_careful(std::int64_t first, std::size_t n, RowSums& total) {
        const bool with_trusted = !m_golden.trusted.empty();
        for (std::size_t i = 0; i < n; ++i) {
            const double expected = m_view.fit(m_g[i]), got = m_y[i];
            const bool finite = std::isfinite(expected) && std::isfinite(got);
            m_comparison.nan_got += std::isnan(got);
            m_comparison.nan_expected += std::isnan(expected);
            m_comparison.inf_got += std::isinf(got);
            m_comparison.inf_expected += std::isinf(expected);
            if (!finite) {
                ++total.left_out;
                if (!same_value(got, expected)) {
                    m_comparison.failed_nonfinite = true;
                    m_bad.set(first + static_cast<std::int64_t>(i));
                }
            } else {
                const double magnitude = std::fabs(expected), difference = std::fabs(got - expected);
                if (!(difference <= m_tolerance.atol + m_tolerance.rtol * magnitude)) {
                    m_comparison.failed_elementwise = true;
                    m_bad.set(first + static_cast<std::int64_t>(i));
                }
                total.max_error = std::max(total.max_error, difference);
                total.squares += difference * difference;
                total.largest = std::max(total.largest, magnitude);
                note_errors(difference, magnitude > 0 ? difference / magnitude : 0);
            }
            const double trusted = with_trusted ? std::fabs(m_t[i] - expected) : 0;
            if (!std::isfinite(expected) || !std::isfinite(trusted)) {
                ++total.trusted_left_out;
            } else {
                total.max_trusted = std::max(total.max_trusted, trusted);
                total.trusted_squares += trusted * trusted;
            }
        }
    }

    void note_errors(double absolute, double relative) {
        m_comparison.max_abs_error = std::max(m_comparison.max_abs_error, absolute);
        m_comparison.max_rel_error = std::max(m_comparison.max_rel_error, relative);
    }

    double ulp(double value) const {
        return is_float(m_view.dtype()) ? unit_in_last_place(m_view.dtype(), value) : 1.0;
    }

    template<class Value> double median_of(const std::vector<RowSums>& sums, Value value) const {
        std::vector<double> values;
        values.reserve(sums.size());
        for (std::size_t r = 0; r < sums.size(); ++r)
            values.push_back(value(sums[r], length_of(static_cast<std::int64_t>(r)) - sums[r].trusted_left_out));
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    void judge_rows(const std::vector<RowSums>& sums) {
        const double median_max = median_of(sums, [](const RowSums& s, std::int64_t) { return s.max_trusted; });
        const double median_rms =
            median_of(sums, [](const RowSums& s, std::int64_t n) { return rms(s.trusted_squares, n); });
        const bool few = m_view.elements() < min_row;
        const double widen = few ? static_cast<double>(min_row) / static_cast<double>(m_view.elements()) : 1.0;
        for (std::int64_t r = 0; r < m_rows; ++r) {
            const RowSums& row = sums[static_cast<std::size_t>(r)];
            const double unit = ulp(std::max(row.largest, 0.0)) * widen;
            const std::int64_t n = length_of(r);
            const double own = std::max(row.max_trusted, median_max);
            const double own_rms = std::max(rms(row.trusted_squares, n - row.trusted_left_out), median_rms);
            const double error_unit = std::max(own, floor_ulps * unit);
            const double rms_unit = std::max(own_rms, floor_rms_ulps * unit);
            const double error_rms = rms(row.squares, n - row.left_out);
            if (!m_golden.trusted.empty()) {
                m_comparison.worst_row_ratio = std::max(m_comparison.worst_row_ratio, row.max_error / error_unit);
                if (!few)
                    m_comparison.worst_row_rms_ratio = std::max(m_comparison.worst_row_rms_ratio, error_rms / rms_unit);
            }
            const bool max_fits = row.max_error <= row_factor * error_unit;
            const bool rms_fits = few || error_rms <= rms_factor * rms_unit;
            if (max_fits && rms_fits)
                continue;
            m_comparison.failed_row = true;
            // By the RMS rule alone no element is guilty by itself: those above the row's limit are marked.
            mark_row(r, max_fits ? rms_factor * rms_unit : row_factor * error_unit);
        }
    }

    void mark_row(std::int64_t row, double limit) {
        for (std::int64_t first = begin_of(row); first < end_of(row); first += static_cast<std::int64_t>(block)) {
            const auto n = static_cast<std::size_t>(std::min(end_of(row) - first, static_cast<std::int64_t>(block)));
            load(first, n);
            for (std::size_t i = 0; i < n; ++i) {
                const double expected = m_view.fit(m_g[i]);
                if (std::isfinite(expected) && std::isfinite(m_y[i]) && !(std::fabs(m_y[i] - expected) <= limit))
                    m_bad.set(first + static_cast<std::int64_t>(i));
            }
        }
    }

    const OutputView& m_view;
    const Tolerance& m_tolerance;
    std::span<const std::byte> m_got;
    const Golden& m_golden;
    BadMask& m_bad;
    Comparison& m_comparison;
    std::int64_t m_row = 1, m_rows = 1;
    std::array<double, block> m_y{}, m_g{}, m_t{};
};

} // namespace

void apply_close(const OutputView& view, std::int64_t row, const Tolerance& tolerance, std::span<const std::byte> got,
                 const Golden& golden, BadMask& bad, Comparison& comparison) {
    CloseRule(view, row, tolerance, got, golden, bad, comparison).run();
}

} // namespace kf
