// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/compare.h"

#include "core/verify/close_rule.h"
#include "core/verify/describe.h"
#include "core/verify/pattern.h"

#include <algorithm>
#include <cstring>

namespace kf {
namespace {

// Why the buffers cannot be compared; "" when they can.
std::string wrong_size(const OutputSpec& spec, const Shape& shape, std::span<const std::byte> got,
                       const Golden& golden) {
    const auto elements = static_cast<std::size_t>(std::max<std::int64_t>(0, element_count(shape)));
    const auto check = [](const char* what, std::size_t is, std::size_t wanted) {
        return is == wanted
                   ? std::string()
                   : std::string(what) + " holds " + std::to_string(is) + " bytes instead of " + std::to_string(wanted);
    };
    if (auto text = check("the output", got.size(), elements * size_of(spec.dtype)); !text.empty())
        return text;
    if (auto text = check("the golden", golden.golden.size(), elements * 8); !text.empty())
        return text;
    if (!golden.trusted.empty())
        return check("the trusted answer", golden.trusted.size(), elements * size_of(spec.dtype));
    return {};
}

void count_special(double got, double expected, Comparison& comparison) {
    comparison.nan_got += std::isnan(got);
    comparison.nan_expected += std::isnan(expected);
    comparison.inf_got += std::isinf(got);
    comparison.inf_expected += std::isinf(expected);
}

void note_error(double got, double expected, Comparison& comparison) {
    const double error = std::fabs(got - expected);
    if (!std::isfinite(error))
        return;
    comparison.max_abs_error = std::max(comparison.max_abs_error, error);
    if (expected != 0)
        comparison.max_rel_error = std::max(comparison.max_rel_error, error / std::fabs(expected));
}

void apply_exact(const OutputView& view, std::span<const std::byte> got, const Golden& golden, BadMask& bad,
                 Comparison& comparison) {
    const DType dtype = view.dtype();
    for (std::int64_t i = 0; i < view.elements(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        bool equal = false;
        if (is_float(dtype)) {
            const double y = view.got(i);
            // Rounded once: a golden of float64 is not a value of a narrower type.
            const double g = OutputView::round_to(dtype, golden.integers ? view.expected(i)
                                                                         : load_element(golden.golden, DType::f64, at));
            equal = same_value(y, g);
            count_special(y, g, comparison);
            if (!equal && !(std::isfinite(y) && std::isfinite(g)))
                comparison.failed_nonfinite = true;
        } else {
            // The byte itself for bool: a 2 is not the same bits as a 1.
            const std::int64_t y = load_integer(got, dtype == DType::boolean ? DType::u8 : dtype, at);
            equal = golden.integers ? y == load_integer(golden.golden, DType::i64, at)
                                    : static_cast<double>(y) == load_element(golden.golden, DType::f64, at);
        }
        if (equal)
            continue;
        note_error(view.got(i), view.expected(i), comparison);
        bad.set(i);
    }
    comparison.failed_exact = bad.any();
}

void apply_codes(const OutputView& view, BadMask& bad, Comparison& comparison) {
    constexpr double share = 0.001;
    const DType dtype = view.dtype();
    std::int64_t one_off = 0;
    const auto distance_class = [&](double y, double g) { // 0 equal, 1 one step, 2 more
        if (same_value(y, g))
            return 0;
        const double step = is_float(dtype) ? unit_in_last_place(dtype, std::min(std::fabs(y), std::fabs(g))) : 1.0;
        return std::fabs(y - g) <= step ? 1 : 2;
    };
    const auto expected = [&](std::int64_t i) {
        const double g = view.expected(i);
        return is_float(dtype) ? OutputView::round_to(dtype, g) : g;
    };
    for (std::int64_t i = 0; i < view.elements(); ++i) {
        const double y = view.got(i), g = expected(i);
        count_special(y, g, comparison);
        const int distance = distance_class(y, g);
        one_off += distance == 1;
        if (distance != 0)
            note_error(y, g, comparison);
        if (distance == 2)
            bad.set(i);
    }
    if (!(static_cast<double>(one_off) <= share * static_cast<double>(view.elements())))
        for (std::int64_t i = 0; i < view.elements(); ++i)
            if (distance_class(view.got(i), expected(i)) != 0)
                bad.set(i);
    comparison.failed_exact = bad.any();
}

// "" or why the values do not fit the output.
std::string apply_index_of(const OutputView& view, std::int64_t row, std::span<const std::byte> got,
                           const Golden& golden, std::span<const double> values, BadMask& bad, Comparison& comparison) {
    const std::int64_t rows = view.elements() / row;
    if (values.empty() || rows == 0 || static_cast<std::int64_t>(values.size()) % rows != 0)
        return "the values that the indices point into hold " + std::to_string(values.size()) +
               " elements, which are not " + std::to_string(rows) + " equal rows";
    const std::int64_t extent = static_cast<std::int64_t>(values.size()) / rows;
    std::vector<std::pair<std::int64_t, std::int64_t>> seen; // index, element
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::span<const double> source =
            values.subspan(static_cast<std::size_t>(r * extent), static_cast<std::size_t>(extent));
        seen.clear();
        for (std::int64_t i = r * row; i < (r + 1) * row; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const std::int64_t y = load_integer(got, view.dtype(), at);
            const std::int64_t g = golden.integers ? load_integer(golden.golden, DType::i64, at)
                                                   : static_cast<std::int64_t>(view.expected(i));
            const bool in_range = y >= 0 && y < extent, golden_in_range = g >= 0 && g < extent;
            // The golden decides what -1 and the like mean ("none"): then only the same index is right.
            const bool equal = golden_in_range ? in_range && same_value(source[static_cast<std::size_t>(y)],
                                                                        source[static_cast<std::size_t>(g)])
                                               : y == g;
            if (!equal) {
                bad.set(i);
                if (in_range && golden_in_range)
                    note_error(source[static_cast<std::size_t>(y)], source[static_cast<std::size_t>(g)], comparison);
            }
            if (in_range)
                seen.emplace_back(y, i);
        }
        std::sort(seen.begin(), seen.end());
        for (std::size_t k = 1; k < seen.size(); ++k)
            if (seen[k].first == seen[k - 1].first)
                bad.set(seen[k].second);
    }
    comparison.failed_exact = bad.any();
    return {};
}

} // namespace

std::int64_t row_elements(const OutputSpec& spec, const Shape& shape) {
    const int axes = std::clamp(spec.row_axes.value_or(1), 0, static_cast<int>(shape.size()));
    std::int64_t row = 1;
    for (std::size_t axis = shape.size() - static_cast<std::size_t>(axes); axis < shape.size(); ++axis)
        row *= shape[axis];
    return std::max<std::int64_t>(1, row);
}

Comparison compare_output(const OutputSpec& spec, const Shape& shape, const Tolerance& tolerance,
                          std::span<const std::byte> got, const Golden& golden, std::span<const double> values) {
    Comparison comparison;
    comparison.output = spec.name;
    comparison.elements = element_count(shape);
    const auto refuse = [&](std::string why) {
        comparison.failed_exact = true;
        comparison.pattern_text = std::move(why);
        return comparison;
    };
    if (std::string why = wrong_size(spec, shape, got, golden); !why.empty())
        return refuse(std::move(why));
    if (comparison.elements == 0) {
        comparison.accepted = true;
        return comparison;
    }
    const OutputView view(spec.dtype, shape, got, golden);
    BadMask bad(comparison.elements);
    switch (spec.compare) {
    case CompareKind::close:
        apply_close(view, row_elements(spec, shape), tolerance, got, golden, bad, comparison);
        break;
    case CompareKind::exact:
        apply_exact(view, got, golden, bad, comparison);
        break;
    case CompareKind::codes:
        apply_codes(view, bad, comparison);
        break;
    case CompareKind::index_of:
        if (std::string why = apply_index_of(view, row_elements(spec, shape), got, golden, values, bad, comparison);
            !why.empty())
            return refuse(std::move(why));
        break;
    }
    comparison.accepted = !bad.any() && !comparison.failed_row;
    if (!comparison.accepted) {
        describe_bad(view, bad, comparison);
        const PatternFinding finding = find_pattern(view, bad, tolerance);
        comparison.pattern = finding.pattern;
        comparison.pattern_text = finding.text;
    }
    return comparison;
}

Comparison compare_runs(const OutputSpec& spec, const Shape& shape, std::span<const std::byte> first,
                        std::span<const std::byte> second) {
    Comparison comparison;
    comparison.output = spec.name;
    comparison.elements = element_count(shape);
    const std::size_t size = size_of(spec.dtype);
    if (first.size() != second.size() || first.size() != static_cast<std::size_t>(comparison.elements) * size) {
        comparison.failed_exact = true;
        comparison.pattern_text = "the two runs' outputs hold " + std::to_string(first.size()) + " and " +
                                  std::to_string(second.size()) + " bytes";
        return comparison;
    }
    if (first.empty() || std::memcmp(first.data(), second.data(), first.size()) == 0) {
        comparison.accepted = true;
        return comparison;
    }
    // The first run as a golden, so that both are described alike. Only what differs is converted.
    BadMask bad(comparison.elements);
    for (std::int64_t i = 0; i < comparison.elements; ++i)
        if (std::memcmp(&first[static_cast<std::size_t>(i) * size], &second[static_cast<std::size_t>(i) * size], size))
            bad.set(i);
    std::vector<std::byte> golden(static_cast<std::size_t>(comparison.elements) * 8);
    const bool integers = !is_float(spec.dtype);
    bad.for_each([&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        if (integers)
            store_integer(golden, DType::i64, at, load_integer(first, spec.dtype, at));
        else
            store_element(golden, DType::f64, at, load_element(first, spec.dtype, at));
        note_error(load_element(second, spec.dtype, at), load_element(first, spec.dtype, at), comparison);
    });
    const Golden as_golden{golden, integers, {}};
    const OutputView view(spec.dtype, shape, second, as_golden);
    describe_bad(view, bad, comparison);
    comparison.failed_exact = true;
    comparison.pattern = Pattern::unstable;
    comparison.pattern_text = std::to_string(bad.count()) + " of " + std::to_string(comparison.elements) +
                              " elements differ between two runs on the same inputs";
    return comparison;
}

} // namespace kf
