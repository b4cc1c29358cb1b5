// SPDX-License-Identifier: GPL-3.0-or-later
// A model's turn: a candidate is asked for, then judged. What it rests on stands in the journal, so that a lost run
// goes on with the reply that it has paid for.
#include "core/autopsy/autopsy.h"
#include "core/engine/run.h"

#include <algorithm>

namespace kf {
namespace {

std::string lines_of(const std::vector<Error>& errors) {
    std::string text;
    for (const Error& error : errors)
        text += (text.empty() ? "" : "\n") + to_string(error);
    return text;
}

// What the author of a reply without a candidate is told.
std::string repair_of(const Extraction& extraction, bool cut) {
    std::string text = lines_of(extraction.errors);
    if (cut)
        text += "\nThe reply was cut off at the limit of its length: think less and answer with the kernel alone.";
    return text;
}

} // namespace

std::optional<Evaluation> Run::decisive_of(int number) const {
    const RunState& state = m_journal->state();
    const auto turn = state.turns.find(number);
    const EvaluationState* decisive = turn != state.turns.end() ? turn->second.decisive() : nullptr;
    if (!decisive)
        return std::nullopt;
    auto event = m_journal->event_at(decisive->place);
    if (!event)
        return std::nullopt;
    Json result = get_member(event->fields, "result");
    if (const std::string blob = get_string(event->fields, "result_blob"); result.is_null() && !blob.empty())
        if (auto parsed = parse_json(m_journal->blob(blob), "result"))
            result = std::move(*parsed);
    auto evaluation = evaluation_from_json(result);
    return evaluation ? std::optional(std::move(*evaluation)) : std::nullopt;
}

Result<Prompt> Run::prompt_for(int number, const Proposal& proposal, const std::string& repair,
                               const std::string& repaired_reply) const {
    const RunState& state = m_journal->state();
    PromptInputs inputs;
    inputs.state = &state;
    inputs.task = &m_task;
    inputs.device = m_evaluator.device();
    inputs.parent = proposal.parent;
    const auto turn = state.turns.find(number);
    const int parent = turn != state.turns.end() ? turn->second.parent : proposal.parent;
    if (const auto grown = state.turns.find(parent); grown != state.turns.end() && !grown->second.source.empty())
        inputs.parent_source = m_journal->blob(grown->second.source);
    else
        inputs.parent_source = champion().source;
    inputs.strategy = proposal.strategy;
    inputs.hint = proposal.hint;
    inputs.repair = repair;
    inputs.repaired_reply = repaired_reply;
    inputs.blob = [this](const std::string& hash) { return m_journal->blob(hash); };
    inputs.decisive_of_turn = [this](int one) { return decisive_of(one); };
    PromptOptions options = prompt_options(m_turn_model);
    if (m_context_limit > 0)
        options.context_tokens = std::min(options.context_tokens, m_context_limit);
    return build_prompt(inputs, options);
}

std::vector<ChatReply> Run::replies_of(int number) const {
    std::vector<ChatReply> replies;
    const RunState& state = m_journal->state();
    const auto turn = state.turns.find(number);
    if (turn == state.turns.end())
        return replies;
    for (const EventPlace& place : turn->second.exchanges) {
        auto event = m_journal->event_at(place);
        if (!event || !get_string(event->fields, "error").empty())
            continue;
        auto json = parse_json(m_journal->blob(get_string(event->fields, "reply")), "reply");
        if (auto reply = json ? chat_reply_from_json(*json) : std::nullopt)
            replies.push_back(std::move(*reply));
    }
    return replies;
}

std::variant<Extraction, Run::Taken> Run::write_candidate(int number, const Proposal& proposal) {
    const std::vector<ChatReply> known = replies_of(number);
    std::string repair, repaired;
    std::vector<Error> errors;
    for (int exchange = 1; exchange <= 2; ++exchange) {
        ChatReply reply;
        if (static_cast<int>(known.size()) >= exchange) {
            reply = known[static_cast<std::size_t>(exchange) - 1];
        } else {
            Asked asked = ask_model(number, exchange, proposal, repair, repaired);
            if (asked.error)
                return model_failed(*asked.error);
            if (!asked.reply)
                return Taken{TurnOutcome::infrastructure, "cancelled", ""};
            reply = std::move(*asked.reply);
        }
        Extraction extraction = extract_candidate(reply.content, m_task);
        if (extraction.ok())
            return extraction;
        repair = repair_of(extraction, reply.cut());
        repaired = reply.content;
        errors = extraction.errors;
    }
    const std::string why = errors.empty() ? "the reply holds no kernel" : errors.front().message;
    return Taken{TurnOutcome::failed, "no_candidate", "two replies without a kernel: " + why};
}

Run::Taken Run::model_turn(int number, Proposal proposal) {
    m_turn_model = m_settings.model; // what a person changes from now on is for the next turn
    const TurnState& turn = m_journal->state().turns.at(number);
    if (!turn.source.empty()) {
        proposal.source = m_journal->blob(turn.source); // a lost run had it already
        proposal.file_name = turn.file_name;
    } else {
        auto written = write_candidate(number, proposal);
        if (auto* taken = std::get_if<Taken>(&written))
            return *taken;
        Extraction& extraction = std::get<Extraction>(written);
        if (!m_duplicates)
            m_duplicates =
                std::make_unique<DuplicateFinder>([this](const std::string& hash) { return m_journal->blob(hash); });
        if (const auto same =
                m_duplicates->find(m_journal->state(), extraction.source, extraction.file_name, TunableValues{}))
            return Taken{TurnOutcome::failed, "duplicate", "same as turn " + std::to_string(*same)};
        proposal.source = std::move(extraction.source);
        proposal.file_name = std::move(extraction.file_name);
        proposal.note = std::move(extraction.note);
        put_candidate(number, proposal);
    }
    if ((m_end = boundary(false)))
        return Taken{};
    const Champion best = champion();
    const Judged judged = evaluate(number, proposal, Level::screen, &best);
    if (judged.outcome.outcome == Outcome::failed)
        return Taken{TurnOutcome::failed, "", ""};
    if (judged.outcome.outcome != Outcome::verdict)
        return Taken{TurnOutcome::infrastructure, "", ""};
    const Evaluation& evaluation = *judged.outcome.evaluation;
    const auto candidate = parse_candidate(proposal.source, proposal.file_name);
    if (candidate && m_settings.model.sweep_points > 0 &&
        promising_for_sweep(m_journal->state(), *candidate, evaluation))
        return Taken{sweep_turn(number, proposal, m_settings.model.sweep_points), "", ""};
    const auto& duel = evaluation.duel;
    const bool promising = duel && duel->decision.verdict != Ratio::slower && duel->decision.interval.estimate > 1;
    return Taken{promising ? certify(number, proposal) : TurnOutcome::not_faster, "", ""};
}

} // namespace kf
