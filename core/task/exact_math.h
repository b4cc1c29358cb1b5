// SPDX-License-Identifier: GPL-3.0-or-later
// Elementary functions from + - * / and sqrt alone, in a fixed order of evaluation, so that every IEEE machine (and a
// GPU with contraction off) gives the same bits. Accuracy is about 1e-15 relative for logarithm and exponential
// and 1.2e-9 for the normal quantile, far below what inputs need. Files that include this are compiled with
// -ffp-contract=off.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace kf::exact_math {

// Natural logarithm of a positive normal number: ln(m·2^e) = e·ln 2 + 2·atanh((m-1)/(m+1)), m in [√½, √2).
inline double logarithm(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    const double s = (m - 1.0) / (m + 1.0);
    const double t = s * s;
    double sum = 1.0 / 21.0;
    for (int k = 19; k >= 1; k -= 2)
        sum = sum * t + 1.0 / k;
    return exponent * 0.6931471805599453 + 2.0 * s * sum;
}

// e^x for |x| < 700: x = k·ln 2 + r with |r| ≤ ½ ln 2, Taylor series of e^r.
inline double exponential(double x) {
    const double k = std::floor(x * 1.4426950408889634 + 0.5);
    const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int n = 14; n >= 1; --n)
        sum = sum * r / n + 1.0;
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

// Quantile of the standard normal distribution, p in (0, 1): the rational approximation of P. J. Acklam (2003), with
// relative error below 1.2e-9. Only the tails (under 5 % of the draws) need a logarithm and a root.
inline double normal_quantile(double p) {
    const double q = p - 0.5;
    if (std::fabs(q) <= 0.5 - 0.02425) {
        const double r = q * q;
        return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
                  1.383577518672690e+02) *
                     r -
                 3.066479806614716e+01) *
                    r +
                2.506628277459239e+00) *
               q /
               (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
                  6.680131188771972e+01) *
                     r -
                 1.328068155288572e+01) *
                    r +
                1.0);
    }
    const double tail = q < 0 ? p : 1.0 - p;
    const double u = std::sqrt(-2.0 * logarithm(tail));
    const double z = (((((-7.784894002430293e-03 * u - 3.223964580411365e-01) * u - 2.400758277161838e+00) * u -
                        2.549732539343734e+00) *
                           u +
                       4.374664141464968e+00) *
                          u +
                      2.938163982698783e+00) /
                     ((((7.784695709041462e-03 * u + 3.224671290700398e-01) * u + 2.445134137142996e+00) * u +
                       3.754408661907416e+00) *
                          u +
                      1.0);
    return q < 0 ? z : -z;
}

} // namespace kf::exact_math
