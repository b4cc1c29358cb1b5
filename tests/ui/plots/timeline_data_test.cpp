// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_data.h"
#include "ui/models/timeline_maker.h"
#include "ui/models/words.h"

#include "tests/ui/plots/story.h"

#include <gtest/gtest.h>
#include <limits>

namespace kf::ui {
namespace {

Story small_story() {
    Story story;
    RunStarted start;
    start.device = {{"labels", {"CPU timings"}}};
    start.baselines = {{"bound", {{"seconds", 1.2e-3}}}, {"broken", "fast"}, {"nothing", {{"seconds", -1}}}};
    story.say(start);
    story.turn(0, -1, "file")
        .judged(0, "s", "verified", 2.1e-3, "certify", {}, 0, 0.8)
        .crowned(0, "s", 2.1e-3)
        .ended(0);
    story.turn(1, 0).judged(1, "a", "compile", 0).ended(1, "failed");
    story.turn(2, 0, "human")
        .judged(2, "b", "faster", 1.8e-3, "certify", {}, 1.16, 0.96)
        .crowned(2, "b", 1.8e-3)
        .ended(2);
    story.turn(3, 2, "tuner")
        .judged(3, "p1", "slower", 1.9e-3, "screen", {{"B", 1}})
        .judged(3, "p2", "mismatch", 0, "screen", {{"B", 2}})
        .judged(3, "p3", "faster", 1.6e-3, "certify", {{"B", 3}}, 1.12)
        .crowned(3, "p3", 1.6e-3, "promote");
    StageProgress going;
    going.turn = 3;
    going.evaluation = "p4";
    going.stage = "verify";
    story.say(going);
    return story;
}

TEST(TimelineData, PointsStandInTheOrderInWhichTheyWereMade) {
    const Story story = small_story();
    const TimelineData data = make_timeline(story.state, true);
    ASSERT_EQ(data.points.size(), 7u);
    for (std::size_t i = 0; i < data.points.size(); ++i)
        EXPECT_EQ(data.points[i].slot, static_cast<int>(i));
    EXPECT_EQ(data.points[0].kind, VerdictKind::start);
    EXPECT_EQ(data.points[1].kind, VerdictKind::error);
    EXPECT_FALSE(data.points[1].timed());
    EXPECT_TRUE(data.points[2].human);
    EXPECT_TRUE(data.points[2].champion);
    EXPECT_EQ(data.points[3].number, 1);
    EXPECT_EQ(data.points[4].kind, VerdictKind::wrong);
    EXPECT_TRUE(data.points[5].promoted);
    EXPECT_TRUE(data.points[5].speaks);
    EXPECT_EQ(data.points[6].state, PointState::running);
    EXPECT_EQ(make_timeline(story.state, false).points[6].state, PointState::interrupted);
    ASSERT_EQ(data.bands.size(), 2u);
    EXPECT_TRUE(data.bands[0].siblings); // turns 1 and 2
    EXPECT_FALSE(data.bands[1].siblings);
    EXPECT_EQ(data.bands[1].first, 3);
    EXPECT_EQ(data.bands[1].last, 6);
    ASSERT_EQ(data.steps.size(), 3u);
    EXPECT_EQ(data.steps[2].slot, 5);
    EXPECT_EQ(data.timed, 4);
    EXPECT_EQ(data.failed, 2);
    EXPECT_EQ(data.running, 1);
    EXPECT_EQ(data.conditions, QStringLiteral("CPU timings"));
}

TEST(TimelineData, AChoiceIsFoundAgain) {
    const TimelineData data = make_timeline(small_story().state, true);
    EXPECT_EQ(data.slot_of({3, "p2"}), 4);
    EXPECT_EQ(data.slot_of({3, ""}), 5) << "the turn is where its champion is";
    EXPECT_EQ(data.slot_of({3, "gone"}), -1);
    EXPECT_EQ(data.slot_of({2, "b"}), 2) << "a turn of one point stands for its evaluations";
    EXPECT_EQ(data.slot_of({9, ""}), -1);
    EXPECT_EQ(data.slot_of({}), -1);
    for (const TimelinePoint& point : data.points)
        EXPECT_EQ(data.slot_of(point.chosen), point.slot);
}

TEST(TimelineData, ReferencesKeepTheirDistanceFromTheChampion) {
    const TimelineData data = make_timeline(small_story().state, true);
    ASSERT_EQ(data.references.size(), 2u) << "what is no time is no line";
    EXPECT_EQ(data.references[0].name, QStringLiteral("eager"));
    // Turn 2 is the last champion that was compared with eager: at 0.96× of its speed.
    EXPECT_NEAR(data.references[0].seconds, 1.8e-3 * 0.96, 1e-9);
    EXPECT_EQ(data.references[1].kind, ReferenceKind::bound);
    const Axis axis = timeline_axis(data, 0, 6, 5);
    for (const TimelinePoint& point : data.points)
        if (point.timed()) {
            EXPECT_GE(axis.position(point.low), 0);
            EXPECT_LE(axis.position(point.high), 1);
        }
    EXPECT_GE(axis.position(1.2e-3), 0) << "a near bound is on the axis";
    TimelineData far = data;
    far.references = {{ReferenceKind::baseline, QStringLiteral("eager"), 5.0, false}};
    EXPECT_LT(timeline_axis(far, 0, 6, 5).high, 0.01) << "a far line does not press the points together";
}

TEST(TimelineData, HostileFiguresAreNoPoints) {
    Story story;
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1, 1e-300,
                          1e300};
    int turn = 0;
    for (const double seconds : bad) {
        story.turn(turn, turn - 1)
            .judged(turn, "e" + std::to_string(turn), "faster", seconds)
            .crowned(turn, "e", seconds);
        ++turn;
    }
    const TimelineData data = make_timeline(story.state, false);
    EXPECT_EQ(data.timed, 0);
    EXPECT_TRUE(data.steps.empty());
    const Axis axis = timeline_axis(data, 0, turn, 4);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_FALSE(timeline_text(data).contains(QStringLiteral("nan"), Qt::CaseInsensitive));
    EXPECT_TRUE(make_timeline(RunState(), true).points.empty());
}

TEST(TimelineData, BinsHoldEveryPointOnce) {
    Story story;
    for (int i = 0; i < 1000; ++i) {
        story.turn(i, i - 1).judged(i, "e" + std::to_string(i), i % 10 ? "slower" : "mismatch",
                                    i % 10 ? 1e-3 + i * 1e-6 : 0);
        story.ended(i);
    }
    const TimelineData data = make_timeline(story.state, false);
    for (const int most : {1, 7, 96, 1000, 5000}) {
        const std::vector<TimelineBin> bins = bin_points(data, 0, 999, most);
        ASSERT_EQ(bins.size(), static_cast<std::size_t>(std::min(most, 1000)));
        int timed = 0, failed = 0, next = 0;
        for (const TimelineBin& bin : bins) {
            EXPECT_EQ(bin.first, next);
            next = bin.last + 1;
            timed += bin.timed;
            failed += bin.failed;
            EXPECT_TRUE(bin.timed == 0 || (bin.best <= bin.median && bin.median <= bin.worst));
        }
        EXPECT_EQ(next, 1000);
        EXPECT_EQ(timed, 900);
        EXPECT_EQ(failed, 100);
    }
    EXPECT_TRUE(bin_points(data, 5, 2, 10).empty());
}

TEST(TimelineData, TextTwinAndTableSayTheSameNumbers) {
    const Story story = small_story();
    const TimelineData data = make_timeline(story.state, true);
    const QString text = timeline_text(data);
    const QList<QByteArray> rows = timeline_csv(data).trimmed().split('\n');
    ASSERT_EQ(rows.size(), 8);
    for (const TimelinePoint& point : data.points) {
        EXPECT_TRUE(text.contains(data.point_text(point))) << text.toStdString();
        const QByteArray row = rows[point.slot + 1];
        EXPECT_EQ(row.split(',')[0].toInt(), point.chosen.turn);
        EXPECT_EQ(row.split(',')[4].toDouble(), point.seconds);
        if (point.timed()) {
            EXPECT_TRUE(text.contains(short_time(point.seconds)));
        }
    }
    const QStringList facts = key_facts(story.state, data.points[5]);
    EXPECT_EQ(facts[0], QStringLiteral("faster · promoted · champion"));
    EXPECT_TRUE(facts.contains(QStringLiteral("B=3"))) << facts.join(u'\n').toStdString();
    EXPECT_LE(facts.size(), 5);
}

TEST(TimelineData, FoldsAndAncestry) {
    using enum VerdictKind;
    EXPECT_EQ(fold_summary({wrong, slower, wrong, wrong, slower, wrong, wrong}),
              QStringLiteral("+7: 5 wrong, 2 slower"));
    EXPECT_EQ(fold_summary({}), QString());
    EXPECT_EQ(champion_ancestry(small_story().state), (std::set<int>{0, 2, 3}));
    Story circle; // of a damaged journal
    circle.turn(1, 2).turn(2, 1).crowned(2, "x", 1e-3);
    EXPECT_EQ(champion_ancestry(circle.state), (std::set<int>{1, 2}));
}

TEST(TimelineData, SiblingsShareABand) {
    Story story;
    story.turn(0, -1, "file").judged(0, "s", "verified", 2e-3).ended(0);
    for (int turn = 1; turn <= 6; ++turn) {
        const std::string id = "e" + std::to_string(turn);
        story.turn(turn, turn <= 3 ? 0 : turn <= 5 ? 2 : 5).judged(turn, id, "slower", 3e-3).ended(turn);
    }
    const TimelineData data = make_timeline(story.state, false);
    ASSERT_EQ(data.bands.size(), 2u);
    EXPECT_TRUE(data.bands[0].siblings);
    EXPECT_EQ(data.bands[0].turn, 0);
    EXPECT_EQ(data.bands[0].first, 1);
    EXPECT_EQ(data.bands[0].last, 3);
    EXPECT_EQ(data.bands[1].turn, 2);
    EXPECT_EQ(data.bands[1].first, 4);
    EXPECT_EQ(data.bands[1].last, 5);
    const QString text = timeline_text(data);
    EXPECT_TRUE(text.contains(QStringLiteral("turn 1 to turn 3 grew from the start kernel"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("turn 4 to turn 5 grew from turn 2"))) << text.toStdString();
}

TEST(TimelineData, OneNameForTheCompilersBaseline) {
    for (const char* name : {"inductor", "torch-inductor", "compile"}) {
        RunStarted start;
        start.baselines = Json{{name, {{"seconds", 1e-3}}}};
        Story story;
        story.say(start);
        const TimelineData data = make_timeline(story.state, false);
        ASSERT_EQ(data.references.size(), 1u);
        EXPECT_EQ(data.references[0].name, u"TorchInductor");
        EXPECT_EQ(baseline_word(name), u"TorchInductor");
    }
    EXPECT_EQ(baseline_word("eager"), u"eager");
}

TEST(TimelineData, ATimeThatNoKernelCanHaveIsNone) {
    for (const double seconds : {5e-324, 1e-12, 1e9, -1.0}) {
        Story story;
        story.turn(1, 0).judged(1, "a", "slower", seconds).ended(1);
        const TimelineData data = make_timeline(story.state, false);
        EXPECT_FALSE(data.points.at(0).timed()) << seconds;
        EXPECT_EQ(short_time(seconds), u"–") << seconds;
    }
    EXPECT_TRUE(is_time(1e-9));
}

} // namespace
} // namespace kf::ui
