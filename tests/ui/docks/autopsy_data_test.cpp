// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/autopsy_data.h"

#include "ui/models/autopsy_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kf::ui {
namespace {

using Kind = AutopsyCard::Kind;
using Role = AutopsyLine::Role;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

const AutopsyCard* find(const AutopsyData& data, Kind kind) {
    for (const AutopsyCard& card : data.cards)
        if (card.kind == kind)
            return &card;
    return nullptr;
}

const AutopsyLine* find_target(const AutopsyData& data, const QString& beginning) {
    for (const AutopsyCard& card : data.cards)
        for (const AutopsyLine& line : card.lines)
            if (line.target.startsWith(beginning))
                return &line;
    return nullptr;
}

std::string text_of(const AutopsyData& data) {
    return data.text().toStdString();
}

TurnState turn(int number, const std::string& outcome) {
    TurnState turn;
    turn.number = number;
    turn.parent = number - 1;
    turn.author = "model";
    turn.strategy = "wider loads";
    turn.file_name = "turn.cu";
    turn.candidates = 1;
    turn.started = turn.finished = true;
    turn.outcome = outcome;
    return turn;
}

StageReport stage(Stage which, StageReport::Outcome outcome, const std::string& note = {}) {
    StageReport report;
    report.stage = which;
    report.outcome = outcome;
    report.note = note;
    return report;
}

Evaluation correct() {
    Evaluation evaluation;
    evaluation.id = "e1";
    evaluation.device = "cpu";
    evaluation.level = Level::certify;
    for (const Stage which : {Stage::parse, Stage::compile, Stage::inspect, Stage::verify, Stage::measure})
        evaluation.stages.push_back(stage(which, StageReport::Outcome::passed));
    for (int k = 0; k < 4; ++k) {
        CaseReport report;
        report.symbols = {{"R", k + 1}};
        report.regime = k == 3 ? Regime::spiky : Regime::normal;
        report.held_out = k == 2;
        report.passed = true;
        Comparison comparison;
        comparison.output = "out";
        comparison.accepted = true;
        comparison.elements = 10;
        comparison.max_abs_error = 0.25 * k;
        comparison.worst_row_ratio = 1.125;
        report.comparisons.push_back(comparison);
        evaluation.cases.push_back(report);
    }
    evaluation.cases_total = 4;
    return evaluation;
}

Evaluation failed(FailureClass what, Stage where) {
    Evaluation evaluation = correct();
    evaluation.cases.clear();
    evaluation.level = Level::screen;
    std::erase_if(evaluation.stages, [&](const StageReport& report) { return report.stage >= where; });
    evaluation.stages.push_back(stage(where, StageReport::Outcome::failed));
    Failure failure;
    failure.stage = where;
    failure.failure = what;
    failure.message = "it did not work";
    evaluation.failure = failure;
    return evaluation;
}

// A mismatch over 3 × 343 with its last 87 columns wrong.
Evaluation mismatch() {
    Evaluation evaluation = failed(FailureClass::mismatch, Stage::verify);
    CaseReport report;
    report.symbols = {{"M", 3}, {"N", 343}};
    report.regime = Regime::cancel;
    Comparison comparison;
    comparison.output = "out";
    comparison.elements = 3 * 343;
    comparison.bad = 3 * 87;
    comparison.pattern = Pattern::tail;
    comparison.pattern_text = "the last 87 of 343 columns of every row";
    comparison.max_abs_error = 2;
    comparison.map.rows = 3;
    comparison.map.columns = 64;
    comparison.map.bad.assign(3 * 64, 0);
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 48; column < 64; ++column)
            comparison.map.bad[row * 64 + column] = 5;
    comparison.first_bad = {{{0, 256}, 1.25, 0}, {{0, 257}, nan, inf}};
    comparison.worst = {{{2, 300}, -3, 7}};
    report.comparisons.push_back(comparison);
    evaluation.failure->failing_case = report;
    evaluation.failure->place = "out";
    ShrunkCase shrunk;
    shrunk.symbols = {{"M", 1}, {"N", 257}};
    shrunk.first_bad = {{{0, 256}, 1.25, 0}};
    shrunk.attempts = 12;
    evaluation.failure->shrunk = shrunk;
    evaluation.cases = {report};
    evaluation.cases_total = 18;
    return evaluation;
}

AutopsyData data_of(const Evaluation& evaluation, const std::string& outcome = "failed") {
    AutopsySources sources;
    sources.turn = turn(2, outcome);
    EvaluationState state;
    state.id = evaluation.id;
    state.done = true;
    state.failed = evaluation.failure.has_value();
    state.verdict = evaluation.verdict();
    sources.turn.evaluations.push_back(state);
    sources.evaluation = sources.best = evaluation.id;
    sources.whole = std::make_shared<const Evaluation>(evaluation);
    sources.source = "a\nb\nc\n";
    sources.parent_source = "a\nc\nd\n";
    return make_autopsy_data(sources);
}

TEST(AutopsyData, EveryClassOfFailureSaysWhatWhyAndWhatNext) {
    for (int k = 0; k < failure_class_count; ++k) {
        const auto what = static_cast<FailureClass>(k);
        const AutopsyData data = data_of(failed(what, Stage::verify));
        SCOPED_TRACE(std::string(to_string(what)));
        EXPECT_EQ(data.verdict, verdict_kind(to_string(what)));
        ASSERT_NE(find(data, Kind::happened), nullptr);
        EXPECT_EQ(find(data, Kind::happened)->lines.front().role, Role::strong);
        ASSERT_NE(find(data, Kind::why), nullptr);
        const AutopsyLine& cause = find(data, Kind::why)->lines.front();
        EXPECT_EQ(cause.role, Role::cause);
        EXPECT_GT(cause.confidence, 0);
        EXPECT_LE(cause.confidence, 1);
        ASSERT_NE(find(data, Kind::next), nullptr);
        EXPECT_FALSE(find(data, Kind::next)->lines.empty());
        ASSERT_NE(find(data, Kind::checked), nullptr);
        EXPECT_THAT(text_of(data), HasSubstr("Verify: failed"));
    }
}

TEST(AutopsyData, DiagnosticsLeadToTheirLines) {
    Evaluation evaluation = failed(FailureClass::compile, Stage::compile);
    evaluation.failure->source = {"turn.cu", 21, 9};
    evaluation.failure->diagnostics = {{"error", {"turn.cu", 21, 9}, "identifier \"silu\" is undefined"},
                                       {"warning", {"turn.cu", 3, 1}, "unused"},
                                       {"error", {"turn.cu", 30, 0}, "expected a \";\""}};
    const AutopsyData data = data_of(evaluation);
    const AutopsyCard* happened = find(data, Kind::happened);
    std::vector<std::string> targets;
    for (const AutopsyLine& line : happened->lines)
        if (!line.target.isEmpty())
            targets.push_back(line.target.toStdString());
    // The place of the failure is the first error's: it is not told twice.
    EXPECT_THAT(targets, ::testing::ElementsAre("line:21:9", "line:30"));
    EXPECT_EQ(find_target(data, QStringLiteral("line:21:9"))->link, QStringLiteral("turn.cu:21:9"));
    EXPECT_TRUE(data.maps.empty());
}

TEST(AutopsyData, MismatchHasItsMapItsElementsAndItsSmallestCase) {
    const AutopsyData data = data_of(mismatch());
    ASSERT_EQ(data.maps.size(), 1u);
    const ErrorMapData& map = data.maps.front();
    EXPECT_EQ(map.output_rows, 3);
    EXPECT_EQ(map.output_columns, 343);
    EXPECT_EQ(map.most, 5u);
    EXPECT_EQ(map.pattern, QStringLiteral("the last 87 of 343 columns of every row"));
    // Cell k of 64 holds the columns c with c * 64 / 343 == k: every column is in exactly one.
    std::int64_t next = 0;
    for (int column = 0; column < 64; ++column) {
        const auto range = map.columns_of(column);
        ASSERT_TRUE(range);
        EXPECT_EQ(range->first, next);
        EXPECT_EQ(range->first * 64 / 343, column);
        EXPECT_EQ(range->second * 64 / 343, column);
        next = range->second + 1;
    }
    EXPECT_EQ(next, 343);
    EXPECT_EQ(map.cell_of({2, 300}), (std::pair{2, 300 * 64 / 343}));
    EXPECT_EQ(map.cell_of({3, 0}), std::nullopt);
    EXPECT_EQ(map.cell_of({-1, 0}), std::nullopt);
    EXPECT_NE(find(data, Kind::map), nullptr);
    EXPECT_NE(find_target(data, QStringLiteral("element:out[0, 256]")), nullptr);
    EXPECT_THAT(text_of(data), HasSubstr("the smallest case that fails (12 tried)"));
    EXPECT_THAT(text_of(data), HasSubstr("0 of 18 cases passed, 17 not run"));
}

TEST(AutopsyData, MapsThatDoNotFitTheirCellsAreNotDrawn) {
    Evaluation evaluation = mismatch();
    evaluation.failure->failing_case->comparisons[0].map.bad.resize(7);
    ErrorMapData map = data_of(evaluation).maps.at(0);
    EXPECT_TRUE(map.empty());
    EXPECT_FALSE(map.worst.empty()); // the elements are still told
    evaluation = mismatch();
    evaluation.failure->failing_case->comparisons[0].elements = 5; // fewer than cells
    map = data_of(evaluation).maps.at(0);
    EXPECT_FALSE(map.empty());
    EXPECT_EQ(map.output_rows, 0);
    EXPECT_EQ(map.rows_of(0), std::nullopt);
    EXPECT_EQ(map.cell_of({0, 0}), std::nullopt);
    evaluation.failure->failing_case->comparisons[0].map = {};
    evaluation.failure->failing_case->comparisons[0].worst.clear();
    evaluation.failure->failing_case->comparisons[0].first_bad.clear();
    EXPECT_TRUE(data_of(evaluation).maps.empty());
}

TEST(AutopsyData, SanitizerSpeaksOfTheLine) {
    Evaluation evaluation = failed(FailureClass::out_of_bounds, Stage::verify);
    evaluation.failure->place = "out:after";
    evaluation.failure->source = {"turn.cu", 13, 0};
    evaluation.failure->evidence = "AddressSanitizer: use-after-poison error in k at turn.cu:13\n";
    const AutopsyData data = data_of(evaluation);
    EXPECT_NE(find_target(data, QStringLiteral("line:13")), nullptr);
    EXPECT_THAT(text_of(data), HasSubstr("use-after-poison"));
    EXPECT_THAT(text_of(data), HasSubstr("Wrong: out of bounds in verify, at out:after"));
}

TEST(AutopsyData, HeldOutFailuresAreMarkedForPeople) {
    Evaluation evaluation = mismatch();
    evaluation.failure->failing_case->held_out = true;
    const AutopsyData data = data_of(evaluation);
    EXPECT_TRUE(data.held_out);
    EXPECT_TRUE(data.maps.at(0).held_out);
    EXPECT_THAT(text_of(data), HasSubstr("held-out"));
    EXPECT_FALSE(data_of(mismatch()).held_out);
}

TEST(AutopsyData, CorrectKernelsSayWhatWasCheckedAndWhatWasNot) {
    Evaluation evaluation = correct();
    evaluation.duel.emplace();
    evaluation.duel->decision.verdict = Ratio::faster;
    evaluation.duel->decision.reason = Reason::beyond_limit;
    evaluation.duel->decision.rounds = 12;
    evaluation.duel->decision.interval = Interval::from_logs(0.1, 0.05, 0.15);
    evaluation.stages.push_back(stage(Stage::promote, StageReport::Outcome::not_checked, "does not exist yet"));
    evaluation.flags = {"CPU timings"};
    evaluation.skipped = {"line 7: launch slow"};
    const AutopsyData data = data_of(evaluation, "verdict");
    const std::string text = text_of(data);
    EXPECT_EQ(data.verdict, VerdictKind::faster);
    EXPECT_THAT(text, HasSubstr("Faster than the champion: 1.105"));
    EXPECT_THAT(text, HasSubstr("4 of 4 cases passed"));
    EXPECT_THAT(text, HasSubstr("Inputs: normal, spiky"));
    EXPECT_THAT(text, HasSubstr("Held-out cases: 1 of 1 passed"));
    EXPECT_THAT(text, HasSubstr("Largest error 0.75, worst row 1.13× eager's"));
    EXPECT_THAT(text, HasSubstr("poison"));
    EXPECT_THAT(text, HasSubstr("AddressSanitizer: one case, no finding"));
    EXPECT_THAT(text, HasSubstr("Promote: not checked, does not exist yet"));
    EXPECT_THAT(text, HasSubstr("Not profiled on this device"));
    EXPECT_THAT(text, HasSubstr("Not known: "));
    EXPECT_EQ(find_target(data, QStringLiteral("line:7"))->link, QStringLiteral("line 7: launch slow"));
    EXPECT_EQ(find(data, Kind::map), nullptr);
    // What only the CPU device's documents promise is not said of another.
    evaluation.device = "cuda:0";
    EXPECT_THAT(text_of(data_of(evaluation, "verdict")), Not(HasSubstr("poison")));
}

TEST(AutopsyData, FiguresThatAreNoNumbersAreSaidNotHidden) {
    Evaluation evaluation = correct();
    evaluation.cases[0].comparisons[0].max_abs_error = nan;
    evaluation.cases[0].comparisons[0].worst_row_ratio = inf;
    EXPECT_THAT(text_of(data_of(evaluation, "verdict")), HasSubstr("Largest error is not finite"));
    EXPECT_EQ(value_text(nan), QStringLiteral("NaN"));
    EXPECT_EQ(value_text(-inf), QStringLiteral("−Inf"));
    TurnState sweep = turn(1, "verdict");
    for (const double seconds : {nan, 3.0, inf, 1.0, -1.0}) {
        EvaluationState one;
        one.id = std::to_string(sweep.evaluations.size());
        one.done = true;
        one.seconds_per_call = seconds;
        sweep.evaluations.push_back(one);
    }
    const auto points = sweep_points(sweep, "3");
    ASSERT_EQ(points.size(), 5u);
    EXPECT_EQ(points[0].seconds, 1);
    EXPECT_TRUE(points[0].best);
    EXPECT_EQ(points[1].seconds, 3);
    EXPECT_EQ(points[2].seconds, 0); // not measured: last
}

TEST(AutopsyData, WithoutAnEvaluationTheTurnSpeaks) {
    struct {
        const char *outcome, *expected;
    } const table[] = {{"infrastructure", "not the candidate's fault"},
                       {"cancelled", "cancelled before there was a result"},
                       {"no_candidate", "No candidate came"},
                       {"failed", "ended without a result"}};
    for (const auto& row : table) {
        AutopsySources sources;
        sources.turn = turn(3, row.outcome);
        sources.turn.infrastructure = {"the evaluator died"};
        const AutopsyData data = make_autopsy_data(sources);
        EXPECT_THAT(text_of(data), HasSubstr(row.expected));
        EXPECT_THAT(text_of(data), HasSubstr("The evaluator died"));
    }
    AutopsySources lost;
    lost.turn = turn(3, "infrastructure");
    lost.turn.infrastructure = {"evaluator: killed", "evaluator: killed", "evaluator: killed"};
    lost.turn.text = "killed";
    EXPECT_THAT(text_of(make_autopsy_data(lost)), HasSubstr("Evaluator: killed, 3 times")); // once, counted
    EXPECT_THAT(text_of(make_autopsy_data(lost)), ::testing::Not(HasSubstr("  Killed")));
    AutopsySources sources;
    sources.turn = turn(3, "");
    sources.turn.finished = false;
    sources.turn.evaluations.emplace_back();
    sources.turn.evaluations.back().stages = {{"parse", "ended", "passed", 0, 0}, {"measure", "started", "", 0, 3}};
    EXPECT_THAT(text_of(make_autopsy_data(sources)), HasSubstr("being judged"));
    EXPECT_THAT(text_of(make_autopsy_data(sources)), HasSubstr("measure …, round 3"));
    sources.run_is_over = true;
    EXPECT_THAT(text_of(make_autopsy_data(sources)), HasSubstr("interrupted"));
    EXPECT_FALSE(make_autopsy_data(AutopsySources()).cards.empty()); // even of nothing at all
}

TEST(AutopsyData, WhatChangedNamesTheParentAndCountsLines) {
    const AutopsyData data = data_of(mismatch());
    EXPECT_EQ(data.diff_parent, 1);
    EXPECT_EQ(data.diff.added, 1);
    EXPECT_EQ(data.diff.removed, 1);
    ASSERT_NE(find_target(data, QStringLiteral("diff")), nullptr);
    EXPECT_EQ(find_target(data, QStringLiteral("diff"))->link, QStringLiteral("+1 −1 lines"));
    EXPECT_NE(find_target(data, QStringLiteral("turn:1")), nullptr);
    AutopsySources sources;
    sources.turn = turn(2, "failed");
    EXPECT_THAT(text_of(make_autopsy_data(sources)), HasSubstr("is not known"));
    sources.diff = "--- a\n+++ b\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n";
    EXPECT_EQ(make_autopsy_data(sources).diff.added, 2);
    sources.source = sources.parent_source = "same";
    EXPECT_THAT(text_of(make_autopsy_data(sources)), HasSubstr("The same source as turn 1"));
}

TEST(LineDiff, CountsAndPlaces) {
    const LineDiff diff = line_diff("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nX\nd\ne\nf\ng\nh\nY\n", 1);
    EXPECT_EQ(diff.added, 2);
    EXPECT_EQ(diff.removed, 1);
    std::string shape;
    for (const DiffLine& line : diff.lines)
        shape += line.kind == DiffLine::Kind::context   ? ' '
                 : line.kind == DiffLine::Kind::added   ? '+'
                 : line.kind == DiffLine::Kind::removed ? '-'
                                                        : '@';
    EXPECT_EQ(shape, " -+ @ +");
    EXPECT_EQ(diff.lines[1].old_line, 3);
    EXPECT_EQ(diff.lines[2].new_line, 3);
    EXPECT_EQ(diff.lines.back().new_line, 9);
    EXPECT_TRUE(line_diff("", "").same());
    EXPECT_TRUE(line_diff("a\r\nb", "a\nb\n").same());
    EXPECT_EQ(line_diff("", "x\ny").added, 2);
}

TEST(LineDiff, TextsTooFarApartAreReplaced) {
    std::string before, after;
    for (int k = 0; k < 4000; ++k) {
        before += "old " + std::to_string(k) + "\n";
        after += "new " + std::to_string(k) + "\n";
    }
    const LineDiff diff = line_diff("head\n" + before + "tail\n", "head\n" + after + "tail\n");
    EXPECT_FALSE(diff.exact);
    EXPECT_EQ(diff.added, 4000);
    EXPECT_EQ(diff.removed, 4000);
}

} // namespace
} // namespace kf::ui
