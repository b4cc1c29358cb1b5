// SPDX-License-Identifier: GPL-3.0-or-later
// The fixtures are what they say: whole, valid where they claim to be, the same bytes each time.
#include "core/autopsy/evaluation.h"
#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/journal/reader.h"
#include "core/measure/samples.h"
#include "core/render/marks.h"
#include "tests/scenes/fixtures/fixtures.h"

#include <gtest/gtest.h>
#include <set>

namespace kf::scenes {
namespace {

namespace fs = std::filesystem;

class FixtureTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto made = make_private_folder("kf-fixtures-");
        ASSERT_TRUE(made);
        runs = *made;
    }
    void TearDown() override { fs::remove_all(runs); }
    Fixture make(std::string_view name) {
        auto made = make_fixture(name, runs);
        EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
        return made ? std::move(made).value() : Fixture();
    }
    fs::path runs;
};

// Every evaluation of every whole fixture reads back, and so do its blobs.
TEST_F(FixtureTest, EvaluationsAndBlobsReadBack) {
    const std::set<std::string_view> damaged{"empty",       "torn",           "newer",      "newer_only",
                                             "hostile",     "not_json",       "no_journal", "lost_samples",
                                             "turns_10000", "million_samples"};
    for (const FixtureInfo& info : fixtures()) {
        if (damaged.contains(info.name))
            continue;
        SCOPED_TRACE(info.name);
        const Fixture made = make(info.name);
        auto reader = JournalReader::open(made.folder);
        ASSERT_TRUE(reader);
        auto events = reader->poll();
        ASSERT_TRUE(events);
        int evaluations = 0;
        for (const Event& event : *events) {
            ASSERT_NE(event.type, EventType::unreadable) << dump_line(event.fields);
            ASSERT_NE(event.type, EventType::unknown);
            if (event.type == EventType::candidate) {
                EXPECT_TRUE(reader->blob(get_string(event.fields, "source")));
                if (const std::string diff = get_string(event.fields, "diff"); !diff.empty()) {
                    EXPECT_TRUE(reader->blob(diff));
                }
            }
            if (event.type != EventType::evaluation)
                continue;
            ++evaluations;
            const auto read = evaluation_from_json(get_member(event.fields, "result"));
            ASSERT_TRUE(read) << to_string(read.error());
            EXPECT_EQ(read->verdict(), get_string(event.fields, "verdict"));
            if (const std::string samples = get_string(event.fields, "samples"); !samples.empty()) {
                const auto text = reader->blob(samples);
                ASSERT_TRUE(text);
                for (const Json& contest : Json::parse(*text))
                    EXPECT_TRUE(samples_from_json(contest));
            }
        }
        EXPECT_EQ(evaluations > 0, info.name != "just_started");
        fs::remove_all(made.folder);
    }
}

TEST_F(FixtureTest, TheMockRunTellsTheMockFigures) {
    const RunState state = state_of(make("swiglu").folder);
    EXPECT_EQ(state.status(), RunStatus::finished);
    ASSERT_EQ(state.turns.size(), 10u);
    const char* verdicts[] = {"verified", "compile", "mismatch",     "faster", "equivalent",
                              "crash",    "faster",  "inconclusive", "faster", "slower"};
    for (int turn = 0; turn < 10; ++turn)
        EXPECT_EQ(shown_evaluation(state, state.turns.at(turn))->verdict, verdicts[turn]) << turn;
    ASSERT_TRUE(state.champion());
    EXPECT_EQ(state.champion()->turn, 8);
    EXPECT_DOUBLE_EQ(state.champion()->seconds_per_call, 1.512e-3);
    EXPECT_EQ(state.turns.at(8).mark, TurnMark::promoted);
    EXPECT_EQ(state.turns.at(4).author, "human");
    EXPECT_NEAR(state.turns.at(3).decisive()->vs_champion.estimate, 1 / 0.871, 1e-6);
    EXPECT_EQ(state.gaps, 0);
}

TEST_F(FixtureTest, TheSameBytesEachTime) {
    const Fixture first = make("swiglu");
    const std::string hash = sha256(*read_file(first.folder / "journal.jsonl"));
    std::set<std::string> blobs;
    for (const auto& blob : fs::directory_iterator(first.folder / "blobs"))
        blobs.insert(blob.path().filename());
    fs::remove_all(first.folder);
    const Fixture second = make("swiglu");
    EXPECT_EQ(sha256(*read_file(second.folder / "journal.jsonl")), hash);
    for (const auto& blob : fs::directory_iterator(second.folder / "blobs"))
        EXPECT_EQ(blobs.count(blob.path().filename()), 1u);
}

TEST_F(FixtureTest, LiveRunsAreHeldAndLostOnesAreStale) {
    const Fixture live = make("swiglu_live");
    EXPECT_EQ(lock_info(live.folder).state, LockState::held);
    EXPECT_EQ(state_of(live.folder).status(LockState::held), RunStatus::running);
    const Fixture lost = make("interrupted");
    EXPECT_EQ(lock_info(lost.folder).state, LockState::stale);
    EXPECT_EQ(state_of(lost.folder).status(LockState::stale), RunStatus::interrupted);
    EXPECT_TRUE(state_of(make("paused").folder).paused);
}

TEST_F(FixtureTest, DamageIsThere) {
    auto torn = JournalReader::open(make("torn").folder);
    ASSERT_TRUE(torn);
    ASSERT_TRUE(torn->poll());
    EXPECT_GT(torn->torn_bytes(), 0u);
    const RunState hostile = state_of(make("hostile").folder);
    EXPECT_GT(hostile.unreadable_lines, 10);
    EXPECT_EQ(hostile.unknown_types.size(), 2u);
    EXPECT_TRUE(hostile.turns.contains(-3));
    const RunState orphans = state_of(make("missing_parent").folder);
    EXPECT_EQ(orphans.turns.at(2).parent, 77);
    EXPECT_EQ(make_fixture("no such thing", runs).error().code, "fixture-unknown");
}

TEST_F(FixtureTest, TenThousandTurns) {
    const RunState state = state_of(make("turns_10000").folder);
    EXPECT_EQ(state.turns.size(), 10001u);
    EXPECT_GT(state.champions.size(), 3u);
}

} // namespace
} // namespace kf::scenes
