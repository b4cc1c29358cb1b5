// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/driver.h"
#include "core/measure/synthetic_device.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kf {
namespace {

SyntheticSettings device_of(double speedup, std::uint64_t seed = 7) {
    SyntheticSettings settings;
    settings.speedup = speedup;
    settings.seed = seed;
    return settings;
}

TEST(Driver, DuelFindsTheFasterOneEitherWay) {
    for (const double speedup : {1.05, 1 / 1.05}) {
        SyntheticDevice device(device_of(speedup));
        const Result<RunOutcome> outcome = run_duel(device, {});
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->decision.verdict, speedup > 1 ? Ratio::faster : Ratio::slower);
        EXPECT_NEAR(outcome->decision.interval.estimate, speedup, 0.006);
        EXPECT_EQ(outcome->rounds.size(), 6u);
        EXPECT_EQ(outcome->pairs_per_round[0], 32);
        EXPECT_EQ(device.processes(), 1); // one warm process
        EXPECT_LE(outcome->device_seconds, 1.5);
        ASSERT_EQ(outcome->samples.sizes[0].rounds.size(), 6u);
        EXPECT_EQ(outcome->samples.sizes[0].timer, "synthetic");
    }
}

TEST(Driver, SameSeedSameOutcome) {
    CertifySettings settings;
    settings.seed = 3;
    SyntheticDevice one(device_of(1.004));
    SyntheticDevice two(device_of(1.004));
    const Result<RunOutcome> a = run_certify(one, settings);
    const Result<RunOutcome> b = run_certify(two, settings);
    EXPECT_EQ(to_json(a->decision), to_json(b->decision));
    EXPECT_EQ(to_json(a->samples), to_json(b->samples));
}

TEST(Driver, TheRecordedSamplesGiveTheRoundsAgain) {
    SyntheticDevice device(device_of(1.02));
    const Result<RunOutcome> outcome = run_duel(device, {});
    for (std::size_t i = 0; i < outcome->rounds.size(); ++i) {
        EXPECT_NEAR(make_round(outcome->samples.sizes[0].rounds[i]).log_ratio, outcome->rounds[i].log_ratio, 1e-12);
        const auto order = pair_order(outcome->pairs_per_round[0], outcome->rounds[i].order_seed);
        EXPECT_EQ(outcome->samples.sizes[0].rounds[i][0].first, order[0]);
    }
}

TEST(Driver, CertifyTakesANewProcessEveryFourRounds) {
    SyntheticDevice device(device_of(1));
    const Result<RunOutcome> outcome = run_certify(device, {});
    ASSERT_EQ(outcome->rounds.size(), 20u);
    EXPECT_EQ(device.processes(), 5);
    EXPECT_EQ(outcome->rounds[3].process, 0);
    EXPECT_EQ(outcome->rounds[4].process, 1);
}

TEST(Driver, FutilityCostsOneRound) {
    SyntheticDevice device(device_of(1 / 1.2));
    const Result<RunOutcome> outcome = run_duel(device, {});
    EXPECT_EQ(outcome->decision.reason, Reason::first_round_slower);
    EXPECT_EQ(device.rounds(), 1);
}

TEST(Driver, PairsFollowTheTimeOfOne) {
    const CertifySettings settings;
    EXPECT_EQ(pairs_that_fit(1e-3, settings), 32);
    EXPECT_EQ(pairs_that_fit(0.1, settings), 10);
    EXPECT_EQ(pairs_that_fit(0.09, settings), 10); // 11 made even
    EXPECT_EQ(pairs_that_fit(10, settings), 8);
    EXPECT_EQ(pairs_that_fit(1e-12, settings), 32);
    SyntheticSettings slow = device_of(1);
    slow.champion_s = 0.05;
    SyntheticDevice device(slow);
    const Result<RunOutcome> outcome = run_certify(device, {});
    EXPECT_GE(outcome->pairs_per_round[0], 8);
    EXPECT_LE(outcome->device_seconds, 90);
    EXPECT_NE(outcome->decision.reason, Reason::budget);
}

TEST(Driver, ABudgetThatIsTooSmallIsToldBeforeARoundIsTimed) {
    SyntheticSettings slow = device_of(2);
    slow.champion_s = 1;
    SyntheticDevice device(slow);
    const Result<RunOutcome> outcome = run_duel(device, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->decision.verdict, Ratio::inconclusive);
    EXPECT_EQ(outcome->decision.reason, Reason::budget);
    EXPECT_EQ(outcome->device_seconds, 0);
}

TEST(Driver, ABudgetThatRunsOutEndsInconclusive) {
    SyntheticDevice device(device_of(1));
    CertifySettings settings;
    settings.budget_s = 0.2; // the first look is 0.115 s away
    const Result<RunOutcome> outcome = run_certify(device, settings);
    EXPECT_EQ(outcome->decision.reason, Reason::budget);
    EXPECT_GE(outcome->rounds.size(), 6u);
    EXPECT_LE(outcome->device_seconds, 0.2);
}

TEST(Driver, CancelStopsAtTheNextCall) {
    SyntheticDevice device(device_of(1));
    DuelSettings settings;
    int rounds = 0;
    settings.on_round = [&](const RoundProgress& progress) {
        ++rounds;
        EXPECT_EQ(progress.rounds_done, rounds);
        EXPECT_EQ(progress.next_look, 6);
        ASSERT_NE(progress.round, nullptr);
        EXPECT_EQ(progress.round->pairs, 32);
    };
    settings.cancelled = [&] { return rounds == 2; };
    const Result<RunOutcome> outcome = run_duel(device, settings);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, "cancelled");
    EXPECT_EQ(device.rounds(), 2);
}

TEST(Driver, DroppedRoundsAreReplacedUpToAQuarter) {
    SyntheticSettings settings = device_of(1.05);
    settings.dropped_share = 1;
    SyntheticDevice device(settings);
    const Result<RunOutcome> outcome = run_certify(device, {});
    EXPECT_EQ(outcome->decision.reason, Reason::too_many_dropped);
    EXPECT_EQ(device.rounds(), 7);
    EXPECT_EQ(outcome->decision.dropped, 7);
}

// A source that misbehaves in a chosen way.
class BadSource : public RoundSource {
public:
    enum class Fault { wrong_count, wrong_order, no_estimate, fails_to_begin, fails_in_pairs, fails_to_end };
    explicit BadSource(Fault fault) : m_fault(fault) {}

protected:
    Status do_begin_round(const RoundRequest&) override {
        return m_fault == Fault::fails_to_begin ? Status(make_error("device-lost", "gone")) : Status();
    }
    Result<std::vector<PairSample>> do_time_pairs(std::span<const Arm> order) override {
        if (m_fault == Fault::fails_in_pairs)
            return make_error("device-lost", "gone");
        std::vector<PairSample> pairs;
        for (const Arm first : order)
            pairs.push_back({1e-4, 1e-4, m_fault == Fault::wrong_order ? other(first) : first, Drop::none});
        if (m_fault == Fault::wrong_count)
            pairs.pop_back();
        return pairs;
    }
    Result<RoundEnd> do_end_round() override {
        if (m_fault == Fault::fails_to_end)
            return make_error("device-lost", "gone");
        return RoundEnd{};
    }
    Result<double> do_estimate_pair_seconds() override {
        return m_fault == Fault::no_estimate ? std::numeric_limits<double>::quiet_NaN() : 1e-3;
    }
    double do_device_seconds() const override { return 0; }
    TimerFacts do_facts() const override { return {"none", "cpu", 0, 0}; }

private:
    Fault m_fault;
};

TEST(Driver, ABrokenSourceIsAnErrorNotAVerdict) {
    using Fault = BadSource::Fault;
    const std::vector<std::pair<Fault, std::string>> cases{
        {Fault::wrong_count, "source-broken"},    {Fault::wrong_order, "source-broken"},
        {Fault::no_estimate, "estimate-invalid"}, {Fault::fails_to_begin, "device-lost"},
        {Fault::fails_in_pairs, "device-lost"},   {Fault::fails_to_end, "device-lost"}};
    for (const auto& [fault, code] : cases) {
        BadSource source(fault);
        const Result<RunOutcome> outcome = run_duel(source, {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, code);
    }
}

TEST(Driver, BadSettings) {
    SyntheticDevice device(device_of(1));
    const auto refused = [&](auto change) {
        DuelSettings settings;
        change(settings);
        const auto outcome = run_duel(device, settings);
        return !outcome.ok() && outcome.error().code == "settings-invalid";
    };
    EXPECT_TRUE(refused([](ComparisonSettings& s) { s.budget_s = 0; }));
    EXPECT_TRUE(refused([](ComparisonSettings& s) { s.round_s = std::nan(""); }));
    EXPECT_TRUE(refused([](ComparisonSettings& s) { s.fewest_pairs = 0; }));
    EXPECT_TRUE(refused([](ComparisonSettings& s) { s.pairs = 1; }));
    EXPECT_TRUE(refused([](ComparisonSettings& s) { s.rounds_per_process = -1; }));
    EXPECT_TRUE(refused([](ComparisonSettings& s) { s.delta.value = 0; }));
    EXPECT_EQ(run_sizes({{Size{"a", 1}, nullptr}}, Level::duel, DuelSettings()).error().code, "settings-invalid");
    EXPECT_EQ(run_sizes({}, Level::duel, DuelSettings()).error().code, "sizes-invalid");
}

TEST(Driver, SeveralSizesAreMeasuredTogether) {
    SyntheticDevice small(device_of(1.03, 1));
    SyntheticDevice large(device_of(1.01, 2));
    int reports = 0;
    CertifySettings settings;
    settings.on_round = [&](const RoundProgress&) { ++reports; };
    const Result<RunOutcome> outcome =
        run_sizes({{{"small", 1}, &small}, {{"large", 3}, &large}}, Level::certify, settings);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->decision.verdict, Ratio::faster);
    EXPECT_NEAR(outcome->decision.interval.estimate, std::pow(1.03, 0.25) * std::pow(1.01, 0.75), 0.005);
    EXPECT_EQ(outcome->sizes.size(), 2u);
    EXPECT_EQ(outcome->sizes[0].rounds.size(), outcome->sizes[1].rounds.size());
    EXPECT_EQ(static_cast<std::size_t>(reports), outcome->rounds.size());
    EXPECT_EQ(outcome->samples.sizes[1].size, "large");
}

TEST(Driver, OrderDependenceOfADeviceIsFound) {
    SyntheticSettings settings = device_of(1);
    settings.switch_cost = 0.03;
    SyntheticDevice device(settings);
    const Result<RunOutcome> outcome = run_certify(device, {});
    EXPECT_TRUE(outcome->decision.order_dependent);
    EXPECT_NEAR(outcome->decision.order_effect, -0.06, 0.006);
    EXPECT_NEAR(outcome->decision.interval.estimate, 1, 0.004);
}

} // namespace
} // namespace kf
