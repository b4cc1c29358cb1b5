// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/headline_data.h"

#include "tests/ui/docks/support.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace kf::ui {
namespace {

using ::testing::HasSubstr;

RunState run_with_champion() {
    RunState state;
    state.start.run = "r";
    for (int number : {0, 1, 2}) {
        TurnState& turn = state.turns[number];
        turn.number = number;
        turn.finished = true;
        turn.outcome = "verdict";
        EvaluationState one;
        one.id = "e" + std::to_string(number);
        one.done = true;
        one.level = "certify";
        one.verdict = number == 0 ? "verified" : number == 1 ? "faster" : "slower";
        one.seconds_per_call = 2e-3;
        one.low = 1.9e-3;
        one.high = 2.1e-3;
        if (number > 0)
            one.vs_champion = number == 1 ? Speedup{1.25, 1.2, 1.3} : Speedup{0.5, 0.4, 0.6};
        one.place.sequence = 10 * number + 1;
        turn.evaluations.push_back(one);
    }
    state.champions = {{0, "e0", "c", "certify", "start kernel", {}, 2e-3, {2, 0, 0, 0}},
                       {1, "e1", "c", "certify", "faster", {}, 1.6e-3, {12, 0, 0, 0}}};
    return state;
}

TEST(HeadlineData, EagerBeforeStartBeforeChampionBeforeTime) {
    RunState state = run_with_champion();
    HeadlineData data = make_headline(state, RunStatus::running, {1, {}});
    EXPECT_EQ(data.figure, QStringLiteral("1.25×"));
    EXPECT_EQ(data.words, QStringLiteral("against the start kernel"));
    EXPECT_EQ(data.verdict, VerdictKind::faster);
    EXPECT_EQ(data.level, Level::certify);
    EXPECT_THAT(data.turn.toStdString(), HasSubstr("turn 1 · champion"));
    state.turns[1].evaluations[0].vs_baselines = {{"TorchInductor", {1.04, 1.0, 1.1}}, {"eager", {1.163, 1.1, 1.2}}};
    data = make_headline(state, RunStatus::running, {1, {}});
    EXPECT_EQ(data.figure, QStringLiteral("1.16×"));
    EXPECT_EQ(data.words, QStringLiteral("eager's speed"));
    EXPECT_EQ(data.second, QStringLiteral("1.04× TorchInductor's"));
    data = make_headline(state, RunStatus::running, {2, {}});
    EXPECT_EQ(data.figure, QStringLiteral("0.50×"));
    EXPECT_EQ(data.words, QStringLiteral("against turn 1")); // whom it met
    state.turns[2].evaluations[0].vs_champion = {};
    data = make_headline(state, RunStatus::running, {2, {}});
    EXPECT_EQ(data.figure, QStringLiteral("2 ms"));
}

TEST(HeadlineData, NothingThatIsNotThere) {
    const RunState empty;
    EXPECT_EQ(make_headline(empty, RunStatus::empty, {}).words, QStringLiteral("no run is open"));
    RunState state = run_with_champion();
    EXPECT_EQ(make_headline(state, RunStatus::finished, {}).figure, QStringLiteral("–"));
    EXPECT_EQ(make_headline(state, RunStatus::finished, {77, {}}).figure, QStringLiteral("–"));
    EvaluationState& one = state.turns[1].evaluations[0];
    const double nan = std::numeric_limits<double>::quiet_NaN();
    one.vs_champion = {nan, nan, nan};
    one.vs_baselines = {{"eager", {std::numeric_limits<double>::infinity(), 0, 0}}, {"x", {-1, 0, 0}}};
    one.seconds_per_call = nan;
    const HeadlineData data = make_headline(state, RunStatus::running, {1, {}});
    EXPECT_EQ(data.figure, QStringLiteral("–"));
    EXPECT_THAT(data.text().toStdString(), ::testing::Not(HasSubstr("nan")));
    EXPECT_EQ(big_ratio(0.443), QStringLiteral("0.44×"));
    EXPECT_EQ(big_ratio(11.83), QStringLiteral("11.8×"));
    EXPECT_EQ(big_ratio(120.4), QStringLiteral("120×"));
    EXPECT_EQ(big_ratio(0), QStringLiteral("–"));
}

TEST(HeadlineData, FailedRunningAndUnjudgedTurns) {
    RunState state = run_with_champion();
    state.turns[2].evaluations[0].failed = true;
    state.turns[2].evaluations[0].verdict = "mismatch";
    state.turns[2].evaluations[0].summary = "the last columns are wrong";
    HeadlineData data = make_headline(state, RunStatus::running, {2, {}});
    EXPECT_EQ(data.words, QStringLiteral("not timed"));
    EXPECT_FALSE(data.has_figure());
    EXPECT_THAT(data.text().toStdString(), ::testing::Not(HasSubstr("–"))); // no dash is read out
    EXPECT_EQ(data.verdict, VerdictKind::wrong);
    EXPECT_THAT(data.text().toStdString(), HasSubstr("the last columns are wrong"));
    TurnState& running = state.turns[3];
    running.number = 3;
    data = make_headline(state, RunStatus::running, {3, {}});
    EXPECT_TRUE(data.running);
    EXPECT_EQ(data.words, QStringLiteral("waiting for its candidate"));
    running.candidates = 1;
    running.evaluations.emplace_back();
    running.evaluations.back().stages = {{"measure", "round", "", 0, 3}};
    EXPECT_EQ(make_headline(state, RunStatus::running, {3, {}}).words,
              QStringLiteral("being judged: measure, round 3"));
    EXPECT_EQ(make_headline(state, RunStatus::interrupted, {3, {}}).words,
              QStringLiteral("not finished: the run was interrupted"));
    running.finished = true;
    running.outcome = "infrastructure";
    running.infrastructure = {"no compiler"};
    data = make_headline(state, RunStatus::running, {3, {}});
    EXPECT_EQ(data.verdict, VerdictKind::infrastructure);
    EXPECT_THAT(data.text().toStdString(), HasSubstr("no compiler"));
}

} // namespace
} // namespace kf::ui
