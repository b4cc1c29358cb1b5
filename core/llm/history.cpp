// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/history.h"

#include "core/autopsy/autopsy.h"
#include "core/llm/templates.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace kf {
namespace {

struct Entry {
    const TurnState* turn = nullptr;
    std::string verdict;
    bool failed = false;
    double seconds = 0, ratio = 0; // ratio to the champion of its time; 0: not compared
};

std::string verdict_of(const TurnState& turn, const EvaluationState* decisive) {
    if (decisive && !decisive->verdict.empty())
        return decisive->verdict;
    if (turn.outcome == "no_candidate")
        return "no candidate in the reply";
    return turn.outcome.empty() ? "no verdict" : turn.outcome;
}

std::string figure(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string line_of(const Entry& entry) {
    const TurnState& turn = *entry.turn;
    std::string text = "- turn " + std::to_string(turn.number);
    if (turn.parent >= 0)
        text += " from " + std::to_string(turn.parent);
    if (turn.author != "model" && !turn.author.empty())
        text += " (" + shortened(harmless(turn.author), 24) + ")";
    if (!turn.strategy.empty()) {
        std::string strategy = harmless(turn.strategy);
        std::replace(strategy.begin(), strategy.end(), '\n', ' ');
        text += " · " + shortened(strategy, 120);
    }
    text += " · " + shortened(harmless(entry.verdict), 60);
    if (entry.ratio > 0)
        text += " · " + figure("%.3f", entry.ratio) + "× the champion of that time";
    if (entry.seconds > 0)
        text += " · " + format_seconds(entry.seconds);
    if (turn.mark != TurnMark::none)
        text += " · became champion";
    return text;
}

std::string lesson_of(const PromptInputs& inputs, int turn) {
    if (!inputs.decisive_of_turn)
        return {};
    const std::optional<Evaluation> evaluation = inputs.decisive_of_turn(turn);
    if (!evaluation)
        return {};
    const Autopsy autopsy = make_autopsy(*evaluation);
    std::string text;
    if (autopsy.held_out)
        text = "passes the known cases, fails on one that is held back: not general";
    else
        text = autopsy.headline;
    if (!autopsy.causes.empty() && autopsy.failure)
        text += "; " + autopsy.causes.front().what;
    text = harmless(text);
    // A lesson stands on one line and opens no fence.
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '`', '\'');
    return shortened(text, 240);
}

std::vector<Entry> entries_of(const RunState& state) {
    std::vector<Entry> entries;
    entries.reserve(state.turns.size());
    for (const auto& [number, turn] : state.turns) {
        if (!turn.finished || turn.outcome == "infrastructure" || turn.outcome == "cancelled")
            continue;
        const EvaluationState* decisive = turn.decisive();
        Entry entry{&turn, verdict_of(turn, decisive), !decisive || decisive->failed, 0, 0};
        if (decisive && !decisive->failed) {
            entry.seconds = decisive->seconds_per_call;
            entry.ratio = decisive->vs_champion.estimate;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

// Failures of one kind on one parent are told once.
std::vector<std::string> merged_lines(const std::vector<const Entry*>& shown) {
    std::map<std::pair<int, std::string>, std::vector<const Entry*>> failures;
    for (const Entry* entry : shown)
        if (entry->failed)
            failures[{entry->turn->parent, entry->verdict}].push_back(entry);
    std::vector<std::string> lines;
    for (const Entry* entry : shown) {
        if (!entry->failed) {
            lines.push_back(line_of(*entry));
            continue;
        }
        const std::vector<const Entry*>& alike = failures[{entry->turn->parent, entry->verdict}];
        if (alike.back() != entry)
            continue; // told with the latest of them
        std::string line = line_of(*entry);
        if (alike.size() > 1)
            line += " · " + std::to_string(alike.size()) + " turns failed so on this parent";
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace

std::string history_text(const PromptInputs& inputs, const HistoryLimits& limits, std::string& left_out) {
    left_out.clear();
    const std::vector<Entry> entries = entries_of(*inputs.state);
    if (entries.size() < 2)
        return {};
    // The fastest right ones, the faster first.
    std::vector<const Entry*> best;
    for (const Entry& entry : entries)
        if (!entry.failed && entry.seconds > 0)
            best.push_back(&entry);
    const std::size_t wanted = std::min(best.size(), std::max(limits.details / 2, limits.lines / 4));
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(wanted), best.end(),
                      [](const Entry* a, const Entry* b) {
                          return a->seconds != b->seconds ? a->seconds < b->seconds : a->turn->number < b->turn->number;
                      });
    best.resize(wanted);

    std::set<int> detailed, shown;
    for (std::size_t i = 0; i < best.size() && i < limits.details / 2; ++i)
        detailed.insert(best[i]->turn->number);
    for (auto it = entries.rbegin(); it != entries.rend() && detailed.size() < limits.details; ++it)
        detailed.insert(it->turn->number);
    shown = detailed;
    for (std::size_t i = 0; i < best.size() && shown.size() < limits.lines / 4 + limits.details; ++i)
        shown.insert(best[i]->turn->number);
    for (auto it = entries.rbegin(); it != entries.rend() && shown.size() < limits.lines + limits.details; ++it)
        shown.insert(it->turn->number);

    std::map<std::string, std::size_t> counted;
    std::size_t count = 0;
    std::vector<const Entry*> plain;
    std::string details;
    for (const Entry& entry : entries) {
        const int number = entry.turn->number;
        if (!shown.contains(number)) {
            ++counted[entry.verdict];
            ++count;
        } else if (detailed.contains(number)) {
            details += line_of(entry) + "\n";
            if (const std::string lesson = lesson_of(inputs, number); !lesson.empty())
                details += "  lesson: " + lesson + "\n";
        } else {
            plain.push_back(&entry);
        }
    }
    std::string text;
    if (count > 0) {
        std::string kinds;
        for (const auto& [verdict, n] : counted)
            kinds += (kinds.empty() ? "" : ", ") + std::to_string(n) + " " + shortened(harmless(verdict), 60);
        text += "- " + std::to_string(count) + " other turns: " + shortened(kinds, 600) + "\n";
        left_out = std::to_string(count) + " turns of the history are only counted";
    }
    for (const std::string& line : merged_lines(plain))
        text += line + "\n";
    if (!details.empty())
        text += "Best and latest turns:\n" + details;
    return text;
}

} // namespace kf
