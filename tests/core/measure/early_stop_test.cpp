// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/early_stop.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace kf {
namespace {

using O = TurnOutcome;

std::string stop_after(const std::vector<O>& outcomes, TurnAuthor author = TurnAuthor::model) {
    EarlyStop stop{StopSettings{}};
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        if (const auto reason = stop.after_turn(author, outcomes[i], {}))
            return std::string(to_string(reason->reason)) + " after " + std::to_string(i + 1);
    return "goes on";
}

TEST(EarlyStop, TwoVerifiedTurnsInARow) {
    EXPECT_EQ(stop_after({O::not_faster}), "goes on");
    EXPECT_EQ(stop_after({O::not_faster, O::not_faster}), "no-progress after 2");
    EXPECT_EQ(stop_after({O::not_faster, O::faster, O::not_faster}), "goes on");
    EXPECT_EQ(stop_after({O::not_faster, O::faster, O::not_faster, O::not_faster}), "no-progress after 4");
    EXPECT_EQ(stop_after({O::not_faster, O::failed, O::not_faster}), "no-progress after 3"); // verified ones in a row
    EXPECT_EQ(stop_after({O::not_faster, O::infrastructure, O::not_faster}), "no-progress after 3");
}

TEST(EarlyStop, FourFailuresInARow) {
    EXPECT_EQ(stop_after({O::failed, O::failed, O::failed}), "goes on");
    EXPECT_EQ(stop_after({O::failed, O::failed, O::failed, O::failed}), "failures after 4");
    EXPECT_EQ(stop_after({O::failed, O::failed, O::failed, O::faster, O::failed}), "goes on");
    EXPECT_EQ(stop_after({O::failed, O::failed, O::failed, O::not_faster, O::failed}), "goes on");
    EXPECT_EQ(stop_after({O::failed, O::infrastructure, O::failed, O::failed, O::infrastructure, O::failed}),
              "failures after 6");
}

TEST(EarlyStop, HumansTunersAndInfrastructureCountForNeither) {
    for (const TurnAuthor author : {TurnAuthor::human, TurnAuthor::tuner}) {
        EXPECT_EQ(stop_after(std::vector<O>(20, O::not_faster), author), "goes on");
        EXPECT_EQ(stop_after(std::vector<O>(20, O::failed), author), "goes on");
    }
    EXPECT_EQ(stop_after(std::vector<O>(20, O::infrastructure)), "goes on");
    EarlyStop stop{StopSettings{}};
    stop.after_turn(TurnAuthor::model, O::not_faster, {});
    stop.after_turn(TurnAuthor::human, O::faster, {}); // does not break the streak either
    EXPECT_EQ(stop.not_faster_streak(), 1);
    EXPECT_EQ(stop_after({O::not_faster, O::not_faster}, TurnAuthor::file), "no-progress after 2");
}

TEST(EarlyStop, Reachable) {
    EarlyStop stop{StopSettings{}};
    EXPECT_FALSE(stop.at_champion(1e-3, 0.949e-3));
    for (const double unknown : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_FALSE(stop.at_champion(1e-3, unknown));
        EXPECT_FALSE(stop.at_champion(unknown, 1e-3));
    }
    const auto reason = stop.at_champion(1e-3, 0.951e-3);
    ASSERT_TRUE(reason);
    EXPECT_EQ(reason->reason, StopReason::reachable);
    EXPECT_NE(reason->text.find("95.1 %"), std::string::npos);
    stop.resume(); // somebody wants more: not stopped again for the same
    EXPECT_FALSE(stop.at_champion(1e-3, 0.951e-3));
}

TEST(EarlyStop, Budgets) {
    StopSettings settings;
    settings.turns = 10;
    settings.seconds = 100;
    settings.device_seconds = 50;
    settings.tokens = 1000;
    settings.money = 2.5;
    const auto reason_of = [&](Usage usage) {
        const auto stop = EarlyStop(settings).check_budgets(usage);
        return stop ? std::string(to_string(stop->reason)) : std::string("none");
    };
    EXPECT_EQ(reason_of({9, 99, 49, 999, 2.49}), "none");
    EXPECT_EQ(reason_of({10, 0, 0, 0, 0}), "turns");
    EXPECT_EQ(reason_of({0, 100, 0, 0, 0}), "seconds");
    EXPECT_EQ(reason_of({0, 0, 51, 0, 0}), "device-seconds");
    EXPECT_EQ(reason_of({0, 0, 0, 1000, 0}), "tokens");
    EXPECT_EQ(reason_of({0, 0, 0, 0, 2.5}), "money");
    EXPECT_EQ(reason_of({0, 0, 0, 0, std::nan("")}), "usage-unknown");
    settings = StopSettings{}; // 0 = no limit
    EXPECT_EQ(reason_of({1000000, 1e9, 1e9, 1000000000, std::nan("")}), "none");
}

TEST(EarlyStop, TheFirstReasonStaysUntilResumed) {
    StopSettings settings;
    settings.turns = 5;
    EarlyStop stop(settings);
    stop.after_turn(TurnAuthor::model, O::not_faster, {1, 0, 0, 0, 0});
    stop.after_turn(TurnAuthor::model, O::not_faster, {2, 0, 0, 0, 0});
    EXPECT_EQ(stop.check_budgets({9, 0, 0, 0, 0})->reason, StopReason::no_progress);
    EXPECT_EQ(stop.after_turn(TurnAuthor::model, O::faster, {3, 0, 0, 0, 0})->reason, StopReason::no_progress);
    stop.resume();
    EXPECT_FALSE(stop.after_turn(TurnAuthor::model, O::not_faster, {4, 0, 0, 0, 0}));
    const auto budget = stop.check_budgets({5, 0, 0, 0, 0}); // budgets are not resumed
    ASSERT_TRUE(budget);
    EXPECT_EQ(
        to_json(*budget),
        (Json{
            {"reason", "turns"}, {"text", "the budget of turns is used up: 5 of 5"}, {"value", 5.0}, {"limit", 5.0}}));
}

TEST(EarlyStop, LimitsCanBeSetAndSwitchedOff) {
    StopSettings settings;
    settings.not_faster_limit = 0;
    settings.failed_limit = 1;
    EarlyStop stop(settings);
    for (int i = 0; i < 10; ++i)
        EXPECT_FALSE(stop.after_turn(TurnAuthor::model, O::not_faster, {}));
    EXPECT_TRUE(stop.after_turn(TurnAuthor::model, O::failed, {}));
}

TEST(EarlyStop, BadSettings) {
    EXPECT_TRUE(check(StopSettings{}));
    const auto refused = [](auto change) {
        StopSettings settings;
        change(settings);
        return !check(settings).ok();
    };
    EXPECT_TRUE(refused([](StopSettings& s) { s.not_faster_limit = -1; }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.failed_limit = -1; }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.turns = -1; }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.tokens = -1; }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.money = std::nan(""); }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.seconds = std::numeric_limits<double>::infinity(); }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.device_seconds = -1; }));
    EXPECT_TRUE(refused([](StopSettings& s) { s.reachable_share = 1.5; }));
}

} // namespace
} // namespace kf
