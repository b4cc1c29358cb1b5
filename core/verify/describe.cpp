// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/describe.h"

#include <algorithm>

namespace kf {

std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(1, shape[axis]);
        index[axis] = flat % extent;
        flat /= extent;
    }
    return index;
}

ErrorMap make_error_map(std::int64_t rows, std::int64_t columns, const BadMask& bad) {
    ErrorMap map;
    if (rows <= 0 || columns <= 0)
        return map;
    map.rows = static_cast<int>(std::min<std::int64_t>(rows, max_map_cells));
    map.columns = static_cast<int>(std::min<std::int64_t>(columns, max_map_cells));
    map.bad.resize(static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns));
    bad.for_each([&](std::int64_t i) {
        // Task shapes have at most 2^40 elements, so the products stay below 2^46.
        const std::int64_t row = i / columns * map.rows / rows;
        const std::int64_t column = i % columns * map.columns / columns;
        std::uint32_t& cell = map.bad[static_cast<std::size_t>(row * map.columns + column)];
        if (cell != std::numeric_limits<std::uint32_t>::max())
            ++cell;
    });
    return map;
}

void describe_bad(const OutputView& view, const BadMask& bad, Comparison& comparison) {
    comparison.bad = bad.count();
    struct Ranked {
        double error;
        BadElement element;
    };
    std::vector<Ranked> worst; // descending
    bad.for_each([&](std::int64_t i) {
        const double expected = view.expected(i), got = view.got(i);
        const bool first = comparison.first_bad.size() < max_first_bad;
        double error = std::fabs(got - expected);
        if (!std::isfinite(error))
            error = std::numeric_limits<double>::infinity();
        const bool ranks = worst.size() < max_worst || error > worst.back().error;
        if (!first && !ranks)
            return;
        BadElement element{unravel(i, view.shape()), expected, got};
        if (first)
            comparison.first_bad.push_back(element);
        if (ranks) {
            const auto at =
                std::find_if(worst.begin(), worst.end(), [&](const Ranked& other) { return error > other.error; });
            worst.insert(at, Ranked{error, std::move(element)});
            if (worst.size() > max_worst)
                worst.pop_back();
        }
    });
    comparison.worst.clear();
    for (Ranked& ranked : worst)
        comparison.worst.push_back(std::move(ranked.element));
    comparison.map = make_error_map(view.rows(), view.columns(), bad);
}

} // namespace kf
