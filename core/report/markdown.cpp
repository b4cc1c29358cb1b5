// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/figures.h"
#include "core/render/terminal_text.h"
#include "core/report/data.h"
#include "core/report/html_text.h"

#include <algorithm>

namespace kf {
namespace {

// Nothing of a journal becomes markup, a link or HTML.
std::string words(std::string_view text) {
    std::string out;
    for (const char c : plain_text(text)) {
        if (c == '<')
            out += "&lt;";
        else if (c == '&')
            out += "&amp;";
        else {
            if (std::string_view("\\`*_[]|#~>!").find(c) != std::string_view::npos)
                out += '\\';
            out += c;
        }
    }
    return out;
}

// A code block whose fence is longer than any in the text.
std::string block(const std::string& text, const char* language) {
    std::size_t longest = 2, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    std::string clean;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        clean += plain_text(text.substr(from, end - from)) + "\n";
        from = end + 1;
    }
    const std::string fence(longest + 1, '`');
    return fence + language + "\n" + clean + fence + "\n\n";
}

std::string level_words(const std::string& level) {
    const std::string word = evidence_words(level);
    return word.empty() ? "" : std::string(evidence_mark(level)) + " " + words(word);
}

std::string turn_title(int turn) {
    return turn == 0 ? "start" : std::to_string(turn);
}

void add_turn(std::string& out, const ReportTurn& turn) {
    const TurnState& state = *turn.turn;
    out += std::string("### ") +
           (state.number == 0 ? std::string("Start kernel") : "Turn " + std::to_string(state.number)) + ": " +
           words(verdict_words(turn)) + "\n\n";
    if (!state.strategy.empty())
        out += "Strategy: " + words(state.strategy) + "\n\n";
    if (!state.text.empty() && state.outcome != "verdict")
        out += words(state.text) + "\n\n";
    if (turn.autopsy) {
        out += words(turn.autopsy->headline) + "\n\n";
        for (const EvidenceRef& ref : turn.autopsy->evidence)
            out += "- " + words(ref.target.empty() ? ref.text : ref.target + ": " + ref.text) + "\n";
        for (const Cause& cause : turn.autopsy->causes)
            out += "- cause: " + words(cause.what) + "\n";
        for (const std::string& attempt : turn.autopsy->tries)
            out += "- try: " + words(attempt) + "\n";
        out += "\n";
    }
    if (!turn.diff.text.empty())
        out += block(turn.diff.text, "diff");
}

} // namespace

std::string markdown_report(const RunReport& report) {
    const RunState& state = report.state;
    const auto mark = [](const ReportTurn& turn) { return std::string(mark_of(turn.kind).shape) + " "; };
    std::string out = "# " + words(state.start.task.empty() ? "A run without a task" : state.start.task) + "\n\n";
    if (!state.start.title.empty())
        out += words(state.start.title) + "\n\n";
    out += "Run `" + words(report.name) + "`, " + std::string(to_string(report.status)) + ", " +
           utc_time(state.started_at) + ".\n\n";
    for (const std::string& warning : report.warnings)
        out += "> " + words(warning) + "\n\n";
    out += "## Summary\n\n| | speed-up | evidence |\n| --- | --- | --- |\n";
    for (const ReportSpeedup& entry : report.speedups)
        out += "| against " + words(entry.against) + " | " +
               (entry.speedup.known()
                    ? words(format_speedup(entry.speedup)) + " | " + level_words(entry.level) + ", " + words(entry.how)
                    : "– | " + words(entry.missing)) +
               " |\n";
    out += "\n";
    if (const ChampionState* champion = state.champion()) {
        out += "Champion: " +
               std::string(champion->turn == 0 ? "the start kernel" : "turn " + std::to_string(champion->turn)) + ", " +
               format_seconds(champion->seconds_per_call) + " a call, " + level_words(champion->level);
        if (const std::string tunables = format_tunables(champion->tunables); !tunables.empty())
            out += ", " + words(tunables);
        out += ".\n\n";
    } else {
        out += "Champion: none, no kernel was accepted.\n\n";
    }
    out += "Why it stopped: " + words(report.end) +
           "\n\n## Turns\n\n| turn | verdict | by | time | against champion | against eager | evidence |\n"
           "| --- | --- | --- | ---: | ---: | ---: | --- |\n";
    for (const ReportTurn& turn : report.turns) {
        const EvaluationState none;
        const EvaluationState& shown = turn.shown ? *turn.shown : none;
        const auto eager = shown.vs_baselines.find("eager");
        const auto speedup = [](const Speedup& one) {
            return one.known() ? words(format_speedup(one)) : std::string();
        };
        out += "| " + turn_title(turn.turn->number) + (turn.present ? " ★" : "") + " | " + mark(turn) +
               words(verdict_words(turn)) + " | " + words(turn.turn->author) + " | " +
               (shown.seconds_per_call > 0 ? format_seconds(shown.seconds_per_call) : "") + " | " +
               speedup(shown.vs_champion) + " | " + (eager == shown.vs_baselines.end() ? "" : speedup(eager->second)) +
               " | " + (shown.failed ? "" : level_words(shown.level)) + " |\n";
    }
    out += "\n## Each turn\n\n";
    for (const ReportTurn& turn : report.turns)
        if (turn.detailed)
            add_turn(out, turn);
    if (const ReportTurn* champion = report.champion(); champion && !champion->source.text.empty())
        out += "## The champion's source\n\n" +
               block(champion->source.text, champion->turn->file_name.ends_with(".py") ? "python" : "cuda");
    out += "## Do it again\n\n";
    for (const ReportPair& command : report.commands)
        out += words(command.name) + ":\n\n" + block(command.value, "");
    out += "## Environment\n\n| | |\n| --- | --- |\n";
    for (const auto* pairs : {&report.device, &report.versions, &report.settings, &report.conditions})
        for (const ReportPair& pair : *pairs)
            out += "| " + words(pair.name) + " | " + words(pair.value) + " |\n";
    return out + "\nMade by " + words(report.program) + ".\n";
}

} // namespace kf
