// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace kf {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

TEST(Statistics, OrderStatistics) {
    EXPECT_EQ(median(Values{3, 1, 2}), 2);
    EXPECT_EQ(median(Values{4, 1, 3, 2}), 2.5);
    EXPECT_EQ(median(Values{7}), 7);
    EXPECT_DOUBLE_EQ(quantile(Values{1, 2, 3, 4, 5}, 0.9), 4.6);
    EXPECT_EQ(quantile(Values{5, 1, 3}, 0), 1);
    EXPECT_EQ(quantile(Values{5, 1, 3}, 1), 5);
    EXPECT_DOUBLE_EQ(interquartile_range(Values{1, 2, 3, 4, 5}), 2);
}

TEST(Statistics, NothingAndNanGiveNan) {
    for (const Values& values : {Values{}, Values{1, kNan, 2}, Values{kNan}}) {
        EXPECT_TRUE(std::isnan(median(values)));
        EXPECT_TRUE(std::isnan(quantile(values, 0.5)));
        EXPECT_TRUE(std::isnan(interquartile_range(values)));
        EXPECT_TRUE(std::isnan(mean(values)));
        EXPECT_TRUE(std::isnan(standard_deviation(values)));
        EXPECT_TRUE(std::isnan(hodges_lehmann(values)));
    }
    EXPECT_TRUE(std::isnan(standard_deviation(Values{1})));
    for (const double q : {-0.1, 1.1, kNan})
        EXPECT_TRUE(std::isnan(quantile(Values{1, 2}, q)));
}

TEST(Statistics, InfinitiesAreOrdered) {
    EXPECT_EQ(median(Values{1, kInf, 2}), 2);
    EXPECT_EQ(median(Values{-kInf, 5}), -kInf);
    EXPECT_EQ(median(Values{kInf, kInf}), kInf);
    EXPECT_TRUE(std::isnan(median(Values{-kInf, kInf})));
    EXPECT_EQ(quantile(Values{1, kInf}, 0), 1);
    EXPECT_EQ(quantile(Values{1, kInf}, 0.5), kInf);
    EXPECT_EQ(mean(Values{1, kInf}), kInf);
    EXPECT_TRUE(std::isnan(standard_deviation(Values{1, kInf})));
    EXPECT_TRUE(std::isnan(hodges_lehmann(Values{-kInf, kInf})));
}

TEST(Statistics, MeanDeviationAndHodgesLehmann) {
    EXPECT_DOUBLE_EQ(mean(Values{1, 2, 6}), 3);
    EXPECT_DOUBLE_EQ(standard_deviation(Values{1, 2, 6}), std::sqrt(7.0));
    EXPECT_EQ(hodges_lehmann(Values{1, 2, 3}), 2);
    EXPECT_DOUBLE_EQ(hodges_lehmann(Values{1, 2, 3, 1000}), 2.75); // of 1 1.5 2 2 2.5 3 500.5 501 501.5 1000
}

// Tables: NIST/SEMATECH e-Handbook, 1.3.6.7.
TEST(Statistics, StudentT) {
    EXPECT_NEAR(t_quantile(0.975, 5), 2.5706, 1e-4);
    EXPECT_NEAR(t_quantile(0.95, 19), 1.7291, 1e-4);
    EXPECT_NEAR(t_quantile(0.975, 1), 12.7062, 1e-4);
    EXPECT_NEAR(t_quantile(0.025, 5), -2.5706, 1e-4);
    EXPECT_EQ(t_quantile(0.5, 3), 0);
    EXPECT_EQ(t_quantile(1, 3), kInf);
    EXPECT_NEAR(t_upper_tail(1, 1), 0.25, 1e-14); // Cauchy
    EXPECT_NEAR(t_cdf(-1, 1), 0.25, 1e-14);
    EXPECT_NEAR(t_cdf(0, 7), 0.5, 1e-14);
    EXPECT_NEAR(t_upper_tail(1.96, kInf), 0.0249979, 1e-7);
    EXPECT_NEAR(t_upper_tail(1e6, 2) * 2e12, 1, 1e-5); // tail of t(2): 1 / (2 t²)
    EXPECT_EQ(t_upper_tail(kInf, 4), 0);
    EXPECT_EQ(t_upper_tail(-kInf, 4), 1);
    for (const double freedom : {0.0, -1.0, kNan})
        EXPECT_TRUE(std::isnan(t_cdf(1, freedom)) && std::isnan(t_quantile(0.9, freedom)));
    EXPECT_TRUE(std::isnan(t_cdf(kNan, 5)));
    EXPECT_TRUE(std::isnan(t_quantile(1.5, 5)));
    for (const double p : {1e-9, 0.001, 0.3, 0.8, 0.9999})
        EXPECT_NEAR(t_cdf(t_quantile(p, 4.5), 4.5), p, 1e-12);
}

TEST(Statistics, FisherF) {
    EXPECT_NEAR(f_upper_tail(3.0556, 4, 15), 0.05, 1e-4);
    EXPECT_NEAR(f_upper_tail(2.5706 * 2.5706, 1, 5), 0.05, 1e-4); // F(1, n) = t(n)²
    EXPECT_EQ(f_upper_tail(0, 4, 15), 1);
    EXPECT_EQ(f_upper_tail(kInf, 4, 15), 0);
    EXPECT_TRUE(std::isnan(f_upper_tail(1, 0, 3)) && std::isnan(f_upper_tail(kNan, 1, 3)));
}

TEST(Statistics, Normal) {
    EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-8);
    EXPECT_NEAR(normal_cdf(-1.959963985), 0.025, 1e-9);
    EXPECT_NEAR(normal_quantile(1e-12), -7.034483825, 1e-7);
    EXPECT_EQ(normal_quantile(0), -kInf);
    EXPECT_EQ(normal_quantile(1), kInf);
    EXPECT_TRUE(std::isnan(normal_quantile(-0.1)) && std::isnan(normal_quantile(kNan)));
}

TEST(Statistics, IncompleteBeta) {
    EXPECT_NEAR(incomplete_beta(1, 1, 0.3), 0.3, 1e-14);
    EXPECT_NEAR(incomplete_beta(2, 3, 0.4), 0.5248, 1e-12); // 6x² - 8x³ + 3x⁴
    EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
    EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
    for (const double x : {-0.1, 1.1, kNan})
        EXPECT_TRUE(std::isnan(incomplete_beta(2, 3, x)));
    EXPECT_TRUE(std::isnan(incomplete_beta(0, 3, 0.5)) && std::isnan(incomplete_beta(kInf, 3, 0.5)));
}

TEST(Statistics, SignTest) {
    EXPECT_NEAR(sign_test_greater(6, 0), 1.0 / 64, 1e-15);
    EXPECT_NEAR(sign_test_greater(5, 1), 7.0 / 64, 1e-14);
    EXPECT_NEAR(sign_test(6, 0), 2.0 / 64, 1e-15);
    EXPECT_EQ(sign_test_greater(0, 6), 1);
    EXPECT_EQ(sign_test(3, 3), 1);
    EXPECT_EQ(sign_test(0, 0), 1);
    EXPECT_TRUE(std::isnan(sign_test_greater(-1, 3)));
}

TEST(Statistics, Holm) {
    const Values adjusted = holm(Values{0.01, 0.04, 0.03, 0.005});
    ASSERT_EQ(adjusted.size(), 4u);
    EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
    EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
    EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
    EXPECT_DOUBLE_EQ(adjusted[1], 0.06); // never below a smaller p's
    EXPECT_TRUE(holm(Values{}).empty());
    EXPECT_EQ(holm(Values{kNan, 0.01}), (Values{1, 0.02}));
    EXPECT_EQ(holm(Values{2, -1}), (Values{1, 0}));
}

TEST(Statistics, OnlyCredibleTimesHaveARatio) {
    EXPECT_DOUBLE_EQ(log_ratio(2e-4, 1e-4), std::log(2.0));
    EXPECT_LT(log_ratio(1e-4, 2e-4), 0);
    for (const double bad : {0.0, -1e-4, kNan, kInf, -kInf, std::numeric_limits<double>::denorm_min(), 1e-11, 1e7}) {
        EXPECT_TRUE(std::isnan(log_ratio(bad, 1e-4))) << bad;
        EXPECT_TRUE(std::isnan(log_ratio(1e-4, bad))) << bad;
    }
    EXPECT_DOUBLE_EQ(to_ratio(to_log(1.25)), 1.25);
    EXPECT_EQ(to_log(0), -kInf);
    EXPECT_TRUE(std::isnan(to_log(-1)));
}

} // namespace
} // namespace kf
