// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/run_renderer.h"

#include "core/render/autopsy_lines.h"
#include "core/render/figures.h"
#include "core/render/turn_lines.h"

#include <algorithm>
#include <cmath>

namespace kf {
namespace {

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
    std::move(more.begin(), more.end(), std::back_inserter(lines));
}

std::string device_text(const Json& device) {
    const std::string id = plain_text(get_string(device, "id"));
    const std::string name = plain_text(get_string(device, "name"));
    return id.empty() || id == name ? name : name.empty() ? id : id + " (" + name + ")";
}

std::string budget_text(const Json& budgets) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    const auto number = [&](const char* key) {
        const double value = get_double(budgets, key);
        return std::isfinite(value) && value > 0 ? value : 0.0;
    };
    if (const std::int64_t turns = get_int(budgets, "turns"); turns > 0)
        add(std::to_string(turns) + (turns == 1 ? " turn" : " turns"));
    if (const double seconds = number("seconds"); seconds > 0)
        add(format_elapsed(seconds));
    if (const double seconds = number("device_seconds"); seconds > 0)
        add(format_elapsed(seconds) + " on the device");
    if (const std::int64_t tokens = get_int(budgets, "tokens"); tokens > 0)
        add(std::to_string(tokens) + " tokens");
    if (const double money = number("money"); money > 0)
        add("money " + dump_line(Json(money)));
    return text;
}

// Who writes the kernels: the synthesizer, of a model which and where.
std::string author_text(const Json& settings) {
    const std::string kind = plain_text(get_string(settings, "synthesizer"));
    const Json& model = get_member(settings, "model");
    const std::string name = plain_text(get_string(model, "model"));
    if (kind != "model")
        return kind;
    std::string text = kind + (name.empty() ? "" : " " + name);
    const std::string url = plain_text(get_string(model, "url"));
    if (const std::string place = url.empty() ? plain_text(get_string(model, "provider")) : url; !place.empty())
        text += " at " + place;
    if (const std::string record = plain_text(get_string(model, "record")); !record.empty())
        text += " · replies recorded in " + record;
    return text;
}

// {"temperature": 0.2, "model": "x"} as "model x, temperature 0.2".
std::string fields_text(const Json& data) {
    std::string text;
    for (const auto& [name, value] : data.items())
        text += (text.empty() ? " " : ", ") + name + " " +
                (value.is_string() ? value.get<std::string>() : dump_line(value));
    return text;
}

} // namespace

RunRenderer::RunRenderer(TextStyle style, std::string journal, BlobSource blobs)
    : m_style(style), m_journal(std::move(journal)), m_blobs(std::move(blobs)) {}

std::string RunRenderer::remark(const std::string& text, Tint tint) const {
    const std::string plain = plain_text(text);
    return paint(m_style.width > 0 ? elide_end(plain, m_style.width) : plain, tint, m_style);
}

std::vector<std::string> RunRenderer::run_lines() const {
    const RunStarted& start = m_state.start;
    std::string what = plain_text(start.task);
    if (!start.title.empty())
        what += " · " + plain_text(start.title);
    std::vector<std::string> lines;
    const auto add = [&](const char* label, const std::string& text) {
        if (!text.empty())
            lines.push_back(paint(pad_right(label, 8), Tint::dim, m_style) +
                            (m_style.width > 8 ? elide_middle(text, m_style.width - 8) : text));
    };
    add("run", plain_text(start.run));
    add("task", what);
    add("device", device_text(start.device));
    add("by", author_text(start.settings));
    add("budget", budget_text(start.budgets));
    return lines;
}

void RunRenderer::keep_autopsy(int turn, const Event& event) {
    Result<Json> result = get_member(event.fields, "result");
    const std::string blob = get_string(event.fields, "result_blob");
    if (result->is_null() && !blob.empty() && m_blobs) {
        auto bytes = m_blobs(blob);
        result = bytes ? parse_json(*bytes, "evaluation") : Result<Json>(bytes.error());
    }
    m_autopsies.erase(turn);
    if (!result || !result->is_object())
        return;
    const auto evaluation = evaluation_from_json(*result);
    if (evaluation && evaluation->failure)
        m_autopsies[turn] = autopsy_lines(make_autopsy(*evaluation), m_style);
}

std::vector<std::string> RunRenderer::evaluation_lines(const Event& event) {
    const int number = static_cast<int>(get_int(event.fields, "turn"));
    const auto turn = m_state.turns.find(number);
    m_progress.clear();
    if (turn == m_state.turns.end())
        return {};
    const std::string id = get_string(event.fields, "evaluation");
    const EvaluationState* told = nullptr;
    for (const EvaluationState& evaluation : turn->second.evaluations)
        if (evaluation.id == id && evaluation.done)
            told = &evaluation;
    if (!told)
        return {};
    if (turn->second.author == "tuner")
        return {point_line(++m_points[number], *told, m_style)};
    if (told->failed)
        keep_autopsy(number, event);
    else
        m_autopsies.erase(number);
    if (!turn->second.finished)
        return {};
    // A quick bench whose other cases were run meanwhile. When one failed, the turn's end is told once more.
    m_turn = -1;
    if (told->failed || told->cases_total == 0)
        return {};
    return {remark("turn " + std::to_string(number) + ": " + std::to_string(told->cases) + " of " +
                       std::to_string(told->cases_total) + " cases are right",
                   Tint::dim)};
}

std::vector<std::string> RunRenderer::turn_end_lines(int number) {
    std::vector<std::string> lines;
    const auto turn = m_state.turns.find(number);
    if (turn == m_state.turns.end())
        return lines;
    if (!m_header_shown)
        lines.push_back(turn_header(m_style));
    m_header_shown = true;
    append(lines, turn_lines(m_state, turn->second, m_style));
    if (const auto autopsy = m_autopsies.find(number); autopsy != m_autopsies.end()) {
        if (turn->second.outcome == "failed")
            append(lines, autopsy->second);
        m_autopsies.erase(autopsy);
    }
    m_points.erase(number);
    if (m_turn == number)
        m_turn = -1;
    m_progress.clear();
    return lines;
}

std::vector<std::string> RunRenderer::steering_lines() const {
    const Steering& told = m_state.steering.back();
    std::string text = "↳ " + (told.who.empty() ? std::string("somebody") : told.who) + ": " + told.what;
    if (const std::string words = get_string(told.data, "text"); !words.empty())
        text += " “" + words + "”";
    if (const std::string when = get_string(told.data, "when"); !when.empty())
        text += when == "after_turn" ? " after this turn" : " " + when;
    if (const std::string file = get_string(told.data, "file_name"); !file.empty())
        text += " " + file;
    if (const std::string level = get_string(told.data, "level"); !level.empty())
        text += " (" + level + ")";
    if (told.what == "pin" || told.what == "fork")
        text += " turn " + std::to_string(get_int(told.data, "turn", -1));
    if (told.what == "fork" && !get_string(told.data, "hint").empty())
        text += " “" + get_string(told.data, "hint") + "”";
    if (told.what == "model")
        text = text.substr(0, text.size() - told.what.size()) + "change" + fields_text(told.data);
    if (told.what == "budget") {
        const std::string budget = budget_text(told.data);
        text += budget.empty() ? " none" : " " + budget;
    }
    if (!told.effect.empty())
        text += " → " + told.effect;
    return {remark(text, Tint::accent)};
}

std::vector<std::string> RunRenderer::champion_lines() const {
    const ChampionState* champion = m_state.champion();
    if (!champion) {
        const auto start = m_state.turns.find(0);
        const bool judged = start != m_state.turns.end() && start->second.decisive();
        return {remark(judged ? "champion  none: the start kernel was not accepted"
                              : "champion  none: the start kernel was not judged",
                       Tint::bold)};
    }
    std::string text =
        "champion  turn " + std::to_string(champion->turn) + " · " + format_seconds(champion->seconds_per_call);
    if (const std::string tunables = format_tunables(champion->tunables); !tunables.empty())
        text += " · " + tunables;
    const Speedup speedup = against_start(m_state);
    if (champion->turn == 0)
        text += " · the start kernel";
    else if (speedup.known())
        text += " · " + format_speedup(speedup) + " against the start kernel";
    text += " · " + std::string(evidence_mark(champion->level)) + " " + plain_text(champion->level);
    std::vector<std::string> lines = {remark(text, Tint::bold)};
    if (const auto turn = m_state.turns.find(champion->turn); turn != m_state.turns.end())
        if (const EvaluationState* shown = shown_evaluation(m_state, turn->second)) {
            std::string baselines;
            for (const auto& [name, baseline] : shown->vs_baselines)
                baselines +=
                    (baselines.empty() ? "" : " · ") + format_speedup(baseline) + " against " + plain_text(name);
            if (!baselines.empty())
                lines.push_back(remark("          " + baselines, Tint::none));
        }
    return lines;
}

std::vector<std::string> RunRenderer::end_lines() const {
    std::vector<std::string> lines = champion_lines();
    if (m_state.stop) {
        std::string text = "stopped   " + m_state.stop->text;
        if (m_state.stop->text.empty())
            text += m_state.stop->reason;
        lines.push_back(remark(text, Tint::none));
    }
    if (!m_journal.empty()) // a path that people copy is never cut
        lines.push_back("journal   " + plain_text(m_journal));
    return lines;
}

std::vector<std::string> RunRenderer::after_last(LockState lock) const {
    const RunStatus status = m_state.status(lock);
    if (status != RunStatus::interrupted)
        return {};
    std::vector<std::string> lines = {
        remark("interrupted after event " + std::to_string(m_state.last_sequence) +
                   ": the run has no end and nobody writes it; `kernelforge resume` goes on with it",
               Tint::caution)};
    append(lines, end_lines());
    return lines;
}

std::vector<std::string> RunRenderer::apply(const Event& event) {
    m_state.apply(event);
    switch (event.type) {
    case EventType::run_started:
        return run_lines();
    case EventType::turn_started:
        m_turn = static_cast<int>(get_int(event.fields, "turn"));
        m_progress.clear();
        return {};
    case EventType::stage:
        if (get_string(event.fields, "state") == "dropped") {
            m_turn = -1;
            m_progress.clear();
            return {};
        }
        m_turn = static_cast<int>(get_int(event.fields, "turn"));
        m_progress.apply(from_fields<StageProgress>(event.fields));
        return {};
    case EventType::evaluation:
        return evaluation_lines(event);
    case EventType::turn_finished:
        return turn_end_lines(static_cast<int>(get_int(event.fields, "turn")));
    case EventType::steering:
        return steering_lines();
    case EventType::note:
        return {remark("note: " + m_state.notes.back().text,
                       m_state.notes.back().level == "warning" ? Tint::caution : Tint::dim)};
    case EventType::infrastructure: {
        const auto told = from_fields<Infrastructure>(event.fields);
        m_progress.clear();
        const double wait_s = get_double(event.fields, "wait_s");
        const std::string when = wait_s > 0 ? " in " + format_seconds(wait_s) : "";
        return {remark("⊘ " + (told.where.empty() ? "" : told.where + ": ") + told.what +
                           (told.retry ? " (tried again" + when + "; it counts for nothing)" : ""),
                       Tint::caution)};
    }
    case EventType::resumed: {
        const auto told = from_fields<Resumed>(event.fields);
        m_turn = -1;
        m_progress.clear();
        std::string text = "resumed";
        if (told.previous_pid > 0)
            text += ": the process " + std::to_string(told.previous_pid) + " that wrote it was lost";
        if (told.torn_bytes > 0)
            text += "; " + std::to_string(told.torn_bytes) + " bytes of an incomplete event dropped";
        return {remark(text, Tint::accent)};
    }
    case EventType::run_finished:
        m_turn = -1;
        m_progress.clear();
        return end_lines();
    case EventType::unreadable:
        return {remark("line " + std::to_string(event.line) +
                           " of the journal is no event: " + get_string(event.fields, "reason"),
                       Tint::caution)};
    case EventType::unknown:
        return {remark("event \"" + event.type_name + "\" of a newer release", Tint::dim)};
    case EventType::candidate:
    case EventType::model_exchange:
    case EventType::champion:
    case EventType::training:
    case EventType::budget:
    case EventType::stop:
        return {};
    }
    return {};
}

std::string RunRenderer::live_line(double now, const std::string& model) const {
    if (m_state.status() == RunStatus::finished)
        return "";
    std::string text;
    const auto turn = m_state.turns.find(m_turn);
    if (m_turn < 0 || turn == m_state.turns.end()) {
        if (m_state.started_at == 0)
            text = "starting the evaluator";
        else if (m_state.paused)
            text = "paused";
        else if (m_state.stop)
            text = "ending";
        else
            text = get_string(m_state.start.settings, "synthesizer") == "human" ? "waiting for a kernel to bench"
                                                                                : "next turn";
    } else {
        text =
            m_turn == 0 ? "start kernel" : "turn " + std::to_string(m_turn) + " · " + plain_text(turn->second.author);
        if (turn->second.author == "tuner") {
            const auto points = m_points.find(m_turn);
            text += " · point " + std::to_string((points == m_points.end() ? 0 : points->second) + 1);
        }
        if (const std::string progress = m_progress.text(); !progress.empty())
            text += " · " + progress;
        else if (!model.empty())
            text += " · " + model;
    }
    if (m_state.started_at > 0)
        text = format_elapsed(now - m_state.started_at) + " " + text;
    return m_style.width > 0 ? elide_end(text, m_style.width - 1) : text;
}

} // namespace kf
