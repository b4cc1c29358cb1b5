// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/verdict.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace kf {
namespace {

template<class Enum, class Parse> void expect_names(int count, Parse parse) {
    std::set<std::string> seen;
    for (int i = 0; i < count; ++i) {
        const auto value = static_cast<Enum>(i);
        const std::string name(to_string(value));
        EXPECT_NE(name, "unknown") << i;
        EXPECT_TRUE(seen.insert(name).second) << name;
        EXPECT_EQ(name.find('_'), std::string::npos) << name;
        ASSERT_TRUE(parse(name).has_value()) << name;
        EXPECT_EQ(*parse(name), value) << name;
    }
    for (const char* bad : {"", "unknown", "Mismatch", "mismatch ", "out_of_bounds", "\xff"})
        EXPECT_FALSE(parse(bad).has_value()) << bad;
}

TEST(Names, every_value_has_one_name_and_back) {
    expect_names<Stage>(7, parse_stage);
    expect_names<FailureClass>(failure_class_count, parse_failure_class);
    expect_names<Pattern>(pattern_count, parse_pattern);
    expect_names<StageReport::Outcome>(4, parse_stage_outcome);
    EXPECT_EQ(to_string(FailureClass::out_of_bounds), "out-of-bounds");
    EXPECT_EQ(to_string(Pattern::off_by_one), "off-by-one");
}

Comparison sample_comparison() {
    Comparison c;
    c.output = "out";
    c.elements = 88151;
    c.bad = 22359;
    c.max_abs_error = 3.5;
    c.max_rel_error = std::numeric_limits<double>::infinity();
    c.worst_row_ratio = 1.3;
    c.worst_row_rms_ratio = 0.9;
    c.nan_got = 4;
    c.inf_expected = 1;
    c.failed_elementwise = c.failed_nonfinite = true;
    c.pattern = Pattern::tail;
    c.pattern_text = "the last 87 of 343 columns of every row";
    c.first_bad = {{{0, 256}, 1.5, std::numeric_limits<double>::quiet_NaN()}};
    c.worst = {{{3, 300}, -std::numeric_limits<double>::infinity(), 2}};
    c.map = {2, 3, {0, 0, 7, 0, 1, 4294967295u}};
    return c;
}

Failure sample_failure() {
    Failure f;
    f.stage = Stage::verify;
    f.failure = FailureClass::mismatch;
    f.place = "out";
    f.pattern = Pattern::tail;
    f.message = "wrong \"tail\"\n";
    f.remedy = "guard it";
    f.source = {"start.cu", 12, 3};
    f.diagnostics = {{"error", {"start.cu", 3, 14}, "expected ';'"}};
    CaseReport report;
    report.symbols = {{"M", 257}, {"N", 343}};
    report.regime = Regime::spiky;
    report.seed = 0xfedcba9876543210ull;
    report.held_out = true;
    report.seconds = 0.25;
    report.comparisons = {sample_comparison()};
    f.failing_case = report;
    f.shrunk = ShrunkCase{{{"M", 1}, {"N", 9}}, Regime::integers, 18446744073709551615ull, {{{0, 8}, 1, 0}}, 17};
    f.evidence = std::string("tail\0of log", 11);
    return f;
}

TEST(VerdictJson, round_trips_through_text) {
    const Failure failure = sample_failure();
    const std::string text = dump_line(to_json(failure));
    const auto parsed = parse_json(text, "test");
    ASSERT_TRUE(parsed.ok());
    const auto back = failure_from_json(*parsed);
    ASSERT_TRUE(back.ok()) << to_string(back.error());
    EXPECT_EQ(dump_line(to_json(*back)), text);
    EXPECT_EQ(back->failing_case->seed, 0xfedcba9876543210ull);
    EXPECT_EQ(back->shrunk->seed, 18446744073709551615ull);
    EXPECT_EQ(back->shrunk->attempts, 17);
    EXPECT_EQ(back->source, (Place{"start.cu", 12, 3}));
    EXPECT_EQ(back->evidence.size(), 11u);
    const Comparison& c = back->failing_case->comparisons.at(0);
    EXPECT_TRUE(std::isnan(c.first_bad.at(0).got));
    EXPECT_EQ(c.worst.at(0).expected, -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isinf(c.max_rel_error));
    EXPECT_EQ(c.map.bad, (std::vector<std::uint32_t>{0, 0, 7, 0, 1, 4294967295u}));
    EXPECT_TRUE(c.failed_elementwise && c.failed_nonfinite && !c.failed_row && !c.failed_exact);

    const StageReport report{Stage::promote, StageReport::Outcome::not_checked, 1.5, "no racecheck", {{"tool", 1}}};
    const auto report_back = stage_from_json(to_json(report));
    ASSERT_TRUE(report_back.ok());
    EXPECT_EQ(to_json(*report_back), to_json(report));
}

TEST(VerdictJson, passes_over_unknown_fields_and_takes_defaults) {
    Json json = to_json(sample_failure());
    json["from_a_newer_version"] = Json{{"deep", {1, 2, 3}}};
    json["case"]["comparisons"][0]["novel"] = nullptr;
    EXPECT_TRUE(failure_from_json(json).ok());
    const auto least = failure_from_json(Json{{"stage", "compile"}, {"class", "compiler-crash"}});
    ASSERT_TRUE(least.ok());
    EXPECT_EQ(least->failure, FailureClass::compiler_crash);
    EXPECT_EQ(least->pattern, Pattern::none);
    EXPECT_FALSE(least->failing_case.has_value());
}

TEST(VerdictJson, names_the_field_that_is_wrong) {
    struct Bad {
        const char* pointer;
        Json value;
        const char* named;
    };
    const std::vector<Bad> table = {
        {"/stage", "verifying", "failure.stage"},
        {"/class", 7, "failure.class"},
        {"/pattern", "zigzag", "failure.pattern"},
        {"/message", 1, "failure.message"},
        {"/source", Json::array(), "place"},
        {"/source/line", 1.5, "place.line"},
        {"/source/line", 3000000000, "place.line"},
        {"/diagnostics", Json::object(), "failure.diagnostics"},
        {"/diagnostics/0", "text", "diagnostic"},
        {"/case/seed", -1, "case.seed"},
        {"/case/symbols", Json::array(), "case.symbols"},
        {"/case/symbols/M", "257", "case.symbols.M"},
        {"/case/regime", "wild", "case.regime"},
        {"/case/passed", 1, "case.passed"},
        {"/case/comparisons/0/elements", 18446744073709551615ull, "comparison.elements"},
        {"/case/comparisons/0/max_abs_error", "big", "comparison.max_abs_error"},
        {"/case/comparisons/0/first_bad/0/index", Json{"x"}, "element.index"},
        {"/case/comparisons/0/map/rows", 3, "map.bad"},
        {"/case/comparisons/0/map/bad/0", -1, "map.bad"},
        {"/shrunk/attempts", true, "shrunk.attempts"},
    };
    for (const Bad& bad : table) {
        Json json = to_json(sample_failure());
        json[Json::json_pointer(bad.pointer)] = bad.value;
        const auto parsed = failure_from_json(json);
        ASSERT_FALSE(parsed.ok()) << bad.pointer;
        EXPECT_EQ(parsed.error().code, "verdict-invalid");
        EXPECT_NE(parsed.error().message.find(bad.named), std::string::npos) << parsed.error().message;
    }
    Json missing = to_json(sample_failure());
    missing.erase("class");
    EXPECT_FALSE(failure_from_json(missing).ok());
    for (const Json& other : {Json(), Json(1), Json("x"), Json::array({1})}) {
        EXPECT_FALSE(failure_from_json(other).ok());
        EXPECT_FALSE(comparison_from_json(other).ok());
        EXPECT_FALSE(case_from_json(other).ok());
        EXPECT_FALSE(stage_from_json(other).ok());
        EXPECT_FALSE(shrunk_from_json(other).ok());
    }
}

} // namespace
} // namespace kf
