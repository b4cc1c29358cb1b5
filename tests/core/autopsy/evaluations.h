// SPDX-License-Identifier: GPL-3.0-or-later
// Constructed evaluations for the tests of core/autopsy.
#pragma once

#include "core/autopsy/autopsy.h"

#include <limits>

namespace kf::test {

inline CaseReport failing_case(bool held_out) {
    CaseReport report;
    report.symbols = {{"M", 7919}, {"N", 343}};
    report.regime = Regime::spiky;
    report.seed = 987654321;
    report.held_out = held_out;
    Comparison comparison;
    comparison.output = "out";
    comparison.elements = 7919 * 343;
    comparison.bad = 688953;
    comparison.max_abs_error = 31.75;
    comparison.failed_elementwise = true;
    comparison.pattern = Pattern::tail;
    comparison.pattern_text = "the last 87 of 343 columns of every row";
    for (std::int64_t k = 0; k < 8; ++k)
        comparison.first_bad.push_back({{0, 256 + k}, 1.625 + static_cast<double>(k), 0});
    comparison.first_bad[1].got = std::numeric_limits<double>::quiet_NaN();
    report.comparisons = {comparison};
    return report;
}

inline Failure failure_of(FailureClass failure_class) {
    Failure failure;
    failure.stage = Stage::verify;
    failure.failure = failure_class;
    failure.place = "out";
    return failure;
}

inline Failure mismatch(bool held_out) {
    Failure failure = failure_of(FailureClass::mismatch);
    failure.pattern = Pattern::tail;
    failure.message = "out is wrong in the last 87 of 343 columns for M=7919 N=343";
    failure.remedy = "handle 343 columns";
    failure.failing_case = failing_case(held_out);
    failure.shrunk = ShrunkCase{{{"M", 1}, {"N", 313}}, Regime::integers, 987654321, {{{0, 312}, 77.5, 0}}, 11};
    failure.evidence = "block 7919 thread 343 wrote 77.5\n";
    failure.diagnostics = {{"error", {"start.cu", 3, 1}, "N=343 is bad"}};
    return failure;
}

// Right, and slower than its champion.
inline Evaluation correct_evaluation() {
    Evaluation evaluation;
    evaluation.id = "e1";
    evaluation.level = Level::duel;
    evaluation.device = "cpu";
    evaluation.device_name = "a CPU";
    evaluation.task = "scale";
    evaluation.tunables = {{"BLOCK", 256}};
    using enum StageReport::Outcome;
    evaluation.stages = {{Stage::parse, passed, 0.01, "", {}},   {Stage::compile, passed, 0.4, "", {}},
                         {Stage::inspect, passed, 0.01, "", {}}, {Stage::verify, passed, 1, "", {}},
                         {Stage::measure, passed, 2, "", {}},    {Stage::promote, not_checked, 0, "no tool", {}}};
    CaseReport report;
    report.symbols = {{"M", 64}, {"N", 96}};
    report.passed = true;
    evaluation.cases = {report};
    evaluation.cases_total = 18;
    TimingSummary timing;
    timing.size = "cpu";
    timing.symbols = {{"M", 64}, {"N", 96}};
    timing.median = 1.5e-3;
    timing.q1 = 1.4e-3;
    timing.q3 = 1.6e-3;
    timing.samples = 120;
    timing.timer = "parent-steady-clock";
    timing.floor = 2e-6;
    evaluation.timings = {timing};
    Duel duel;
    duel.against = "champion";
    duel.decision.verdict = Ratio::slower;
    duel.decision.reason = Reason::beyond_limit;
    duel.sizes = {{"cpu", duel.decision}};
    duel.against_timings = {timing};
    evaluation.duel = duel;
    evaluation.flags = {"fast_math"};
    evaluation.conditions = Json{{"threads", 1}};
    evaluation.seconds = 3.5;
    return evaluation;
}

inline Evaluation failed_evaluation(Failure failure) {
    Evaluation evaluation = correct_evaluation();
    evaluation.duel.reset();
    evaluation.timings.clear();
    evaluation.failure = std::move(failure);
    return evaluation;
}

} // namespace kf::test
