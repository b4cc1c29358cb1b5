// SPDX-License-Identifier: GPL-3.0-or-later
// What a run was asked to do. Written into its journal, so that a resumed run goes on with the same settings.
#pragma once

#include "core/base/json.h"
#include "core/engine/evaluator_client.h"
#include "core/engine/model_settings.h"
#include "core/measure/early_stop.h"

#include <string>
#include <vector>

namespace kf {

enum class SynthesizerKind { tuner, files, human, model };
std::string_view to_string(SynthesizerKind kind);
std::optional<SynthesizerKind> parse_synthesizer(std::string_view name);

struct RunSettings {
    EvaluatorSettings evaluator;
    SynthesizerKind synthesizer = SynthesizerKind::tuner;
    std::string start_file;                   // empty: the task's start.cu
    std::vector<std::string> candidate_files; // of `files`
    ModelSettings model;                      // of `model`
    StopSettings stop;
    int tuner_points = 64;   // evaluations of one sweep
    int tuner_certified = 2; // best points of a sweep that are certified
    int infrastructure_retries = 2;
    double evaluation_budget_s = 120;
    std::vector<std::string> baselines = {"eager"}; // for the start kernel and new champions
    std::uint64_t seed = 0; // of the search; inputs' seeds come from the system, recorded with each case
};

Json to_json(const RunSettings& settings); // no secrets in it
Result<RunSettings> run_settings_from_json(const Json& json);

} // namespace kf
