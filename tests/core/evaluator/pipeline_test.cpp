// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/evaluator/fake_device.h"

#include "core/evaluator/pipeline.h"

#include <gtest/gtest.h>
#include <set>

namespace kf::test {
namespace {

class PipelineTest : public ::testing::Test {
protected:
    PipelineTest() : goldens(fake_golden) {}

    EvaluateRequest request(const std::string& kernel) {
        EvaluateRequest made;
        auto task = parse_task(double_task, double_reference, "twice");
        EXPECT_TRUE(task) << (task ? "" : to_string(task.error()));
        made.task = *task;
        made.candidate = {fake_source(kernel), "candidate.cu", {}, "candidate"};
        return made;
    }
    EvaluationOutcome evaluate(const EvaluateRequest& made) {
        StopSignal stop(source.get_token(), deadline_after(30));
        PipelineServices services;
        services.device = &device;
        services.goldens = &goldens;
        services.progress = [&](const Json& event) { events.push_back(event); };
        return Pipeline(std::move(services), made, stop).run();
    }
    // The failure of a candidate that must be rejected.
    Failure rejected(const std::string& kernel) {
        auto outcome = evaluate(request(kernel));
        EXPECT_EQ(outcome.outcome, Outcome::failed) << outcome.what;
        if (!outcome.evaluation || !outcome.evaluation->failure)
            return {};
        EXPECT_FALSE(outcome.evaluation->accepted());
        return *outcome.evaluation->failure;
    }

    FakeDevice device;
    GoldenStore goldens;
    std::stop_source source;
    std::vector<Json> events;
};

TEST_F(PipelineTest, ACorrectCandidateIsAcceptedAndTimed) {
    const auto outcome = evaluate(request("right"));
    ASSERT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
    const Evaluation& evaluation = *outcome.evaluation;
    EXPECT_TRUE(evaluation.accepted());
    EXPECT_EQ(evaluation.verdict(), "verified");
    ASSERT_EQ(evaluation.timings.size(), 1u);
    EXPECT_NEAR(evaluation.timings[0].median, 1e-3, 1e-5);
    EXPECT_GE(evaluation.timings[0].samples, 9);
    EXPECT_FALSE(evaluation.cases.empty());
    for (const CaseReport& report : evaluation.cases)
        EXPECT_FALSE(report.held_out) << "held-out cases belong to the promotion stage";
    // Promotion is named as not checked, never as passed.
    EXPECT_EQ(evaluation.stages.back().stage, Stage::promote);
    EXPECT_EQ(evaluation.stages.back().outcome, StageReport::Outcome::not_checked);
}

TEST_F(PipelineTest, EveryStageIsToldAsItStartsAndEnds) {
    (void)evaluate(request("right"));
    int started = 0, ended = 0, cases = 0;
    for (const Json& event : events) {
        started += event["event"] == "stage_started";
        ended += event["event"] == "stage_ended";
        cases += event["event"] == "case";
    }
    EXPECT_EQ(started, 5);
    EXPECT_EQ(ended, 6); // promote is skipped, and that is told
    EXPECT_GE(cases, 3);
}

TEST_F(PipelineTest, WrongAnswersAreRejectedWithPlaceAndSmallestCase) {
    const Failure failure = rejected("wrong_tail");
    EXPECT_EQ(failure.failure, FailureClass::mismatch);
    EXPECT_EQ(failure.place, "out");
    ASSERT_TRUE(failure.failing_case);
    EXPECT_FALSE(failure.failing_case->comparisons.empty());
    EXPECT_EQ(failure.failing_case->symbols.at("N"), 1); // smallest case first
}

TEST_F(PipelineTest, UnwrittenElementsAreNamed) {
    const Failure failure = rejected("no_tail");
    EXPECT_EQ(failure.failure, FailureClass::unwritten);
    EXPECT_EQ(failure.place, "out");
}

TEST_F(PipelineTest, TwoRunsMustAgree) {
    const Failure failure = rejected("racy");
    EXPECT_EQ(failure.failure, FailureClass::unstable);
    EXPECT_EQ(failure.pattern, Pattern::unstable);
}

TEST_F(PipelineTest, ARaceNamedByTheSanitizerBecomesTheClass) {
    SanitizerFinding finding;
    finding.tool = "ThreadSanitizer";
    finding.kind = "data race";
    finding.place = Place{"candidate.cu", 7, 3};
    device.findings = {finding};
    const Failure failure = rejected("racy");
    EXPECT_EQ(failure.failure, FailureClass::race);
    EXPECT_EQ(failure.place, "line:7");
    EXPECT_EQ(failure.source.line, 7);
}

TEST_F(PipelineTest, AnAdvisoryFindingChangesNoClass) {
    SanitizerFinding finding;
    finding.tool = "ThreadSanitizer";
    finding.kind = "data race";
    finding.place = Place{"candidate.cu", 7, 3};
    finding.advisory = true;
    device.findings = {finding};
    EXPECT_EQ(rejected("racy").failure, FailureClass::unstable);
}

TEST_F(PipelineTest, ARightAnswerThatReadsOutOfBoundsIsNotCertified) {
    SanitizerFinding finding;
    finding.tool = "AddressSanitizer";
    finding.kind = "use-after-poison";
    finding.place = Place{"candidate.cu", 9, 1};
    device.findings = {finding};
    EvaluateRequest made = request("right");
    EXPECT_EQ(evaluate(made).outcome, Outcome::verdict) << "a screen is to be quick";
    made.level = Level::certify;
    const auto outcome = evaluate(made);
    ASSERT_EQ(outcome.outcome, Outcome::failed);
    EXPECT_EQ(outcome.evaluation->failure->failure, FailureClass::out_of_bounds);
    EXPECT_EQ(outcome.evaluation->failure->place, "line:9");
}

TEST_F(PipelineTest, ACrashIsShrunkToTheSmallestCaseThatStillCrashes) {
    const Failure failure = rejected("crashes");
    EXPECT_EQ(failure.failure, FailureClass::crash);
    ASSERT_TRUE(failure.shrunk);
    EXPECT_GT(failure.shrunk->symbols.at("N"), 30);
    EXPECT_LE(failure.shrunk->symbols.at("N"), 37);
}

TEST_F(PipelineTest, RightWhileVerifiedButWrongWhileTimed) {
    const Failure failure = rejected("lazy");
    EXPECT_EQ(failure.stage, Stage::measure);
    EXPECT_EQ(failure.failure, FailureClass::after_timing);
}

TEST_F(PipelineTest, HeldOutCasesRunOnlyWhenAskedFor) {
    EXPECT_EQ(evaluate(request("cold")).outcome, Outcome::verdict);
    EvaluateRequest made = request("cold");
    made.include_held_out = true;
    const auto outcome = evaluate(made);
    ASSERT_EQ(outcome.outcome, Outcome::failed);
    EXPECT_FALSE(outcome.evaluation->failure->shrunk) << "a held-out case must not be shown, not even smaller";
}

TEST_F(PipelineTest, FasterAndSlowerAgainstAChampion) {
    EvaluateRequest made = request("fast");
    made.against = ContenderSource{fake_source("right"), "champion.cu", {}, "champion"};
    made.level = Level::certify;
    auto outcome = evaluate(made);
    ASSERT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
    EXPECT_EQ(outcome.evaluation->verdict(), "faster");
    EXPECT_NEAR(outcome.evaluation->duel->decision.interval.estimate, 1.25, 0.02);
    std::swap(made.candidate.source, made.against->source);
    outcome = evaluate(made);
    ASSERT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
    EXPECT_EQ(outcome.evaluation->verdict(), "slower");
}

// The decision rule calls one equal kernel in forty *faster* (2.5 % one-sided over its three looks), so one duel proves
// nothing. Of 60 it is 1.5 on average, and nine or more once in 50,000 such tests; a champion is made of none.
TEST_F(PipelineTest, AgainstItselfAKernelIsRarelyFasterAndNeverAChampion) {
    EvaluateRequest made = request("right");
    made.against = ContenderSource{made.candidate.source, "champion.cu", {}, "champion"};
    made.level = Level::certify;
    int called_faster = 0;
    for (int duel = 0; duel < 60; ++duel) {
        const auto outcome = evaluate(made);
        ASSERT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
        const Decision& decision = outcome.evaluation->duel->decision;
        called_faster += outcome.evaluation->verdict() == "faster";
        EXPECT_FALSE(may_become_champion(decision, decision.delta)) << decision.interval.estimate;
    }
    EXPECT_LE(called_faster, 8);
}

TEST_F(PipelineTest, AChampionThatTurnsWrongIsNotTheCandidatesFault) {
    EvaluateRequest made = request("right");
    made.against = ContenderSource{fake_source("lazy"), "champion.cu", {}, "champion"};
    EXPECT_EQ(evaluate(made).outcome, Outcome::infrastructure);
    made.against = ContenderSource{fake_source("broken"), "champion.cu", {}, "champion"};
    EXPECT_EQ(evaluate(made).outcome, Outcome::infrastructure);
}

TEST_F(PipelineTest, CompileErrorsAndSyntaxErrorsNameTheirLine) {
    Failure failure = rejected("broken");
    EXPECT_EQ(failure.failure, FailureClass::compile);
    EXPECT_EQ(failure.place, "line:1");
    EvaluateRequest made = request("right");
    made.candidate.source = "__global__ void k(float* out) {}\n#pragma kf launhc k<<<1, 1>>>(out)\n";
    const auto outcome = evaluate(made);
    ASSERT_EQ(outcome.outcome, Outcome::failed);
    EXPECT_EQ(outcome.evaluation->failure->failure, FailureClass::parse);
    EXPECT_EQ(outcome.evaluation->failure->place, "line:2");
}

TEST_F(PipelineTest, InfrastructureAndCancellationAreNoFailures) {
    auto outcome = evaluate(request("no_process"));
    EXPECT_EQ(outcome.outcome, Outcome::infrastructure);
    EXPECT_TRUE(outcome.retry_sensible);
    source.request_stop();
    EXPECT_EQ(evaluate(request("right")).outcome, Outcome::cancelled);
}

TEST_F(PipelineTest, WithoutASandboxAModelsCandidateIsNotRun) {
    device.untrusted_refused = true;
    EvaluateRequest made = request("right");
    made.author = "model";
    EXPECT_EQ(evaluate(made).outcome, Outcome::infrastructure);
    EXPECT_EQ(device.compiles, 0);
    made.author = "human";
    EXPECT_EQ(evaluate(made).outcome, Outcome::verdict);
}

TEST_F(PipelineTest, ForgedInputsAreAnInfrastructureFault) {
    GoldenStore other([](const Task& task, const TaskCase& task_case, std::uint64_t seed, StopSignal& stop) {
        auto golden = fake_golden(task, task_case, seed, stop);
        golden->input_checksums[0] ^= 1;
        return golden;
    });
    StopSignal stop(source.get_token(), deadline_after(30));
    PipelineServices services;
    services.device = &device;
    services.goldens = &other;
    services.progress = [](const Json&) {};
    const EvaluateRequest made = request("right");
    EXPECT_EQ(Pipeline(std::move(services), made, stop).run().outcome, Outcome::infrastructure);
}

TEST_F(PipelineTest, FirstCasesAndTheRestAreAllOfThem) {
    const auto labels = [&](CaseChoice choice) {
        EvaluateRequest made = request("right");
        made.cases = choice;
        made.measure = choice != CaseChoice::rest;
        const auto outcome = evaluate(made);
        EXPECT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
        std::multiset<std::string> seen;
        for (const CaseReport& report : outcome.evaluation->cases)
            seen.insert(to_string(report.symbols) + " " + std::string(to_string(report.regime)));
        const auto all = cases_for(made.task, "cpu", false);
        EXPECT_EQ(outcome.evaluation->cases_total, static_cast<int>(all.size()));
        EXPECT_EQ(outcome.evaluation->timings.empty(), choice == CaseChoice::rest);
        return seen;
    };
    const auto all = labels(CaseChoice::all);
    ASSERT_GT(all.size(), 2u);
    auto joined = labels(CaseChoice::first);
    EXPECT_EQ(joined.size(), 2u);
    joined.merge(labels(CaseChoice::rest));
    EXPECT_EQ(joined, all);
}

TEST_F(PipelineTest, CompiledOnlyNothingRuns) {
    EvaluateRequest made = request("right");
    made.compile_only = true;
    const auto outcome = evaluate(made);
    ASSERT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
    EXPECT_FALSE(outcome.evaluation->accepted()) << "nothing says that it is right";
    EXPECT_TRUE(outcome.evaluation->cases.empty());
    EXPECT_EQ(device.compiles, 1);
    std::vector<Stage> passed;
    for (const StageReport& report : outcome.evaluation->stages)
        if (report.outcome == StageReport::Outcome::passed)
            passed.push_back(report.stage);
    EXPECT_EQ(passed, (std::vector<Stage>{Stage::parse, Stage::compile, Stage::inspect}));
}

TEST_F(PipelineTest, OthersMayUseTheDeviceBetweenCasesAndRounds) {
    StopSignal stop(source.get_token(), deadline_after(30));
    EvaluateRequest made = request("right");
    made.against = ContenderSource{fake_source("right"), "champion.cu", {}, "champion"};
    int between = 0;
    PipelineServices services;
    services.device = &device;
    services.goldens = &goldens;
    services.progress = [](const Json&) {};
    services.between = [&] { ++between; };
    const auto outcome = Pipeline(std::move(services), made, stop).run();
    ASSERT_EQ(outcome.outcome, Outcome::verdict) << outcome.what;
    EXPECT_EQ(between, static_cast<int>(outcome.evaluation->cases.size()) + 6) << "after every case and every round";
}

TEST_F(PipelineTest, GoldensMadeAheadAreTakenOnce) {
    const EvaluateRequest made = request("right");
    goldens.expect(made.task, {{made.task.cases[0], 3}});
    goldens.allow(true);
    StopSignal stop(source.get_token(), deadline_after(30));
    std::set<std::uint64_t> seeds;
    for (int i = 0; i < 6; ++i) {
        auto golden = goldens.take(made.task, made.task.cases[0], stop);
        ASSERT_TRUE(golden);
        EXPECT_TRUE(seeds.insert(golden->seed).second) << "a seed was used twice";
    }
}

} // namespace
} // namespace kf::test
