// SPDX-License-Identifier: GPL-3.0-or-later
// The raw samples of an evaluation, as they are kept in a blob beside the journal: every time that was taken, in the
// order in which it was taken, with how it was taken. Nothing is corrected; the floor is published, not subtracted.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/measure/round.h"

#include <span>
#include <string>
#include <vector>

namespace kf {

struct SampleSummary {
    int n = 0;           // credible samples
    int invalid = 0;     // left out: NaN, zero, negative, denormal, absurd
    double median_s = 0; // all 0 when n = 0
    double iqr_s = 0;
    double p90_s = 0;
    double p99_s = 0;
    double mean_s = 0;
    double cv = 0; // standard deviation / mean
};
SampleSummary summarise(std::span<const double> seconds);
Json to_json(const SampleSummary& summary);

struct SizeSamples {
    std::string size;        // name of the task's size
    std::string timer;       // "event", "graph-slope", "cupti", "steady-clock", "synthetic"
    std::string l2;          // "cold", "hot", "cpu"
    double floor_s = 0;      // empty measurement; 0 = unknown
    double resolution_s = 0; // smallest step per sample; 0 = unknown
    std::vector<std::vector<PairSample>> rounds;

    std::vector<double> times(Arm arm) const; // all rounds in order, dropped pairs left out
    SampleSummary summary(Arm arm) const { return summarise(times(arm)); }
    // The median is so near to the floor that the floor is what was measured.
    bool at_floor(Arm arm) const;
};

struct EvaluationSamples {
    std::vector<SizeSamples> sizes;
};

// Compact: seconds rounded to 7 digits (finer than any timer), one letter a pair for the order ("ABBA": A = champion
// first), drops by index. A time that is not finite becomes null.
Json to_json(const EvaluationSamples& samples);
// Errors: "samples-invalid" naming size and round; a newer major version is refused.
Result<EvaluationSamples> samples_from_json(const Json& json);

} // namespace kf
