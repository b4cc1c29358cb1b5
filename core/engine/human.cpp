// SPDX-License-Identifier: GPL-3.0-or-later
// What people bench: the number first, the rest of the cases when nobody waits. Only a certification over all cases can
// make a champion.
#include "core/base/random.h"
#include "core/engine/run.h"

#include <algorithm>

namespace kf {
namespace {

bool has_all_cases(const Evaluation& evaluation) {
    return static_cast<int>(evaluation.cases.size()) >= evaluation.cases_total;
}

// What was seen first and the cases that were left then, as one evaluation.
Evaluation joined(const Evaluation& first, const Evaluation& rest) {
    Evaluation all = first;
    all.cases.insert(all.cases.end(), rest.cases.begin(), rest.cases.end());
    all.seconds += rest.seconds;
    for (const std::string& flag : rest.flags)
        if (std::find(all.flags.begin(), all.flags.end(), flag) == all.flags.end())
            all.flags.push_back(flag);
    if (rest.failure) {
        // A wrong kernel has no time, however fast it was where it is right.
        all.failure = rest.failure;
        all.stages = rest.stages;
        all.timings.clear();
        all.duel.reset();
        all.baselines.clear();
        all.samples = Json();
        return all;
    }
    for (StageReport& stage : all.stages)
        for (const StageReport& more : rest.stages)
            if (stage.stage == Stage::verify && more.stage == Stage::verify) {
                stage.seconds += more.seconds;
                stage.evidence = Json{{"cases", all.cases.size()}, {"of", all.cases_total}};
            }
    return all;
}

} // namespace

// The turn that a person's outcome becomes.
int Run::take_human_turn(const BenchRequest& request, const Proposal& proposal, const EvaluationOutcome& outcome) {
    const Evaluation& evaluation = *outcome.evaluation;
    const ChampionState* best = m_journal->state().champion();
    const int number = m_journal->state().next_turn();
    TurnStarted started;
    started.turn = number;
    started.parent = request.parent >= 0 ? request.parent : best ? best->turn : -1;
    started.author = "human";
    started.strategy = "edit by hand";
    m_journal->append(started);
    put_candidate(number, proposal);
    record(number, evaluation, evaluation.seconds);
    const bool better = crowns(evaluation);
    // The start kernel was refused: the first kernel that is certified right takes its place.
    const bool first = !best && evaluation.level == Level::certify && evaluation.accepted() &&
                       has_all_cases(evaluation) && !evaluation.timings.empty();
    if (better || first)
        crown(number, evaluation, better ? describe(evaluation.duel->decision) : "the first kernel that is right");
    finish_turn(number, outcome.outcome == Outcome::failed ? "failed" : "verdict",
                better || first ? "new champion" : "");
    return number;
}

void Run::human_turn(const BenchRequest& request) {
    m_completion.reset(); // an older bench's: the newest wins
    Proposal proposal;
    proposal.source = request.source;
    proposal.file_name = request.file_name.empty() ? "draft.cu" : request.file_name;
    proposal.tunables = request.tunables;
    proposal.author = "human";
    proposal.parent = request.parent;
    Order order;
    order.cases = request.quick ? CasePart::first : CasePart::all;
    order.urgent = request.quick;
    order.stop = request.stop;
    order.id = random_id(12);
    order.progress = request.progress;
    const Champion best = champion();
    EvaluationOutcome outcome;
    {
        const auto entry = m_activity.enter(
            Activity{"bench", -1, order.id, std::string(to_string(request.level)), proposal.file_name, 0});
        outcome = ask(-1, proposal, request.level, best.turn >= 0 ? &best : nullptr, order);
    }
    const int number = outcome.evaluation ? take_human_turn(request, proposal, outcome) : -1;
    if (request.grow && number >= 0)
        m_forced_parent = number;
    if (outcome.outcome == Outcome::verdict && !has_all_cases(*outcome.evaluation))
        m_completion = Completion{number, proposal, *outcome.evaluation};
    m_steering.answer_bench(to_json(outcome), number);
}

void Run::complete(const Completion& completion) {
    Order order;
    order.cases = CasePart::rest;
    order.cases_before = static_cast<int>(completion.first.cases.size());
    order.measure = false;
    order.stop = m_steering.begin_completion();
    order.id = completion.first.id;
    const Level level = completion.first.level;
    EvaluationOutcome outcome;
    {
        const auto entry = m_activity.enter(Activity{"completion", completion.turn, order.id,
                                                     std::string(to_string(level)), completion.proposal.file_name, 0});
        outcome = ask(completion.turn, completion.proposal, level, nullptr, order);
    }
    m_steering.end_completion();
    if (!outcome.evaluation) {
        StageProgress dropped;
        dropped.turn = completion.turn;
        dropped.evaluation = order.id;
        dropped.stage = "verify";
        dropped.state = "dropped";
        m_journal->append(dropped);
        return;
    }
    const Evaluation all = joined(completion.first, *outcome.evaluation);
    record(completion.turn, all, outcome.evaluation->seconds);
    if (all.failure)
        finish_turn(completion.turn, "failed", "wrong in a case that ran after the number was told");
}

void Run::serve_people() {
    while (!m_serving && !m_steering.stopping()) {
        if (auto bench = m_steering.take_bench()) {
            m_serving = true;
            human_turn(*bench);
            m_serving = false;
        } else if (auto completion = std::exchange(m_completion, std::nullopt)) {
            m_serving = true;
            complete(*completion);
            m_serving = false;
        } else {
            return;
        }
        note_steering();
    }
}

void Run::serve_quick_benches() {
    if (m_serving || m_steering.stopping())
        return;
    m_serving = true;
    while (auto bench = m_steering.take_bench(true)) {
        note_steering();
        human_turn(*bench);
    }
    m_serving = false;
}

} // namespace kf
