// SPDX-License-Identifier: GPL-3.0-or-later
// How often the decision rules are right: whole comparisons on the synthetic device, counted. `selftest` and the tests
// use it.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/measure/decision.h"
#include "core/measure/synthetic_device.h"

#include <cstdint>
#include <functional>

namespace kf {

struct RatesSettings {
    Level level = Level::duel; // screen, duel or certify
    int comparisons = 2000;
    std::uint64_t seed = 1;
    SyntheticSettings device;    // its speedup is the true one; its seed is replaced for each comparison
    int rounds_per_process = -1; // negative = the level's own
    std::function<bool()> cancelled;
};

struct Rates {
    Level level = Level::duel;
    double true_ratio = 1;
    int n = 0;
    int faster = 0;
    int slower = 0;
    int equivalent = 0;
    int inconclusive = 0;
    int wrong = 0;   // a difference was claimed in the wrong direction, or where there is none
    int bounded = 0; // comparisons with an interval ...
    int covered = 0; // ... that holds the true ratio
    int order_dependent = 0;
    double mean_rounds = 0;
    double mean_round_sd = 0;  // of the log ratios
    double mean_log_error = 0; // bias of the estimate
    double sd_log_error = 0;

    double share(int count) const { return n == 0 ? 0 : static_cast<double>(count) / n; }
    double coverage() const { return bounded == 0 ? 0 : static_cast<double>(covered) / bounded; }
};

// Errors: "settings-invalid", "cancelled".
Result<Rates> measure_rates(const RatesSettings& settings);
Json to_json(const Rates& rates);

// The whole acceptance table: A/A and planted effects at each level, with the limit that each figure must keep and
// whether it does. `comparisons` per row. The object has "rows" and "passed".
Result<Json> rates_report(int comparisons, std::uint64_t seed, const std::function<bool()>& cancelled = {});

} // namespace kf
