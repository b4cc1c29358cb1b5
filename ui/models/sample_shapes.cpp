// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/sample_shapes.h"

#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kf::ui {
namespace {

constexpr double least_time = 1e-10;

double on_axis(double seconds, bool log) {
    return log ? std::log(std::max(seconds, least_time)) : seconds;
}

double from_axis(double value, bool log) {
    return log ? std::exp(value) : value;
}

} // namespace

std::vector<double> credible_sorted(std::span<const double> seconds) {
    std::vector<double> sorted;
    sorted.reserve(seconds.size());
    std::copy_if(seconds.begin(), seconds.end(), std::back_inserter(sorted), credible_seconds);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

double sorted_quantile(std::span<const double> sorted, double q) {
    if (sorted.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Range bulk_range(std::span<const double> sorted) {
    if (sorted.empty())
        return {};
    const double q1 = sorted_quantile(sorted, 0.25), q3 = sorted_quantile(sorted, 0.75);
    // Without a spread (a coarse timer) a per cent on either side keeps the axis from collapsing.
    const double reach = std::max(8 * (q3 - q1), 0.01 * q3);
    const double low = std::max(sorted.front(), q1 - reach), high = std::min(sorted.back(), q3 + reach);
    return {low, high};
}

Range united(Range a, Range b) {
    if (!a.known() || !b.known())
        return a.known() ? a : b;
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

std::size_t count_below(std::span<const double> sorted, double value) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

std::size_t count_above(std::span<const double> sorted, double value) {
    return static_cast<std::size_t>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), value));
}

std::vector<double> bin_edges(std::span<const double> sorted, Range range, bool log, int most) {
    const double low = on_axis(range.low, log), high = on_axis(range.high, log);
    if (!(high > low))
        return {range.low, range.high};
    int bins = 8;
    if (!sorted.empty()) {
        const double spread = on_axis(sorted_quantile(sorted, 0.75), log) - on_axis(sorted_quantile(sorted, 0.25), log);
        const double width = 2 * spread / std::cbrt(static_cast<double>(sorted.size()));
        const double wanted = width > 0 ? std::ceil((high - low) / width) : most;
        bins = static_cast<int>(std::clamp(wanted, 8.0, static_cast<double>(std::max(8, most))));
    }
    std::vector<double> edges(static_cast<std::size_t>(bins) + 1);
    for (int i = 0; i <= bins; ++i)
        edges[static_cast<std::size_t>(i)] = from_axis(low + (high - low) * i / bins, log);
    edges.front() = range.low; // free of rounding
    edges.back() = range.high;
    return edges;
}

std::vector<int> histogram(std::span<const double> sorted, std::span<const double> edges) {
    std::vector<int> counts;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const auto first = std::lower_bound(sorted.begin(), sorted.end(), edges[i]);
        const auto end = i + 2 == edges.size() ? std::upper_bound(sorted.begin(), sorted.end(), edges[i + 1])
                                               : std::lower_bound(sorted.begin(), sorted.end(), edges[i + 1]);
        counts.push_back(static_cast<int>(std::max<std::ptrdiff_t>(0, end - first)));
    }
    return counts;
}

std::vector<CurvePoint> density(std::span<const double> sorted, Range range, bool log, int points) {
    const double low = on_axis(range.low, log), high = on_axis(range.high, log);
    if (sorted.empty() || points < 2 || !(high > low))
        return {};
    const double step = (high - low) / (points - 1);
    // Bins reach beyond the range, so that what lies just outside still counts at its edge.
    const int margin = points / 4;
    std::vector<double> bins(static_cast<std::size_t>(points + 2 * margin));
    for (const double seconds : sorted) {
        const double place = (on_axis(seconds, log) - low) / step + margin;
        if (place < 0 || place >= static_cast<double>(bins.size() - 1))
            continue;
        const auto below = static_cast<std::size_t>(place);
        const double share = place - static_cast<double>(below);
        bins[below] += 1 - share;
        bins[below + 1] += share;
    }
    const double q1 = on_axis(sorted_quantile(sorted, 0.25), log), q3 = on_axis(sorted_quantile(sorted, 0.75), log);
    const double spread = (q3 - q1) / 1.34;
    const double bandwidth =
        std::max({0.9 * spread * std::pow(static_cast<double>(sorted.size()), -0.2), 0.004 * (high - low), step});
    const int reach = std::min(static_cast<int>(std::ceil(4 * bandwidth / step)), points + 2 * margin);
    std::vector<double> kernel(static_cast<std::size_t>(reach) + 1);
    for (int i = 0; i <= reach; ++i)
        kernel[static_cast<std::size_t>(i)] = std::exp(-0.5 * std::pow(i * step / bandwidth, 2));
    std::vector<CurvePoint> curve(static_cast<std::size_t>(points));
    double greatest = 0;
    for (int i = 0; i < points; ++i) {
        double sum = 0;
        const int centre = i + margin;
        const int first = std::max(0, centre - reach),
                  last = std::min(static_cast<int>(bins.size()) - 1, centre + reach);
        for (int j = first; j <= last; ++j)
            sum += bins[static_cast<std::size_t>(j)] * kernel[static_cast<std::size_t>(std::abs(j - centre))];
        curve[static_cast<std::size_t>(i)] = {from_axis(low + i * step, log), sum};
        greatest = std::max(greatest, sum);
    }
    if (greatest > 0)
        for (CurvePoint& point : curve)
            point.value /= greatest;
    return curve;
}

std::vector<CurvePoint> distribution_function(std::span<const double> sorted, int points) {
    std::vector<CurvePoint> curve;
    const std::size_t n = sorted.size();
    const std::size_t wanted = std::min<std::size_t>(n, static_cast<std::size_t>(std::max(points, 2)));
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t index = wanted < 2 ? 0 : i * (n - 1) / (wanted - 1);
        curve.push_back({sorted[index], static_cast<double>(index + 1) / static_cast<double>(n)});
    }
    return curve;
}

Box box_of(std::span<const double> sorted) {
    Box box;
    if (sorted.empty())
        return box;
    box.q1 = sorted_quantile(sorted, 0.25);
    box.median = sorted_quantile(sorted, 0.5);
    box.q3 = sorted_quantile(sorted, 0.75);
    const double reach = 1.5 * (box.q3 - box.q1);
    const std::size_t below = count_below(sorted, box.q1 - reach);
    const std::size_t above = count_above(sorted, box.q3 + reach);
    box.low = sorted[below];
    box.high = sorted[sorted.size() - 1 - above];
    box.outliers_low = below;
    box.outliers_high = above;
    return box;
}

std::vector<Column> columns_of(std::span<const double> series, std::size_t first, std::size_t count, int columns) {
    std::vector<Column> result;
    if (first >= series.size() || columns < 1)
        return result;
    count = std::min(count, series.size() - first);
    const std::size_t wanted = std::min(count, static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t begin = first + count * i / wanted, end = first + count * (i + 1) / wanted;
        const auto [low, high] = std::minmax_element(series.begin() + static_cast<std::ptrdiff_t>(begin),
                                                     series.begin() + static_cast<std::ptrdiff_t>(end));
        result.push_back({*low, *high, begin, end - begin});
    }
    return result;
}

} // namespace kf::ui
