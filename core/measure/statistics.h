// SPDX-License-Identifier: GPL-3.0-or-later
// Small pure statistics for the decision rules. Input that has no answer gives NaN, never a plausible number: an empty
// range, or a range with a NaN in it. Infinities are ordered like numbers by median and quantile; a mean or a deviation
// over them is NaN or infinite as IEEE arithmetic says.
#pragma once

#include <span>
#include <vector>

namespace kf {

// The middle value, or the mean of the two middle ones.
double median(std::span<const double> values);
// Linear interpolation between order statistics (type 7 of Hyndman and Fan). NaN unless 0 <= q <= 1.
double quantile(std::span<const double> values, double q);
// Distance between the quartiles.
double interquartile_range(std::span<const double> values);
double mean(std::span<const double> values);
// Sample standard deviation (n - 1). NaN for fewer than two values.
double standard_deviation(std::span<const double> values);
// Median of all pairwise averages (Walsh averages, a value paired with itself included): a location estimate that
// neither outliers nor a skewed tail can move far. Quadratic in time and memory; meant for rounds, not for samples.
double hodges_lehmann(std::span<const double> values);

// Standard normal distribution. The quantile is ∓infinity at 0 and 1, NaN outside.
double normal_cdf(double x);
double normal_quantile(double p);
// Regularised incomplete beta function I_x(a, b). NaN unless a, b > 0 and 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);
// Student's t with `freedom` degrees of freedom (> 0, need not be whole). NaN for an invalid freedom.
double t_cdf(double t, double freedom);
double t_quantile(double p, double freedom);
// P(T > t), accurate in the far tail where 1 - t_cdf(t) has lost its digits.
double t_upper_tail(double t, double freedom);
// P(F > f) of Fisher's F. NaN unless both freedoms are positive and f is a number; 1 for f <= 0.
double f_upper_tail(double f, double freedom_above, double freedom_below);

// Exact sign test: the probability, when either sign is equally likely, of at least `positive` positives among
// positive + negative (zeros are left out by the caller). 1 when both are zero; NaN for a negative count.
double sign_test_greater(int positive, int negative);
// Two-sided, at most 1.
double sign_test(int positive, int negative);

// Holm's step-down procedure: adjusted p-values in the order given. A NaN counts as 1 and stays last: an unknown
// p-value can never become significant.
std::vector<double> holm(std::span<const double> p_values);

// True for a duration that can be believed: finite, at least a tenth of a nanosecond (shorter than any clock period of
// a device; excludes zero, negative and denormal numbers), at most 10^6 seconds.
bool credible_seconds(double seconds);
// log(reference / contender), positive when the contender is faster. NaN unless both are credible.
double log_ratio(double reference_seconds, double contender_seconds);
// Speed-up of a log ratio and back: 1.0 = same.
double to_ratio(double log_value);
double to_log(double ratio);

} // namespace kf
