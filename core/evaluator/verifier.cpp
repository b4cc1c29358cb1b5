// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/verify_case.h"

#include "core/base/random.h"
#include "core/verify/shrink.h"

#include <algorithm>

namespace kf {
namespace {

// Failures of a run that a smaller case or a sanitizer can explain. The others say all there is to say.
bool worth_explaining(FailureClass failure) {
    switch (failure) {
    case FailureClass::mismatch:
    case FailureClass::nonfinite:
    case FailureClass::unstable:
    case FailureClass::unwritten:
    case FailureClass::out_of_bounds:
    case FailureClass::crash:
    case FailureClass::input_written:
        return true;
    default:
        return false;
    }
}

std::string cut(const std::string& text, std::size_t limit) {
    return text.size() <= limit ? text : text.substr(0, limit) + "\n[cut]";
}

} // namespace

std::optional<Halt> Verifier::session_for(std::size_t group) {
    if (m_sessions.size() <= group)
        m_sessions.resize(group + 1);
    if (m_sessions[group])
        return std::nullopt;
    if (auto halted = compile_contender(m_contender, m_device, m_stop))
        return halted;
    auto session = m_device.start(m_contender.binaries[group], m_stop);
    if (!session)
        return std::move(session.halt());
    m_sessions[group] = std::move(*session);
    return std::nullopt;
}

std::optional<Halt> Verifier::run(const std::function<void(const CaseReport&, std::size_t)>& on_case) {
    for (std::size_t index = 0; index < m_contender.cases.size(); ++index) {
        const PlannedCase& planned = m_contender.cases[index];
        if (auto halted = session_for(planned.group))
            return halted;
        auto golden = m_goldens.take(m_task, planned.task_case, m_stop);
        if (!golden)
            return std::move(golden.halt());
        CaseOutcome outcome =
            verify_case(*m_sessions[planned.group], m_task, m_contender, planned, *golden, m_settings, m_stop);
        m_reports.push_back(outcome.report);
        on_case(outcome.report, index);
        if (!outcome.halt)
            continue;
        auto* failure = std::get_if<Failure>(&*outcome.halt);
        if (failure) {
            failure->failing_case = outcome.report;
            m_sessions[planned.group].reset(); // whatever it did, nothing else runs in that process
            if (worth_explaining(failure->failure)) {
                ask_sanitizers(*failure, planned, outcome.report);
                shrink(*failure, outcome.report);
            }
        }
        return std::move(outcome.halt);
    }
    return m_settings.sanitize_accepted ? sanitize_accepted() : std::nullopt;
}

// On the largest of the explicit cases. Memory only: fibres use stacks one after another, which ThreadSanitizer can
// take for a race; where the answers are right its word is not enough.
std::optional<Halt> Verifier::sanitize_accepted() {
    const PlannedCase* chosen = nullptr;
    std::size_t index = 0;
    for (std::size_t i = 0; i < m_contender.cases.size(); ++i) {
        const PlannedCase& planned = m_contender.cases[i];
        const auto bytes = [](const PlannedCase& one) { return one.plan.total_bytes(); };
        if (planned.task_case.held_out || !planned.task_case.size.empty())
            continue;
        if (!chosen || bytes(planned) > bytes(*chosen)) {
            chosen = &planned;
            index = i;
        }
    }
    if (!chosen)
        return std::nullopt;
    StopSignal limited(m_stop.token(), m_stop.within(m_settings.sanitize_seconds));
    const CaseReport& report = m_reports[index];
    const CaseJob job{&m_task,      m_contender.candidate.get(), &chosen->task_case, &chosen->plan, report.seed,
                      system_seed()};
    for (const SanitizerFinding& finding :
         m_device.sanitize(m_contender.jobs[chosen->group], job, limited, m_notes, true)) {
        if (finding.advisory || finding.place.line <= 0)
            continue;
        Failure failure =
            make_failure(Stage::verify, FailureClass::out_of_bounds, "line:" + std::to_string(finding.place.line),
                         "the answers are right, but " + finding.tool + " names " + finding.kind + " in line " +
                             std::to_string(finding.place.line),
                         "check the index against the buffer's size in every thread");
        failure.source = finding.place;
        failure.evidence = cut(finding.text, 3000);
        failure.failing_case = report;
        return failure;
    }
    if (auto halted = m_stop.check())
        return halted;
    return std::nullopt;
}

void Verifier::ask_sanitizers(Failure& failure, const PlannedCase& planned, const CaseReport& report) {
    StopSignal limited(m_stop.token(), m_stop.within(m_settings.sanitize_seconds));
    const CaseJob job{&m_task,      m_contender.candidate.get(), &planned.task_case, &planned.plan, report.seed,
                      system_seed()};
    const auto findings = m_device.sanitize(m_contender.jobs[planned.group], job, limited, m_notes);
    for (const SanitizerFinding& finding : findings) {
        if (!failure.evidence.empty())
            failure.evidence += "\n";
        failure.evidence += finding.tool + (finding.advisory ? " (advisory)" : "") + ": " + finding.kind +
                            (finding.kernel.empty() ? "" : " in " + finding.kernel) +
                            (finding.place.line > 0 ? " at " + to_string(finding.place) : "") + "\n" +
                            cut(finding.text, 3000);
        if (finding.advisory || finding.place.line <= 0)
            continue;
        const bool memory = finding.tool == "AddressSanitizer";
        // A crash stays a crash and a guard hit names its buffer; wrong values get the cause that the tool proves.
        const bool renames = failure.failure == FailureClass::mismatch || failure.failure == FailureClass::unstable ||
                             failure.failure == FailureClass::nonfinite || failure.failure == FailureClass::unwritten;
        if (renames) {
            failure.failure = memory ? FailureClass::out_of_bounds : FailureClass::race;
            failure.message +=
                "; " + finding.tool + " names " + finding.kind + " in line " + std::to_string(finding.place.line);
            failure.place = "line:" + std::to_string(finding.place.line);
        }
        if (failure.source.line <= 0)
            failure.source = finding.place;
    }
}

void Verifier::shrink(Failure& failure, const CaseReport& report) {
    if (report.held_out || m_stop.check())
        return; // what is held out is not shown, not even smaller
    const Deadline end = m_stop.within(m_settings.shrink_seconds);
    ShrunkCase best;
    std::unique_ptr<DeviceSession> session;
    std::size_t session_group = 0;
    const auto still_fails = [&](const TaskCase& smaller, std::uint64_t seed) -> Result<bool> {
        StopSignal limited(m_stop.token(), end);
        auto planned = plan_case(m_contender, m_task, smaller, m_device);
        if (!planned)
            return false; // the plan refuses this size: another failure than the one looked for
        if (auto halted = compile_contender(m_contender, m_device, limited))
            return make_error("shrink-stopped", "the smaller case needs a compile that did not end in time");
        if (!session || session_group != planned->group) {
            auto started = m_device.start(m_contender.binaries[planned->group], limited);
            if (!started)
                return make_error("shrink-stopped", "no process for the smaller case");
            session = std::move(*started);
            session_group = planned->group;
        }
        auto golden = m_goldens.make(m_task, smaller, seed, limited);
        if (!golden)
            return make_error("shrink-stopped", "no golden for the smaller case");
        VerifySettings quick = m_settings;
        quick.case_deadline_s = std::min(quick.case_deadline_s, 1.0);
        CaseOutcome outcome = verify_case(*session, m_task, m_contender, *planned, *golden, quick, limited);
        const Failure* found = outcome.halt ? std::get_if<Failure>(&*outcome.halt) : nullptr;
        if (outcome.halt && !found)
            return make_error("shrink-stopped", "the time for shrinking is over");
        if (!found)
            return false;
        session.reset();
        best.first_bad.clear();
        for (const Comparison& comparison : outcome.report.comparisons)
            if (!comparison.accepted) {
                best.first_bad = comparison.first_bad;
                break;
            }
        return true;
    };
    ShrinkSettings settings;
    settings.max_attempts = m_settings.shrink_attempts;
    settings.out_of_time = [&] { return std::chrono::steady_clock::now() > end || m_stop.cancelled(); };
    TaskCase failing;
    failing.symbols = report.symbols;
    failing.regime = report.regime;
    const ShrinkResult shrunk = shrink_case(m_task, failing, report.seed, still_fails, settings);
    if (!shrunk.shrunk)
        return;
    std::vector<BadElement> elements = std::move(best.first_bad);
    best = shrunk.report();
    best.first_bad = std::move(elements);
    failure.shrunk = std::move(best);
}

} // namespace kf
