// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison concluded: a verdict, the interval it rests on, and why. Decisions are made by plan.h (one size)
// and combine.h (several sizes); this header is the value they return and what may follow from it.
#pragma once

#include "core/base/json.h"
#include "core/base/level.h"
#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace kf {

// The candidate compared with the champion.
enum class Ratio { faster, slower, equivalent, inconclusive };
std::string_view to_string(Ratio verdict);

// Why the verdict is what it is.
enum class Reason {
    beyond_limit,       // mean / standard error exceeds the limit of a planned look
    within_delta,       // the 90 % interval lies inside ±delta
    first_round_slower, // futility: the first round was slower by the futility limit or more
    not_significant,    // neither, at the last look
    between_looks,      // not decided yet: more rounds belong to the plan
    no_rounds,          // nothing was measured
    too_many_dropped,   // over a quarter of the rounds dropped
    zero_variance,      // all rounds equal: the timer's steps were measured, not the kernel
    too_coarse,         // the difference is not larger than the timer's resolution, or rests on ties alone
    budget,             // time was over before the plan was
    process_dependent,  // rounds of one process resemble each other, and too few processes agree
    size_regressed,     // several sizes: faster together, but one is slower by more than allowed
};
std::string_view to_string(Reason reason);

// Speed-up t_champion / t_candidate: 1.0 = same, above = candidate faster. The log terms are what was computed; the
// ends are unbounded (0 and infinity) when the evidence gives no interval.
struct Interval {
    double estimate = 1;
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    double log_estimate = 0;
    double log_low = -std::numeric_limits<double>::infinity();
    double log_high = std::numeric_limits<double>::infinity();

    static Interval from_logs(double estimate, double low, double high);
    static Interval unbounded(double log_estimate);
    bool bounded() const;
};

// The smallest speed-up that counts, as a fraction: max(0.5 %, the device's stored A/A 95th percentile).
struct Delta {
    double value = 0.005;
    bool measured = false; // false: this device has no A/A record, 0.5 % is an assumption and is labelled so
};
// A stored percentile that is not a positive finite number below 1 is treated as none.
Delta make_delta(std::optional<double> device_aa_p95);

struct Decision {
    Level level = Level::screen;
    Ratio verdict = Ratio::inconclusive;
    Reason reason = Reason::no_rounds;
    Interval interval = Interval::unbounded(0);
    int look = 0;     // 1-based planned look that decided; 0 = none
    int rounds = 0;   // counted
    int dropped = 0;  // blind
    double limit = 0; // of |t| at that look
    double t = 0;     // mean / standard error of the log ratios
    double p = 1;     // one-sided, "candidate is not faster", nominal at this look (t distribution, rounds - 1)
    double sd = 0;    // of the log ratios between rounds
    double hodges_lehmann = 1; // speed-up; shown beside the estimate, decides nothing
    int rounds_faster = 0;     // exact sign count
    int rounds_slower = 0;
    double sign_p = 1; // two-sided exact sign test over them
    // Smallest speed-up (as a fraction) that this many rounds would have found with 80 % power; 0 = not known.
    double minimum_detectable_effect = 0;
    double resolution = 0; // half a timer step as a fraction of the times; 0 = unknown
    // The ratio depends on which arm ran first: (ratio champion first) / (ratio candidate first) - 1.
    bool order_dependent = false;
    double order_effect = 0;
    // Rounds of one process resemble each other more than chance allows: the processes were judged, not the rounds.
    bool process_dependent = false;
    int processes = 0;
    Delta delta;

    bool faster() const { return verdict == Ratio::faster; }
};

// One sentence with figures for people: "faster: 1.021 [1.012, 1.030] in 12 rounds (certify)".
std::string describe(const Decision& decision);

Json to_json(const Decision& decision);
// Errors: "decision-invalid" naming the field. A reason that is not known reads as an error, not as a guess.
Result<Decision> decision_from_json(const Json& json);

// Certified (or promoted), faster, and by at least delta. Nothing less makes a champion.
bool may_become_champion(const Decision& decision, const Delta& delta);

// A random share of duel wins is certified as an audit of the duels. Deterministic in the seed (the evaluation's own).
bool audit_this_win(std::uint64_t seed, double share = 0.05);

} // namespace kf
