// SPDX-License-Identifier: GPL-3.0-or-later
// From a candidate to a verdict: the stages of evaluation.md in order. The first that fails ends the evaluation with a
// verdict that says which check failed and shows the evidence.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/evaluator/contender.h"
#include "core/evaluator/golden_store.h"
#include "core/evaluator/oracle_client.h"
#include "core/evaluator/request.h"
#include "core/evaluator/verify_case.h"

#include <functional>
#include <memory>

namespace kf {

struct PipelineServices {
    Device* device = nullptr;
    GoldenStore* goldens = nullptr;
    OracleClient* oracle = nullptr;
    Json versions;                             // of the parts, for the conditions
    std::function<void(const Json&)> progress; // {"event": …}; called from the evaluating thread
    // Called where nothing is being timed, between cases and between rounds: another evaluation may use the device.
    std::function<void()> between = [] {};
    VerifySettings verify;
};

class Pipeline {
public:
    Pipeline(PipelineServices services, const EvaluateRequest& request, StopSignal& stop);

    EvaluationOutcome run();

private:
    std::optional<Halt> parse();
    std::optional<Halt> compile();
    std::optional<Halt> inspect();
    std::optional<Halt> verify();
    std::optional<Halt> measure();
    // Runs one stage, keeps its report and tells it.
    bool stage(Stage which, std::optional<Halt> (Pipeline::*work)());
    void skip(Stage which, StageReport::Outcome outcome, std::string note);
    EvaluationOutcome finish();

    PipelineServices m_services;
    const EvaluateRequest& m_request;
    StopSignal& m_stop;
    Evaluation m_evaluation;
    std::vector<TaskCase> m_cases;
    std::optional<Contender> m_candidate, m_against;
    StageReport m_report; // of the stage that runs
    std::optional<Halt> m_halt;
};

} // namespace kf
