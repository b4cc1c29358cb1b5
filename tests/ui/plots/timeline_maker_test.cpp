// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept up to date is what would be made from scratch, however the run grew.
#include "ui/models/timeline_maker.h"

#include "core/base/random.h"
#include "tests/ui/plots/story.h"

#include <gtest/gtest.h>

namespace kf::ui {
namespace {

void expect_same(const TimelineData& got, const TimelineData& wanted) {
    ASSERT_EQ(got.points.size(), wanted.points.size());
    for (std::size_t i = 0; i < wanted.points.size(); ++i) {
        const TimelinePoint &a = got.points[i], &b = wanted.points[i];
        EXPECT_TRUE(a.chosen == b.chosen && a.slot == b.slot && a.number == b.number && a.kind == b.kind &&
                    a.state == b.state && a.human == b.human && a.speaks == b.speaks && a.champion == b.champion &&
                    a.promoted == b.promoted && a.seconds == b.seconds && a.low == b.low && a.high == b.high)
            << "point " << i << " of turn " << b.chosen.turn;
    }
    ASSERT_EQ(got.turns.size(), wanted.turns.size());
    for (std::size_t i = 0; i < wanted.turns.size(); ++i) {
        const TimelineTurn &a = got.turns[i], &b = wanted.turns[i];
        EXPECT_TRUE(a.turn == b.turn && a.first == b.first && a.last == b.last && a.parent == b.parent) << i;
    }
    ASSERT_EQ(got.bands.size(), wanted.bands.size());
    for (std::size_t i = 0; i < wanted.bands.size(); ++i) {
        const TimelineBand &a = got.bands[i], &b = wanted.bands[i];
        EXPECT_TRUE(a.turn == b.turn && a.first == b.first && a.last == b.last && a.siblings == b.siblings) << i;
    }
    ASSERT_EQ(got.steps.size(), wanted.steps.size());
    for (std::size_t i = 0; i < wanted.steps.size(); ++i) {
        const TimelineStep &a = got.steps[i], &b = wanted.steps[i];
        EXPECT_TRUE(a.slot == b.slot && a.turn == b.turn && a.seconds == b.seconds) << i;
    }
    ASSERT_EQ(got.references.size(), wanted.references.size());
    for (std::size_t i = 0; i < wanted.references.size(); ++i)
        EXPECT_TRUE(got.references[i].name == wanted.references[i].name &&
                    got.references[i].seconds == wanted.references[i].seconds)
            << i;
    EXPECT_EQ(got.conditions, wanted.conditions);
    EXPECT_EQ(got.timed, wanted.timed);
    EXPECT_EQ(got.running, wanted.running);
    EXPECT_EQ(got.failed, wanted.failed);
    EXPECT_EQ(got.only_failures_in_lane, wanted.only_failures_in_lane);
}

class Growth {
public:
    explicit Growth(std::uint64_t seed) : m_random(seed) {}

    // One thing happens to the run; what it names is in `changed`.
    void happen() {
        switch (m_random.below(10)) {
        case 0:
        case 1:
        case 2: { // a new turn, seldom with a gap before it or out of order
            const int turn = m_random.below(12) == 0 ? pick() + 1 : m_next;
            m_next = std::max(m_next, turn + 1 + (m_random.below(15) == 0 ? 3 : 0));
            const char* authors[] = {"model", "tuner", "human", "file"};
            m_story.turn(turn, static_cast<int>(m_random.below(5)) - 1, authors[m_random.below(4)]);
            touch(turn);
            break;
        }
        case 3:
        case 4:
        case 5: { // an evaluation: new, or an old one told again, of the newest turn or of any
            const int turn = m_random.below(3) ? m_next - 1 : pick();
            const char* verdicts[] = {"faster", "slower", "mismatch", "compile", "verified", "inconclusive"};
            const char* levels[] = {"screen", "duel", "certify"};
            m_story.judged(turn, id(), verdicts[m_random.below(6)],
                           m_random.below(4) ? 1e-3 * (1 + m_random.uniform()) : 0, levels[m_random.below(3)],
                           m_random.below(2) ? Json{{"B", m_random.below(3)}} : Json(), 1.01,
                           m_random.below(2) ? 1.5 * m_random.uniform() : 0);
            touch(turn);
            break;
        }
        case 6: {
            const int turn = pick();
            m_story.crowned(turn, id(), 1e-3 * m_random.uniform(), m_random.below(3) ? "certify" : "promote");
            touch(turn);
            break;
        }
        case 7: {
            const int turn = pick();
            m_story.ended(turn, m_random.below(4) ? "verdict" : "infrastructure");
            touch(turn);
            break;
        }
        case 8: {
            StageProgress going;
            going.turn = pick();
            going.evaluation = id();
            going.stage = "verify";
            m_story.say(going);
            touch(going.turn);
            break;
        }
        default:
            if (m_random.below(8) == 0)
                m_story.say(Resumed{});
            else if (m_random.below(8) == 0)
                running = !running;
            break;
        }
    }

    const RunState& state() const { return m_story.state; }
    std::set<int> changed;
    bool running = true;

private:
    int pick() { return m_next == 0 ? 0 : static_cast<int>(m_random.below(static_cast<std::uint64_t>(m_next))); }
    std::string id() { return "e" + std::to_string(m_random.below(4)); }
    void touch(int turn) {
        changed.insert(turn);
        m_next = std::max(m_next, turn + 1);
    }

    SplitMix64 m_random;
    Story m_story;
    int m_next = 0;
};

TEST(TimelineMaker, WhatIsKeptUpToDateIsWhatWouldBeMadeAnew) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Growth run(seed);
        TimelineMaker maker;
        TimelineData data;
        for (int step = 0; step < 250; ++step) {
            run.happen();
            if (step % 3 == 0) // several things between two looks
                continue;
            maker.update(data, run.state(), run.running, run.changed);
            run.changed.clear();
            expect_same(data, make_timeline(run.state(), run.running));
            ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
        }
        EXPECT_GT(data.points.size(), 20u);
    }
}

TEST(TimelineMaker, BeginsInTheMiddleOfARun) {
    Story story;
    for (int turn = 0; turn < 5; ++turn)
        story.turn(turn, turn - 1).judged(turn, "e", "slower", 1e-3).ended(turn);
    TimelineMaker maker;
    TimelineData data;
    maker.update(data, story.state, true, {});
    expect_same(data, make_timeline(story.state, true));
    EXPECT_EQ(data.points.size(), 5u);
    story.turn(9, 4);
    maker.update(data, story.state, true, {9, 77}); // 77 is not there
    expect_same(data, make_timeline(story.state, true));
    EXPECT_EQ(data.points.size(), 6u);
}

} // namespace
} // namespace kf::ui
