// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/facts.h"

#include "core/report/reading.h"

#include <algorithm>
#include <set>

namespace kf {
namespace {

// Which turns are told in full when there are too many: the start, champions and those they grew from, the first of
// each kind of verdict, then the last ones.
std::set<int> chosen_turns(const RunReport& report, std::size_t most) {
    std::set<int> chosen;
    const auto add = [&](int turn) {
        if (chosen.size() < most && report.state.turns.count(turn) > 0)
            chosen.insert(turn);
    };
    add(0);
    for (auto champion = report.state.champions.rbegin(); champion != report.state.champions.rend(); ++champion) {
        add(champion->turn);
        const auto turn = report.state.turns.find(champion->turn);
        if (turn != report.state.turns.end())
            add(turn->second.parent);
    }
    std::set<std::string> seen;
    for (const ReportTurn& turn : report.turns)
        if (seen.insert(turn.shown ? turn.shown->verdict : turn.turn->outcome).second)
            add(turn.turn->number);
    for (auto turn = report.turns.rbegin(); turn != report.turns.rend() && chosen.size() < most; ++turn)
        add(turn->turn->number);
    return chosen;
}

void list_turns(RunReport& report, const ReportLimits& limits) {
    std::set<int> champions;
    for (const ChampionState& champion : report.state.champions)
        champions.insert(champion.turn);
    for (const auto& [number, turn] : report.state.turns) {
        ReportTurn entry;
        entry.turn = &turn;
        entry.shown = shown_evaluation(report.state, turn);
        entry.kind = verdict_kind(turn, entry.shown);
        entry.champion = champions.count(number) > 0;
        entry.present = report.state.champion() && report.state.champion()->turn == number;
        report.turns.push_back(std::move(entry));
    }
    const bool all = report.turns.size() <= limits.all_detailed_up_to;
    const std::set<int> chosen = all ? std::set<int>() : chosen_turns(report, limits.detailed_turns);
    for (ReportTurn& turn : report.turns) {
        turn.detailed = all || chosen.count(turn.turn->number) > 0;
        report.detailed += turn.detailed;
    }
}

} // namespace

std::string turn_name(int turn) {
    return turn == 0 ? "the start kernel" : "turn " + std::to_string(turn);
}

const ReportTurn* RunReport::champion() const {
    for (const ReportTurn& turn : turns)
        if (turn.present)
            return &turn;
    return nullptr;
}

Result<RunReport> read_report(JournalReader& reader, LockState lock, const std::string& program,
                              const ReportLimits& limits) {
    RunReport report;
    report.program = program;
    bool readable = false;
    while (true) {
        auto events = reader.poll(4096); // a part at a time: large fields are read again where they are wanted
        if (!events) {
            if (!readable)
                return events.error();
            report.warnings.push_back(
                "The journal goes on in a newer format than this program reads; the report ends before it.");
            break;
        }
        if (events->empty())
            break;
        for (const Event& event : *events) {
            readable = readable || event.type != EventType::unreadable;
            report.state.apply(event);
        }
    }
    if (!readable)
        return make_error("journal-unreadable", "there is no event in this journal that can be read",
                          "name another run: kernelforge runs lists them", Place{reader.folder().string(), 0, 0});
    report.status = report.state.status(lock);
    report.name = report.state.start.run.empty() ? reader.folder().filename().string() : report.state.start.run;
    list_turns(report, limits);
    read_texts(reader, limits, report);
    for (ReportTurn& turn : report.turns)
        read_judgement(reader, turn);
    read_speedups(report);
    read_duel(reader, limits, report);
    read_surroundings(reader, lock, report);
    return report;
}

} // namespace kf
