// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/data.h"

#include "core/render/terminal_text.h"
#include "core/report/html_text.h"
#include "core/report/privacy.h"

#include <cmath>

namespace kf {
namespace {

bool is_time(double seconds) {
    return std::isfinite(seconds) && seconds > 0;
}

// Left out where it is not known.
void add_time(Json& json, const char* name, double value) {
    if (is_time(value))
        json[name] = value;
}

Json speedup_json(const Speedup& speedup) {
    Json json = Json::object();
    add_time(json, "estimate", speedup.estimate);
    add_time(json, "low", speedup.low);
    add_time(json, "high", speedup.high);
    return json;
}

void add_times(Json& json, const EvaluationState& shown) {
    add_time(json, "seconds_per_call", shown.seconds_per_call);
    add_time(json, "low", shown.low);
    add_time(json, "high", shown.high);
    if (shown.vs_champion.known())
        json["vs_champion"] = speedup_json(shown.vs_champion);
    for (const auto& [name, speedup] : shown.vs_baselines)
        if (speedup.known())
            json["vs_baselines"][name] = speedup_json(speedup);
}

void add_text(Json& json, const char* name, const std::string& text) {
    if (!text.empty())
        json[name] = text;
}

Json turn_json(const ReportTurn& turn) {
    const TurnState& state = *turn.turn;
    Json json{{"turn", state.number}, {"words", verdict_words(turn)}, {"finished", state.finished}};
    if (state.parent >= 0)
        json["parent"] = state.parent;
    add_text(json, "author", state.author);
    add_text(json, "strategy", state.strategy);
    add_text(json, "hint", state.hint);
    add_text(json, "outcome", state.outcome);
    add_text(json, "text", state.text);
    add_text(json, "file_name", state.file_name);
    add_text(json, "source", state.source);
    add_text(json, "diff", state.diff);
    json["cost"] = to_json(state.cost);
    json["evaluations"] = state.evaluations.size();
    json["exchanges"] = state.exchanges.size();
    if (turn.champion)
        json["champion"] = true;
    if (const EvaluationState* shown = turn.shown) {
        add_text(json, "evaluation", shown->id);
        add_text(json, "candidate", shown->candidate);
        add_text(json, "verdict", shown->verdict);
        add_text(json, "level", shown->level);
        add_times(json, *shown);
        if (shown->tunables.is_object() && !shown->tunables.empty())
            json["tunables"] = shown->tunables;
        if (shown->cases_total > 0) {
            json["cases"] = shown->cases;
            json["cases_total"] = shown->cases_total;
        }
    }
    if (turn.figures.registers >= 0)
        json["registers"] = turn.figures.registers;
    if (turn.figures.spill_bytes >= 0)
        json["spill_bytes"] = turn.figures.spill_bytes;
    if (turn.autopsy)
        json["autopsy"] = to_json(*turn.autopsy);
    return json;
}

std::string field(const std::string& text) {
    std::string plain = plain_text(text);
    if (!plain.empty() && std::string_view("=+-@").find(plain.front()) != std::string_view::npos)
        plain = std::string("'").append(plain); // a spreadsheet would take it for a formula
    if (plain.find_first_of(",\"") == std::string::npos)
        return plain;
    std::string quoted = "\"";
    for (const char c : plain)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string number(double value) {
    return is_time(value) ? dump_line(Json(value)) : "";
}

void add_row(std::string& out, const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i)
        out += (i == 0 ? "" : ",") + fields[i];
    out += "\r\n";
}

} // namespace

Json json_report(const RunReport& report) {
    const RunState& state = report.state;
    Json json{{"format", "kernelforge-report"},
              {"version", report_version},
              {"made_by", report.program},
              {"run", report.name},
              {"task", state.start.task},
              {"task_hash", state.start.task_hash},
              {"title", state.start.title},
              {"status", to_string(report.status)},
              {"started_at", state.started_at},
              {"last_event_at", state.last_event_at},
              {"device", without_secrets(state.start.device)},
              {"versions", without_secrets(state.start.versions)},
              {"settings", without_secrets(state.start.settings)},
              {"budgets", state.start.budgets},
              {"baselines", state.start.baselines},
              {"spent", to_json(state.spent())},
              {"end", report.end},
              {"warnings", report.warnings},
              {"turns", Json::array()},
              {"champions", Json::array()},
              {"speedups", Json::object()}};
    if (state.stop)
        json["stop"] = {{"reason", state.stop->reason}, {"text", without_credentials(state.stop->text)}};
    for (const ReportSpeedup& entry : report.speedups) {
        Json one{{"against", entry.against}};
        if (entry.speedup.known()) {
            one.update(speedup_json(entry.speedup));
            one["level"] = entry.level;
            one["how"] = entry.how;
        } else {
            one["missing"] = entry.missing;
        }
        json["speedups"][entry.name] = std::move(one);
    }
    for (const ChampionState& champion : state.champions) {
        Json one{{"turn", champion.turn}, {"evaluation", champion.evaluation}, {"level", champion.level}};
        if (is_time(champion.seconds_per_call))
            one["seconds_per_call"] = champion.seconds_per_call;
        json["champions"].push_back(std::move(one));
    }
    for (const ReportPair& command : report.commands)
        json["commands"].push_back({{"what", command.name}, {"command", command.value}});
    if (report.duel.decision)
        json["last_duel"] = {
            {"a", report.duel.a.turn}, {"b", report.duel.b.turn}, {"decision", to_json(*report.duel.decision)}};
    for (const ReportTurn& turn : report.turns)
        json["turns"].push_back(turn_json(turn));
    return json;
}

std::string csv_report(const RunReport& report) {
    std::string out;
    add_row(out, {"turn",         "parent",        "author",          "strategy",         "outcome",
                  "verdict",      "level",         "champion",        "seconds_per_call", "low",
                  "high",         "vs_champion",   "vs_champion_low", "vs_champion_high", "vs_eager",
                  "vs_eager_low", "vs_eager_high", "vs_inductor",     "vs_inductor_low",  "vs_inductor_high",
                  "registers",    "spill_bytes",   "error",           "device_s",         "tokens_in",
                  "tokens_out",   "candidate"});
    for (const ReportTurn& turn : report.turns) {
        const TurnState& state = *turn.turn;
        const EvaluationState none;
        const EvaluationState& shown = turn.shown ? *turn.shown : none;
        const auto baseline = [&](const char* name) {
            const auto found = shown.vs_baselines.find(name);
            return found == shown.vs_baselines.end() ? Speedup{} : found->second;
        };
        const Speedup eager = baseline("eager"), inductor = baseline("inductor");
        const auto whole = [](int value) { return value < 0 ? std::string() : std::to_string(value); };
        add_row(out, {std::to_string(state.number),
                      whole(state.parent),
                      field(state.author),
                      field(state.strategy),
                      field(state.outcome),
                      field(shown.verdict),
                      field(shown.level),
                      turn.champion ? "1" : "0",
                      number(shown.seconds_per_call),
                      number(shown.low),
                      number(shown.high),
                      number(shown.vs_champion.estimate),
                      number(shown.vs_champion.low),
                      number(shown.vs_champion.high),
                      number(eager.estimate),
                      number(eager.low),
                      number(eager.high),
                      number(inductor.estimate),
                      number(inductor.low),
                      number(inductor.high),
                      whole(turn.figures.registers),
                      whole(turn.figures.spill_bytes),
                      field(turn.figures.error),
                      number(state.cost.device_s),
                      std::to_string(state.cost.tokens_in),
                      std::to_string(state.cost.tokens_out),
                      field(shown.candidate)});
    }
    return out;
}

} // namespace kf
