// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds with a wanted log ratio, for tests of the rules without a device.
#pragma once

#include "core/measure/round.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace kf::test {

inline Round round_of(double log_value, int process = 0) {
    Round round;
    round.candidate = {100e-6, 32};
    round.champion = {100e-6 * std::exp(log_value), 32};
    round.log_ratio = round.log_ratio_champion_first = round.log_ratio_candidate_first = log_value;
    round.pairs = 32;
    round.process = process;
    return round;
}

inline Round dropped_round() {
    Round round;
    round.drop = Drop::throttled;
    return round;
}

// Adds rounds until the plan ends or they are over.
template<class P> void add_all(P& plan, const std::vector<double>& log_ratios) {
    for (const double value : log_ratios) {
        if (plan.ended())
            return;
        ASSERT_TRUE(plan.add_round(round_of(value, plan.counted())));
    }
}

// n different values around a centre, with sample standard deviation sd.
inline std::vector<double> spread(int n, double centre, double sd) {
    std::vector<double> values;
    const double unit = std::sqrt(n * (n + 1) / 12.0); // of 1 ... n
    for (int i = 0; i < n; ++i)                        // 5 is coprime to 6, 12; 3 to 20: neighbours are mixed
        values.push_back(centre + sd * (((i * (n % 5 == 0 ? 3 : 5)) % n) - (n - 1) / 2.0) / unit);
    return values;
}

} // namespace kf::test
