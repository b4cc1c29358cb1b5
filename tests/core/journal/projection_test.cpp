// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/projection.h"
#include "tests/core/journal/helpers.h"

namespace kf {
namespace {

TEST_F(JournalTest, ProjectionShowsTheRun) {
    auto writer = JournalWriter::create(run, quick());
    write_sample_run(**writer);
    RunState state;
    state.apply(all());
    EXPECT_EQ(state.start.task, "softmax");
    EXPECT_EQ(state.status(), RunStatus::running);
    EXPECT_EQ(state.status(LockState::held), RunStatus::running);
    EXPECT_EQ(state.status(LockState::stale), RunStatus::interrupted);
    EXPECT_EQ(state.status(LockState::free), RunStatus::interrupted);
    ASSERT_EQ(state.turns.size(), 4u);
    EXPECT_EQ(state.next_turn(), 4);
    EXPECT_EQ(state.unfinished_turns(), (std::vector<int>{3}));
    EXPECT_EQ(state.gaps, 0);

    const TurnState& wrong = state.turns.at(1);
    EXPECT_EQ(wrong.outcome, "failed");
    EXPECT_EQ(wrong.hint, "use shared memory");
    EXPECT_EQ(wrong.exchanges.size(), 1u);
    EXPECT_EQ(wrong.cost, (Cost{1000, 200, 0.25, 0.4, 0, 3}));
    ASSERT_EQ(wrong.evaluations.size(), 1u); // progress and verdict are one evaluation
    EXPECT_EQ(wrong.evaluations[0].stages.size(), 2u);
    EXPECT_EQ(wrong.evaluations[0].stages[1].outcome, "failed");
    EXPECT_EQ(one_line(wrong.evaluations[0]), "mismatch · screen");

    const TurnState& won = state.turns.at(2);
    EXPECT_EQ(won.parent, 0);
    EXPECT_EQ(won.mark, TurnMark::promoted);
    EXPECT_EQ(one_line(*won.decisive()), "faster · 1.42 ms · 1.408× [1.390, 1.430] · certify");
    EXPECT_DOUBLE_EQ(won.decisive()->vs_baselines.at("eager").estimate, 0.97);
    EXPECT_EQ(state.turns.at(0).mark, TurnMark::champion);
    EXPECT_EQ(state.champion()->turn, 2);
    EXPECT_EQ(state.champions.size(), 3u);
    EXPECT_DOUBLE_EQ(state.best_so_far(), 1.42e-3);
    EXPECT_DOUBLE_EQ(state.spent().device_s, 1.9);
    EXPECT_DOUBLE_EQ(state.spent().money, 0.25);
    EXPECT_EQ(one_line(state.turns.at(3).evaluations.at(0)), "running");
    // The place leads back to the whole event.
    const auto reader = JournalReader::open(run);
    const auto event = reader->event_at(won.evaluations[0].place.offset, won.evaluations[0].place.bytes);
    ASSERT_TRUE(event);
    EXPECT_EQ(get_string(event->fields, "evaluation"), "e2");
}

TEST_F(JournalTest, LiveAndReplayAreTheSameFold) {
    auto writer = JournalWriter::create(run, quick());
    write_sample_run(**writer);
    RunState whole;
    whole.apply(all());
    for (const std::size_t step : {1u, 2u, 5u}) {
        RunState live;
        auto reader = JournalReader::open(run);
        while (true) {
            const auto events = *reader->poll(step);
            if (events.empty())
                break;
            live.apply(events);
        }
        EXPECT_EQ(to_json(live, live.status()), to_json(whole, whole.status()));
    }
}

TEST_F(JournalTest, StopEndAndResume) {
    auto writer = JournalWriter::create(run, quick());
    write_sample_run(**writer);
    ASSERT_TRUE((*writer)->append(Steering{"workbench", "pause", {}, "after turn 3"}));
    ASSERT_TRUE((*writer)->append(Stop{"budget", "12 turns", 3}));
    RunState state;
    state.apply(all());
    EXPECT_TRUE(state.paused);
    EXPECT_EQ(state.status(LockState::held), RunStatus::stopping);
    EXPECT_EQ(state.stop->reason, "budget");
    ASSERT_TRUE((*writer)->append(RunFinished{"done", 2, 4, {}}));
    writer->reset();
    state = {};
    state.apply(all());
    EXPECT_EQ(state.status(LockState::free), RunStatus::finished);
    writer = JournalWriter::open_existing(run, quick());
    state = {};
    state.apply(all());
    EXPECT_EQ(state.status(LockState::held), RunStatus::running);
    EXPECT_FALSE(state.stop);
    EXPECT_FALSE(state.paused);
    EXPECT_EQ(state.resumed, 1);
    EXPECT_TRUE(state.turns.at(3).evaluations.at(0).abandoned);
    // The evaluation is done again under its old name.
    EvaluationEvent again;
    again.turn = 3;
    again.evaluation = "e3";
    again.verdict = "slower";
    ASSERT_TRUE((*writer)->append(again));
    state = {};
    state.apply(all());
    ASSERT_EQ(state.turns.at(3).evaluations.size(), 1u);
    EXPECT_FALSE(state.turns.at(3).evaluations[0].abandoned);
    EXPECT_EQ(state.turns.at(3).decisive()->verdict, "slower");
}

// One event of a person's quick bench.
Event told(std::int64_t sequence, EventType type, Json fields) {
    Event event;
    event.sequence = sequence;
    event.time = 100 + static_cast<double>(sequence);
    event.type = type;
    event.type_name = std::string(to_string(type));
    event.fields = std::move(fields);
    return event;
}

TEST(Sweep, TheFastestRightPointSpeaksForIt) {
    RunState state;
    state.apply(told(1, EventType::turn_started, {{"turn", 1}, {"author", "tuner"}}));
    const auto point = [&](const char* id, const char* verdict, double seconds, const char* level = "screen") {
        static std::int64_t sequence = 1;
        state.apply(told(++sequence, EventType::evaluation,
                         {{"turn", 1},
                          {"evaluation", id},
                          {"level", level},
                          {"verdict", verdict},
                          {"failed", seconds == 0},
                          {"seconds_per_call", seconds}}));
        return state.turns.at(1).decisive()->id;
    };
    EXPECT_EQ(point("a", "mismatch", 0), "a");
    EXPECT_EQ(point("b", "slower", 3), "b");
    EXPECT_EQ(point("c", "faster", 1), "c");
    EXPECT_EQ(point("d", "faster", 2), "c");
    EXPECT_EQ(point("e", "limits", 0), "c");
    EXPECT_EQ(point("f", "slower", 5, "certify"), "f") << "more evidence comes first";
}

TEST(Projection, AQuickBenchFillsOrTurnsWrong) {
    const auto evaluation = [](int cases, bool failed) {
        EvaluationEvent event;
        event.turn = 1;
        event.evaluation = "e";
        event.level = "screen";
        event.verdict = failed ? "mismatch" : "faster";
        event.failed = failed;
        event.seconds_per_call = failed ? 0 : 1e-3;
        event.cases = cases;
        event.cases_total = 18;
        event.device_s = 0.5;
        return to_fields(event);
    };
    const auto stage = [](const char* state, int index) {
        return Json{{"turn", 1},
                    {"evaluation", "e"},
                    {"stage", "verify"},
                    {"state", state},
                    {"evidence", {{"index", index}, {"total", 18}}}};
    };
    RunState state;
    state.apply(told(1, EventType::turn_started, {{"turn", 1}, {"author", "human"}}));
    state.apply(told(2, EventType::evaluation, evaluation(2, false)));
    state.apply(told(3, EventType::turn_finished, {{"turn", 1}, {"outcome", "verdict"}}));
    const EvaluationState& shown = state.turns.at(1).evaluations.at(0);
    EXPECT_EQ(shown.cases, 2);
    EXPECT_FALSE(shown.complete());
    EXPECT_EQ(one_line(shown), "faster · 1 ms · screen · 2 of 18 cases");
    state.apply(told(4, EventType::stage, stage("case", 6)));
    EXPECT_TRUE(shown.completing);
    EXPECT_EQ(shown.cases, 7);
    EXPECT_EQ(shown.cases_judged, 2);
    state.apply(told(5, EventType::stage, stage("case", 1'000'000)));
    EXPECT_EQ(shown.cases, 18) << "never more than there are";
    RunState dropped = state, wrong = state, lost = state;
    dropped.apply(told(6, EventType::stage, stage("dropped", 0)));
    EXPECT_EQ(dropped.turns.at(1).evaluations.at(0).cases, 2);
    EXPECT_FALSE(dropped.turns.at(1).evaluations.at(0).completing);
    lost.apply(told(6, EventType::resumed, Json::object()));
    EXPECT_EQ(lost.turns.at(1).evaluations.at(0).cases, 2);
    EXPECT_FALSE(lost.turns.at(1).evaluations.at(0).completing);
    state.apply(told(6, EventType::evaluation, evaluation(18, false)));
    EXPECT_TRUE(shown.complete());
    EXPECT_FALSE(shown.completing);
    EXPECT_EQ(state.turns.at(1).evaluations.size(), 1u);
    EXPECT_DOUBLE_EQ(state.spent().device_s, 1.0) << "both parts cost";
    wrong.apply(told(6, EventType::evaluation, evaluation(9, true)));
    wrong.apply(told(7, EventType::turn_finished, {{"turn", 1}, {"outcome", "failed"}}));
    EXPECT_TRUE(wrong.turns.at(1).decisive()->failed);
    EXPECT_EQ(wrong.turns.at(1).decisive()->seconds_per_call, 0);
    EXPECT_EQ(wrong.turns.at(1).outcome, "failed");
}

TEST(Projection, OddEventsAreCountedNotBelieved) {
    RunState state;
    const auto give = [&](const std::string& line) {
        auto event = parse_event(line);
        ASSERT_TRUE(event) << line;
        state.apply(*event);
    };
    EXPECT_EQ(state.status(), RunStatus::empty);
    give(R"({"v":1,"n":5,"t":1,"type":"turn_started","turn":2147483647,"parent":"x"})");
    give(R"({"v":1,"n":6,"t":1,"type":"turn_started","turn":99999999999})");
    give(R"({"v":1,"n":5,"t":1,"type":"dream"})");
    give(
        R"({"v":1,"n":9007199254740992,"t":1,"type":"evaluation","turn":7,"stages":{},"flags":[1,"f"],"vs_baselines":[1]})");
    give(R"({"v":1,"n":1,"t":1,"type":"champion","turn":-5,"seconds_per_call":null})");
    state.apply(unreadable_event(3, "bad", "x", 1));
    EXPECT_EQ(state.gaps, 4);
    EXPECT_EQ(state.unreadable_lines, 1);
    EXPECT_EQ(state.unknown_types.at("dream"), 1);
    EXPECT_EQ(state.next_turn(), 2147483647);
    EXPECT_FALSE(state.turns.at(7).started); // named, never begun
    EXPECT_EQ(state.turns.at(7).evaluations[0].flags, (std::vector<std::string>{"f"}));
    EXPECT_EQ(state.unfinished_turns(), (std::vector<int>{0, 2147483647}));
    EXPECT_DOUBLE_EQ(state.best_so_far(), 0);
}

TEST(Projection, SecondsInTheUnitThatReadsBest) {
    EXPECT_EQ(format_seconds(0), "–");
    EXPECT_EQ(format_seconds(2.5), "2.5 s");
    EXPECT_EQ(format_seconds(3.25e-6), "3.25 µs");
    EXPECT_EQ(format_seconds(9e-10), "0.9 ns");
}

TEST(EventTypes, EveryTypedViewComesBack) {
    Training training;
    training.step = 7;
    training.reward = -1;
    training.evaluations = {"a", "b"};
    EXPECT_EQ(from_fields<Training>(to_fields(training)).reward, std::optional<double>(-1));
    EXPECT_EQ(from_fields<Training>(to_fields(Training{})).reward, std::nullopt);
    EXPECT_EQ(to_fields(from_fields<Training>(to_fields(training))), to_fields(training));
    EvaluationEvent evaluation;
    evaluation.level = "duel";
    evaluation.result = {{"opaque", {1, 2, 3}}};
    evaluation.samples = "hash";
    evaluation.low = 0.5;
    EXPECT_EQ(to_fields(from_fields<EvaluationEvent>(to_fields(evaluation))), to_fields(evaluation));
    // Wrong types keep the defaults.
    const auto odd = from_fields<TurnStarted>(Json{{"turn", "x"}, {"parent", 1e300}, {"author", 5}});
    EXPECT_EQ(odd.turn, 0);
    EXPECT_EQ(odd.parent, -1);
    EXPECT_EQ(odd.author, "");
    for (int i = 0; i < static_cast<int>(EventType::unreadable); ++i)
        EXPECT_EQ(event_type_from_string(to_string(static_cast<EventType>(i))), static_cast<EventType>(i));
}

} // namespace
} // namespace kf
