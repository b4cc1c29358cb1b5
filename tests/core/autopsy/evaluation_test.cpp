// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/autopsy/evaluations.h"

#include <gtest/gtest.h>

namespace kf::test {
namespace {

TEST(Evaluation, round_trips_through_text) {
    Evaluation evaluation = correct_evaluation();
    evaluation.failure = failure_of(FailureClass::after_timing);
    evaluation.samples = Json{{"arm", {1.5, 2.5}}};
    const std::string text = dump_line(to_json(evaluation));
    const auto back = evaluation_from_json(*parse_json(text, "test"));
    ASSERT_TRUE(back.ok()) << to_string(back.error());
    EXPECT_EQ(dump_line(to_json(*back)), text);
    EXPECT_EQ(back->tunables, evaluation.tunables);
    EXPECT_EQ(back->duel->decision.verdict, Ratio::slower);
    EXPECT_EQ(back->duel->sizes.at(0).first, "cpu");
    EXPECT_EQ(back->duel->against_timings.size(), 1u);
    EXPECT_EQ(back->timings.at(0).symbols, evaluation.timings.at(0).symbols);
    EXPECT_EQ(back->skipped, evaluation.skipped);
    EXPECT_EQ(back->failure->failure, FailureClass::after_timing);

    Json newer = to_json(evaluation);
    newer["energy"] = 3;
    EXPECT_TRUE(evaluation_from_json(newer).ok());
}

TEST(Evaluation, wrong_fields_are_named) {
    const std::pair<const char*, Json> table[] = {{"/level", "medium"},          {"/tunables/BLOCK", "256"},
                                                  {"/stages/0/stage", "baking"}, {"/cases", 3},
                                                  {"/timings/0/samples", 0.5},   {"/duel/decision", nullptr},
                                                  {"/duel/sizes", "all"},        {"/flags/0", 1},
                                                  {"/cases_total", "many"},      {"/duel/decision/verdict", "winner"}};
    for (const auto& [pointer, value] : table) {
        Json json = to_json(correct_evaluation());
        json[Json::json_pointer(pointer)] = value;
        EXPECT_FALSE(evaluation_from_json(json).ok()) << pointer;
    }
    for (const Json& other : {Json(), Json("x"), Json::array()}) {
        EXPECT_FALSE(evaluation_from_json(other).ok());
        EXPECT_FALSE(evaluation_outcome_from_json(other).ok());
    }
}

TEST(Evaluation, accepted_and_verdict) {
    Evaluation evaluation = correct_evaluation();
    EXPECT_TRUE(evaluation.accepted()); // slower, yet right
    EXPECT_EQ(evaluation.verdict(), "slower");
    evaluation.duel.reset();
    EXPECT_EQ(evaluation.verdict(), "verified");
    evaluation.failure = failure_of(FailureClass::suspect);
    EXPECT_FALSE(evaluation.accepted());
    EXPECT_EQ(evaluation.verdict(), "suspect");
    evaluation.failure = failure_of(FailureClass::out_of_bounds);
    EXPECT_EQ(evaluation.verdict(), "out-of-bounds");

    Evaluation wrong = correct_evaluation(); // no failure recorded, but a case did not pass
    wrong.cases.at(0).passed = false;
    EXPECT_FALSE(wrong.accepted());
    Evaluation compiled = correct_evaluation(); // never verified
    std::erase_if(compiled.stages, [](const StageReport& report) { return report.stage == Stage::verify; });
    EXPECT_FALSE(compiled.accepted());
    EXPECT_EQ(compiled.verdict(), "not-verified");
    Evaluation skipped = correct_evaluation();
    for (StageReport& report : skipped.stages)
        if (report.stage == Stage::verify)
            report.outcome = StageReport::Outcome::skipped;
    EXPECT_FALSE(skipped.accepted());
    EXPECT_FALSE(Evaluation{}.accepted());
}

TEST(Outcome, kinds_hold_what_they_need) {
    EvaluationOutcome verdict{Outcome::verdict, correct_evaluation(), {}, false};
    EvaluationOutcome broken{Outcome::infrastructure, std::nullopt, "the oracle died", true};
    for (const EvaluationOutcome& outcome : {verdict, broken}) {
        const Json json = to_json(outcome);
        const auto back = evaluation_outcome_from_json(json);
        ASSERT_TRUE(back.ok());
        EXPECT_EQ(to_json(*back), json);
    }
    EXPECT_TRUE(evaluation_outcome_from_json(to_json(broken))->retry_sensible);
    Json json = to_json(verdict);
    json["outcome"] = "failed"; // a failure that names none
    EXPECT_FALSE(evaluation_outcome_from_json(json).ok());
    json.erase("evaluation");
    EXPECT_FALSE(evaluation_outcome_from_json(json).ok());
    json["outcome"] = "good";
    EXPECT_FALSE(evaluation_outcome_from_json(json).ok());
}

} // namespace
} // namespace kf::test
