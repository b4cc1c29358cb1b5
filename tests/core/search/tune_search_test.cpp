// SPDX-License-Identifier: GPL-3.0-or-later
// Searches over synthetic landscapes: complete when small, deterministic, close to the best point when large.
#include "core/base/random.h"
#include "core/search/tune_search.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace kf {
namespace {

using Landscape = std::function<std::optional<double>(const TunableValues&)>;

Plan plan_of(const std::string& tunables) {
    const Result<Candidate> candidate =
        parse_candidate(tunables + "#pragma kf launch k<<<1, 1>>>()\n__global__ void k() {}\n", "a.cu");
    EXPECT_TRUE(candidate) << to_string(candidate.error());
    return candidate->plan;
}

const std::string small =
    "#pragma kf tune BLOCK in {256, 128, 512}\n#pragma kf tune VEC in {4, 1} where BLOCK*VEC < 2048\n";
// 8 · 6 · 5 · 8 · 6 = 11,520 points, more than are listed.
const std::string large =
    "#pragma kf tune BMM in {64, 8, 16, 32, 96, 128, 192, 256}\n#pragma kf tune BNN in {64, 8, 16, 32, 128, 256}\n"
    "#pragma kf tune BKK in {32, 8, 16, 64, 128}\n#pragma kf tune STAGES in {2, 1, 3, 4, 5, 6, 7, 8}\n"
    "#pragma kf tune WARPS in {4, 1, 2, 8, 16, 32} where BMM * BNN >= 32 * WARPS\n";

std::optional<double> bowl(const TunableValues& v) {
    const auto off = [&](const char* name, double best) {
        return std::pow(std::log2(static_cast<double>(v.at(name)) / best), 2);
    };
    return 1 + off("BMM", 128) + off("BNN", 128) + off("BKK", 64) + off("STAGES", 4) + off("WARPS", 8);
}

std::vector<TunableValues> run(TuneSearch& search, const Landscape& landscape) {
    std::vector<TunableValues> tried;
    while (const std::optional<TunableValues> point = search.next()) {
        tried.push_back(*point);
        search.report(*point, landscape(*point));
    }
    return tried;
}

TEST(TuneSearch, SmallSpacesAreTriedInFullDefaultFirst) {
    const SymbolTable scope;
    const Plan plan = plan_of(small);
    TuneSearch search = *TuneSearch::create(plan, scope, {1, 48});
    EXPECT_TRUE(search.exhaustive());
    EXPECT_FALSE(search.done());
    const std::vector<TunableValues> tried =
        run(search, [](const TunableValues& v) { return 1.0 / static_cast<double>(v.at("BLOCK") + v.at("VEC")); });
    EXPECT_EQ(to_string(tried.front()), "BLOCK=256 VEC=4");
    EXPECT_EQ(std::set<TunableValues>(tried.begin(), tried.end()).size(), 5u);
    EXPECT_EQ(tried.size(), 5u);
    EXPECT_TRUE(search.done());
    EXPECT_EQ(to_string(search.best()->values), "BLOCK=512 VEC=1");
}

TEST(TuneSearch, NoTunablesIsOnePoint) {
    const SymbolTable scope;
    TuneSearch search = *TuneSearch::create(plan_of(""), scope, {});
    EXPECT_EQ(run(search, [](const TunableValues&) { return 1.0; }).size(), 1u);
    EXPECT_TRUE(search.done());
}

TEST(TuneSearch, LargeSpacesGetNearTheBestWithinTheBudget) {
    const SymbolTable scope;
    const Plan plan = plan_of(large);
    int searched_better = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        TuneSearch search = *TuneSearch::create(plan, scope, {seed, 60});
        const std::vector<TunableValues> tried = run(search, bowl);
        EXPECT_FALSE(search.exhaustive());
        ASSERT_EQ(tried.size(), 60u);
        EXPECT_EQ(std::set<TunableValues>(tried.begin(), tried.end()).size(), 60u) << "no point twice";
        for (const TunableValues& point : tried)
            ASSERT_TRUE(*tune_allows(plan, scope, point));
        EXPECT_LE(search.best()->score, 3.0) << "seed " << seed;
        // Against as many random points.
        SplitMix64 random(seed);
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 60; ++i) {
            TunableValues point;
            for (const TuneStatement* tune : plan.tunables())
                point[tune->name] = tune->values[random.below(tune->values.size())];
            best = std::min(best, *bowl(point));
        }
        searched_better += search.best()->score < best ? 1 : 0;
    }
    EXPECT_GE(searched_better, 8);
}

TEST(TuneSearch, DeterministicFromItsSeed) {
    const SymbolTable scope;
    const auto order = [&](std::uint64_t seed) {
        TuneSearch search = *TuneSearch::create(plan_of(large), scope, {seed, 40});
        return run(search, bowl);
    };
    EXPECT_EQ(order(5), order(5));
    EXPECT_NE(order(5), order(6));
}

TEST(TuneSearch, FailedPointsDoNotStopIt) {
    const SymbolTable scope;
    TuneSearch half = *TuneSearch::create(plan_of(large), scope, {2, 60});
    run(half, [](const TunableValues& v) { return v.at("STAGES") > 3 ? std::nullopt : bowl(v); });
    ASSERT_TRUE(half.best());
    EXPECT_LE(half.best()->values.at("STAGES"), 3);
    TuneSearch none = *TuneSearch::create(plan_of(large), scope, {2, 60});
    EXPECT_EQ(run(none, [](const TunableValues&) { return std::nullopt; }).size(), 60u);
    EXPECT_FALSE(none.best());
    EXPECT_TRUE(none.done());
    TuneSearch nan = *TuneSearch::create(plan_of(small), scope, {2, 60});
    run(nan, [](const TunableValues&) { return std::nan(""); });
    EXPECT_FALSE(nan.best());
}

TEST(TuneSearch, WaitsForReportsBeforeRefining) {
    const SymbolTable scope;
    TuneSearch search = *TuneSearch::create(plan_of(large), scope, {3, 30});
    std::vector<TunableValues> out;
    while (const std::optional<TunableValues> point = search.next())
        out.push_back(*point);
    EXPECT_LT(out.size(), 30u);
    EXPECT_FALSE(search.done());
    search.report({{"BMM", 1}}, 0.0); // never given
    EXPECT_FALSE(search.best());
    for (const TunableValues& point : out)
        search.report(point, bowl(point));
    const double best = search.best()->score;
    search.report(out[0], 0.0); // a second report
    EXPECT_EQ(search.best()->score, best);
    EXPECT_TRUE(search.next());
}

TEST(TuneSearch, ImpossibleSpacesAreNamed) {
    const SymbolTable scope;
    EXPECT_EQ(TuneSearch::create(plan_of("#pragma kf tune BLOCK in {1, 2} where BLOCK > 2\n"), scope, {}).error().code,
              "search-empty");
    EXPECT_EQ(TuneSearch::create(plan_of("#pragma kf tune BLOCK in {1, 2} where BLOCK > Q\n"), scope, {}).error().code,
              "plan-expression");
    TuneSearch skipped =
        *TuneSearch::create(plan_of("#pragma kf tune BLOCK in {1, 2, 3} where BLOCK > 1\n"), scope, {});
    for (const TunableValues& point : run(skipped, [](const TunableValues&) { return 1.0; }))
        EXPECT_GT(point.at("BLOCK"), 1) << "a default that is not allowed is not tried";
}

} // namespace
} // namespace kf
