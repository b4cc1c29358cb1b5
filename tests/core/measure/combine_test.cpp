// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/combine.h"
#include "tests/core/measure/helpers.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kf {
namespace {

using test::round_of;
using test::spread;

SizeRounds size_of(std::string name, double weight, const std::vector<double>& ratios) {
    SizeRounds size{{std::move(name), weight}, {}};
    for (const double ratio : ratios)
        size.rounds.push_back(round_of(ratio, static_cast<int>(size.rounds.size())));
    return size;
}

TEST(Sizes, WeightsMakeTheMean) {
    const std::vector<SizeRounds> sizes{size_of("small", 1, spread(6, 0.00, 0.001)),
                                        size_of("large", 3, spread(6, 0.04, 0.001))};
    const Result<Combined> combined = combine_sizes(sizes, Level::certify);
    ASSERT_TRUE(combined);
    EXPECT_EQ(combined->decision.verdict, Ratio::faster);
    EXPECT_NEAR(combined->decision.interval.log_estimate, 0.03, 1e-12);
    EXPECT_TRUE(may_become_champion(combined->decision, {}));
    EXPECT_EQ(combined->sizes[1].verdict, Ratio::faster);
    EXPECT_FALSE(combined->faster_on_all);
    EXPECT_FALSE(combined->faster_after_holm[0]);
    EXPECT_TRUE(combined->faster_after_holm[1]);
}

TEST(Sizes, ARegressionOfOverTwoPercentVetoes) {
    for (const double regression : {0.0195, 0.0215}) {
        const std::vector<SizeRounds> sizes{size_of("a", 1, spread(6, 0.2, 0.001)),
                                            size_of("b", 1, spread(6, -std::log1p(regression), 0.001))};
        const Result<Combined> combined = combine_sizes(sizes, Level::certify);
        ASSERT_TRUE(combined);
        const bool vetoed = regression > 0.02;
        EXPECT_EQ(combined->decision.verdict, vetoed ? Ratio::inconclusive : Ratio::faster) << regression;
        EXPECT_EQ(combined->decision.reason, vetoed ? Reason::size_regressed : Reason::beyond_limit);
        EXPECT_EQ(combined->regressed, vetoed ? 1 : -1);
        EXPECT_EQ(may_become_champion(combined->decision, {}), !vetoed);
    }
}

// At a duel's look each p is about 2 %: good for one size, not for four.
TEST(Sizes, HolmAsksMoreOfMany) {
    const double centre = 2.75 * 0.003 / std::sqrt(6.0);
    std::vector<SizeRounds> sizes{size_of("only", 1, spread(6, centre, 0.003))};
    EXPECT_TRUE(combine_sizes(sizes, Level::duel)->faster_on_all);
    for (int i = 0; i < 3; ++i)
        sizes.push_back(size_of("more", 1, spread(6, centre, 0.003)));
    const Result<Combined> many = combine_sizes(sizes, Level::duel);
    EXPECT_EQ(many->decision.verdict, Ratio::faster);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(many->sizes[i].verdict, Ratio::faster);
        EXPECT_FALSE(many->faster_after_holm[i]);
    }
}

TEST(Sizes, OneDroppedSizeDropsTheRound) {
    Result<SizesPlan> plan = SizesPlan::create(Level::duel, {{"a", 1}, {"b", 1}});
    ASSERT_TRUE(plan);
    ASSERT_TRUE(plan->add_round({round_of(0.01), test::dropped_round()}));
    EXPECT_EQ(plan->plan().counted(), 0);
    EXPECT_EQ(plan->sizes()[0].rounds[0].drop, Drop::throttled);
    EXPECT_EQ(plan->sizes()[1].rounds[0].drop, Drop::throttled);
}

TEST(Sizes, NoAnswerBetweenLooks) {
    Result<SizesPlan> plan = SizesPlan::create(Level::certify, {{"a", 1}, {"b", 2}});
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(plan->add_round({round_of(1 + i * 0.01, i), round_of(1.1 + i * 0.01, i)}));
        EXPECT_FALSE(plan->look().has_value());
    }
    const Result<Combined> open =
        combine_sizes(std::vector<SizeRounds>{size_of("a", 1, {1, 1.01, 1.02})}, Level::certify);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->decision.verdict, Ratio::inconclusive);
    EXPECT_EQ(open->decision.reason, Reason::between_looks);
    plan->stop_for_budget();
    EXPECT_EQ(plan->look()->decision.reason, Reason::budget);
    for (const Decision& size : plan->look()->sizes)
        EXPECT_EQ(size.verdict, Ratio::inconclusive); // nor have the parts an answer
}

TEST(Sizes, ResolutionIsKept) {
    std::vector<SizeRounds> sizes{size_of("a", 1, spread(6, 0.004, 0.0001)), size_of("b", 1, spread(6, 0.004, 0.0001))};
    for (SizeRounds& size : sizes)
        for (Round& round : size.rounds)
            round.resolution_s = 1e-6; // ±1 %
    EXPECT_EQ(combine_sizes(sizes, Level::duel)->decision.reason, Reason::too_coarse);
}

TEST(Sizes, BadInput) {
    EXPECT_EQ(SizesPlan::create(Level::duel, {}).error().code, "sizes-invalid");
    for (const double weight : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(SizesPlan::create(Level::duel, {{"a", weight}}).error().code, "sizes-invalid") << weight;
    EXPECT_EQ(SizesPlan::create(Level::promote, {{"a", 1}}).error().code, "level-invalid");
    Result<SizesPlan> plan = SizesPlan::create(Level::duel, {{"a", 1}, {"b", 1}});
    EXPECT_EQ(plan->add_round({round_of(0)}).error().code, "sizes-invalid");
    const std::vector<SizeRounds> unequal{size_of("a", 1, {0.1, 0.2}), size_of("b", 1, {0.1})};
    EXPECT_EQ(combine_sizes(unequal, Level::duel).error().code, "sizes-invalid");
    EXPECT_EQ(combine_sizes(std::vector<SizeRounds>{}, Level::duel).error().code, "sizes-invalid");
}

} // namespace
} // namespace kf
