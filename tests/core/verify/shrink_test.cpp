// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/shrink.h"

#include <gtest/gtest.h>
#include <set>

namespace kf {
namespace {

Expression expression(const std::string& text) {
    return *Expression::parse(text, {});
}

// x[M, K] · w[N, K] → out[M, N / divisor]
Task small_task(const std::string& output_columns = "N") {
    Task task;
    task.name = "shrink";
    InputSpec x;
    x.name = "x";
    x.shape = {expression("M"), expression("K")};
    InputSpec w;
    w.name = "w";
    w.shape = {expression("N"), expression("K")};
    task.inputs = {x, w};
    OutputSpec out;
    out.name = "out";
    out.shape = {expression("M"), expression(output_columns)};
    task.outputs = {out};
    return task;
}

TaskCase large_case() {
    TaskCase failing;
    failing.symbols = {{"M", 257}, {"N", 343}, {"K", 136}};
    failing.size = "cpu";
    failing.regime = Regime::spiky;
    failing.held_out = true;
    return failing;
}

using Predicate = std::function<bool(const Symbols&, Regime)>;

ShrinkResult shrink(const Predicate& fails, ShrinkSettings settings = {}, const Task& task = small_task()) {
    return shrink_case(
        task, large_case(), 99,
        [&](const TaskCase& c, std::uint64_t seed) -> Result<bool> {
            EXPECT_EQ(seed, 99u);
            EXPECT_TRUE(c.held_out); // stays what it was
            EXPECT_TRUE(c.size.empty());
            return fails(c.symbols, c.regime);
        },
        settings);
}

TEST(Shrink, finds_the_minimal_case_of_a_conjunction) {
    const auto result = shrink([](const Symbols& s, Regime) { return s.at("N") % 8 != 0 && s.at("M") > 3; });
    EXPECT_TRUE(result.shrunk);
    EXPECT_EQ(result.smallest.symbols, (Symbols{{"M", 4}, {"N", 1}, {"K", 1}}));
    EXPECT_EQ(result.smallest.regime, Regime::integers);
    EXPECT_EQ(result.ended, "minimal");
    EXPECT_LE(result.attempts, 20);
    EXPECT_EQ(result.report().symbols, result.smallest.symbols);
    EXPECT_EQ(result.report().seed, 99u);
    EXPECT_EQ(result.report().attempts, result.attempts);
}

TEST(Shrink, finds_thresholds_and_the_values_that_matter) {
    const auto threshold = shrink([](const Symbols& s, Regime) { return s.at("N") > 261; });
    EXPECT_EQ(threshold.smallest.symbols, (Symbols{{"M", 1}, {"N", 262}, {"K", 1}}));
    const auto spiky = shrink([](const Symbols& s, Regime r) { return r == Regime::spiky && s.at("K") >= 2; });
    EXPECT_EQ(spiky.smallest.symbols, (Symbols{{"M", 1}, {"N", 1}, {"K", 2}}));
    EXPECT_EQ(spiky.smallest.regime, Regime::spiky);
    const auto not_integers = shrink([](const Symbols&, Regime r) { return r != Regime::integers; });
    EXPECT_EQ(not_integers.smallest.regime, Regime::normal);
    const auto linked = shrink([](const Symbols& s, Regime) { return s.at("M") + s.at("N") >= 20; });
    EXPECT_EQ(linked.smallest.symbols.at("M") + linked.smallest.symbols.at("N"), 20);
}

TEST(Shrink, what_fails_only_as_it_is_stays_as_it_is) {
    const auto result = shrink([](const Symbols&, Regime) { return false; });
    EXPECT_FALSE(result.shrunk);
    EXPECT_EQ(result.smallest.symbols, large_case().symbols);
    EXPECT_EQ(result.smallest.size, "cpu");
    EXPECT_EQ(result.smallest.regime, Regime::spiky);
    EXPECT_GT(result.attempts, 0);
}

TEST(Shrink, tries_only_valid_cases_and_none_twice) {
    std::set<std::string> tried;
    // N/8 columns: below 8 the output would be empty. 64/M: beyond 64 rows a shape is empty too.
    const Task task = small_task("N/8");
    const auto result = shrink(
        [&](const Symbols& s, Regime r) {
            EXPECT_GE(s.at("N"), 8);
            EXPECT_TRUE(tried.insert(to_string(s) + std::string(to_string(r))).second);
            return true;
        },
        {}, task);
    EXPECT_EQ(result.smallest.symbols, (Symbols{{"M", 1}, {"N", 8}, {"K", 1}}));
    // A shape that cannot be computed (division by zero) or that grows is never tried.
    const auto inverse = shrink(
        [&](const Symbols& s, Regime) {
            EXPECT_NE(s.at("N"), 1);
            return s.at("N") > 40;
        },
        {}, small_task("400 % (N - 1) + 100000 / N"));
    EXPECT_GE(inverse.smallest.symbols.at("N"), 41);
}

TEST(Shrink, keeps_to_its_budgets_and_keeps_what_it_has) {
    const Predicate hard = [](const Symbols& s, Regime) { return s.at("N") > 261 && s.at("M") > 100; };
    for (const int budget : {0, 1, 5, 10}) {
        const auto result = shrink(hard, {budget, {}});
        EXPECT_LE(result.attempts, budget);
        EXPECT_EQ(result.ended, "attempts");
        EXPECT_TRUE(hard(result.smallest.symbols, result.smallest.regime));
    }
    int asked = 0;
    const auto timed = shrink(hard, {1000, [&] { return ++asked > 7; }});
    EXPECT_EQ(timed.attempts, 7);
    EXPECT_EQ(timed.ended, "time");
    EXPECT_FALSE(timed.error.has_value());
}

TEST(Shrink, an_infrastructure_error_ends_it_and_is_handed_on) {
    int runs = 0;
    const auto result = shrink_case(small_task(), large_case(), 1, [&](const TaskCase&, std::uint64_t) -> Result<bool> {
        if (++runs == 4)
            return make_error("runner-gone", "the runner is gone");
        return runs == 3;
    });
    EXPECT_EQ(runs, 4);
    EXPECT_TRUE(result.shrunk);
    EXPECT_EQ(result.ended, "the runner is gone");
    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.error->code, "runner-gone");
}

TEST(Shrink, is_deterministic) {
    const auto run = [](std::vector<std::string>& log) {
        shrink([&](const Symbols& s, Regime r) {
            log.push_back(to_string(s) + " " + std::string(to_string(r)));
            return (s.at("M") * 7 + s.at("N") * 3 + s.at("K")) % 11 < 7;
        });
    };
    std::vector<std::string> first, second;
    run(first);
    run(second);
    EXPECT_EQ(first, second);
    EXPECT_FALSE(first.empty());
}

} // namespace
} // namespace kf
