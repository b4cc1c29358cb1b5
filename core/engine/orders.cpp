// SPDX-License-Identifier: GPL-3.0-or-later
// What people tell a run that asks a model: checked in their thread, done in the run's, found again by a resumed one.
#include "core/autopsy/autopsy.h"
#include "core/engine/run.h"

#include <algorithm>
#include <cmath>

namespace kf {
namespace {

constexpr std::string_view not_a_model_run = "this run asks no model";

// "turn 11" → 11; −1 else.
int turn_of_effect(const std::string& effect) {
    return effect.starts_with("turn ") ? std::atoi(effect.c_str() + 5) : -1;
}

// A budget's new total: what is accepted for it.
Status read_budget(const Json& change, const char* field, double scale, bool whole, double& value) {
    const Json& given = get_member(change, field);
    if (given.is_null())
        return {};
    const double number = given.is_number() ? given.get<double>() : -1;
    if (!(number >= 0 && number <= 1e12) || (whole && number != std::floor(number)))
        return make_error("settings-budget", "`" + std::string(field) + "` is " + dump_line(given),
                          std::string("accepted: ") + (whole ? "a whole number" : "a number") +
                              " of 0 or more; 0 is no limit");
    value = number * scale;
    return {};
}

Json budgets_json(const StopSettings& stop) {
    return Json{{"turns", stop.turns},
                {"tokens", stop.tokens},
                {"money", stop.money},
                {"seconds", stop.seconds},
                {"device_seconds", stop.device_seconds}};
}

} // namespace

Result<Json> Run::fork(const std::string& who, int turn, const std::string& hint) {
    if (!asks_model())
        return make_error("not-a-model-run", std::string(not_a_model_run), "fork is for runs with --provider");
    struct Seen {
        bool known = false, has_source = false;
        int next = 0;
    };
    const Seen seen = m_journal->look_at([&](const RunState& state) {
        const auto found = state.turns.find(turn);
        const bool known = found != state.turns.end();
        return Seen{known, known && !found->second.source.empty(), state.next_turn()};
    });
    if (!seen.known)
        return make_error("turn-unknown", "the run has no turn " + std::to_string(turn),
                          "name one from 0 to " + std::to_string(seen.next - 1));
    if (!seen.has_source)
        return make_error("turn-empty", "turn " + std::to_string(turn) + " has no candidate to grow from",
                          "fork from another turn");
    m_steering.fork(who, turn, hint);
    return Json{{"turn", seen.next}, {"effect", "turn " + std::to_string(seen.next)}};
}

Result<Json> Run::change_model(const std::string& who, const Json& change) {
    if (!asks_model())
        return make_error("not-a-model-run", std::string(not_a_model_run), "start one with --provider");
    const std::lock_guard lock(m_told_mutex);
    auto model = changed(m_told_model, change);
    if (!model)
        return model.error();
    if (!m_transports)
        return make_error("model-missing", "this run repeats a record and has no model client",
                          "start it again with --then-live");
    if (auto checked = m_transports->check(*model); !checked)
        return checked.error();
    if (m_told_stop.money > 0 && !m_transports->knows_cost(*model))
        return cost_unknown(*model);
    m_told_model = *model;
    m_steering.order(who, "model", change);
    const int next = m_journal->look_at([](const RunState& state) { return state.next_turn(); });
    return Json{{"turn", next}, {"effect", "turn " + std::to_string(next)}, {"model", to_json(*model)}};
}

Result<Json> Run::change_budget(const std::string& who, const Json& change) {
    const std::lock_guard lock(m_told_mutex);
    StopSettings stop = m_told_stop;
    double turns = static_cast<double>(stop.turns), tokens = static_cast<double>(stop.tokens);
    struct Field {
        const char* name;
        double scale;
        bool whole;
        double* value;
    };
    bool any = false;
    for (const Field& field :
         {Field{"turns", 1, true, &turns}, Field{"tokens", 1, true, &tokens}, Field{"money", 1, false, &stop.money},
          Field{"minutes", 60, false, &stop.seconds}, Field{"device_minutes", 60, false, &stop.device_seconds}}) {
        any = any || !get_member(change, field.name).is_null();
        if (auto read = read_budget(change, field.name, field.scale, field.whole, *field.value); !read)
            return read.error();
    }
    if (!any)
        return make_error("settings-budget", "no budget is named", "turns, tokens, money, minutes or device_minutes");
    const bool asks = asks_model() && m_transports && (m_told_model.record.empty() || m_told_model.then_live);
    if (get_double(change, "money") > 0 && asks && !m_transports->knows_cost(m_told_model))
        return cost_unknown(m_told_model);
    stop.turns = static_cast<std::int64_t>(turns);
    stop.tokens = static_cast<std::int64_t>(tokens);
    m_told_stop = stop;
    m_steering.order(who, "budget", budgets_json(stop));
    return Json{{"effect", "now"}, {"budgets", budgets_json(stop)}};
}

Json Run::model_status() const {
    const std::lock_guard lock(m_told_mutex);
    Json json = to_json(m_told_model);
    if (const std::string record = get_string(json, "record"); !record.empty())
        json["recorded"] = record;
    return json;
}

void Run::obey(const SteeringEntry& entry) {
    if (entry.what == "fork") {
        m_forced_parent = static_cast<int>(get_int(entry.data, "turn", -1));
    } else if (entry.what == "model") {
        Json change = entry.data;
        change.erase("then_live");
        if (!change.empty())
            if (auto model = changed(m_settings.model, change))
                m_settings.model = std::move(*model);
        m_reopen = true;
    } else if (entry.what == "budget") {
        m_settings.stop.turns = get_int(entry.data, "turns");
        m_settings.stop.tokens = get_int(entry.data, "tokens");
        m_settings.stop.money = get_double(entry.data, "money");
        m_settings.stop.seconds = get_double(entry.data, "seconds");
        m_settings.stop.device_seconds = get_double(entry.data, "device_seconds");
        m_early_stop.set_budgets(m_settings.stop);
    }
}

// Orders for the next turn whose turn did not begin before the run was lost.
void Run::restore_orders() {
    const RunState& state = m_journal->state();
    int last_own = -1; // the newest turn that took orders
    for (const auto& [number, turn] : state.turns)
        if (turn.started && turn.author != "human")
            last_own = number;
    for (const Steering& told : state.steering) {
        const int turn = turn_of_effect(told.effect);
        if (turn < 0 || last_own >= turn)
            continue;
        if (const std::string text = get_string(told.data, told.what == "hint" ? "text" : "hint"); !text.empty())
            m_steering.restore_hint(text);
        if (told.what == "fork")
            m_forced_parent = static_cast<int>(get_int(told.data, "turn", -1));
        if (told.what == "edit")
            for (const auto& [number, human] : state.turns)
                if (number >= turn && human.author == "human" && human.finished)
                    m_forced_parent = number;
    }
}

// Which recorded turns were repeated already, and which replies were taken.
Status Run::restore_record() {
    if (m_settings.model.record.empty())
        return {};
    auto record = Record::open(m_settings.model.record);
    if (!record)
        return record.error();
    auto reader = JournalReader::open(m_journal->folder());
    if (!reader)
        return reader.error();
    auto events = reader->poll();
    if (!events)
        return events.error();
    bool live = false;
    for (const Event& event : *events) {
        const int turn = static_cast<int>(get_int(event.fields, "turn", -1));
        if (event.type == EventType::turn_started && event.fields.contains("recorded"))
            m_became[static_cast<int>(get_int(event.fields, "recorded"))] = turn;
        if (event.type != EventType::model_exchange)
            continue;
        const Json& served = get_member(event.fields, "recorded");
        live = served.is_null();
        if (!live)
            (*record)->mark_served(get_int(served, "sequence"));
    }
    if (!live) // it had gone on with the model: the record has said all
        m_record = std::move(*record);
    return {};
}

// What the next turn does: a lost one goes on, a record is repeated, else the synthesizer decides.
Result<Proposed> Run::propose() {
    const RunState& state = m_journal->state();
    const std::vector<int> unfinished = state.unfinished_turns();
    if (!unfinished.empty() && asks_model()) {
        const TurnState& turn = state.turns.at(unfinished.front());
        for (const auto& [recorded, number] : m_became)
            if (m_record && recorded > 0 && number == turn.number)
                return [&]() -> Result<Proposed> {
                    auto proposal = repeat(*m_record, recorded, m_became);
                    if (!proposal)
                        return proposal.error();
                    return Proposed(std::move(*proposal));
                }();
        Proposal proposal;
        proposal.asks_model = turn.author == "model";
        proposal.parent = turn.parent;
        proposal.author = turn.author;
        proposal.strategy = turn.strategy;
        proposal.hint = turn.hint;
        if (!turn.source.empty())
            proposal.source = m_journal->blob(turn.source);
        proposal.file_name = turn.file_name;
        proposal.screen_only = turn.author == "human";
        if (proposal.asks_model || !proposal.source.empty())
            return Proposed(std::move(proposal));
    }
    if (m_record) {
        const std::vector<int>& turns = m_record->turns();
        const auto next =
            std::find_if(turns.begin(), turns.end(), [this](int turn) { return !m_became.contains(turn); });
        if (next != turns.end()) {
            auto proposal = repeat(*m_record, *next, m_became);
            if (!proposal)
                return proposal.error();
            return Proposed(std::move(*proposal));
        }
        const auto& stop = m_record->state().stop;
        const std::string why = "the record ends here" + (stop ? "; that run stopped: " + stop->text : std::string());
        if (!go_live(why))
            return Proposed(NothingLeft{why});
    }
    RunView view;
    const Champion best = champion();
    view.state = &state;
    view.task = &m_task;
    view.champion_source = best.source;
    view.champion_file = best.file_name;
    view.champion_tunables = best.tunables;
    view.hint = m_steering.take_hints();
    view.forced_parent = m_forced_parent;
    view.bottleneck_of = [this](int turn) {
        const auto evaluation = decisive_of(turn);
        return evaluation ? make_autopsy(*evaluation, nullptr, &m_task).bottleneck : std::string();
    };
    auto proposed = m_synthesizer->propose(view);
    if (proposed && std::holds_alternative<Proposal>(*proposed) && asks_model())
        m_forced_parent = -1;
    return proposed;
}

} // namespace kf
