// SPDX-License-Identifier: GPL-3.0-or-later
// The whole result of one evaluation, as it travels from the evaluator into the journal and to every reader of it.
#pragma once

#include "core/candidate/candidate.h"
#include "core/measure/decision.h"
#include "core/protocol/outcome.h"
#include "core/verify/verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace kf {

// The candidate's own time at one timed size. Seconds a call.
struct TimingSummary {
    std::string size; // "cpu", "primary"
    Symbols symbols;
    double median = 0, q1 = 0, q3 = 0, p90 = 0;
    int samples = 0;
    std::string timer;     // "steady-clock", "graph-slope", …: measure/samples.h
    double floor = 0;      // the timer's own floor: an empty call; never subtracted
    bool at_floor = false; // median < 3 × floor
};

// A comparison with another contender over all timed sizes.
struct Duel {
    std::string against;      // "champion", "start", "eager", …
    std::string against_hash; // candidate hash, or version of the baseline
    Decision decision;        // over the weighted geometric mean
    std::vector<std::pair<std::string, Decision>> sizes;
    std::vector<TimingSummary> against_timings;
};

struct Evaluation {
    std::string id; // unique
    Level level = Level::screen;
    std::string device;      // "cpu", "cuda:0"
    std::string device_name; // "AMD EPYC …", "NVIDIA H200"
    std::string task, task_hash;
    std::string candidate_hash; // of the source
    TunableValues tunables;
    std::vector<StageReport> stages;
    std::vector<CaseReport> cases;
    int cases_total = 0; // how many this level wants; cases.size() of them ran
    std::optional<Failure> failure;
    std::vector<TimingSummary> timings;
    std::optional<Duel> duel; // against the champion it was given
    std::vector<Duel> baselines;
    std::vector<std::string> flags;   // "unordered out", "fast_math", "review: …", "no sandbox", "at floor"
    std::vector<std::string> skipped; // plan statements skipped by `when` at the timed size
    Json conditions;                  // threads, load, compiler, versions, seeds: what a reader needs to repeat it
    Json samples;                     // raw samples (samples.h); becomes a blob in the journal
    double seconds = 0;

    // Passed every stage through verify and no suspected cheat, whatever its speed.
    bool accepted() const;
    // "faster", "slower", "equivalent", "inconclusive", "verified" (correct, not compared), or the failure's class.
    std::string verdict() const;
};

// What the evaluator answers: an evaluation (verdict, failed), or why there is none. Outcome is core/protocol's.
struct EvaluationOutcome {
    Outcome outcome = Outcome::infrastructure;
    std::optional<Evaluation> evaluation; // set for verdict and failed
    std::string what;                     // infrastructure: what failed; cancelled: by whom
    bool retry_sensible = false;
};

Json to_json(const Evaluation& evaluation);
Result<Evaluation> evaluation_from_json(const Json& json);
Json to_json(const EvaluationOutcome& outcome);
Result<EvaluationOutcome> evaluation_outcome_from_json(const Json& json);

} // namespace kf
