// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/contender.h"

#include <algorithm>

namespace kf {
namespace {

// The compile job that this plan belongs to; a new one when its macros or options are new. Kernels of all plans with
// the same macros are compiled together.
std::size_t group_of(Contender& contender, const ResolvedPlan& plan) {
    std::size_t group = 0;
    for (; group < contender.jobs.size(); ++group) {
        const CompileJob& job = contender.jobs[group];
        if (job.defines == plan.defines && job.fast_math == plan.fast_math && job.maxreg == plan.maxreg)
            break;
    }
    if (group == contender.jobs.size()) {
        CompileJob job;
        job.candidate = contender.candidate.get();
        job.defines = plan.defines;
        job.fast_math = plan.fast_math;
        job.maxreg = plan.maxreg;
        contender.jobs.push_back(std::move(job));
        contender.binaries.emplace_back();
    }
    CompileJob& job = contender.jobs[group];
    for (const auto* steps : {&plan.prepare, &plan.steps})
        for (const ResolvedStep& step : *steps) {
            const auto* launch = std::get_if<ResolvedLaunch>(&step);
            if (launch && std::find(job.expressions.begin(), job.expressions.end(), launch->expression) ==
                              job.expressions.end()) {
                job.expressions.push_back(launch->expression);
                contender.binaries[group].reset(); // an earlier binary does not hold this kernel
            }
        }
    return group;
}

} // namespace

const PlannedCase* Contender::timed_case(const std::string& size_name) const {
    for (auto it = cases.rbegin(); it != cases.rend(); ++it)
        if (it->task_case.size == size_name && it->task_case.regime == Regime::normal && !it->task_case.held_out)
            return &*it;
    return nullptr;
}

Attempt<PlannedCase> plan_case(Contender& contender, const Task& task, const TaskCase& task_case,
                               const Device& device) {
    auto plan = resolve_plan(*contender.candidate, task, task_case, contender.tunables, device.limits());
    if (!plan) {
        Failure failure = failure_of_error(Stage::parse, plan.error());
        if (!task_case.held_out)
            failure.message += " [case " + task_case.label() + "]";
        return failure;
    }
    PlannedCase planned{task_case, std::move(*plan), 0};
    planned.group = group_of(contender, planned.plan);
    return planned;
}

Attempt<Contender> plan_contender(const Task& task, const ContenderSource& source, const std::vector<TaskCase>& cases,
                                  const Device& device, bool untrusted) {
    if (untrusted)
        if (const auto refusal = device.refuses_untrusted())
            return InfrastructureFault{refusal->message + (refusal->remedy.empty() ? "" : " (" + refusal->remedy + ")"),
                                       false};
    std::vector<Error> errors;
    auto candidate = parse_candidate(source.source, source.file_name, errors);
    if (!candidate) {
        Failure failure = errors.empty()
                              ? make_failure(Stage::parse, FailureClass::parse, "", "the candidate cannot be read")
                              : failure_of_error(Stage::parse, errors.front());
        failure.failure = FailureClass::parse;
        failure.diagnostics.clear();
        for (const Error& error : errors)
            failure.diagnostics.push_back(Diagnostic{
                "error", error.place, error.message + (error.remedy.empty() ? "" : " (" + error.remedy + ")")});
        return failure;
    }
    if (auto refused = device.screen(*candidate))
        return std::move(*refused);
    Contender contender;
    contender.name = source.name;
    contender.candidate = std::make_unique<Candidate>(std::move(*candidate));
    auto tunables = complete_tunables(contender.candidate->plan, source.tunables);
    if (!tunables)
        return failure_of_error(Stage::parse, tunables.error());
    contender.tunables = std::move(*tunables);
    for (const TaskCase& task_case : cases) {
        auto planned = plan_case(contender, task, task_case, device);
        if (!planned)
            return std::move(planned.halt());
        contender.cases.push_back(std::move(*planned));
    }
    return contender;
}

std::optional<Halt> compile_contender(Contender& contender, Device& device, StopSignal& stop) {
    for (std::size_t group = 0; group < contender.jobs.size(); ++group) {
        if (contender.binaries[group])
            continue;
        if (auto halted = stop.check())
            return halted;
        auto binary = device.compile(contender.jobs[group], stop);
        if (!binary)
            return std::move(binary.halt());
        contender.binaries[group] = std::move(*binary);
    }
    return std::nullopt;
}

} // namespace kf
