// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/pipeline.h"

#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/evaluator/duel.h"

#include <algorithm>

namespace kf {
namespace {

double seconds_since(Deadline start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

Pipeline::Pipeline(PipelineServices services, const EvaluateRequest& request, StopSignal& stop)
    : m_services(std::move(services)), m_request(request), m_stop(stop) {
    m_evaluation.id = random_id(12);
    m_evaluation.level = request.level;
    m_evaluation.device = m_services.device->id();
    m_evaluation.device_name = m_services.device->name();
    m_evaluation.task = request.task.name;
    m_evaluation.task_hash = request.task.hash;
    m_evaluation.candidate_hash = sha256(request.candidate.source);
    m_evaluation.flags = m_services.device->labels();
    m_evaluation.conditions =
        Json{{"versions", m_services.versions}, {"author", request.author}, {"device", m_services.device->facts()}};
}

bool Pipeline::stage(Stage which, std::optional<Halt> (Pipeline::*work)()) {
    if (m_halt)
        return false;
    m_services.progress(Json{{"event", "stage_started"}, {"stage", to_string(which)}});
    const Deadline start = std::chrono::steady_clock::now();
    m_report = StageReport{};
    m_report.stage = which;
    m_halt = (this->*work)();
    m_report.seconds = seconds_since(start);
    // What an inspection inside the compile refused belongs to *inspect*.
    if (const Failure* failure = m_halt ? std::get_if<Failure>(&*m_halt) : nullptr;
        failure && failure->stage == Stage::inspect)
        m_report.stage = Stage::inspect;
    if (m_halt)
        m_report.outcome =
            std::holds_alternative<Failure>(*m_halt) ? StageReport::Outcome::failed : StageReport::Outcome::not_checked;
    m_evaluation.stages.push_back(m_report);
    m_services.progress(Json{{"event", "stage_ended"}, {"report", to_json(m_report)}});
    return !m_halt;
}

void Pipeline::skip(Stage which, StageReport::Outcome outcome, std::string note) {
    StageReport report;
    report.stage = which;
    report.outcome = outcome;
    report.note = std::move(note);
    m_evaluation.stages.push_back(report);
    m_services.progress(Json{{"event", "stage_ended"}, {"report", to_json(report)}});
}

EvaluationOutcome Pipeline::run() {
    const Deadline start = std::chrono::steady_clock::now();
    m_services.progress(Json{{"event", "started"}});
    stage(Stage::parse, &Pipeline::parse);
    stage(Stage::compile, &Pipeline::compile);
    stage(Stage::inspect, &Pipeline::inspect);
    if (!m_halt && m_request.compile_only) {
        skip(Stage::verify, StageReport::Outcome::skipped, "only compiled");
        m_evaluation.seconds = seconds_since(start);
        return finish();
    }
    stage(Stage::verify, &Pipeline::verify);
    if (!m_halt) {
        if (m_request.measure)
            stage(Stage::measure, &Pipeline::measure);
        else
            skip(Stage::measure, StageReport::Outcome::skipped, "not asked for");
    }
    if (!m_halt)
        skip(Stage::promote, StageReport::Outcome::not_checked, "the promotion stage does not exist yet");
    m_evaluation.seconds = seconds_since(start);
    return finish();
}

EvaluationOutcome Pipeline::finish() {
    EvaluationOutcome outcome;
    if (m_halt && std::holds_alternative<InfrastructureFault>(*m_halt)) {
        const auto& fault = std::get<InfrastructureFault>(*m_halt);
        outcome.outcome = Outcome::infrastructure;
        outcome.what = fault.what;
        outcome.retry_sensible = fault.retry_sensible;
        return outcome;
    }
    if (m_halt && std::holds_alternative<Cancelled>(*m_halt)) {
        outcome.outcome = Outcome::cancelled;
        outcome.what = std::get<Cancelled>(*m_halt).why;
        return outcome;
    }
    outcome.outcome = Outcome::verdict;
    if (m_halt) {
        outcome.outcome = Outcome::failed;
        m_evaluation.failure = std::get<Failure>(*m_halt);
    }
    outcome.evaluation = std::move(m_evaluation);
    return outcome;
}

std::optional<Halt> Pipeline::parse() {
    const Task& task = m_request.task;
    const std::string size = m_services.device->size_name(task);
    m_cases = cases_for(task, size, m_request.include_held_out);
    m_evaluation.cases_total = static_cast<int>(m_cases.size());
    const CaseChoice choice = m_request.compile_only ? CaseChoice::first : m_request.cases;
    if (choice != CaseChoice::all && m_cases.size() > 2) {
        // Some of them are compiled and run; a plan that another one refuses is told at once.
        auto all = plan_contender(task, m_request.candidate, m_cases, *m_services.device, m_request.author == "model");
        if (!all)
            return std::move(all.halt());
        m_cases = choose_cases(m_cases, choice, size);
    } else if (choice == CaseChoice::rest) {
        m_cases.clear(); // they all are first ones
    }
    auto contender =
        plan_contender(task, m_request.candidate, m_cases, *m_services.device, m_request.author == "model");
    if (!contender)
        return std::move(contender.halt());
    m_candidate = std::move(*contender);
    m_candidate->name = "candidate";
    m_evaluation.tunables = m_candidate->tunables;
    const PlannedCase* timed = m_candidate->timed_case(size);
    if (timed) {
        m_evaluation.skipped = timed->plan.skipped;
        if (timed->plan.fast_math)
            m_evaluation.flags.push_back("fast_math");
        for (const std::string& output : timed->plan.unordered)
            m_evaluation.flags.push_back("unordered " + output);
        m_report.evidence["bytes"] = timed->plan.total_bytes();
        m_report.evidence["steps"] = timed->plan.steps.size();
    }
    m_report.evidence["cases"] = m_cases.size();
    return std::nullopt;
}

std::optional<Halt> Pipeline::compile() {
    auto halted = compile_contender(*m_candidate, *m_services.device, m_stop);
    if (halted)
        return halted;
    Json binaries = Json::array();
    for (const auto& binary : m_candidate->binaries)
        binaries.push_back(Json{{"hash", binary->hash()}, {"figures", binary->figures()}});
    m_report.evidence["binaries"] = std::move(binaries);
    return std::nullopt;
}

std::optional<Halt> Pipeline::inspect() {
    for (const auto& binary : m_candidate->binaries)
        if (auto refused = m_services.device->inspect(*m_candidate->candidate, *binary))
            return std::move(*refused);
    return std::nullopt;
}

std::optional<Halt> Pipeline::verify() {
    VerifySettings settings = m_services.verify;
    settings.sanitize_accepted = m_request.level == Level::certify || m_request.level == Level::promote;
    Verifier verifier(*m_services.device, *m_services.goldens, m_request.task, *m_candidate, settings, m_stop);
    auto halted = verifier.run([&](const CaseReport& report, std::size_t index) {
        m_services.progress(
            Json{{"event", "case"}, {"report", to_json(report)}, {"index", index}, {"total", m_cases.size()}});
        m_services.between();
    });
    m_evaluation.cases = std::move(verifier.reports());
    m_report.evidence["cases"] = m_evaluation.cases.size();
    m_report.evidence["of"] = m_evaluation.cases_total;
    if (!verifier.notes().empty())
        m_report.evidence["notes"] = verifier.notes();
    if (!halted)
        for (const std::string& note : verifier.notes())
            m_evaluation.flags.push_back(note);
    return halted;
}

std::optional<Halt> Pipeline::measure() {
    const std::string size = m_services.device->size_name(m_request.task);
    if (!m_candidate->timed_case(size)) {
        m_report.outcome = StageReport::Outcome::skipped;
        m_report.note = "the task has no size `" + size + "` to time on this device";
        return std::nullopt;
    }
    if (m_request.against) {
        // The champion was verified when it became one; here only the case that is timed is needed, and its outputs are
        // checked again.
        std::vector<TaskCase> timed;
        for (const TaskCase& one : m_cases)
            if (one.size == size && one.regime == Regime::normal && !one.held_out)
                timed.push_back(one);
        auto against = plan_contender(m_request.task, *m_request.against, timed, *m_services.device, false);
        if (!against)
            return InfrastructureFault{"the champion is refused here: it cannot be compared with", false};
        m_against = std::move(*against);
        m_against->name = m_request.against->name;
        if (auto halted = compile_contender(*m_against, *m_services.device, m_stop)) {
            if (std::holds_alternative<Failure>(*halted))
                return InfrastructureFault{"the champion no longer compiles: " + std::get<Failure>(*halted).message,
                                           false};
            return halted;
        }
    }
    return measure_contenders(m_services, m_request, m_stop, *m_candidate, m_against ? &*m_against : nullptr,
                              m_evaluation, m_report);
}

} // namespace kf
