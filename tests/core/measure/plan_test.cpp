// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/plan.h"
#include "tests/core/measure/helpers.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace kf {
namespace {

using test::add_all;
using test::dropped_round;
using test::round_of;
using test::spread;

// A mean of t standard errors over n rounds with sd 0.3 %.
std::vector<double> rounds_with_t(int n, double t) {
    return spread(n, t * 0.003 / std::sqrt(n), 0.003);
}

template<class P> Decision decide(const std::vector<double>& ratios, Delta delta = {}) {
    P plan(delta);
    add_all(plan, ratios);
    return plan.look().value_or(Decision{});
}

TEST(DuelPlan, LimitIsSharpOnBothSides) {
    EXPECT_EQ(decide<DuelPlan>(rounds_with_t(6, 2.58)).verdict, Ratio::faster);
    EXPECT_EQ(decide<DuelPlan>(rounds_with_t(6, 2.56)).verdict, Ratio::inconclusive);
    EXPECT_EQ(decide<DuelPlan>(rounds_with_t(6, -2.58)).verdict, Ratio::slower);
    EXPECT_EQ(decide<DuelPlan>(rounds_with_t(6, -2.56)).verdict, Ratio::inconclusive);
    EXPECT_EQ(decide<ScreenPlan>(rounds_with_t(6, 2.58)).verdict, Ratio::faster);
}

TEST(DuelPlan, FiguresAreThoseOfTheRounds) {
    const Decision d = decide<DuelPlan>(rounds_with_t(6, 2.0));
    EXPECT_NEAR(d.t, 2.0, 1e-9);
    EXPECT_NEAR(d.sd, 0.003, 1e-12);
    EXPECT_NEAR(d.p, 0.05097, 1e-4); // one-sided, t(5)
    const double error = 0.003 / std::sqrt(6.0);
    EXPECT_NEAR(d.interval.log_low, 2 * error - 2.571 * error, 1e-12);
    EXPECT_NEAR(d.interval.high, std::exp((2 + 2.571) * error), 1e-12);
    EXPECT_NEAR(d.minimum_detectable_effect, std::expm1((2.571 + 0.9195) * error), 1e-6);
    EXPECT_EQ(d.reason, Reason::not_significant);
    EXPECT_EQ(d.rounds, 6);
    EXPECT_EQ(d.level, Level::duel);
}

TEST(DuelPlan, NoAnswerBeforeTheSixthRound) {
    DuelPlan plan;
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(plan.add_round(round_of(0.5 + 0.001 * i)));
        EXPECT_FALSE(plan.look().has_value());
        EXPECT_EQ(plan.next_look(), 6);
    }
    ASSERT_TRUE(plan.add_round(round_of(0.5)));
    EXPECT_EQ(plan.look()->verdict, Ratio::faster);
    EXPECT_EQ(plan.next_look(), 0);
    const Status more = plan.add_round(round_of(0.6));
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, "plan-ended");
}

TEST(DuelPlan, FutilityStopsAfterTheFirstRound) {
    DuelPlan plan;
    ASSERT_TRUE(plan.add_round(dropped_round()));
    ASSERT_TRUE(plan.add_round(round_of(-std::log(1.1001))));
    ASSERT_TRUE(plan.ended());
    EXPECT_EQ(plan.look()->verdict, Ratio::slower);
    EXPECT_EQ(plan.look()->reason, Reason::first_round_slower);
    EXPECT_FALSE(plan.look()->interval.bounded());

    DuelPlan goes_on;
    ASSERT_TRUE(goes_on.add_round(round_of(-std::log(1.0999))));
    EXPECT_FALSE(goes_on.ended());
    ASSERT_TRUE(goes_on.add_round(round_of(-0.5))); // only the first counts
    EXPECT_FALSE(goes_on.ended());

    CertifyPlan certify;
    ASSERT_TRUE(certify.add_round(round_of(-0.5)));
    EXPECT_FALSE(certify.ended());
}

// A person's number: an unlucky first round alone does not make it *slower*.
TEST(ScreenPlan, PlaysAllRoundsWhenAsked) {
    ScreenPlan plan;
    plan.play_all_rounds();
    ASSERT_TRUE(plan.add_round(round_of(-0.3)));
    EXPECT_FALSE(plan.ended());
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(plan.add_round(round_of(0.001 * i)));
    ASSERT_TRUE(plan.ended());
    EXPECT_EQ(plan.look()->verdict, Ratio::inconclusive);
    EXPECT_TRUE(plan.look()->interval.bounded());
    const auto again = plan_from_json(to_json(plan)); // a stored plan is replayed by the same rule
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(again->look()->rounds, 6);
}

TEST(CertifyPlan, EachLookHasItsLimit) {
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(6, 6.88)).verdict, Ratio::faster);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(6, 6.86)).reason, Reason::between_looks);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(6, -6.88)).verdict, Ratio::slower);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(12, 3.12)).verdict, Ratio::faster);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(12, 3.09)).reason, Reason::between_looks);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(20, 2.21)).verdict, Ratio::faster);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(20, -2.21)).verdict, Ratio::slower);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(20, 2.20)).verdict, Ratio::equivalent);
}

TEST(CertifyPlan, EquivalentOnlyAtTheLastLookAndInsideDelta) {
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(12, 0)).verdict, Ratio::inconclusive);
    EXPECT_EQ(decide<CertifyPlan>(rounds_with_t(20, 0)).verdict, Ratio::equivalent);
    const Decision noisy = decide<CertifyPlan>(spread(20, 0, 0.02)); // 90 % interval ±0.77 %
    EXPECT_EQ(noisy.verdict, Ratio::inconclusive);
    EXPECT_EQ(noisy.reason, Reason::not_significant);
    EXPECT_NEAR(noisy.minimum_detectable_effect, 0.0138, 2e-4); // 0.686 sd
    EXPECT_EQ(decide<CertifyPlan>(spread(20, 0, 0.02), make_delta(0.01)).verdict, Ratio::equivalent);
}

TEST(CertifyPlan, PeekingIsImpossible) {
    CertifyPlan plan;
    std::set<int> answered;
    const std::vector<double> ratios = rounds_with_t(20, 0.5);
    for (const double value : ratios) {
        ASSERT_TRUE(plan.add_round(round_of(value, plan.counted())));
        for (int again = 0; again < 3; ++again) // asking twice changes nothing
            if (plan.look())
                answered.insert(plan.counted());
        CertifyPlan copy = plan; // nor does a copy know more
        EXPECT_EQ(copy.look().has_value(), plan.look().has_value());
    }
    EXPECT_EQ(answered, (std::set<int>{6, 12, 20}));
    EXPECT_FALSE(plan.add_round(round_of(10)));
}

// Rounds 7 ... 11 would decide if they were looked at.
TEST(CertifyPlan, AStrongStretchBetweenLooksDecidesNothing) {
    CertifyPlan plan;
    add_all(plan, rounds_with_t(6, 0));
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(plan.add_round(round_of(5.0 + i, 6 + i)));
        EXPECT_FALSE(plan.look().has_value());
    }
    EXPECT_FALSE(plan.ended());
}

TEST(CertifyPlan, RunningAgainContinuesAndNeverRestarts) {
    CertifyPlan plan;
    add_all(plan, rounds_with_t(6, 1));
    ASSERT_TRUE(plan.add_round(round_of(0.001, 6)));
    Result<RoundPlan> again = plan_from_json(to_json(plan));
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->look().has_value());
    EXPECT_EQ(again->next_look(), 12);
    EXPECT_EQ(again->counted(), 7);

    CertifyPlan done;
    add_all(done, rounds_with_t(6, 7));
    again = plan_from_json(to_json(done));
    ASSERT_TRUE(again);
    EXPECT_EQ(to_json(*again->look()), to_json(*done.look()));
    EXPECT_FALSE(again->add_round(round_of(1)));

    Json forged = to_json(done); // rounds after the decision
    forged["rounds"].push_back(to_json(round_of(1)));
    EXPECT_EQ(plan_from_json(forged).error().code, "plan-ended");
}

TEST(CertifyPlan, StoppedPlansStayStopped) {
    CertifyPlan plan;
    add_all(plan, spread(6, 0.02, 0.003));
    ASSERT_TRUE(plan.ended());
    plan.stop_for_budget(); // too late to change anything
    EXPECT_EQ(plan.look()->verdict, Ratio::faster);

    CertifyPlan open;
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(open.add_round(round_of(0.02 + i * 1e-5, i)));
    open.stop_for_budget();
    EXPECT_EQ(open.look()->verdict, Ratio::inconclusive);
    EXPECT_EQ(open.look()->reason, Reason::budget);
    EXPECT_FALSE(open.look()->interval.bounded());
    const Result<RoundPlan> again = plan_from_json(to_json(open));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->look()->reason, Reason::budget);
}

TEST(Plan, BadJson) {
    EXPECT_EQ(plan_from_json(Json::array()).error().code, "plan-invalid");
    Json json = to_json(DuelPlan());
    json["level"] = "promote";
    EXPECT_EQ(plan_from_json(json).error().code, "plan-invalid");
    json = to_json(DuelPlan());
    json["delta"] = 0;
    EXPECT_EQ(plan_from_json(json).error().code, "plan-invalid");
    json = to_json(DuelPlan());
    json["rounds"].push_back("round");
    EXPECT_EQ(plan_from_json(json).error().code, "round-invalid");
}

TEST(Plan, RoundsWithoutARatioAreRefused) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        CertifyPlan plan;
        EXPECT_EQ(plan.add_round(round_of(bad)).error().code, "round-invalid");
        EXPECT_EQ(plan.rounds().size(), 0u);
    }
}

TEST(Plan, AQuarterDroppedIsBorneMoreIsInconclusive) {
    DuelPlan plan;
    ASSERT_TRUE(plan.add_round(dropped_round()));
    ASSERT_TRUE(plan.add_round(dropped_round()));
    add_all(plan, rounds_with_t(6, 5)); // two of eight
    EXPECT_EQ(plan.look()->verdict, Ratio::faster);
    EXPECT_EQ(plan.look()->dropped, 2);

    DuelPlan worse;
    add_all(worse, {0.02, 0.021, 0.022, 0.023, 0.024});
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(worse.add_round(dropped_round()));
    ASSERT_TRUE(worse.ended()); // cannot get better
    EXPECT_EQ(worse.look()->verdict, Ratio::inconclusive);
    EXPECT_EQ(worse.look()->reason, Reason::too_many_dropped);
}

TEST(Plan, AVoidLookDoesNotDecideButLaterOnesMay) {
    CertifyPlan plan;
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(plan.add_round(dropped_round()));
    add_all(plan, rounds_with_t(6, 20)); // three of nine: void
    ASSERT_FALSE(plan.ended());
    EXPECT_EQ(plan.look()->reason, Reason::too_many_dropped);
    for (int i = 0; i < 6; ++i)
        ASSERT_TRUE(plan.add_round(round_of(0.024 + 0.0011 * i, 6 + i)));
    EXPECT_EQ(plan.look()->verdict, Ratio::faster); // three of fifteen
}

TEST(Plan, AllDroppedEnds) {
    for (RoundPlan plan : {RoundPlan(ScreenPlan()), RoundPlan(DuelPlan()), RoundPlan(CertifyPlan())}) {
        int rounds = 0;
        while (!plan.ended() && rounds < 100) {
            ASSERT_TRUE(plan.add_round(dropped_round()));
            ++rounds;
        }
        EXPECT_LE(rounds, 7);
        ASSERT_TRUE(plan.look());
        EXPECT_EQ(plan.look()->verdict, Ratio::inconclusive);
        EXPECT_EQ(plan.look()->reason, Reason::too_many_dropped);
    }
}

TEST(Plan, EqualRoundsAreNeverFaster) {
    for (const double value : {0.0, 0.0488, 1.0}) {
        EXPECT_EQ(decide<DuelPlan>(std::vector<double>(6, value)).reason, Reason::zero_variance) << value;
        const Decision d = decide<CertifyPlan>(std::vector<double>(20, value));
        EXPECT_EQ(d.verdict, Ratio::inconclusive) << value;
        EXPECT_EQ(d.reason, Reason::zero_variance) << value;
        EXPECT_FALSE(d.interval.bounded());
    }
}

TEST(Plan, EqualRoundsOfAFineTimerAreEquivalent) {
    CertifyPlan plan;
    for (int i = 0; i < 20; ++i) {
        Round round = round_of(0, i);
        round.resolution_s = 1e-8; // of 100 µs
        ASSERT_TRUE(plan.add_round(round));
    }
    EXPECT_EQ(plan.look()->verdict, Ratio::equivalent);
    EXPECT_NEAR(plan.look()->interval.high, 1.0001, 1e-6);
}

// Five of six on the same tick: t is large, but the six signs alone are not evidence enough for the first look.
TEST(Plan, TiedRoundsNeedTheSignTest) {
    const std::vector<double> tied{0.0488, 0.0488, 0.0488, 0.0488, 0.0488, 0.0486};
    CertifyPlan plan;
    add_all(plan, tied);
    EXPECT_FALSE(plan.ended());
    EXPECT_GT(plan.look()->t, 6.869);
    add_all(plan, tied);
    EXPECT_EQ(plan.look()->verdict, Ratio::faster);           // 12 of 12 are
    EXPECT_EQ(decide<DuelPlan>(tied).verdict, Ratio::faster); // 1/64 < 2.5 %
}

TEST(Plan, WithinTheTimersResolutionNothingIsFaster) {
    for (const double resolution : {0.0, 2e-6}) {
        DuelPlan plan;
        for (const double value : spread(6, 0.01, 0.001)) {
            Round round = round_of(value, plan.counted());
            round.resolution_s = resolution; // 2 µs of 100 µs: ±2 %
            ASSERT_TRUE(plan.add_round(round));
        }
        EXPECT_EQ(plan.look()->verdict, resolution > 0 ? Ratio::inconclusive : Ratio::faster);
        EXPECT_EQ(plan.look()->reason, resolution > 0 ? Reason::too_coarse : Reason::beyond_limit);
    }
}

// Five processes that differ, whose rounds agree with each other: twenty rounds are five replicates.
TEST(Plan, RoundsOfOneProcessDoNotCountAsManyWhenTheyAgree) {
    const std::vector<double> offsets{0.004, -0.001, 0.003, 0.0005, 0.0035};
    const auto decide_with = [&](bool named) {
        CertifyPlan plan;
        for (int i = 0; i < 20 && !plan.ended(); ++i) {
            const double value = offsets[static_cast<std::size_t>(i) / 4] + 0.0004 * (i % 4 - 1.5) + 1e-6 * i;
            EXPECT_TRUE(plan.add_round(round_of(value, named ? i / 4 : i)));
        }
        return plan.look().value_or(Decision{});
    };
    EXPECT_EQ(decide_with(false).verdict, Ratio::faster);
    const Decision d = decide_with(true);
    EXPECT_EQ(d.verdict, Ratio::inconclusive);
    EXPECT_EQ(d.reason, Reason::process_dependent);
    EXPECT_TRUE(d.process_dependent);
    EXPECT_EQ(d.processes, 5);
    EXPECT_LT(d.interval.log_low, 0);
}

TEST(Plan, OrderDependenceIsFlagged) {
    for (const double effect : {0.0, 0.02}) {
        DuelPlan plan;
        for (const double value : spread(6, 0, 0.003)) {
            Round round = round_of(value);
            round.log_ratio_champion_first += effect / 2 + value * 0.1;
            round.log_ratio_candidate_first -= effect / 2;
            ASSERT_TRUE(plan.add_round(round));
        }
        EXPECT_EQ(plan.look()->order_dependent, effect > 0);
        EXPECT_NEAR(plan.look()->order_effect, std::expm1(effect), 1e-9);
    }
}

TEST(Champion, NeedsCertifyFasterAndDelta) {
    const Decision good = decide<CertifyPlan>(spread(6, 0.02, 0.003));
    EXPECT_TRUE(may_become_champion(good, {}));
    EXPECT_FALSE(may_become_champion(good, make_delta(0.03)));
    EXPECT_FALSE(may_become_champion(decide<DuelPlan>(spread(6, 0.02, 0.003)), {}));
    EXPECT_FALSE(may_become_champion(decide<ScreenPlan>(spread(6, 0.02, 0.003)), {}));
    EXPECT_FALSE(may_become_champion(decide<CertifyPlan>(spread(6, -0.02, 0.003)), {}));
    const Decision small = decide<CertifyPlan>(rounds_with_t(20, 4)); // 0.27 %
    EXPECT_EQ(small.verdict, Ratio::faster);
    EXPECT_FALSE(may_become_champion(small, {}));
    Decision bare; // a verdict without an interval is none
    bare.level = Level::certify;
    bare.verdict = Ratio::faster;
    bare.interval = Interval::unbounded(1);
    EXPECT_FALSE(may_become_champion(bare, {}));
}

TEST(Delta, TheLargerOfHalfAPercentAndTheRecord) {
    EXPECT_EQ(make_delta(0.012).value, 0.012);
    EXPECT_EQ(make_delta(0.001).value, 0.005);
    EXPECT_TRUE(make_delta(0.001).measured);
    for (const std::optional<double> none : {std::optional<double>(), std::optional<double>(std::nan("")),
                                             std::optional<double>(-1), std::optional<double>(5)}) {
        EXPECT_EQ(make_delta(none).value, 0.005);
        EXPECT_FALSE(make_delta(none).measured);
    }
    EXPECT_NE(describe(decide<DuelPlan>(rounds_with_t(6, 3))).find("no A/A record"), std::string::npos);
    EXPECT_EQ(describe(decide<DuelPlan>(rounds_with_t(6, 3), make_delta(0.006))).find("A/A"), std::string::npos);
}

TEST(DecisionJson, ComesBack) {
    for (const Decision& d : {decide<CertifyPlan>(spread(6, 0.02, 0.003)), decide<DuelPlan>({-0.5}), Decision{},
                              decide<CertifyPlan>(spread(20, 0, 0.02))}) {
        const Result<Decision> back = decision_from_json(to_json(d));
        ASSERT_TRUE(back) << to_string(back.error());
        EXPECT_EQ(to_json(*back), to_json(d));
        EXPECT_EQ(dump_line(to_json(d)).find("nan"), std::string::npos);
        EXPECT_FALSE(describe(*back).empty());
    }
}

TEST(DecisionJson, BadInput) {
    EXPECT_FALSE(decision_from_json(Json()));
    for (const char* key : {"level", "verdict", "reason"}) {
        Json json = to_json(decide<CertifyPlan>(spread(6, 0.02, 0.003)));
        json[key] = "certainly";
        EXPECT_EQ(decision_from_json(json).error().code, "decision-invalid") << key;
    }
    Json json = to_json(decide<CertifyPlan>(spread(6, 0.02, 0.003)));
    json["log_low"] = 0.5; // above the estimate
    EXPECT_FALSE(decision_from_json(json));
    json["log_estimate"] = nullptr;
    EXPECT_FALSE(decision_from_json(json));
}

TEST(Audit, TakesItsShare) {
    int audited = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed)
        audited += audit_this_win(seed);
    EXPECT_NEAR(audited, 200, 45);
    EXPECT_FALSE(audit_this_win(1, 0));
    EXPECT_TRUE(audit_this_win(1, 1));
}

} // namespace
} // namespace kf
