// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace kf {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// nth_element and sort need a strict weak order, which NaN breaks.
bool usable(std::span<const double> values) {
    return !values.empty() && std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

// The point a share of the way from low to high. An infinity wins over a number; opposite infinities give NaN.
double between(double low, double high, double share) {
    if (low == high || share == 0)
        return low;
    return std::isinf(low) || std::isinf(high) ? low + high : low + (high - low) * share;
}

double middle(double low, double high) {
    return between(low, high, 0.5);
}

double median_in_place(std::vector<double>& values) {
    const std::size_t half = values.size() / 2;
    const auto mid = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), mid, values.end());
    if (values.size() % 2 == 1)
        return *mid;
    return middle(*std::max_element(values.begin(), mid), *mid);
}

// Continued fraction of the incomplete beta function by Lentz's method; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double h = d;
    for (int m = 1; m <= 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        const double step = d * c;
        h *= step;
        if (std::abs(step - 1) < 1e-15)
            break;
    }
    return h;
}

} // namespace

double median(std::span<const double> values) {
    if (!usable(values))
        return kNan;
    std::vector<double> copy(values.begin(), values.end());
    return median_in_place(copy);
}

double quantile(std::span<const double> values, double q) {
    if (!usable(values) || !(q >= 0 && q <= 1))
        return kNan;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double share = position - static_cast<double>(below);
    return between(sorted[below], sorted[above], share);
}

double interquartile_range(std::span<const double> values) {
    return quantile(values, 0.75) - quantile(values, 0.25);
}

double mean(std::span<const double> values) {
    if (values.empty())
        return kNan;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
    if (values.size() < 2)
        return kNan;
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - centre) * (value - centre);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double hodges_lehmann(std::span<const double> values) {
    if (!usable(values))
        return kNan;
    std::vector<double> averages;
    averages.reserve(values.size() * (values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t j = i; j < values.size(); ++j) {
            const double average = middle(values[i], values[j]);
            if (std::isnan(average))
                return kNan; // opposite infinities
            averages.push_back(average);
        }
    return median_in_place(averages);
}

double normal_cdf(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double normal_quantile(double p) {
    if (!(p >= 0 && p <= 1))
        return kNan;
    if (p == 0 || p == 1)
        return p == 0 ? -kInfinity : kInfinity;
    if (p == 0.5)
        return 0;
    if (p > 0.5)
        return -normal_quantile(1 - p);
    // Bisection in the lower half, where normal_cdf keeps its relative accuracy; 40 is beyond the smallest double.
    double low = -40;
    double high = 0;
    for (int i = 0; i < 200 && low < high; ++i) {
        const double mid = middle(low, high);
        if (mid == low || mid == high)
            break;
        (normal_cdf(mid) < p ? low : high) = mid;
    }
    return middle(low, high);
}

double incomplete_beta(double a, double b, double x) {
    if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1) || std::isinf(a) || std::isinf(b))
        return kNan;
    if (x == 0 || x == 1)
        return x;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double t_upper_tail(double t, double freedom) {
    if (std::isnan(t) || !(freedom > 0))
        return kNan;
    if (std::isinf(freedom))
        return normal_cdf(-t);
    if (std::isinf(t))
        return t > 0 ? 0 : 1;
    const double tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
    return t >= 0 ? tail : 1 - tail;
}

double t_cdf(double t, double freedom) {
    return t_upper_tail(-t, freedom);
}

double t_quantile(double p, double freedom) {
    if (!(p >= 0 && p <= 1) || !(freedom > 0))
        return kNan;
    if (p == 0 || p == 1)
        return p == 0 ? -kInfinity : kInfinity;
    if (p == 0.5)
        return 0;
    if (p < 0.5)
        return -t_quantile(1 - p, freedom);
    double high = 2;
    while (t_cdf(high, freedom) < p && high < 1e300)
        high *= 2;
    double low = 0;
    for (int i = 0; i < 200; ++i) {
        const double mid = middle(low, high);
        if (mid == low || mid == high || high - low < 1e-14 * high)
            break;
        (t_cdf(mid, freedom) < p ? low : high) = mid;
    }
    return middle(low, high);
}

double f_upper_tail(double f, double freedom_above, double freedom_below) {
    if (std::isnan(f) || !(freedom_above > 0) || !(freedom_below > 0))
        return kNan;
    if (f <= 0)
        return 1;
    return incomplete_beta(freedom_below / 2, freedom_above / 2, freedom_below / (freedom_below + freedom_above * f));
}

double sign_test_greater(int positive, int negative) {
    if (positive < 0 || negative < 0)
        return kNan;
    if (positive == 0)
        return 1;
    // P(X >= k) for a binomial(n, 1/2) is I_{1/2}(k, n - k + 1).
    return incomplete_beta(positive, negative + 1.0, 0.5);
}

double sign_test(int positive, int negative) {
    return std::min(1.0, 2 * std::min(sign_test_greater(positive, negative), sign_test_greater(negative, positive)));
}

std::vector<double> holm(std::span<const double> p_values) {
    const std::size_t n = p_values.size();
    const auto p_at = [&](std::size_t i) { return std::isnan(p_values[i]) ? 1.0 : std::clamp(p_values[i], 0.0, 1.0); };
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_at(a) < p_at(b); });
    std::vector<double> adjusted(n);
    double largest = 0;
    for (std::size_t rank = 0; rank < n; ++rank) {
        largest = std::max(largest, std::min(1.0, static_cast<double>(n - rank) * p_at(order[rank])));
        adjusted[order[rank]] = largest;
    }
    return adjusted;
}

bool credible_seconds(double seconds) {
    return seconds >= 1e-10 && seconds <= 1e6;
}

double log_ratio(double reference_seconds, double contender_seconds) {
    if (!credible_seconds(reference_seconds) || !credible_seconds(contender_seconds))
        return kNan;
    return std::log(reference_seconds / contender_seconds);
}

double to_ratio(double log_value) {
    return std::exp(log_value);
}
double to_log(double ratio) {
    return ratio > 0 ? std::log(ratio) : (ratio == 0 ? -kInfinity : kNan);
}

} // namespace kf
