// SPDX-License-Identifier: GPL-3.0-or-later
// The acceptance tests of the decision chain: whole comparisons through the real driver on the synthetic device. Seeds
// are fixed, so the figures are the same on every machine.
#include "core/measure/rates.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <string>

namespace kf {
namespace {

Rates rates_of(const RatesSettings& settings) {
    const Result<Rates> rates = measure_rates(settings);
    if (!rates) {
        ADD_FAILURE() << to_string(rates.error());
        return {};
    }
    const std::string text = dump_line(to_json(*rates));
    ::testing::Test::RecordProperty("rates", text);
    std::cout << text << '\n';
    return *rates;
}

RatesSettings settings_of(Level level, double speedup, int comparisons, std::uint64_t seed) {
    RatesSettings settings;
    settings.level = level;
    settings.comparisons = comparisons;
    settings.seed = seed;
    settings.device.speedup = speedup;
    return settings;
}

// A share of 2.5 % (5 %) plus two standard deviations of n trials.
void expect_no_more_false_verdicts_than_promised(const Rates& rates) {
    const double n = rates.n;
    EXPECT_LE(rates.share(rates.faster), 0.025 + 2 * std::sqrt(0.025 * 0.975 / n));
    EXPECT_LE(rates.share(rates.faster + rates.slower), 0.05 + 2 * std::sqrt(0.05 * 0.95 / n));
}

TEST(Rates, DuelOfEquals) {
    const Rates rates = rates_of(settings_of(Level::duel, 1, 2000, 1001));
    EXPECT_LE(rates.share(rates.faster), 0.032);
    EXPECT_LE(rates.share(rates.faster + rates.slower), 0.06);
    EXPECT_GE(rates.coverage(), 0.93);
    EXPECT_LE(rates.coverage(), 0.97);
}

TEST(Rates, ScreenOfEquals) {
    expect_no_more_false_verdicts_than_promised(rates_of(settings_of(Level::screen, 1, 2000, 1002)));
}

TEST(Rates, CertifyEquals) {
    const Rates rates = rates_of(settings_of(Level::certify, 1, 2000, 1003));
    EXPECT_LE(rates.share(rates.faster), 0.032);
    EXPECT_LE(rates.share(rates.faster + rates.slower), 0.06);
    EXPECT_GE(rates.coverage(), 0.93);
    EXPECT_LE(rates.coverage(), 0.97);
    EXPECT_LE(std::abs(rates.mean_log_error), 3 * rates.sd_log_error / std::sqrt(rates.n)); // no bias
}

TEST(Rates, CertifyFindsOnePercent) {
    const Rates rates = rates_of(settings_of(Level::certify, 1.01, 1000, 1004));
    EXPECT_GE(rates.share(rates.faster), 0.99);
    EXPECT_EQ(rates.slower, 0);
    EXPECT_GE(rates.coverage(), 0.93); // wider than needed when it ends at an early look
    const Rates other_way = rates_of(settings_of(Level::certify, 1 / 1.01, 500, 1005));
    EXPECT_GE(other_way.share(other_way.slower), 0.99);
    EXPECT_EQ(other_way.faster, 0);
}

TEST(Rates, CertifyFindsThreePermilleAtThreePermilleOfSpread) {
    const Rates rates = rates_of(settings_of(Level::certify, 1.003, 1000, 1006));
    EXPECT_NEAR(rates.mean_round_sd, 0.003, 0.0003);
    EXPECT_GE(rates.share(rates.faster), 0.95);
    EXPECT_GE(rates.coverage(), 0.93);
}

TEST(Rates, DuelCoversATrueDifference) {
    const Rates rates = rates_of(settings_of(Level::duel, 1.01, 2000, 1007));
    EXPECT_GE(rates.coverage(), 0.93);
    EXPECT_LE(rates.coverage(), 0.97);
}

struct Disturbance {
    const char* name;
    void (*apply)(SyntheticSettings&);
};

class Disturbed : public ::testing::TestWithParam<Disturbance> {};

TEST_P(Disturbed, NeverMoreFalseVerdictsThanPromised) {
    for (const Level level : {Level::duel, Level::certify}) {
        RatesSettings settings = settings_of(level, 1, level == Level::duel ? 600 : 300, 2000);
        GetParam().apply(settings.device);
        expect_no_more_false_verdicts_than_promised(rates_of(settings));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Rates, Disturbed,
    ::testing::Values(Disturbance{"spikes", [](SyntheticSettings& s) { s.spike_share = 0.2; }},
                      Disturbance{"bimodal", [](SyntheticSettings& s) { s.bimodal_slowdown = 0.1; }},
                      Disturbance{"ramp", [](SyntheticSettings& s) { s.ramp_per_s = 0.05; }},
                      Disturbance{"hot_champion", [](SyntheticSettings& s) { s.carry_after_champion = 0.03; }},
                      Disturbance{"hot_candidate", [](SyntheticSettings& s) { s.carry_after_candidate = 0.03; }},
                      Disturbance{"switching", [](SyntheticSettings& s) { s.switch_cost = 0.03; }},
                      Disturbance{"broken_times", [](SyntheticSettings& s) { s.broken_share = 0.05; }},
                      Disturbance{"broken_candidate",
                                  [](SyntheticSettings& s) {
                                      s.broken_share = 0.15;
                                      s.broken_champion = false;
                                  }},
                      Disturbance{"dropped_rounds", [](SyntheticSettings& s) { s.dropped_share = 0.15; }},
                      Disturbance{"quantised", [](SyntheticSettings& s) { s.tick_s = 0.5e-6; }},
                      Disturbance{"quantised_tiny",
                                  [](SyntheticSettings& s) {
                                      s.tick_s = 0.5e-6;
                                      s.champion_s = 5.24e-6;
                                  }},
                      Disturbance{"quantised_unknown",
                                  [](SyntheticSettings& s) {
                                      s.tick_s = 0.5e-6;
                                      s.champion_s = 10.24e-6;
                                      s.resolution_s = 0;
                                  }}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Rates, AllBrokenOrDroppedIsAlwaysInconclusive) {
    for (const Level level : {Level::screen, Level::duel, Level::certify})
        for (const bool broken : {true, false}) {
            RatesSettings settings = settings_of(level, 2, 20, 5);
            (broken ? settings.device.broken_share : settings.device.dropped_share) = 1;
            const Rates rates = rates_of(settings);
            EXPECT_EQ(rates.inconclusive, 20);
        }
}

// What twenty rounds of five processes are worth when a process keeps an offset of its own. The check on processes
// brings the false verdicts down to a third and cannot do more with five of them; a new process every round keeps the
// promise.
TEST(Rates, OffsetsThatOnlyANewProcessRedraws) {
    RatesSettings settings = settings_of(Level::certify, 1, 500, 3000);
    settings.device.placement_sd = 0;
    settings.device.process_sd = 0.002;
    const Rates shared = rates_of(settings);
    EXPECT_LE(shared.share(shared.wrong), 0.20); // 43 % without the check
    settings.rounds_per_process = 1;
    expect_no_more_false_verdicts_than_promised(rates_of(settings));
}

TEST(Rates, Report) {
    const Result<Json> report = rates_report(200, 42);
    ASSERT_TRUE(report);
    EXPECT_EQ((*report)["rows"].size(), 5u);
    EXPECT_TRUE((*report)["passed"].get<bool>()) << report->dump(1);
    int asked = 0;
    EXPECT_EQ(rates_report(200, 42, [&] { return ++asked > 10; }).error().code, "cancelled");
    EXPECT_EQ(measure_rates(settings_of(Level::promote, 1, 10, 1)).error().code, "settings-invalid");
    EXPECT_EQ(measure_rates(settings_of(Level::duel, 1, 0, 1)).error().code, "settings-invalid");
    EXPECT_EQ(measure_rates(settings_of(Level::duel, 0, 1, 1)).error().code, "settings-invalid");
}

} // namespace
} // namespace kf
