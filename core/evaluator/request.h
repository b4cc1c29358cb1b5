// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation is asked to do (docs/evaluator.md, method `evaluate`).
#pragma once

#include "core/candidate/candidate.h"
#include "core/task/task.h"
#include "core/verify/verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace kf {

struct ContenderSource {
    std::string source, file_name;
    TunableValues tunables;
    std::string name; // "champion", "start"
};

enum class CaseChoice {
    all,
    first, // the smallest case and the timed size: the screen's quick answer
    rest,  // all but those
};
std::vector<TaskCase> choose_cases(const std::vector<TaskCase>& all, CaseChoice choice, const std::string& timed_size);

struct EvaluateRequest {
    Task task;
    ContenderSource candidate;
    Level level = Level::screen;
    std::optional<ContenderSource> against;
    std::string author = "human"; // model, human, tuner, file
    CaseChoice cases = CaseChoice::all;
    bool urgent = false;           // a person waits: served before others, and by one that runs at its next boundary
    bool include_held_out = false; // only the promotion stage and the linter show them
    bool measure = true;
    bool compile_only = false;          // ends after *inspect*: nothing of it runs
    std::vector<std::string> baselines; // "eager"
    double budget_s = 120;
    double case_deadline_s = 20; // of one run of the plan
    bool shrink = true;          // a failing case is made smaller while it still fails
};

// Errors "request-invalid" with the field, and those of parse_task.
Result<EvaluateRequest> parse_evaluate_request(const Json& params);
Result<ContenderSource> parse_contender(const Json& json, const std::string& name);

} // namespace kf
