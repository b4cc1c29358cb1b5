// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/verify_case.h"

#include "core/base/random.h"

#include <algorithm>

namespace kf {
namespace {

double seconds_since(Deadline start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const Comparison* first_rejected(const std::vector<Comparison>& comparisons) {
    const auto it =
        std::find_if(comparisons.begin(), comparisons.end(), [](const Comparison& c) { return !c.accepted; });
    return it == comparisons.end() ? nullptr : &*it;
}

std::string count_of(std::int64_t bad, std::int64_t all) {
    return std::to_string(bad) + " of " + std::to_string(all);
}

Failure mismatch(const Comparison& comparison) {
    const bool nonfinite = comparison.failed_nonfinite;
    std::string message = "output `" + comparison.output + "`: ";
    if (nonfinite)
        message += std::to_string(comparison.nan_got) + " NaN and " + std::to_string(comparison.inf_got) +
                   " Inf where the golden has " + std::to_string(comparison.nan_expected) + " and " +
                   std::to_string(comparison.inf_expected);
    else
        message += count_of(comparison.bad, comparison.elements) + " elements are wrong";
    if (!comparison.pattern_text.empty())
        message += "; " + comparison.pattern_text;
    Failure failure = make_failure(Stage::verify, nonfinite ? FailureClass::nonfinite : FailureClass::mismatch,
                                   comparison.output, message);
    failure.pattern = comparison.pattern;
    return failure;
}

} // namespace

CaseOutcome verify_case(DeviceSession& session, const Task& task, const Contender& contender,
                        const PlannedCase& planned, const CaseGolden& golden, const VerifySettings& settings,
                        StopSignal& stop) {
    const Deadline start = std::chrono::steady_clock::now();
    CaseOutcome outcome;
    CaseReport& report = outcome.report;
    report.symbols = planned.task_case.symbols;
    report.regime = planned.task_case.regime;
    report.held_out = planned.task_case.held_out;
    report.seed = golden.seed;
    const auto finish = [&](std::optional<Halt> halt) {
        report.seconds = seconds_since(start);
        report.passed = !halt;
        outcome.halt = std::move(halt);
        return outcome;
    };

    if (auto halted = stop.check())
        return finish(std::move(halted));
    const CaseJob job{&task, contender.candidate.get(), &planned.task_case, &planned.plan, golden.seed, system_seed()};
    if (auto halted = session.open_case(job))
        return finish(std::move(halted));
    if (session.input_checksums() != golden.input_checksums)
        return finish(InfrastructureFault{"the oracle and the device made different inputs from one seed", false});

    for (int slot = 0; slot < 2; ++slot) {
        if (auto halted = session.run(slot, system_seed(), stop.within(settings.case_deadline_s)))
            return finish(std::move(halted));
        if (auto halted = session.keep(slot))
            return finish(std::move(halted));
    }
    auto compared = session.compare(0, golden);
    if (!compared)
        return finish(std::move(compared.halt()));
    report.comparisons = std::move(*compared);

    auto looked = session.unwritten();
    if (!looked)
        return finish(std::move(looked.halt()));
    if (const auto& unwritten = *looked) {
        const OutputSpec& output = task.outputs[static_cast<std::size_t>(unwritten->output)];
        const Comparison& comparison = report.comparisons[static_cast<std::size_t>(unwritten->output)];
        Failure failure =
            make_failure(Stage::verify, FailureClass::unwritten, output.name,
                         "output `" + output.name + "`: " + count_of(unwritten->count, comparison.elements) +
                             " elements are never written, the first is element " + std::to_string(unwritten->first),
                         "write every element of the output in every case");
        failure.pattern = comparison.pattern;
        return finish(std::move(failure));
    }
    auto difference = session.first_difference(planned.plan.unordered);
    if (!difference)
        return finish(std::move(difference.halt()));
    const int differs = *difference;
    const Comparison* rejected = first_rejected(report.comparisons);
    if (differs >= 0) {
        const std::string& name = task.outputs[static_cast<std::size_t>(differs)].name;
        Failure failure = make_failure(
            Stage::verify, FailureClass::unstable, name,
            "output `" + name + "` differs between two runs of the same inputs" + (rejected ? " and is wrong" : ""),
            "look for a race, a missing barrier or uninitialised memory; declare `unordered " + name +
                "` if float atomics make it so on purpose");
        failure.pattern = Pattern::unstable;
        return finish(std::move(failure));
    }
    if (rejected)
        return finish(mismatch(*rejected));
    if (!planned.plan.unordered.empty()) {
        auto second = session.compare(1, golden);
        if (!second)
            return finish(std::move(second.halt()));
        if (first_rejected(*second)) {
            report.comparisons = std::move(*second);
            return finish(mismatch(*first_rejected(report.comparisons)));
        }
    }
    return finish(std::nullopt);
}

} // namespace kf
