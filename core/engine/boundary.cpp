// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/run.h"

#include <algorithm>

namespace kf {
Usage Run::usage() const {
    Usage usage;
    const RunState& state = m_journal->state();
    // What people try comes on top of the budget, unless they are who the run is for: no model's turn is lost by it.
    const bool of_people = m_settings.synthesizer == SynthesizerKind::human;
    for (const auto& [number, turn] : state.turns)
        usage.turns += number > 0 && turn.finished && (of_people || turn.author != "human");
    const Cost cost = state.spent();
    usage.seconds =
        m_seconds_before + std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
    usage.device_seconds = cost.device_s;
    usage.tokens = cost.tokens_in + cost.tokens_out;
    usage.money = cost.money;
    return usage;
}

Run::Champion Run::champion() const {
    const RunState& state = m_journal->state();
    const ChampionState* champion = state.champion();
    Champion best;
    if (!champion)
        return best;
    best.hash = champion->candidate;
    best.source = m_journal->blob(champion->candidate);
    best.turn = champion->turn;
    const auto turn = state.turns.find(champion->turn);
    best.file_name =
        turn != state.turns.end() && !turn->second.file_name.empty() ? turn->second.file_name : "champion.cu";
    for (const auto& [name, value] : champion->tunables.items())
        if (value.is_number_integer())
            best.tunables[name] = value.get<std::int64_t>();
    return best;
}

// How long a run may sleep that waits for people; what they do wakes it.
double Run::idle_s() const {
    return m_settings.stop.seconds > 0 ? std::clamp(m_settings.stop.seconds - usage().seconds, 0.0, 60.0) : 60;
}

void Run::note_steering() {
    for (const SteeringEntry& entry : m_steering.take_entries()) {
        Steering event;
        event.who = entry.who;
        event.what = entry.what;
        event.data = entry.data;
        const bool next_turn =
            entry.what == "hint" || entry.what == "fork" || entry.what == "edit" || entry.what == "model";
        event.effect = next_turn                ? "turn " + std::to_string(m_journal->state().next_turn())
                       : entry.what == "budget" ? "now"
                                                : "";
        m_journal->append(event);
        obey(entry);
    }
}

std::optional<RunResult> Run::boundary(bool between_turns) {
    note_steering();
    serve_people();
    // A pause is "after this turn": a sweep is one turn and goes on.
    while (between_turns && m_steering.paused() && !m_steering.stopping()) {
        {
            const auto entry = m_activity.enter(Activity{"paused", -1, {}, {}, {}, 0});
            m_steering.wait(deadline_after(idle_s()));
        }
        note_steering();
        serve_people();
        if (m_early_stop.check_budgets(usage()))
            break;
    }
    if (m_steering.stopping() && (between_turns || m_steering.stop_token().stop_requested()))
        return end(RunEnd::stopped, "user", "stopped by a person");
    if (const auto stop = m_early_stop.check_budgets(usage()))
        return end(m_journal->state().champion() ? RunEnd::champion : RunEnd::no_champion,
                   std::string(to_string(stop->reason)), stop->text);
    return std::nullopt;
}

} // namespace kf
