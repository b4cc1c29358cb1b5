// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/distribution_data.h"

#include "tests/ui/plots/story.h"
#include "ui/models/conditions_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace kf::ui {
namespace {

using testing::HasSubstr;

Story duels() {
    Story story;
    story.turn(0, -1, "file").judged(0, "s", "verified", 2.1e-3).crowned(0, "s", 2.1e-3).ended(0);
    story.turn(1, 0).judged(1, "a", "faster", 1.9e-3, "certify", {{"B", 1}}, 1.1);
    story.say(ChampionEvent{1, "a", "source", {{"B", 1}}, "certify", "", 1.9e-3}).ended(1);
    story.turn(2, 1).judged(2, "b", "slower", 2e-3, "duel", {{"B", 2}}, 0.95).ended(2);
    story.turn(3, 1).judged(3, "c", "compile", 0, "screen", {{"B", 3}}).ended(3, "failed");
    story.turn(4, 1).judged(4, "d", "equivalent", 1.9e-3, "duel", {{"B", 4}}, 1.0).ended(4);
    return story;
}

TEST(DistributionData, WhoMetWhom) {
    const Story story = duels();
    struct Case {
        Chosen pinned, selected;
        Relation relation;
    };
    const Case cases[] = {
        {{}, {1, ""}, Relation::alone},
        {{0, ""}, {1, ""}, Relation::b_against_a},  // 1 dethroned the start kernel
        {{1, ""}, {2, ""}, Relation::b_against_a},  // 2 met the champion of then
        {{2, ""}, {1, ""}, Relation::a_against_b},  // the same duel from the other side
        {{0, ""}, {2, ""}, Relation::not_compared}, // 2 never met the start kernel
        {{2, ""}, {4, ""}, Relation::not_compared},
        {{1, ""}, {1, "a"}, Relation::same},
        {{1, ""}, {3, ""}, Relation::not_compared},
        {{7, ""}, {1, ""}, Relation::not_compared},
    };
    for (const Case& c : cases)
        EXPECT_EQ(order_distribution(story.state, c.pinned, c.selected).relation, c.relation)
            << c.pinned.turn << " against " << c.selected.turn;
    const DistributionOrder failed = order_distribution(story.state, {}, {3, ""});
    EXPECT_EQ(failed.b->why_not, "compile error");
    EXPECT_FALSE(order_distribution(story.state, {}, {}).b);
}

PairSample pair(double champion, double candidate, Drop drop = Drop::none) {
    return {champion, candidate, Arm::champion, drop};
}

SideSamples side(const std::string& hash, const std::string& against_hash = "", double own = 1.9e-3) {
    auto evaluation = std::make_shared<Evaluation>();
    evaluation->candidate_hash = hash;
    evaluation->level = Level::certify;
    SideSamples samples;
    SizeSamples primary{"primary", "graph-slope", "cold", 2e-6, 0, {}};
    primary.rounds = {{pair(2.1e-3, own), pair(2.11e-3, own * 1.01)},
                      {pair(2.2e-3, own * 0.99), pair(9, 9, Drop::throttled), pair(std::nan(""), own)}};
    SizeSamples small = primary;
    small.size = "small";
    small.rounds = {{pair(1e-5, 2e-5)}};
    Contest contest{against_hash.empty() ? "eager" : "champion", EvaluationSamples{{primary, small}}, {}};
    samples.contests.push_back(contest);
    if (!against_hash.empty()) {
        Duel duel;
        duel.against = "champion";
        duel.against_hash = against_hash;
        duel.decision.verdict = Ratio::faster;
        duel.decision.reason = Reason::beyond_limit;
        duel.decision.interval = Interval::from_logs(0.0698, 0.0674, 0.0722);
        duel.decision.rounds = 12;
        duel.decision.level = Level::certify;
        duel.sizes = {{"primary", duel.decision}, {"small", duel.decision}};
        duel.sizes[1].second.verdict = Ratio::slower;
        duel.sizes[1].second.interval = Interval::from_logs(-0.05, -0.06, -0.04);
        evaluation->duel = duel;
    }
    samples.evaluation = evaluation;
    return samples;
}

DistributionOrder order_of(Relation relation) {
    DistributionOrder order;
    order.a = SideOrder{{6, ""}, QStringLiteral("turn 6"), true, "a", "x", {}, "", false};
    order.b = SideOrder{{8, ""}, QStringLiteral("turn 8"), true, "b", "y", {}, "", false};
    order.relation = relation;
    return order;
}

TEST(DistributionData, ADuelShowsItsOwnArmsAndDecision) {
    const SideSamples a = side("hash6"), b = side("hash8", "hash6");
    const DistributionData data = make_distribution(order_of(Relation::b_against_a), a, b);
    EXPECT_EQ(data.headline, QStringLiteral("B is faster: −6.7 % ± 0.2"));
    EXPECT_EQ(data.sizes, (QStringList{QStringLiteral("primary"), QStringLiteral("small")}));
    // The champion's arm of B's duel, not A's own samples; drops and what is no time are left out.
    EXPECT_EQ(data.a.series, (std::vector<double>{2.1e-3, 2.11e-3, 2.2e-3}));
    EXPECT_EQ(data.b.series.size(), 4u);
    EXPECT_EQ(data.a.dropped, 1);
    EXPECT_EQ(data.a.summary.invalid, 1);
    EXPECT_EQ(data.b.rounds, (std::vector<std::size_t>{0, 2}));
    const DistributionData small = make_distribution(order_of(Relation::b_against_a), a, b, QStringLiteral("small"));
    EXPECT_THAT(small.headline.toStdString(), HasSubstr("B is slower: +5.1 %"));
    EXPECT_THAT(distribution_text(small).toStdString(), HasSubstr("all sizes: B is faster: −6.7 % ± 0.2"));
    // Seen from the other side, with A the younger.
    const DistributionData turned = make_distribution(order_of(Relation::a_against_b), b, a);
    EXPECT_EQ(turned.headline, QStringLiteral("A is faster: −6.7 % ± 0.2"));
    EXPECT_EQ(turned.b.series, data.a.series);
}

TEST(DistributionData, NoVerdictWithoutADuel) {
    const SideSamples a = side("hash3", "hash0"), b = side("hash8", "hash6");
    for (const Relation relation :
         {Relation::not_compared, Relation::b_against_a}) { // the second: another source was met
        const DistributionData data = make_distribution(order_of(relation), a, b);
        EXPECT_EQ(data.relation, Relation::not_compared);
        EXPECT_FALSE(data.decision);
        EXPECT_EQ(data.headline, QStringLiteral("Not compared with each other"));
        EXPECT_THAT(data.reason.toStdString(), HasSubstr("from different duels"));
        EXPECT_FALSE(data.a.empty());
        EXPECT_EQ(data.a.series, data.b.series) << "each shows its own arm";
    }
}

TEST(DistributionData, ConditionsThatDifferAreTold) {
    SideSamples a = side("x"), b = side("y");
    Evaluation other = *b.evaluation;
    other.level = Level::screen;
    other.device_name = "another";
    other.conditions = {{"versions", {{"compiler", "NVRTC 13.1"}}}, {"author", "human"}};
    other.timings = {TimingSummary{"primary", {{"M", 64}}, 0, 0, 0, 0, 0, "events", 0, false}};
    b.evaluation = std::make_shared<Evaluation>(other);
    Evaluation mine = *a.evaluation;
    mine.conditions = {{"versions", {{"compiler", "NVRTC 13.0"}}}, {"author", "model"}};
    mine.timings = {TimingSummary{"primary", {{"M", 32}}, 0, 0, 0, 0, 0, "graph", 0, false}};
    a.evaluation = std::make_shared<Evaluation>(mine);
    for (SideSamples* each : {&a, &b}) {
        Round round;
        round.conditions.clock_mhz = each == &a ? 1980 : 1755;
        each->contests.front().rounds = {round};
    }
    const QString lines = differing_conditions(a, b, QStringLiteral("primary")).join(u'\n');
    for (const char* wanted : {"evidence: certified → screen", "shape: M=32 → M=64", "timer: graph → events",
                               "clocks: 1980 MHz → 1755 MHz", "versions compiler: NVRTC 13.0 → NVRTC 13.1"})
        EXPECT_THAT(lines.toStdString(), HasSubstr(wanted));
    EXPECT_FALSE(lines.contains(QStringLiteral("author")));
    EXPECT_TRUE(differing_conditions(a, a, QStringLiteral("primary")).isEmpty());
}

TEST(DistributionData, EveryReasonHasASentenceAndStrangeDecisionsAreWritten) {
    for (const Reason reason :
         {Reason::beyond_limit, Reason::within_delta, Reason::first_round_slower, Reason::not_significant,
          Reason::between_looks, Reason::no_rounds, Reason::too_many_dropped, Reason::zero_variance, Reason::too_coarse,
          Reason::budget, Reason::process_dependent, Reason::size_regressed}) {
        Decision decision;
        decision.reason = reason;
        EXPECT_TRUE(reason_sentence(decision).endsWith(u'.')) << to_string(reason);
    }
    Decision strange;
    strange.rounds = 3;
    for (const double estimate : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
        strange.interval.estimate = estimate;
        EXPECT_FALSE(decision_headline(strange, QStringLiteral("B")).contains(QStringLiteral("nan")));
    }
}

TEST(DistributionData, TextTwinAndTableSayTheSameNumbers) {
    const DistributionData data =
        make_distribution(order_of(Relation::b_against_a), side("hash6"), side("hash8", "hash6"));
    const QString text = distribution_text(data);
    EXPECT_TRUE(text.contains(data.headline));
    EXPECT_TRUE(text.contains(QStringLiteral("A is %1, B is %2").arg(data.a.name, data.b.name))) << text.toStdString();
    EXPECT_TRUE(data.a.name.contains(QLatin1String("6")) && data.b.name.contains(QLatin1String("8")))
        << text.toStdString();
    for (const FigureRow& row : data.rows) {
        EXPECT_TRUE(text.contains(row.a)) << row.what.toStdString();
        EXPECT_TRUE(text.contains(row.b)) << row.what.toStdString();
    }
    EXPECT_EQ(data.rows[0].a, QStringLiteral("2.110 ms")); // the median of 2.1, 2.11 and 2.2
    const QList<QByteArray> rows = distribution_csv(data).trimmed().split('\n');
    ASSERT_EQ(rows.size(), 1 + 3 + 4);
    EXPECT_EQ(rows[3], "A,2,3,0.0022");
    EXPECT_EQ(distribution_text({}), QStringLiteral("Distribution: nothing is selected."));
}

} // namespace
} // namespace kf::ui
