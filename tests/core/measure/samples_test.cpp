// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/samples.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kf {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

EvaluationSamples example() {
    SizeSamples size{"m=4096", "event", "cold", 2e-6, 5e-7, {}};
    size.rounds.push_back({{1.25e-4, 1e-4, Arm::champion, Drop::none},
                           {1.5e-4, 1.1e-4, Arm::candidate, Drop::starved},
                           {1.75e-4, kNan, Arm::candidate, Drop::none}});
    size.rounds.push_back({{2e-4, 1.2e-4, Arm::champion, Drop::none}});
    return {{size}};
}

TEST(Samples, Summary) {
    std::vector<double> seconds{kNan, 0, -1};
    for (int i = 1; i <= 101; ++i)
        seconds.push_back(i * 1e-6);
    const SampleSummary s = summarise(seconds);
    EXPECT_EQ(s.n, 101);
    EXPECT_EQ(s.invalid, 3);
    EXPECT_NEAR(s.median_s, 51e-6, 1e-15);
    EXPECT_NEAR(s.iqr_s, 50e-6, 1e-15);
    EXPECT_NEAR(s.p90_s, 91e-6, 1e-15);
    EXPECT_NEAR(s.p99_s, 100e-6, 1e-15);
    EXPECT_NEAR(s.cv, std::sqrt(101 * 102 / 12.0) / 51, 1e-9);
    EXPECT_EQ(summarise({}).n, 0);
    EXPECT_EQ(summarise(std::vector<double>{1e-6}).cv, 0);
}

TEST(Samples, TimesLeaveDroppedPairsOut) {
    const SizeSamples size = example().sizes[0];
    EXPECT_EQ(size.times(Arm::champion), (std::vector<double>{1.25e-4, 1.75e-4, 2e-4}));
    EXPECT_EQ(size.summary(Arm::candidate).n, 2);
    EXPECT_EQ(size.summary(Arm::candidate).invalid, 1);
}

TEST(Samples, AtFloor) {
    SizeSamples size = example().sizes[0];
    EXPECT_FALSE(size.at_floor(Arm::champion));
    size.floor_s = 1e-4;
    EXPECT_TRUE(size.at_floor(Arm::champion));
    size.floor_s = 0; // unknown
    EXPECT_FALSE(size.at_floor(Arm::champion));
}

TEST(SamplesJson, ComesBack) {
    const Json json = to_json(example());
    const Result<EvaluationSamples> back = samples_from_json(json);
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_EQ(to_json(*back), json);
    const auto& round = back->sizes[0].rounds[0];
    EXPECT_EQ(round[0].champion_s, 1.25e-4);
    EXPECT_EQ(round[1].first, Arm::candidate);
    EXPECT_EQ(round[1].drop, Drop::starved);
    EXPECT_TRUE(std::isnan(round[2].candidate_s));
    EXPECT_EQ(json["sizes"][0]["rounds"][0]["order"], "ABB");
}

TEST(SamplesJson, BadInput) {
    EXPECT_FALSE(samples_from_json(Json::array()));
    const auto broken = [](auto change) {
        Json json = to_json(example());
        change(json);
        return !samples_from_json(json).ok();
    };
    EXPECT_FALSE(broken([](Json&) {}));
    EXPECT_TRUE(broken([](Json& j) { j["version"] = 2; }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"] = 1; }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"][0].erase("rounds"); }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"][0]["rounds"][0]["order"] = "AB"; }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"][0]["rounds"][0]["order"] = "ABC"; }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"][0]["rounds"][0]["champion_s"].push_back(1); }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"][0]["rounds"][0]["drops"] = {{7, "starved"}}; }));
    EXPECT_TRUE(broken([](Json& j) { j["sizes"][0]["rounds"][0]["drops"] = "all"; }));
}

} // namespace
} // namespace kf
