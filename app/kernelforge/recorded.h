// SPDX-License-Identifier: GPL-3.0-or-later
// A run that repeats another one from its journal: `run --recorded`, `replay --again`.
#pragma once

#include "app/kernelforge/model_options.h"
#include "core/engine/evaluator_client.h"
#include "core/engine/run_settings.h"
#include "core/task/task.h"

#include <optional>
#include <string>

namespace kf::cli {

struct RecordedRun {
    Task task;
    RunSettings settings;
};

// What a recorded run was asked to do, its replies taken from `record`: a folder, a .kfrun file, or a run's name below
// `runs`. Its budgets do not hold again. `evaluator`, where given, judges instead of the one it had. Errors: those of
// Record and ModelOptions.
Result<RecordedRun> recorded_run(const std::string& record, const std::string& runs, const ModelOptions& model,
                                 const std::optional<EvaluatorSettings>& evaluator);

// Starts it, as `run` starts a new one.
struct StartOptions {
    std::string runs, folder_file, key_from;
    bool json = false;
};
int start(const Task& task, const RunSettings& settings, const StartOptions& options);

} // namespace kf::cli
