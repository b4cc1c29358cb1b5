// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plot_axis.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kf::ui {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(PlotAxis, IsSensibleForEveryRange) {
    struct Case {
        double low, high;
        AxisUnit unit;
    };
    const Case cases[] = {{1.2e-3, 2.2e-3, AxisUnit::ms},
                          {0, 0, AxisUnit::ns},
                          {nan, 1, AxisUnit::ms},
                          {-infinity, infinity, AxisUnit::ms},
                          {1e-9, 1e-9, AxisUnit::ns},
                          {1e5, 1e5, AxisUnit::s},
                          {1e-9, 1e5, AxisUnit::s},
                          {5e-5, 1e-6, AxisUnit::us},
                          {-3, -1, AxisUnit::ns},
                          {1e300, 1e301, AxisUnit::s},
                          {2.1e-3, 2.1e-3 * (1 + 1e-12), AxisUnit::ms}};
    for (const Case& c : cases)
        for (const bool log : {false, true})
            for (const bool rounded : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << c.low << " … " << c.high << " log " << log << " rounded " << rounded);
                const Axis axis = make_axis(c.low, c.high, 6, log, rounded);
                ASSERT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
                ASSERT_LT(axis.low, axis.high);
                EXPECT_EQ(axis.unit, c.unit);
                EXPECT_GE(axis.ticks.size(), 2u);
                EXPECT_LE(axis.ticks.size(), 14u);
                QString before;
                for (const double tick : axis.ticks) {
                    EXPECT_GE(axis.position(tick), -1e-6);
                    EXPECT_LE(axis.position(tick), 1 + 1e-6);
                    EXPECT_NE(axis.tick_text(tick), before) << "two ticks read the same";
                    before = axis.tick_text(tick);
                }
                EXPECT_NEAR(axis.position(axis.value(0.25)), 0.25, 1e-9);
            }
}

TEST(PlotAxis, LabelsNeverOverlapAndMoveLittle) {
    const std::vector<double> free = push_apart({10, 50, 90}, 12, 0, 120);
    EXPECT_EQ(free, (std::vector<double>{10, 50, 90}));
    const std::vector<std::vector<double>> crowded = {{50, 52, 51, 90}, {0, 0, 0}, {118, 119, 120, 121}, {nan, 5, 5}};
    for (const auto& wanted : crowded) {
        std::vector<double> placed = push_apart(wanted, 12, 0, 120);
        ASSERT_EQ(placed.size(), wanted.size());
        std::sort(placed.begin(), placed.end());
        EXPECT_GE(placed.front(), 0);
        EXPECT_LE(placed.back() + 12, 120 + 1e-9);
        for (std::size_t i = 1; i < placed.size(); ++i)
            EXPECT_GE(placed[i] - placed[i - 1], 12 - 1e-9);
    }
    // A block stays centred on what its labels wanted.
    const std::vector<double> pair = push_apart({50, 52}, 12, 0, 120);
    EXPECT_NEAR((pair[0] + pair[1]) / 2, 51, 1e-9);
}

TEST(PlotAxis, WritesFiguresForPeople) {
    EXPECT_EQ(short_time(1.512e-3), QStringLiteral("1.512 ms"));
    EXPECT_EQ(short_time(0.99999e-3), QStringLiteral("1.000 ms"));
    EXPECT_EQ(short_time(12.34e-6, 3), QStringLiteral("12.3 µs"));
    EXPECT_EQ(short_time(1e5), QStringLiteral("100000 s"));
    for (const double none : {nan, infinity, 0.0, -1.0})
        EXPECT_EQ(short_time(none), QStringLiteral("–"));
    EXPECT_EQ(signed_text(-6.74, 1), QStringLiteral("−6.7"));
    EXPECT_EQ(signed_text(-0.04, 1), QStringLiteral("0.0"));
    EXPECT_EQ(count_text(1234567), QStringLiteral("1,234,567"));
}

} // namespace
} // namespace kf::ui
