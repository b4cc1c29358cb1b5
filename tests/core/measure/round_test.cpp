// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/round.h"
#include "tests/core/measure/helpers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <vector>

namespace kf {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<PairSample> pairs_of(int n, double champion_s, double candidate_s) {
    std::vector<PairSample> pairs;
    for (const Arm first : pair_order(n, 1))
        pairs.push_back({champion_s, candidate_s, first, Drop::none});
    return pairs;
}

TEST(PairOrder, EveryArmFollowsBothEquallyOften) {
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
        std::vector<Arm> samples;
        for (const Arm first : pair_order(64, seed)) {
            samples.push_back(first);
            samples.push_back(other(first));
        }
        std::map<std::pair<Arm, Arm>, int> transitions;
        for (std::size_t i = 1; i < samples.size(); ++i)
            ++transitions[{samples[i - 1], samples[i]}];
        ASSERT_EQ(transitions.size(), 4u);
        for (const auto& [transition, count] : transitions)
            EXPECT_NEAR(count, 32, 1);
    }
}

TEST(PairOrder, SeedDecidesTheStartAndBothOccur) {
    int candidate_first = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        EXPECT_EQ(pair_order(8, seed), pair_order(8, seed));
        candidate_first += pair_order(1, seed)[0] == Arm::candidate;
    }
    EXPECT_GT(candidate_first, 70);
    EXPECT_LT(candidate_first, 130);
    EXPECT_TRUE(pair_order(0, 1).empty());
    EXPECT_TRUE(pair_order(-3, 1).empty());
}

TEST(MakeRound, SignAndMedians) {
    const Round round = make_round(pairs_of(8, 2e-4, 1e-4));
    EXPECT_FALSE(round.dropped());
    EXPECT_DOUBLE_EQ(round.log_ratio, std::log(2.0)); // candidate twice as fast: positive
    EXPECT_EQ(round.champion.median_s, 2e-4);
    EXPECT_EQ(round.candidate.median_s, 1e-4);
    EXPECT_EQ(round.pairs, 8);
}

TEST(MakeRound, SpikesDoNotMoveIt) {
    auto pairs = pairs_of(32, 1e-4, 1e-4);
    for (const std::size_t i : {0u, 1u, 6u, 11u, 20u})
        pairs[i].champion_s *= 1.3;
    EXPECT_EQ(make_round(pairs).log_ratio, 0);
}

TEST(MakeRound, AnEffectOfTheOrderCancelsAndIsKept) {
    auto pairs = pairs_of(33, 1e-4, 1e-4); // one order occurs once more than the other
    for (PairSample& pair : pairs)
        (pair.first == Arm::champion ? pair.candidate_s : pair.champion_s) *= 1.05; // the second of a pair is slower
    const Round round = make_round(pairs);
    EXPECT_NEAR(round.log_ratio, 0, 1e-15);
    EXPECT_NEAR(round.log_ratio_champion_first, -std::log(1.05), 1e-12);
    EXPECT_NEAR(round.log_ratio_candidate_first, std::log(1.05), 1e-12);
}

TEST(MakeRound, BadTimesDropPairsThenTheRound) {
    for (const double bad :
         {kNan, std::numeric_limits<double>::infinity(), 0.0, -1e-4, std::numeric_limits<double>::denorm_min()}) {
        auto pairs = pairs_of(8, 1e-4, 1e-4);
        pairs[0].candidate_s = bad;
        pairs[1].champion_s = bad;
        Round round = make_round(pairs);
        EXPECT_FALSE(round.dropped()) << bad; // a quarter is borne
        EXPECT_EQ(round.pairs, 6);
        EXPECT_EQ(round.pairs_dropped, 2);
        EXPECT_EQ(round.log_ratio, 0);
        pairs[2].candidate_s = bad;
        round = make_round(pairs);
        EXPECT_EQ(round.drop, Drop::invalid_time) << bad;
    }
    EXPECT_EQ(make_round({}).drop, Drop::no_samples);
}

TEST(MakeRound, TheCauseOfMostDropsIsNamed) {
    auto pairs = pairs_of(8, 1e-4, 1e-4);
    pairs[0].drop = pairs[1].drop = Drop::starved;
    pairs[2].candidate_s = kNan;
    EXPECT_EQ(make_round(pairs).drop, Drop::starved);
}

TEST(MakeRound, OnePairWillDo) {
    const Round round = make_round(pairs_of(1, 2e-4, 1e-4));
    EXPECT_FALSE(round.dropped());
    EXPECT_DOUBLE_EQ(round.log_ratio, std::log(2.0));
}

TEST(RoundJson, ComesBack) {
    Round round = make_round(pairs_of(8, 2e-4, 1e-4));
    round.order_seed = ~std::uint64_t{0};
    round.process = 3;
    round.resolution_s = 5e-7;
    round.conditions.power_limited = true;
    const Result<Round> back = round_from_json(to_json(round));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), to_json(round));
    EXPECT_EQ(back->order_seed, round.order_seed);
    const Result<Round> dropped = round_from_json(to_json(make_round({})));
    ASSERT_TRUE(dropped);
    EXPECT_EQ(dropped->drop, Drop::no_samples);
}

TEST(RoundJson, BadInput) {
    EXPECT_FALSE(round_from_json(Json::array()));
    EXPECT_FALSE(round_from_json(Json{{"pairs", 3}})); // counts, but has no ratio
    EXPECT_FALSE(round_from_json(Json{{"log_ratio", "fast"}}));
    const Result<Round> newer = round_from_json(Json{{"drop", "cosmic-ray"}});
    ASSERT_TRUE(newer);
    EXPECT_EQ(newer->drop, Drop::other);
}

TEST(LogResolution, HalfATickOfEitherArm) {
    Round round = test::round_of(0);
    EXPECT_EQ(log_resolution(round), 0);
    round.resolution_s = 0.5e-6;
    EXPECT_NEAR(log_resolution(round), 0.005, 1e-12);
    round.candidate.median_s = 0;
    EXPECT_EQ(log_resolution(round), 0);
}

} // namespace
} // namespace kf
