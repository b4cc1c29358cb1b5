// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/sample_shapes.h"

#include "core/base/random.h"
#include "core/measure/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace kf::ui {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> skewed(std::size_t n, double median) {
    SplitMix64 random(7);
    std::vector<double> values(n);
    for (double& value : values)
        value = median * (1 + 0.01 * random.uniform() + (random.below(20) == 0 ? 0.2 * random.uniform() : 0));
    return values;
}

TEST(SampleShapes, EveryShapeTakesEverySeries) {
    const std::vector<std::vector<double>> series = {{},
                                                     {1e-3},
                                                     {1e-3, 1e-3, 1e-3},
                                                     {1e-9, 1e5},
                                                     {nan, infinity, -1, 0, 1e-320},
                                                     {nan, 2e-3, infinity, 3e-3},
                                                     {1e-9, 2e-9},
                                                     skewed(5000, 2e-3)};
    for (const auto& values : series) {
        const std::vector<double> sorted = credible_sorted(values);
        SCOPED_TRACE(testing::Message() << values.size() << " values, " << sorted.size() << " credible");
        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
        const Range range = bulk_range(sorted);
        EXPECT_EQ(range.known(), !sorted.empty());
        for (const bool log : {false, true}) {
            const std::vector<double> edges = bin_edges(sorted, range, log, 120);
            EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
            EXPECT_LE(edges.size(), 121u);
            for (const CurvePoint& point : density(sorted, range, log, 200)) {
                EXPECT_TRUE(std::isfinite(point.value) && point.value >= 0 && point.value <= 1);
                EXPECT_TRUE(point.seconds >= range.low * 0.999 && point.seconds <= range.high * 1.001);
            }
        }
        const std::vector<CurvePoint> steps = distribution_function(sorted, 300);
        EXPECT_LE(steps.size(), 300u);
        if (!sorted.empty()) {
            EXPECT_EQ(steps.back().value, 1);
        }
        const Box box = box_of(sorted);
        EXPECT_LE(box.low, box.q1);
        EXPECT_LE(box.q1, box.median);
        EXPECT_LE(box.median, box.q3);
        EXPECT_LE(box.q3, box.high);
    }
}

TEST(SampleShapes, CountsAreComplete) {
    const std::vector<double> sorted = credible_sorted(skewed(5000, 2e-3));
    const Range all{sorted.front(), sorted.back()};
    for (const bool log : {false, true}) {
        const std::vector<int> counts = histogram(sorted, bin_edges(sorted, all, log, 120));
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 5000);
    }
    const Range part{sorted[1000], sorted[3999]};
    const std::vector<int> counts = histogram(sorted, bin_edges(sorted, part, false, 40));
    EXPECT_EQ(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)) +
                  count_below(sorted, part.low) + count_above(sorted, part.high),
              5000u);
    for (const double q : {0.0, 0.25, 0.5, 0.9, 0.99, 1.0})
        EXPECT_DOUBLE_EQ(sorted_quantile(sorted, q), quantile(sorted, q));
    const Box box = box_of(sorted);
    EXPECT_EQ(box.outliers_high, count_above(sorted, box.high));
    EXPECT_GT(box.outliers_high, 0u);
}

TEST(SampleShapes, AMillionSamplesKeepTheirExtremes) {
    std::vector<double> values = skewed(1'000'000, 2e-3);
    values[123'456] = 9e-3; // a lone straggler must not fall between pixels
    const std::vector<Column> columns = columns_of(values, 0, values.size(), 800);
    ASSERT_EQ(columns.size(), 800u);
    double high = 0, low = infinity;
    std::size_t next = 0;
    for (const Column& column : columns) {
        EXPECT_EQ(column.first, next);
        next += column.count;
        high = std::max(high, column.high);
        low = std::min(low, column.low);
    }
    EXPECT_EQ(next, values.size());
    EXPECT_EQ(high, 9e-3);
    EXPECT_EQ(low, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(columns_of(values, 10, 5, 800).size(), 5u);
    EXPECT_TRUE(columns_of(values, values.size(), 5, 800).empty());
}

} // namespace
} // namespace kf::ui
