// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/evaluation_figures.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace kf::ui {
namespace {

int small_int(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, -1, INT_MAX));
}

// The compile stage's evidence holds objects with "registers" at whatever depth its helper put them.
void collect(const Json& json, EvaluationFigures& figures, int depth = 0) {
    if (depth > 8)
        return;
    if (json.is_object() && json.contains("registers")) {
        figures.registers = std::max(figures.registers, small_int(get_int(json, "registers", -1)));
        const auto spilled = std::max<std::int64_t>(get_int(json, "spill_stores"), 0) +
                             std::max<std::int64_t>(get_int(json, "spill_loads"), 0);
        figures.spills = std::max(figures.spills, small_int(std::clamp<std::int64_t>(spilled, 0, INT_MAX)));
    }
    if (json.is_structured())
        for (const Json& member : json)
            collect(member, figures, depth + 1);
}

// Figures travel as numbers or as "nan", "inf", "-inf".
double figure(const Json& json, const char* key) {
    const Json& value = get_member(json, key);
    if (value.is_number())
        return value.get<double>();
    return value.is_string() ? std::numeric_limits<double>::infinity() : 0;
}

void add_case(const Json& report, EvaluationFigures& figures) {
    figures.correct = figures.correct && get_bool(report, "passed");
    for (const Json& comparison : get_member(report, "comparisons")) {
        figures.max_error = std::max(figures.max_error, figure(comparison, "max_abs_error"));
        figures.error_ratio = std::max(figures.error_ratio, figure(comparison, "worst_row_ratio"));
    }
}

} // namespace

EvaluationFigures evaluation_figures(const Json& fields) {
    EvaluationFigures figures;
    const Json& stages = get_member(fields, "stages");
    if (stages.is_array())
        for (const Json& stage : stages)
            if (const std::string name = get_string(stage, "stage"); name == "compile" || name == "inspect")
                collect(get_member(stage, "evidence"), figures);
    const Json& result = get_member(fields, "result");
    const Json& cases = get_member(result, "cases");
    if (cases.is_array() && !cases.empty()) {
        figures.cases = small_int(static_cast<std::int64_t>(cases.size()));
        figures.compared = figures.correct = true;
        for (const Json& report : cases)
            add_case(report, figures);
    }
    figures.cases_total = small_int(get_int(result, "cases_total"));
    const Json& failure = get_member(result, "failure");
    if (failure.is_object()) {
        figures.pattern = get_string(failure, "pattern");
        figures.place = get_string(failure, "place");
        figures.message = get_string(failure, "message");
        add_case(get_member(failure, "case"), figures);
        figures.correct = false;
    }
    const Json& decision = get_member(get_member(result, "duel"), "decision");
    figures.rounds = small_int(get_int(decision, "rounds"));
    figures.reason = get_string(decision, "reason");
    return figures;
}

Json slim_result(const Json& result) {
    const auto kept = [](const Json& from, std::initializer_list<const char*> keys) {
        Json to = Json::object();
        for (const char* key : keys)
            if (const Json& value = get_member(from, key); !value.is_null())
                to[key] = value;
        return to;
    };
    const auto slim_case = [&](const Json& report) {
        Json to = kept(report, {"passed"});
        const Json& comparisons = get_member(report, "comparisons");
        if (comparisons.is_array())
            for (const Json& comparison : comparisons)
                to["comparisons"].push_back(kept(comparison, {"max_abs_error", "worst_row_ratio"}));
        return to;
    };
    Json slim = kept(result, {"cases_total"});
    if (const Json& cases = get_member(result, "cases"); cases.is_array())
        for (const Json& report : cases)
            slim["cases"].push_back(slim_case(report));
    if (const Json& failure = get_member(result, "failure"); failure.is_object()) {
        slim["failure"] = kept(failure, {"pattern", "place", "message"});
        if (const Json& report = get_member(failure, "case"); report.is_object())
            slim["failure"]["case"] = slim_case(report);
    }
    if (const Json& decision = get_member(get_member(result, "duel"), "decision"); decision.is_object())
        slim["duel"]["decision"] = kept(decision, {"rounds", "reason"});
    return slim;
}

} // namespace kf::ui
