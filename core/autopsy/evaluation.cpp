// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/evaluation.h"

#include "core/verify/field_reader.h"

#include <algorithm>

namespace kf {
namespace {

Json to_json(const TimingSummary& timing) {
    return Json{{"size", timing.size},
                {"symbols", symbols_to_json(timing.symbols)},
                {"median", number_to_json(timing.median)},
                {"q1", number_to_json(timing.q1)},
                {"q3", number_to_json(timing.q3)},
                {"p90", number_to_json(timing.p90)},
                {"samples", timing.samples},
                {"timer", timing.timer},
                {"floor", number_to_json(timing.floor)},
                {"at_floor", timing.at_floor}};
}

// A map of names and whole numbers, when it is there.
void read_names(FieldReader& reader, const char* key, std::map<std::string, std::int64_t>& out) {
    const Json* value = reader.find(key);
    if (!value)
        return;
    auto parsed = symbols_from_json(*value, reader.path(key));
    if (parsed)
        out = std::move(*parsed);
    else
        reader.fail(parsed.error());
}

Result<TimingSummary> timing_from_json(const Json& json) {
    FieldReader reader(json, "timing");
    TimingSummary timing;
    reader.read("size", timing.size);
    read_names(reader, "symbols", timing.symbols);
    reader.read("median", timing.median);
    reader.read("q1", timing.q1);
    reader.read("q3", timing.q3);
    reader.read("p90", timing.p90);
    reader.read("samples", timing.samples);
    reader.read("timer", timing.timer);
    reader.read("floor", timing.floor);
    reader.read("at_floor", timing.at_floor);
    if (!reader.ok())
        return reader.error();
    return timing;
}

Json to_json(const Duel& duel); // before the template: argument-dependent lookup does not look in here

template<class T> Json list_to_json(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values)
        list.push_back(to_json(value));
    return list;
}

Json to_json(const Duel& duel) {
    Json sizes = Json::array();
    for (const auto& [size, decision] : duel.sizes)
        sizes.push_back(Json{{"size", size}, {"decision", to_json(decision)}});
    return Json{{"against", duel.against},
                {"against_hash", duel.against_hash},
                {"decision", to_json(duel.decision)},
                {"sizes", std::move(sizes)},
                {"against_timings", list_to_json(duel.against_timings)}};
}

Result<Duel> duel_from_json(const Json& json) {
    FieldReader reader(json, "duel");
    Duel duel;
    reader.read("against", duel.against);
    reader.read("against_hash", duel.against_hash);
    std::optional<Decision> decision;
    reader.read_optional("decision", decision, decision_from_json);
    if (decision)
        duel.decision = std::move(*decision);
    else if (reader.ok())
        reader.fail("decision", "is missing");
    reader.read_list("sizes", duel.sizes, [](const Json& item) -> Result<std::pair<std::string, Decision>> {
        auto parsed = decision_from_json(get_member(item, "decision"));
        if (!parsed)
            return parsed.error();
        return std::pair(get_string(item, "size"), std::move(*parsed));
    });
    reader.read_list("against_timings", duel.against_timings, timing_from_json);
    if (!reader.ok())
        return reader.error();
    return duel;
}

} // namespace

bool Evaluation::accepted() const {
    if (failure)
        return false;
    bool verified = false;
    for (const StageReport& report : stages) {
        if (report.outcome == StageReport::Outcome::failed)
            return false;
        verified = verified || (report.stage == Stage::verify && report.outcome == StageReport::Outcome::passed);
    }
    return verified && std::all_of(cases.begin(), cases.end(), [](const CaseReport& report) { return report.passed; });
}

std::string Evaluation::verdict() const {
    if (failure)
        return std::string(to_string(failure->failure));
    if (!accepted())
        return "not-verified";
    return duel ? std::string(to_string(duel->decision.verdict)) : "verified";
}

Json to_json(const Evaluation& evaluation) {
    Json json{{"id", evaluation.id},
              {"level", std::string(to_string(evaluation.level))},
              {"device", evaluation.device},
              {"device_name", evaluation.device_name},
              {"task", evaluation.task},
              {"task_hash", evaluation.task_hash},
              {"candidate_hash", evaluation.candidate_hash},
              {"tunables", symbols_to_json(evaluation.tunables)},
              {"stages", list_to_json(evaluation.stages)},
              {"cases", list_to_json(evaluation.cases)},
              {"cases_total", evaluation.cases_total},
              {"timings", list_to_json(evaluation.timings)},
              {"baselines", list_to_json(evaluation.baselines)},
              {"flags", evaluation.flags},
              {"skipped", evaluation.skipped},
              {"conditions", evaluation.conditions},
              {"samples", evaluation.samples},
              {"seconds", number_to_json(evaluation.seconds)},
              {"verdict", evaluation.verdict()}}; // for readers that want only this; derived, never read back
    if (evaluation.failure)
        json["failure"] = to_json(*evaluation.failure);
    if (evaluation.duel)
        json["duel"] = to_json(*evaluation.duel);
    return json;
}

Result<Evaluation> evaluation_from_json(const Json& json) {
    FieldReader reader(json, "evaluation");
    Evaluation evaluation;
    reader.read("id", evaluation.id);
    reader.read_enum("level", evaluation.level, parse_level, true);
    reader.read("device", evaluation.device);
    reader.read("device_name", evaluation.device_name);
    reader.read("task", evaluation.task);
    reader.read("task_hash", evaluation.task_hash);
    reader.read("candidate_hash", evaluation.candidate_hash);
    read_names(reader, "tunables", evaluation.tunables);
    reader.read_list("stages", evaluation.stages, stage_from_json);
    reader.read_list("cases", evaluation.cases, case_from_json);
    reader.read("cases_total", evaluation.cases_total);
    reader.read_optional("failure", evaluation.failure, failure_from_json);
    reader.read_list("timings", evaluation.timings, timing_from_json);
    reader.read_optional("duel", evaluation.duel, duel_from_json);
    reader.read_list("baselines", evaluation.baselines, duel_from_json);
    reader.read_texts("flags", evaluation.flags);
    reader.read_texts("skipped", evaluation.skipped);
    evaluation.conditions = get_member(json, "conditions");
    evaluation.samples = get_member(json, "samples");
    reader.read("seconds", evaluation.seconds);
    if (!reader.ok())
        return reader.error();
    return evaluation;
}

Json to_json(const EvaluationOutcome& outcome) {
    Json json{{"outcome", std::string(to_string(outcome.outcome))}};
    if (outcome.evaluation)
        json["evaluation"] = to_json(*outcome.evaluation);
    if (!outcome.what.empty())
        json["what"] = outcome.what;
    if (outcome.outcome == Outcome::infrastructure)
        json["retry"] = outcome.retry_sensible;
    return json;
}

Result<EvaluationOutcome> evaluation_outcome_from_json(const Json& json) {
    FieldReader reader(json, "outcome");
    EvaluationOutcome outcome;
    reader.read_enum("outcome", outcome.outcome, outcome_from_string, true);
    reader.read_optional("evaluation", outcome.evaluation, evaluation_from_json);
    reader.read("what", outcome.what);
    reader.read("retry", outcome.retry_sensible);
    const bool judged = outcome.outcome == Outcome::verdict || outcome.outcome == Outcome::failed;
    if (reader.ok() && judged && !outcome.evaluation)
        reader.fail("evaluation", "is missing", "an outcome of verdict or failed holds its evaluation");
    if (reader.ok() && outcome.outcome == Outcome::failed && !outcome.evaluation->failure)
        reader.fail("evaluation.failure", "is missing", "an outcome of failed says what failed");
    if (!reader.ok())
        return reader.error();
    return outcome;
}

} // namespace kf
