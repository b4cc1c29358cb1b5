// SPDX-License-Identifier: GPL-3.0-or-later
// Pure shapes of samples of a time, for drawing: bins, a smooth density, steps of the distribution function, a box,
// the lowest and highest of every pixel. All take a million samples in a few milliseconds; what is no time is left
// out before.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kf::ui {

// Times that can be believed, ascending.
std::vector<double> credible_sorted(std::span<const double> seconds);
// Of ascending values, as core/measure/statistics.h counts; NaN for none.
double sorted_quantile(std::span<const double> sorted, double q);

// The range in which the bulk lies: all of it, but no more than eight quartile distances beyond the quartiles.
struct Range {
    double low = 0, high = 0;
    bool known() const { return high > 0; }
};
Range bulk_range(std::span<const double> sorted);
Range united(Range a, Range b);
std::size_t count_below(std::span<const double> sorted, double value);
std::size_t count_above(std::span<const double> sorted, double value);

// Edges of bins over a range, equal in width on the axis (equal ratios on a logarithmic one); by the rule of Freedman
// and Diaconis, between 8 and `most`.
std::vector<double> bin_edges(std::span<const double> sorted, Range range, bool log, int most);
// How many fall into each; the last bin holds its upper edge too.
std::vector<int> histogram(std::span<const double> sorted, std::span<const double> edges);

struct CurvePoint {
    double seconds = 0, value = 0;
};
// Gaussian kernel density at `points` places, its greatest value 1. Silverman's bandwidth, at least a place's width;
// binned first, so that the number of samples does not matter.
std::vector<CurvePoint> density(std::span<const double> sorted, Range range, bool log, int points);
// Share of samples at or below, at most `points` steps (every step where there are fewer samples).
std::vector<CurvePoint> distribution_function(std::span<const double> sorted, int points);

struct Box {
    double low = 0, q1 = 0, median = 0, q3 = 0, high = 0; // whiskers: the farthest within 1.5 quartile distances
    std::size_t outliers_low = 0, outliers_high = 0;      // how many are beyond
};
Box box_of(std::span<const double> sorted);

// Lowest and highest of equal shares of the series, in its order; where there are fewer samples than columns each is
// one of its own.
struct Column {
    double low = 0, high = 0;
    std::size_t first = 0, count = 0;
};
std::vector<Column> columns_of(std::span<const double> series, std::size_t first, std::size_t count, int columns);

} // namespace kf::ui
