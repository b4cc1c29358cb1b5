// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a comparison: draws orders, asks a source for rounds, feeds the plan, stops at its decision, at the budget or
// when cancelled. This is the code that judges real kernels; tests drive it with the synthetic device.
#pragma once

#include "core/measure/combine.h"
#include "core/measure/decision.h"
#include "core/measure/plan.h"
#include "core/measure/round_source.h"
#include "core/measure/samples.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kf {

struct RoundProgress {
    int rounds_done = 0; // dropped ones included
    int counted = 0;
    int dropped = 0;
    int next_look = 0;            // counted rounds at the next look; 0 when the plan has ended
    double device_seconds = 0;    // of this comparison
    const Round* round = nullptr; // the one just done, of the first size; valid during the call only
};

struct ComparisonSettings {
    std::uint64_t seed = 0;     // of orders and rounds; draw it from the system, record it
    double budget_s = 0;        // device seconds of the whole comparison
    double round_s = 0;         // device seconds that a round should stay under
    int pairs = 0;              // a round, where time allows; made even
    int fewest_pairs = 0;       // a round, whatever it takes
    int rounds_per_process = 0; // 0 = all in one process
    bool keep_samples = true;
    bool full_rounds = false; // RoundPlan::play_all_rounds
    Delta delta;
    std::function<void(const RoundProgress&)> on_round; // called on the calling thread
    std::function<bool()> cancelled;                    // asked between the calls to the source
};

// Six rounds of at most 50 ms, one process.
struct ScreenSettings : ComparisonSettings {
    ScreenSettings();
};
// Six rounds within 1.5 s of device time, one warm process.
struct DuelSettings : ComparisonSettings {
    DuelSettings();
};
// 6 to 20 rounds of 32 pairs, at least 8 for long kernels; a new process every 4 rounds.
struct CertifySettings : ComparisonSettings {
    CertifySettings();
};

struct RunOutcome {
    Decision decision;
    std::vector<Round> rounds;     // of the comparison (for several sizes: combined)
    std::vector<SizeRounds> sizes; // several sizes only
    Combined combined;             // several sizes only
    EvaluationSamples samples;
    double device_seconds = 0;
    std::vector<int> pairs_per_round; // one a size
};

// Errors: "cancelled", "settings-invalid", "estimate-invalid", "source-broken", and whatever the source reports. A
// budget that is over, or too small to reach the first look, is not an error but an inconclusive decision (reason
// budget).
Result<RunOutcome> run_screen(RoundSource& source, const ScreenSettings& settings);
Result<RunOutcome> run_duel(RoundSource& source, const DuelSettings& settings);
Result<RunOutcome> run_certify(RoundSource& source, const CertifySettings& settings);

struct SizeSource {
    Size size;
    RoundSource* source = nullptr; // not owned
};
// Several sizes; a round measures all of them. The budget and round_s are shared between the sizes.
Result<RunOutcome> run_sizes(std::vector<SizeSource> sizes, Level level, const ComparisonSettings& settings);

// Pairs of a round when one pair takes pair_s: as many as fit round_s, within [fewest_pairs, pairs], even.
int pairs_that_fit(double pair_s, const ComparisonSettings& settings);

} // namespace kf
