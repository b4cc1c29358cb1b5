// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation says of its kernel: figures for the table, the autopsy.
#include "core/candidate/candidate.h"
#include "core/report/reading.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <limits>

namespace kf {
namespace {

constexpr std::size_t most_result_bytes = std::size_t{64} << 20;
constexpr int deepest_evidence = 8;

int small_int(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, -1, INT_MAX));
}

// The compile stage's evidence holds objects with "registers" at whatever depth its helper put them.
void collect(const Json& json, ReportFigures& figures, int depth = 0) {
    if (depth > deepest_evidence)
        return;
    if (json.is_object() && json.contains("registers")) {
        figures.registers = std::max(figures.registers, small_int(get_int(json, "registers", -1)));
        const std::int64_t half = INT_MAX / 2;
        const auto spilled = std::clamp<std::int64_t>(get_int(json, "spill_stores"), 0, half) +
                             std::clamp<std::int64_t>(get_int(json, "spill_loads"), 0, half);
        figures.spill_bytes = std::max(figures.spill_bytes, small_int(spilled));
    }
    if (json.is_structured())
        for (const Json& member : json)
            collect(member, figures, depth + 1);
}

// Figures travel as numbers or as "nan", "inf", "-inf".
double figure(const Json& json, const char* key) {
    const Json& value = get_member(json, key);
    return value.is_number() ? value.get<double>() : value.is_string() ? HUGE_VAL : 0;
}

double largest_error(const Json& report) {
    double largest = 0;
    if (const Json& comparisons = get_member(report, "comparisons"); comparisons.is_array())
        for (const Json& comparison : comparisons) {
            const double error = figure(comparison, "max_abs_error");
            largest = std::isnan(error) ? HUGE_VAL : std::max(largest, error);
        }
    return largest;
}

std::string error_text(const Json& result) {
    const Json& cases = get_member(result, "cases");
    const Json& failure = get_member(result, "failure");
    double largest = largest_error(get_member(failure, "case"));
    bool passed = failure.is_null() && cases.is_array() && !cases.empty();
    if (cases.is_array())
        for (const Json& report : cases) {
            passed = passed && get_bool(report, "passed");
            largest = std::max(largest, largest_error(report));
        }
    if (passed)
        return "✓";
    if (std::isinf(largest))
        return "not finite";
    if (!(largest > 0))
        return "";
    char text[32];
    std::snprintf(text, sizeof text, largest >= 1e5 || largest < 1e-3 ? "%.1e" : "%.3f", largest);
    return text;
}

} // namespace

Result<Json> read_evaluation(const JournalReader& reader, const EvaluationState& evaluation) {
    auto event = reader.event_at(evaluation.place.offset, evaluation.place.bytes);
    if (!event)
        return event.error();
    const std::string blob = get_string(event->fields, "result_blob");
    Json fields = std::move(event->fields);
    if (blob.empty())
        return fields;
    auto text = reader.blob(blob, most_result_bytes);
    if (!text)
        return text.error();
    auto result = parse_json(*text, "evaluation", most_result_bytes);
    if (!result)
        return result.error();
    fields["result"] = std::move(*result);
    return fields;
}

void read_judgement(const JournalReader& reader, ReportTurn& turn) {
    if (!turn.shown || !turn.shown->done)
        return;
    const auto fields = read_evaluation(reader, *turn.shown);
    if (!fields)
        return;
    if (const Json& stages = get_member(*fields, "stages"); stages.is_array())
        for (const Json& stage : stages)
            if (const std::string name = get_string(stage, "stage"); name == "compile" || name == "inspect")
                collect(get_member(stage, "evidence"), turn.figures);
    const Json& result = get_member(*fields, "result");
    turn.figures.error = error_text(result);
    turn.figures.reason = get_string(get_member(get_member(result, "duel"), "decision"), "reason");
    const auto evaluation = evaluation_from_json(result);
    if (!evaluation)
        return;
    const std::string name = turn.turn->file_name.empty() ? "candidate.cu" : turn.turn->file_name;
    std::optional<Candidate> candidate; // a text that was cut has no plan
    if (turn.detailed && !turn.source.text.empty() && !turn.source.cut())
        if (auto parsed = parse_candidate(turn.source.text, name))
            candidate = std::move(*parsed);
    turn.autopsy = make_autopsy(*evaluation, candidate ? &*candidate : nullptr);
}

} // namespace kf
