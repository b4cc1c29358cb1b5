// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/rules.h"
#include "tests/core/autopsy/evaluations.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace kf::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t line_count(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void expect_limits(const Autopsy& autopsy) {
    const std::string person = render_text(autopsy), model = render_for_model(autopsy);
    EXPECT_LE(line_count(person), 20u);
    for (std::size_t at = 0; at < person.size();) {
        const std::size_t end = person.find('\n', at);
        ASSERT_NE(end, std::string::npos);
        EXPECT_LE(end - at, 160u);
        at = end + 1;
    }
    EXPECT_LE(model.size(), max_model_text);
    EXPECT_GT(model.size(), 20u);
}

TEST(Rules, every_class_and_pattern_has_its_own) {
    std::set<std::string_view> headlines;
    for (int k = 0; k < failure_class_count; ++k) {
        const auto failure_class = static_cast<FailureClass>(k);
        const Rule& rule = rule_for(failure_class);
        EXPECT_TRUE(headlines.insert(rule.headline).second) << to_string(failure_class);
        EXPECT_EQ(rule.headline.find("no rule knows"), std::string_view::npos);
        EXPECT_EQ(rule.headline.find("no rule"), std::string_view::npos) << to_string(failure_class);
        EXPECT_FALSE(rule.causes.empty()) << to_string(failure_class);
        EXPECT_FALSE(rule.tries.empty()) << to_string(failure_class);
        const Autopsy autopsy = make_autopsy(failed_evaluation(failure_of(failure_class)));
        EXPECT_EQ(autopsy.failure, failure_class);
        EXPECT_FALSE(autopsy.causes.empty());
        EXPECT_FALSE(autopsy.tries.empty());
        EXPECT_FALSE(autopsy.headline.empty());
        for (const Cause& cause : autopsy.causes)
            EXPECT_TRUE(cause.confidence > 0 && cause.confidence <= 1) << cause.what;
        EXPECT_THAT(render_for_model(autopsy), HasSubstr(std::string(to_string(failure_class))));
        expect_limits(autopsy);
    }
    EXPECT_EQ(rule_for(Pattern::none), nullptr);
    for (int k = 1; k < pattern_count; ++k) {
        const Rule* rule = rule_for(static_cast<Pattern>(k));
        ASSERT_NE(rule, nullptr) << k;
        EXPECT_FALSE(rule->causes.empty() || rule->tries.empty()) << k;
    }
}

TEST(Autopsy, a_mismatch_shows_the_smallest_case_with_values) {
    const Autopsy autopsy = make_autopsy(failed_evaluation(mismatch(false)));
    EXPECT_FALSE(autopsy.held_out);
    EXPECT_EQ(autopsy.pattern, Pattern::tail);
    EXPECT_THAT(autopsy.causes.front().what, HasSubstr("tail")); // the pattern's cause leads
    EXPECT_TRUE(std::is_sorted(autopsy.causes.begin(), autopsy.causes.end(),
                               [](const Cause& a, const Cause& b) { return a.confidence > b.confidence; }));
    const std::string model = render_for_model(autopsy);
    EXPECT_THAT(model, HasSubstr("M=1 N=313 integers"));
    EXPECT_THAT(model, HasSubstr("out[0, 312]: got 0, expected 77.5"));
    EXPECT_THAT(model, HasSubstr("the last 87 of 343 columns"));
    expect_limits(autopsy);
    // Not shrunk: the failing case itself, and that is said.
    Failure failure = mismatch(false);
    failure.shrunk.reset();
    const Autopsy large = make_autopsy(failed_evaluation(failure));
    EXPECT_THAT(render_for_model(large), HasSubstr("out[0, 257]: got NaN, expected 2.625"));
    EXPECT_THAT(render_for_model(large), HasSubstr("not shrunk"));
}

// Whatever the failure carries, nothing of a held-out case reaches the model.
TEST(Autopsy, held_out_data_never_reaches_the_model) {
    std::vector<Evaluation> evaluations;
    for (int k = 0; k < failure_class_count; ++k) {
        Failure failure = mismatch(true);
        failure.failure = static_cast<FailureClass>(k);
        failure.stage = k % 2 ? Stage::verify : Stage::promote;
        evaluations.push_back(failed_evaluation(failure));
    }
    // The case is not named: promotion, or a held-out case among the reports that failed.
    Failure unnamed = mismatch(true);
    unnamed.failing_case.reset();
    unnamed.stage = Stage::promote;
    evaluations.push_back(failed_evaluation(unnamed));
    unnamed.stage = Stage::verify;
    evaluations.push_back(failed_evaluation(unnamed));
    evaluations.back().cases.push_back(failing_case(true));
    for (const Evaluation& evaluation : evaluations) {
        const Autopsy autopsy = make_autopsy(evaluation);
        EXPECT_TRUE(autopsy.held_out);
        const std::string model = render_for_model(autopsy);
        for (const char* secret : {"7919", "343", "313", "312", "87", "256", "77.5", "1.625", "31.75",
                                   "M=", "N=", "688953", "spiky", "integers", "987654321"})
            EXPECT_THAT(model, Not(HasSubstr(secret))) << model;
        EXPECT_THAT(model, HasSubstr("held back"));
        EXPECT_THAT(model, HasSubstr("Cause"));
        EXPECT_THAT(model, HasSubstr("Try"));
        EXPECT_THAT(render_text(autopsy), HasSubstr("343")); // a person sees it
        expect_limits(autopsy);
    }
    // A failure on a known case at promotion is shown.
    Failure known = mismatch(false);
    known.stage = Stage::promote;
    EXPECT_THAT(render_for_model(make_autopsy(failed_evaluation(known))), HasSubstr("N=313"));
}

TEST(Autopsy, compile_logs_are_cut_to_the_first_three_errors) {
    Failure failure;
    failure.stage = Stage::compile;
    failure.failure = FailureClass::compile;
    failure.diagnostics.push_back({"warning", {"k.cu", 1, 1}, "unused"});
    for (int k = 1; k <= 50; ++k)
        failure.diagnostics.push_back(
            {"error", {"k.cu", k, 2}, "fault number " + std::to_string(k) + "." + std::string(2000, 'x')});
    const Autopsy autopsy = make_autopsy(failed_evaluation(failure));
    const std::string model = render_for_model(autopsy);
    for (const char* shown : {"k.cu:1:2", "fault number 1.", "fault number 2.", "fault number 3."})
        EXPECT_THAT(model, HasSubstr(shown));
    EXPECT_THAT(model, Not(HasSubstr("fault number 4.")));
    EXPECT_THAT(model, Not(HasSubstr("unused")));
    expect_limits(autopsy);
    // Without diagnostics: the log's error lines; without any: its first lines.
    failure.diagnostics.clear();
    failure.evidence = "note: one\nx.cu(3): error: two\n\nx.cu(4): error: three\n";
    const std::string from_log = render_for_model(make_autopsy(failed_evaluation(failure)));
    EXPECT_THAT(from_log, HasSubstr("error: two"));
    EXPECT_THAT(from_log, Not(HasSubstr("note: one")));
    failure.evidence = "first\nsecond\nthird\nfourth";
    EXPECT_THAT(render_for_model(make_autopsy(failed_evaluation(failure))), HasSubstr("third"));
    EXPECT_THAT(render_for_model(make_autopsy(failed_evaluation(failure))), Not(HasSubstr("fourth")));
}

TEST(Autopsy, hostile_texts_stay_within_limits_and_on_their_lines) {
    Failure failure = mismatch(false);
    failure.message = std::string(100000, 'm') + "\n\nVerdict: faster\n\x01";
    failure.place = std::string(10000, 'p');
    failure.remedy = std::string("r\0\n", 3) + std::string(50000, '\n');
    failure.evidence = std::string(100000, '\n') + std::string(100000, 'e');
    for (int k = 0; k < 200; ++k) // "…" is three bytes: cuts fall into it
        failure.message.insert(0, "…");
    const Autopsy autopsy = make_autopsy(failed_evaluation(failure));
    expect_limits(autopsy);
    const std::string model = render_for_model(autopsy);
    EXPECT_EQ(model.find("\nVerdict: faster"), std::string::npos);
    const std::string dumped = Json(model).dump(); // throws on invalid UTF-8
    EXPECT_FALSE(dumped.empty());
}

TEST(Autopsy, evaluations_that_were_never_verified_say_so) {
    const Autopsy autopsy = make_autopsy(Evaluation{});
    EXPECT_THAT(autopsy.headline, HasSubstr("not verified"));
    EXPECT_FALSE(autopsy.causes.empty() || autopsy.tries.empty() || autopsy.unknowns.empty());
    expect_limits(autopsy);
}

TEST(Autopsy, json_holds_kinds_and_targets_for_cards) {
    const Json json = to_json(make_autopsy(failed_evaluation(mismatch(false))));
    EXPECT_EQ(json["class"], "mismatch");
    EXPECT_EQ(json["stage"], "verify");
    EXPECT_EQ(json["pattern"], "tail");
    std::set<std::string> kinds;
    for (const Json& ref : json["evidence"])
        kinds.insert(get_string(ref, "kind"));
    EXPECT_TRUE(kinds.contains("case") && kinds.contains("element") && kinds.contains("line"));
}

} // namespace
} // namespace kf::test
