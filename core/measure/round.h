// SPDX-License-Identifier: GPL-3.0-or-later
// A round: the unit of replication of every comparison. Within a round champion and candidate are timed in pairs whose
// order is drawn from a seed; between rounds modules are reloaded, buffers move and inputs change. What decides is one
// number a round, its log ratio: rounds are independent of each other, samples of one round are not.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace kf {

enum class Arm { champion, candidate };
constexpr Arm other(Arm arm) {
    return arm == Arm::champion ? Arm::candidate : Arm::champion;
}

// Why a pair or a round does not count. All of these are known without looking at which arm won (dropped blind).
enum class Drop {
    none,
    invalid_time,    // NaN, infinite, zero, negative, denormal or absurd
    throttled,       // hardware slowdown, thermal or power brake
    foreign_process, // somebody else used the device
    starved,         // the device waited for the host
    no_samples,
    other
};
std::string_view to_string(Drop drop);
std::string_view to_string(Arm arm);

struct PairSample {
    double champion_s = 0; // seconds of one call
    double candidate_s = 0;
    Arm first = Arm::champion; // which of the two ran first
    Drop drop = Drop::none;
};

// What the device did in a round; 0 or NaN where it could not be read.
struct Conditions {
    double clock_mhz = 0;
    double temperature_c = std::numeric_limits<double>::quiet_NaN();
    double power_w = 0;
    bool power_limited = false; // kept and labelled, not dropped
};

struct ArmSummary {
    double median_s = std::numeric_limits<double>::quiet_NaN();
    int samples = 0;
};

struct Round {
    ArmSummary champion;
    ArmSummary candidate;
    // log(t_champion / t_candidate), positive when the candidate is faster: the mean of the medians over the pairs in
    // which either arm ran first. Medians shrug off spikes, and taking them by order removes an effect of the order
    // exactly, where one median over all pairs would jump between the two groups.
    double log_ratio = std::numeric_limits<double>::quiet_NaN();
    double log_ratio_champion_first = std::numeric_limits<double>::quiet_NaN();
    double log_ratio_candidate_first = std::numeric_limits<double>::quiet_NaN();
    int pairs = 0;         // counted
    int pairs_dropped = 0; // blind
    Drop drop = Drop::none;
    double resolution_s = 0; // smallest step of the timer per sample; 0 = unknown
    std::uint64_t order_seed = 0;
    int process = 0; // rounds of the same process carry the same number
    Conditions conditions;

    bool dropped() const { return drop != Drop::none; }
};

// Which arm runs first in each pair: AB BA AB BA … or BA AB BA AB …, the seed says which. Every arm then follows itself
// and the other equally often, so that a linear drift and a carry-over from one sample to the next cancel within a
// round; an order drawn anew for every block would not do that (a switch within a pair is certain, between pairs it is
// not).
std::vector<Arm> pair_order(int pairs, std::uint64_t seed);

// Folds pairs into a round. Pairs with a time that is not credible are dropped; when more than a quarter of the pairs
// is dropped, or none is left, the whole round is.
Round make_round(std::span<const PairSample> pairs);

// Half a timer step of either arm as a log ratio: no ratio closer to 1 can be told from 1. 0 when unknown.
double log_resolution(const Round& round);

Json to_json(const Round& round);
// Errors: "round-invalid" naming the field.
Result<Round> round_from_json(const Json& json);

} // namespace kf
