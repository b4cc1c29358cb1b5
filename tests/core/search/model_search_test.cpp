// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/model_search.h"

#include "core/search/strategies.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace kf {
namespace {

// Makes a journal's events; each append is one event, as a writer would number them.
class Journal {
public:
    template<class T> Journal& add(const T& value) {
        Event event;
        event.type = T::type;
        event.sequence = static_cast<std::int64_t>(m_events.size()) + 1;
        event.time = static_cast<double>(m_events.size());
        event.fields = to_fields(value);
        m_events.push_back(std::move(event));
        return *this;
    }
    Journal& begin(int turn, int parent, const std::string& strategy = {}, const std::string& author = "model") {
        TurnStarted started;
        started.turn = turn;
        started.parent = parent;
        started.author = author;
        started.strategy = strategy;
        return add(started);
    }
    Journal& candidate(int turn, const std::string& source) {
        CandidateEvent event;
        event.turn = turn;
        event.source = source;
        event.file_name = "a.cu";
        return add(event);
    }
    // seconds 0: failed with this verdict.
    Journal& judged(int turn, const std::string& verdict, double seconds, const Json& tunables = Json::object()) {
        EvaluationEvent event;
        event.turn = turn;
        event.evaluation = "e" + std::to_string(turn);
        event.level = "certify";
        event.verdict = verdict;
        event.failed = seconds == 0;
        event.seconds_per_call = seconds;
        event.tunables = tunables;
        return add(event);
    }
    Journal& champion(int turn, double seconds) {
        ChampionEvent event;
        event.turn = turn;
        event.seconds_per_call = seconds;
        event.level = "certify";
        return add(event);
    }
    Journal& end(int turn, const std::string& outcome) {
        TurnFinished finished;
        finished.turn = turn;
        finished.outcome = outcome;
        return add(finished);
    }
    Journal& right(int turn, int parent, double seconds, bool becomes_champion, const std::string& strategy = {},
                   const std::string& author = "model") {
        begin(turn, parent, strategy, author).candidate(turn, "s" + std::to_string(turn));
        judged(turn, becomes_champion ? "faster" : "slower", seconds);
        if (becomes_champion)
            champion(turn, seconds);
        return end(turn, "verdict");
    }
    Journal& wrong(int turn, int parent, const std::string& strategy = {}, const std::string& verdict = "mismatch") {
        return begin(turn, parent, strategy)
            .candidate(turn, "s" + std::to_string(turn))
            .judged(turn, verdict, 0)
            .end(turn, "failed");
    }
    Journal& start() { return right(0, -1, 1.0, true, "start", "file"); }

    RunState state(std::size_t events) const {
        RunState state;
        for (std::size_t i = 0; i < events; ++i)
            state.apply(m_events[i]);
        return state;
    }
    RunState state() const { return state(m_events.size()); }
    std::size_t size() const { return m_events.size(); }

private:
    std::vector<Event> m_events;
};

NextChild next(const Journal& journal, const ModelSearchSettings& settings = {}, int forced = -1,
               const BottleneckOf& bottleneck = {}) {
    const auto answer = next_child(journal.state(), settings, forced, bottleneck);
    if (const auto* done = std::get_if<SearchDone>(&answer)) {
        ADD_FAILURE() << done->why;
        return {};
    }
    return std::get<NextChild>(answer);
}

std::string why_done(const RunState& state, const ModelSearchSettings& settings = {}, int forced = -1) {
    const auto answer = next_child(state, settings, forced);
    const auto* done = std::get_if<SearchDone>(&answer);
    return done ? done->why : "";
}

ModelSearchSettings settings_of(SearchKind kind, int width = 2, int children = 3, int fixes = 3) {
    return {kind, width, children, fixes};
}

TEST(ModelSearch, SerialGrowsFromTheChampion) {
    Journal journal;
    journal.start();
    NextChild child = next(journal);
    EXPECT_EQ(child.parent, 0);
    EXPECT_FALSE(child.fixing);
    EXPECT_TRUE(child.strategy.starts_with("refine: ")) << child.strategy;
    journal.right(1, 0, 1.2, false, child.strategy);
    const NextChild second = next(journal);
    EXPECT_EQ(second.parent, 0);
    EXPECT_NE(second.strategy, child.strategy) << "the same was tried on this parent";
    journal.right(2, 0, 0.8, true, second.strategy);
    EXPECT_EQ(next(journal).parent, 2);
    EXPECT_EQ(next(journal).strategy, child.strategy) << "on a new parent it may serve again";
}

TEST(ModelSearch, SerialMendsWithinItsLimit) {
    Journal journal;
    journal.start().wrong(1, 0, "refine: a", "mismatch");
    NextChild child = next(journal);
    EXPECT_EQ(child.parent, 1);
    EXPECT_TRUE(child.fixing);
    EXPECT_TRUE(child.strategy.starts_with("mend 1 of 3: ")) << child.strategy;
    journal.wrong(2, 1, child.strategy, "race");
    const NextChild again = next(journal);
    EXPECT_EQ(again.parent, 2);
    EXPECT_TRUE(again.strategy.starts_with("mend 2 of 3: "));
    EXPECT_EQ(again.strategy, "mend 2 of 3: " + mending_strategy("race", 1)) << "by the class of the failure";
    journal.begin(3, 2, again.strategy).end(3, "no_candidate");
    EXPECT_EQ(next(journal).parent, 2) << "the latest that has a text";
    journal.wrong(4, 2, next(journal).strategy);
    EXPECT_EQ(next(journal).parent, 0) << "three were spent on it";
    EXPECT_FALSE(next(journal).fixing);
    journal.wrong(5, 0).right(6, 5, 0.9, true);
    EXPECT_EQ(next(journal).parent, 6);
    EXPECT_FALSE(next(journal).fixing);
    Journal none;
    none.start().wrong(1, 0);
    EXPECT_EQ(next(none, settings_of(SearchKind::serial, 1, 1, 0)).parent, 0) << "mending is off";
}

TEST(ModelSearch, InfrastructureIsNoAttempt) {
    Journal journal;
    journal.start();
    const NextChild child = next(journal);
    journal.begin(1, 0, child.strategy).end(1, "infrastructure").begin(2, 0, child.strategy).end(2, "cancelled");
    EXPECT_EQ(next(journal).strategy, child.strategy);
    journal.begin(3, 0, child.strategy).end(3, "no_candidate");
    EXPECT_NE(next(journal).strategy, child.strategy) << "a reply without code was paid for";
}

TEST(ModelSearch, BestOfFinishesItsGeneration) {
    const ModelSearchSettings settings = settings_of(SearchKind::best_of, 1, 3);
    Journal journal;
    journal.start();
    std::set<std::string> strategies;
    for (int turn = 1; turn <= 3; ++turn) {
        const NextChild child = next(journal, settings);
        EXPECT_EQ(child.parent, 0) << turn;
        EXPECT_TRUE(child.strategy.starts_with("best of 3, " + std::to_string(turn) + ": ")) << child.strategy;
        EXPECT_TRUE(strategies.insert(child.strategy.substr(child.strategy.find(": "))).second);
        journal.right(turn, 0, 1.0 - 0.1 * turn, turn <= 2, child.strategy);
    }
    EXPECT_EQ(next(journal, settings).parent, 2) << "the champion when the generation was over";
}

TEST(ModelSearch, BeamGrowsTheBest) {
    const ModelSearchSettings settings = settings_of(SearchKind::beam, 2, 2);
    Journal journal;
    journal.start();
    journal.right(1, 0, 0.9, true, next(journal, settings).strategy);
    EXPECT_EQ(next(journal, settings).parent, 0);
    journal.right(2, 0, 0.95, false, next(journal, settings).strategy);
    // Bases are now turn 1 (champion) and turn 2; turn 0 is the slowest.
    EXPECT_EQ(next(journal, settings).parent, 1);
    EXPECT_TRUE(next(journal, settings).strategy.starts_with("beam 1.1: "));
    journal.right(3, 1, 0.99, false, next(journal, settings).strategy);
    EXPECT_EQ(next(journal, settings).parent, 1);
    journal.wrong(4, 1, next(journal, settings).strategy);
    EXPECT_TRUE(next(journal, settings).fixing);
    EXPECT_EQ(next(journal, settings).parent, 4);
    journal.right(5, 4, 0.7, true, next(journal, settings).strategy);
    EXPECT_EQ(next(journal, settings).parent, 2) << "the generation goes on with its second base";
    EXPECT_TRUE(next(journal, settings).strategy.starts_with("beam 2.1: "));
    journal.right(6, 2, 0.85, false, next(journal, settings).strategy);
    journal.right(7, 2, 0.97, false, next(journal, settings).strategy);
    EXPECT_EQ(next(journal, settings).parent, 5);
    journal.right(8, 5, 0.99, false).right(9, 5, 0.99, false);
    EXPECT_EQ(next(journal, settings).parent, 6) << "the second best";
}

TEST(ModelSearch, StrategiesNeverRepeatOnOneParent) {
    Journal journal;
    journal.start();
    std::set<std::string> seen;
    for (int turn = 1; turn <= 120; ++turn) {
        const NextChild child = next(journal, {}, -1, [](int) { return std::string("scratch-traffic"); });
        EXPECT_TRUE(seen.insert(child.strategy).second) << turn << " " << child.strategy;
        journal.right(turn, 0, 2, false, child.strategy);
    }
    EXPECT_NE(seen.find("refine: fuse the steps around the workspace into one kernel"), seen.end());
    EXPECT_EQ(growing_strategy("unheard of", {}), growing_strategy("", {}));
    EXPECT_NE(growing_strategy("spills", {}), growing_strategy("", {}));
}

TEST(ModelSearch, ForksOfPeople) {
    Journal journal;
    journal.start().right(1, 0, 0.5, true).wrong(2, 1);
    EXPECT_EQ(next(journal, {}, 0).parent, 0);
    EXPECT_TRUE(next(journal, {}, 0).strategy.starts_with("fork: "));
    EXPECT_TRUE(next(journal, {}, 2).fixing);
    journal.begin(3, 1).end(3, "no_candidate");
    EXPECT_NE(why_done(journal.state(), {}, 3).find("left no kernel"), std::string::npos);
    EXPECT_NE(why_done(journal.state(), {}, 99).find("no such turn"), std::string::npos);
    // A fork that fails is mended, and then the search goes on from the champion.
    journal.wrong(4, 0, "fork: x");
    EXPECT_EQ(next(journal).parent, 4);
    journal.right(5, 4, 0.9, false);
    EXPECT_EQ(next(journal).parent, 1);
}

TEST(ModelSearch, HumanTurnsCanLead) {
    Journal journal;
    journal.start().right(1, 0, 0.5, true, "", "human");
    EXPECT_EQ(next(journal).parent, 1);
    const ModelSearchSettings beam = settings_of(SearchKind::beam, 2, 2);
    EXPECT_EQ(next(journal, beam).parent, 1);
}

TEST(ModelSearch, BadJournalsEndTyped) {
    EXPECT_NE(why_done(RunState()), "");
    Journal missing;
    missing.start().right(5, 3, 0.9, true);
    EXPECT_NE(why_done(missing.state()).find("turn 5 names turn 3"), std::string::npos) << why_done(missing.state());
    Journal itself;
    itself.start().right(1, 1, 0.9, true);
    EXPECT_NE(why_done(itself.state()).find("damaged"), std::string::npos);
    Journal circle;
    circle.start().wrong(1, 2).wrong(2, 1);
    EXPECT_NE(why_done(circle.state()).find("damaged"), std::string::npos);
    Journal nothing;
    nothing.begin(0, -1, "start", "file").candidate(0, "s0").judged(0, "mismatch", 0).end(0, "failed");
    EXPECT_NE(why_done(nothing.state()).find("no champion"), std::string::npos);
}

// A run that follows the search with random outcomes: wherever its journal is cut, the next child is that of the last
// finished turn before the cut.
TEST(ModelSearch, ResumesWhereverItWasCut) {
    for (const SearchKind kind : {SearchKind::serial, SearchKind::best_of, SearchKind::beam}) {
        std::mt19937 random(static_cast<unsigned>(kind) + 3);
        const ModelSearchSettings settings = settings_of(kind, 2, 2, 2);
        Journal journal;
        journal.start();
        std::vector<std::pair<std::size_t, NextChild>> given; // events when it was asked, answer
        double best = 1.0;
        for (int turn = 1; turn <= 60; ++turn) {
            const NextChild child = next(journal, settings);
            ASSERT_GE(child.parent, 0);
            ASSERT_LT(child.parent, turn);
            given.emplace_back(journal.size(), child);
            const unsigned fate = random() % 10;
            const double seconds = best * (0.8 + 0.04 * static_cast<double>(random() % 10));
            if (fate < 4) {
                journal.wrong(turn, child.parent, child.strategy, fate < 2 ? "mismatch" : "compile");
            } else if (fate < 5) {
                journal.begin(turn, child.parent, child.strategy).end(turn, "no_candidate");
            } else if (fate < 6) {
                journal.begin(turn, child.parent, child.strategy).end(turn, "infrastructure");
            } else {
                journal.right(turn, child.parent, seconds, seconds < best, child.strategy);
                best = std::min(best, seconds);
            }
        }
        given.emplace_back(journal.size(), next(journal, settings));
        for (std::size_t i = 0; i + 1 < given.size(); ++i)
            for (std::size_t cut = given[i].first; cut < given[i + 1].first; ++cut) {
                const auto answer = next_child(journal.state(cut), settings);
                ASSERT_TRUE(std::holds_alternative<NextChild>(answer));
                const NextChild& child = std::get<NextChild>(answer);
                EXPECT_EQ(child.parent, given[i].second.parent) << to_string(kind) << " cut at " << cut;
                EXPECT_EQ(child.fixing, given[i].second.fixing);
                EXPECT_EQ(child.strategy, given[i].second.strategy);
            }
    }
}

TEST(ModelSearch, Settings) {
    const ModelSearchSettings settings = settings_of(SearchKind::beam, 4, 5, 1);
    const auto back = model_search_settings_from_json(to_json(settings));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json(settings));
    ASSERT_TRUE(model_search_settings_from_json(Json()));
    const auto code = [](const char* text) {
        const auto parsed = model_search_settings_from_json(Json::parse(text));
        return parsed ? std::string("ok") : parsed.error().code;
    };
    EXPECT_EQ(code(R"({"kind": "best_of"})"), "ok");
    EXPECT_EQ(code(R"({"kind": "random"})"), "settings-kind");
    EXPECT_EQ(code(R"({"kind": 3})"), "settings-kind");
    EXPECT_EQ(code(R"({"width": 0})"), "settings-width");
    EXPECT_EQ(code(R"({"width": 18446744073709551615})"), "settings-width");
    EXPECT_EQ(code(R"({"children": 2.5})"), "settings-children");
    EXPECT_EQ(code(R"({"fixes_in_a_row": -1})"), "settings-fixes-in-a-row");
    EXPECT_EQ(code("[]"), "settings-search");
    for (const SearchKind kind : {SearchKind::serial, SearchKind::best_of, SearchKind::beam})
        EXPECT_EQ(parse_search_kind(to_string(kind)), kind);
}

TEST(Duplicates, CommentsAndBlanksDoNotCount) {
    const std::string a = "#pragma kf tune BLOCK in {128, 256}\n#pragma kf launch k<<<1, BLOCK>>>(x)\n"
                          "__global__ void k(const float* x) { int i = 0; }\n";
    const std::string b =
        "// mine\n#pragma kf   tune BLOCK in {128,256} /* two */\n\n#pragma kf launch k<<<1, BLOCK>>>(x)\n"
        "__global__ void\nk(const float*x)\n{\n    int i=0; // nothing\n}";
    EXPECT_EQ(normalised_source(a, Language::cuda), normalised_source(b, Language::cuda));
    const auto differs = [](const std::string& left, const std::string& right, Language language) {
        return normalised_source(left, language) != normalised_source(right, language);
    };
    EXPECT_TRUE(differs("int i;", "inti;", Language::cuda));
    EXPECT_TRUE(differs("f(\"a b\");", "f(\"ab\");", Language::cuda));
    EXPECT_TRUE(differs("f(\"// a\");", "f(\"// b\");", Language::cuda));
    EXPECT_TRUE(differs("#pragma kf launch k<<<1, 32>>>(x)", "#pragma kf launch k<<<2, 32>>>(x)", Language::cuda));
    EXPECT_TRUE(differs("#define A\nB", "#define A B", Language::cuda));
    EXPECT_TRUE(differs("# kf tune A in {1}\nx", "# kf tune A in {2}\nx", Language::triton));
    EXPECT_TRUE(differs("if a:\n    b\n    c", "if a:\n    b\nc", Language::triton));
    EXPECT_FALSE(differs("a = 1  # one\n\n\nb = 2", "a = 1\nb = 2", Language::triton));

    const std::map<std::string, std::string> blobs = {{"s0", "__global__ void other() {}"}, {"s1", a}};
    const auto blob = [&](const std::string& hash) {
        const auto found = blobs.find(hash);
        return found == blobs.end() ? std::string() : found->second;
    };
    Journal journal;
    journal.start().begin(1, 0).candidate(1, "s1").judged(1, "slower", 2, {{"BLOCK", 128}}).end(1, "verdict");
    EXPECT_EQ(find_duplicate(journal.state(), b, {}, blob), 1) << "128 is the default";
    EXPECT_EQ(find_duplicate(journal.state(), b, {{"BLOCK", 128}}, blob), 1);
    EXPECT_EQ(find_duplicate(journal.state(), b, {{"BLOCK", 256}}, blob), std::nullopt);
    EXPECT_EQ(find_duplicate(journal.state(), b + "int j;", {}, blob), std::nullopt);
    // What was never judged was never paid for.
    Journal unjudged;
    unjudged.start().begin(1, 0).candidate(1, "s1").end(1, "infrastructure");
    EXPECT_EQ(find_duplicate(unjudged.state(), b, {}, blob), std::nullopt);
}

TEST(Sweeps, PromisingStructures) {
    const auto tuned = parse_candidate("#pragma kf tune BLOCK in {128, 256}\n#pragma kf launch k<<<1, BLOCK>>>(x)\n"
                                       "__global__ void k(const float* x) {}\n",
                                       "a.cu");
    const auto single = parse_candidate("#pragma kf tune BLOCK in {128}\n#pragma kf launch k<<<1, BLOCK>>>(x)\n"
                                        "__global__ void k(const float* x) {}\n",
                                        "a.cu");
    ASSERT_TRUE(tuned && single);
    Evaluation evaluation;
    for (const Stage stage : {Stage::parse, Stage::compile, Stage::inspect, Stage::verify, Stage::measure})
        evaluation.stages.push_back({stage, StageReport::Outcome::passed, 0, "", {}});
    CaseReport passed;
    passed.passed = true;
    evaluation.cases = {passed};
    evaluation.cases_total = 1;
    Duel duel;
    duel.decision.interval = Interval::from_logs(std::log(0.9), std::log(0.88), std::log(0.92));
    evaluation.duel = duel;
    ASSERT_TRUE(evaluation.accepted());
    Journal journal;
    journal.start();
    EXPECT_TRUE(promising_for_sweep(journal.state(), *tuned, evaluation));
    EXPECT_FALSE(promising_for_sweep(journal.state(), *tuned, evaluation, 1.05)) << "too slow";
    EXPECT_FALSE(promising_for_sweep(journal.state(), *single, evaluation)) << "one point";
    Evaluation failed = evaluation;
    failed.failure = Failure{};
    EXPECT_FALSE(promising_for_sweep(journal.state(), *tuned, failed));
    // Without a duel the champion's time is the measure.
    Evaluation timed = evaluation;
    timed.duel.reset();
    EXPECT_FALSE(promising_for_sweep(journal.state(), *tuned, timed)) << "nothing is known of its speed";
    TimingSummary timing;
    timing.median = 1.1;
    timed.timings = {timing};
    EXPECT_TRUE(promising_for_sweep(journal.state(), *tuned, timed));
    timed.timings[0].median = 1.3;
    EXPECT_FALSE(promising_for_sweep(journal.state(), *tuned, timed));
    journal.begin(1, 0, "sweep", "tuner").candidate(1, tuned->hash());
    EXPECT_FALSE(promising_for_sweep(journal.state(), *tuned, evaluation)) << "was swept";
}

} // namespace
} // namespace kf
