// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/engine/run.h"

namespace kf {

void Run::finish_turn(int number, const std::string& outcome, const std::string& text) {
    TurnFinished event;
    event.turn = number;
    event.outcome = outcome;
    event.text = text;
    if (const auto turn = m_journal->state().turns.find(number); turn != m_journal->state().turns.end())
        event.cost = to_json(turn->second.cost);
    m_journal->append(event);
    const Usage used = usage();
    Budget budget;
    budget.spent = Json{{"turns", used.turns},
                        {"seconds", used.seconds},
                        {"device_seconds", used.device_seconds},
                        {"tokens", used.tokens},
                        {"money", used.money}};
    m_journal->append(budget);
}

bool Run::crowns(const Evaluation& evaluation) const {
    if (static_cast<int>(evaluation.cases.size()) < evaluation.cases_total)
        return false; // what was not run is not right
    return evaluation.accepted() && evaluation.duel &&
           may_become_champion(evaluation.duel->decision, evaluation.duel->decision.delta);
}

void Run::crown(int number, const Evaluation& evaluation, const std::string& why) {
    ChampionEvent event;
    event.turn = number;
    event.evaluation = evaluation.id;
    event.candidate = evaluation.candidate_hash;
    event.tunables = Json::object();
    for (const auto& [name, value] : evaluation.tunables)
        event.tunables[name] = value;
    event.level = std::string(to_string(evaluation.level));
    event.why = why;
    event.seconds_per_call = evaluation.timings.empty() ? 0 : evaluation.timings.front().median;
    m_journal->append(event);
}

std::optional<RunResult> Run::start_turn() {
    const RunState& state = m_journal->state();
    if (state.champion())
        return std::nullopt;
    const auto existing = state.turns.find(0);
    // A person writes the first kernel that works: the run waits for it.
    const bool goes_on_without = m_settings.synthesizer == SynthesizerKind::human;
    if (goes_on_without && existing != state.turns.end() && existing->second.finished)
        return std::nullopt;
    Proposal proposal;
    proposal.author = "file";
    proposal.strategy = "start kernel";
    if (existing != state.turns.end() && !existing->second.source.empty()) {
        proposal.source = m_journal->blob(existing->second.source); // the lost run's, whatever the file says today
        proposal.file_name = existing->second.file_name;
    } else {
        const std::filesystem::path file =
            m_settings.start_file.empty() ? m_task.folder / "start.cu" : std::filesystem::path(m_settings.start_file);
        auto source = m_record ? m_record->start_source() : read_file(file, std::size_t{1} << 20);
        if (!source)
            return end(RunEnd::no_champion, "start_missing", to_string(source.error()));
        proposal.source = std::move(*source);
        proposal.file_name = m_record ? m_record->start_file() : file.filename().string();
        TurnStarted started;
        started.turn = 0;
        started.author = proposal.author;
        started.strategy = proposal.strategy;
        m_journal->append(started);
        put_candidate(0, proposal);
    }
    const Judged judged = evaluate(0, proposal, Level::certify, nullptr);
    switch (judged.outcome.outcome) {
    case Outcome::infrastructure:
        return end(RunEnd::infrastructure, "infrastructure", judged.outcome.what);
    case Outcome::cancelled:
        note_steering();
        return end(RunEnd::stopped, "user", "stopped by a person");
    case Outcome::failed:
        finish_turn(0, "failed", judged.outcome.evaluation->failure->message);
        if (goes_on_without)
            return std::nullopt;
        return end(
            RunEnd::no_champion, "start_rejected",
            "the start kernel is rejected: " + std::string(to_string(judged.outcome.evaluation->failure->failure)) +
                ": " + judged.outcome.evaluation->failure->message);
    case Outcome::verdict:
        break;
    }
    crown(0, *judged.outcome.evaluation, "start kernel");
    finish_turn(0, "verdict", "");
    return std::nullopt;
}

TurnOutcome Run::certify(int number, const Proposal& proposal) {
    const Champion best = champion();
    const Judged judged = evaluate(number, proposal, Level::certify, &best);
    if (judged.outcome.outcome == Outcome::failed)
        return TurnOutcome::failed;
    if (judged.outcome.outcome != Outcome::verdict)
        return TurnOutcome::infrastructure;
    if (!crowns(*judged.outcome.evaluation))
        return TurnOutcome::not_faster;
    crown(number, *judged.outcome.evaluation, describe(judged.outcome.evaluation->duel->decision));
    return TurnOutcome::faster;
}

TurnOutcome Run::single_turn(int number, const Proposal& proposal) {
    const Champion best = champion();
    const Judged judged = evaluate(number, proposal, Level::screen, &best);
    if (judged.outcome.outcome == Outcome::failed)
        return TurnOutcome::failed;
    if (judged.outcome.outcome != Outcome::verdict)
        return TurnOutcome::infrastructure;
    if (proposal.screen_only)
        return TurnOutcome::not_faster;
    const auto& duel = judged.outcome.evaluation->duel;
    const bool promising = duel && duel->decision.verdict != Ratio::slower && duel->decision.interval.estimate > 1;
    return promising ? certify(number, proposal) : TurnOutcome::not_faster;
}

TurnOutcome Run::take_turn(int number, const Proposal& proposal) {
    const RunState& state = m_journal->state();
    const auto existing = state.turns.find(number);
    const bool begun = existing != state.turns.end() && existing->second.started;
    if (!begun) {
        TurnStarted started;
        started.turn = number;
        started.parent = proposal.parent;
        started.author = proposal.author;
        started.strategy = proposal.strategy;
        started.hint = proposal.hint;
        Json fields = to_fields(started);
        if (proposal.recorded >= 0)
            fields["recorded"] = proposal.recorded;
        m_journal->append(TurnStarted::type, std::move(fields));
    }
    if (!proposal.asks_model && (!begun || existing->second.source.empty()))
        put_candidate(number, proposal);
    Taken taken;
    if (begun && state.champion() && state.champion()->turn == number)
        taken.outcome = TurnOutcome::faster; // it was crowned before the run was lost; only its end is missing
    else if (proposal.asks_model)
        taken = model_turn(number, proposal);
    else
        taken.outcome =
            proposal.sweep ? sweep_turn(number, proposal, m_settings.tuner_points) : single_turn(number, proposal);
    if (m_steering.stop_token().stop_requested() || m_end)
        return taken.outcome; // the turn stays unfinished: a resumed run goes on with it
    static constexpr const char* names[] = {"verdict", "verdict", "failed", "infrastructure"};
    finish_turn(number, taken.name.empty() ? names[static_cast<int>(taken.outcome)] : taken.name,
                taken.text.empty() && taken.outcome == TurnOutcome::faster ? "new champion" : taken.text);
    return taken.outcome;
}

} // namespace kf
