// SPDX-License-Identifier: GPL-3.0-or-later
// Device, versions, settings, why it ended, how to repeat it, and what a reader should know about the file.
#include "core/render/figures.h"
#include "core/report/privacy.h"
#include "core/report/reading.h"

#include <algorithm>

namespace kf {
namespace {

constexpr std::size_t most_pairs = 120; // of one list; a stranger's may be endless
constexpr int deepest = 6;

std::string value_text(const Json& value) {
    std::string text = value.is_string() ? value.get<std::string>() : dump_line(value);
    if (text.size() > 400)
        text = text.substr(0, 397) + "…";
    return text;
}

// {"a": {"b": 1}} as "a.b" → "1". Empty values say nothing and are left out.
void flatten(const Json& json, const std::string& path, std::vector<ReportPair>& pairs, int depth = 0) {
    if (pairs.size() >= most_pairs)
        return;
    if (json.is_object() && depth < deepest) {
        for (const auto& [name, value] : json.items())
            flatten(value, path.empty() ? name : path + "." + name, pairs, depth + 1);
        return;
    }
    if (json.is_null() || (json.is_string() && json.get_ref<const std::string&>().empty()) ||
        (json.is_structured() && json.empty()))
        return;
    pairs.push_back({path, value_text(json)});
}

std::vector<ReportPair> flat(const Json& json) {
    std::vector<ReportPair> pairs;
    flatten(without_secrets(json), "", pairs);
    return pairs;
}

// One word of a shell's command line.
std::string shell_word(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '=' || c == ',';
    });
    if (plain && text.front() != '-')
        return text;
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
    return quoted + "'";
}

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

std::string run_command(const RunState& state) {
    const Json settings = without_secrets(state.start.settings);
    const Json& model = get_member(settings, "model");
    std::string command = "kernelforge run " + shell_word(state.start.task);
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty())
            command += std::string(" ") + option + " " + shell_word(value);
    };
    add("--synthesizer", get_string(settings, "synthesizer"));
    add("--device", get_string(settings, "device"));
    add("--start", get_string(settings, "start_file"));
    if (const Json& files = get_member(settings, "candidate_files"); files.is_array())
        for (const Json& file : files)
            if (file.is_string())
                add("--candidate", file.get<std::string>());
    const std::string provider = get_string(model, "provider"), url = get_string(model, "url");
    add("--provider", provider.empty() ? url : provider);
    add("--model", model.is_string() ? model.get<std::string>() : get_string(model, "model"));
    add("--seed", get_string(settings, "seed"));
    const auto budget = [&](const char* option, const char* name, double unit) {
        if (const double value = get_double(state.start.budgets, name); value > 0)
            add(option, number_text(value / unit));
    };
    budget("--turns", "turns", 1);
    budget("--tokens", "tokens", 1);
    budget("--money", "money", 1);
    budget("--minutes", "seconds", 60);
    budget("--device-minutes", "device_seconds", 60);
    return command;
}

std::string budget_text(const Json& budgets) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (const double turns = get_double(budgets, "turns"); turns > 0)
        add(number_text(turns) + (turns == 1 ? " turn" : " turns"));
    if (const double seconds = get_double(budgets, "seconds"); seconds > 0)
        add(format_elapsed(seconds));
    if (const double seconds = get_double(budgets, "device_seconds"); seconds > 0)
        add(format_elapsed(seconds) + " on the device");
    if (const double tokens = get_double(budgets, "tokens"); tokens > 0)
        add(number_text(tokens) + " tokens");
    if (const double money = get_double(budgets, "money"); money > 0)
        add("money " + number_text(money));
    return text;
}

std::string end_text(const RunReport& report) {
    if (report.state.stop) {
        const StopState& stop = *report.state.stop;
        return without_credentials(!stop.text.empty()     ? stop.text
                                   : !stop.reason.empty() ? "Reason: " + stop.reason + "."
                                                          : "It was stopped; the journal does not say why.");
    }
    switch (report.status) {
    case RunStatus::interrupted:
        return "It has no end and nobody writes it: the program that drove it was lost. `kernelforge resume` goes on "
               "with "
               "it.";
    case RunStatus::finished:
        return "It ended in order; the journal gives no reason.";
    case RunStatus::running:
    case RunStatus::stopping:
        return "It still runs: this report shows it as it was when the report was made.";
    case RunStatus::empty:
        return "It has not begun.";
    }
    return {};
}

std::string counted(std::int64_t count, const char* one, const char* more) {
    return std::to_string(count) + " " + (count == 1 ? one : more);
}

void add_warnings(const JournalReader& reader, RunReport& report) {
    const RunState& state = report.state;
    if (state.unreadable_lines > 0)
        report.warnings.push_back(counted(state.unreadable_lines, "line of the journal is no event and was left out.",
                                          "lines of the journal are no events and were left out."));
    if (state.gaps > 0)
        report.warnings.push_back("The journal's numbers have " + counted(state.gaps, "gap", "gaps") +
                                  ": events are missing.");
    if (reader.torn_bytes() > 0 && report.status != RunStatus::running)
        report.warnings.push_back("The journal ends in " +
                                  counted(static_cast<std::int64_t>(reader.torn_bytes()), "byte", "bytes") +
                                  " of an event that was never finished.");
    if (!state.unknown_types.empty())
        report.warnings.push_back("The journal holds events of a newer release, which are not shown.");
    std::size_t missing = 0;
    for (const ReportTurn& turn : report.turns)
        missing +=
            !turn.source.missing.empty() && turn.detailed && !turn.turn->source.empty() && turn.source.whole == 0;
    if (missing > 0)
        report.warnings.push_back(counted(static_cast<std::int64_t>(missing), "source is", "sources are") +
                                  " missing from the run's folder or damaged.");
}

} // namespace

void read_surroundings(const JournalReader& reader, LockState, RunReport& report) {
    const RunState& state = report.state;
    report.device = flat(state.start.device);
    report.versions = flat(state.start.versions);
    report.settings = flat(state.start.settings);
    report.budget = budget_text(state.start.budgets);
    report.end = end_text(report);
    const ReportTurn* champion = report.champion();
    const EvaluationState* shown = champion ? champion->shown : nullptr;
    for (const ReportTurn& turn : report.turns) // without a champion the shapes of whatever was timed last
        if (!champion && turn.shown && turn.shown->seconds_per_call > 0)
            shown = turn.shown;
    if (shown)
        if (const auto fields = read_evaluation(reader, *shown)) {
            const Json& result = get_member(*fields, "result");
            report.conditions = flat(get_member(result, "conditions"));
            if (const Json& timings = get_member(result, "timings"); timings.is_array() && !timings.empty())
                report.shapes = flat(get_member(timings.back(), "symbols"));
        }
    const std::string name = shell_word(report.name);
    if (!state.start.task.empty())
        report.commands.push_back({"Run it once more, with new inputs", run_command(state)});
    const bool replies = std::any_of(report.turns.begin(), report.turns.end(),
                                     [](const ReportTurn& turn) { return !turn.turn->exchanges.empty(); });
    if (replies)
        report.commands.push_back(
            {"Judge the recorded replies anew, with no server", "kernelforge replay " + name + " --again"});
    report.commands.push_back({"See it as it was", "kernelforge replay " + name});
    add_warnings(reader, report);
}

} // namespace kf
