// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/projection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace kf {
namespace {

EventPlace place_of(const Event& event) {
    return {event.sequence, event.time, event.offset, event.bytes};
}

int rank(const std::string& level) {
    constexpr std::array<std::string_view, 4> levels = {"screen", "duel", "certify", "promote"};
    const auto it = std::find(levels.begin(), levels.end(), level);
    return it == levels.end() ? -1 : static_cast<int>(it - levels.begin());
}

// A person's change of the model while the run goes, as core/engine does it: another provider or URL forgets the one
// that it replaces, a temperature of null is the provider's default.
void change_model(Json& settings, const Json& change) {
    if (!settings.is_object() || !change.is_object())
        return;
    Json& model = settings["model"];
    if (!model.is_object())
        model = Json::object();
    if (change.contains("provider") != change.contains("url"))
        model[change.contains("provider") ? "url" : "provider"] = "";
    for (const auto& [name, value] : change.items())
        if (value.is_null())
            model.erase(name);
        else
            model[name] = value;
}

// New totals; 0 takes the limit away.
void change_budgets(RunStarted& start, const Json& change) {
    if (!change.is_object())
        return;
    if (!start.budgets.is_object())
        start.budgets = Json::object();
    for (const auto& [name, value] : change.items()) {
        if (!value.is_number())
            continue;
        if (value.get<double>() > 0)
            start.budgets[name] = value;
        else
            start.budgets.erase(name);
        if (start.settings.is_object())
            start.settings["stop"][name] = value;
    }
}

std::string format(const char* pattern, double a, double b = 0, double c = 0) {
    char text[128];
    std::snprintf(text, sizeof text, pattern, a, b, c);
    return text;
}

} // namespace

Speedup Speedup::from_json(const Json& json) {
    return {get_double(json, "estimate"), get_double(json, "low"), get_double(json, "high")};
}

std::string format_seconds(double seconds) {
    if (!(seconds > 0) || !std::isfinite(seconds))
        return "–";
    if (seconds >= 1)
        return format("%.3g s", seconds);
    if (seconds >= 1e-3)
        return format("%.3g ms", seconds * 1e3);
    if (seconds >= 1e-6)
        return format("%.3g µs", seconds * 1e6);
    return format("%.3g ns", seconds * 1e9);
}

std::string one_line(const EvaluationState& evaluation) {
    if (!evaluation.summary.empty())
        return evaluation.summary;
    if (!evaluation.done)
        return evaluation.abandoned ? "not finished: the run was interrupted" : "running";
    std::string text = evaluation.verdict.empty() ? "no verdict" : evaluation.verdict;
    if (evaluation.seconds_per_call > 0)
        text += " · " + format_seconds(evaluation.seconds_per_call);
    if (const Speedup& speedup = evaluation.vs_champion; speedup.known())
        text += " · " + format("%.3f× [%.3f, %.3f]", speedup.estimate, speedup.low, speedup.high);
    if (!evaluation.level.empty())
        text += " · " + evaluation.level;
    if (!evaluation.complete())
        text += " · " + std::to_string(evaluation.cases) + " of " + std::to_string(evaluation.cases_total) + " cases";
    return text;
}

const EvaluationState* TurnState::decisive() const {
    const bool sweep = author == "tuner" || author == "model"; // a model's turn may have one of its own
    const auto measured = [](const EvaluationState& evaluation) {
        return !evaluation.failed && evaluation.seconds_per_call > 0;
    };
    const EvaluationState* best = nullptr;
    for (const EvaluationState& evaluation : evaluations) {
        if (!evaluation.done || (best && rank(evaluation.level) < rank(best->level)))
            continue;
        const bool same_level = best && rank(evaluation.level) == rank(best->level);
        if (sweep && same_level && measured(*best) &&
            !(measured(evaluation) && evaluation.seconds_per_call < best->seconds_per_call))
            continue;
        best = &evaluation;
    }
    return best;
}

std::string_view to_string(RunStatus status) {
    constexpr std::array<std::string_view, 5> names = {"empty", "running", "stopping", "finished", "interrupted"};
    return names[static_cast<std::size_t>(status)];
}

TurnState& RunState::turn(int number) {
    TurnState& turn = turns[number];
    turn.number = number;
    return turn;
}

EvaluationState& RunState::evaluation(TurnState& turn, const std::string& id) {
    if (!id.empty()) {
        const auto [it, added] = m_evaluations.try_emplace({turn.number, id}, turn.evaluations.size());
        if (!added)
            return turn.evaluations[it->second];
    }
    turn.evaluations.emplace_back();
    turn.evaluations.back().id = id;
    return turn.evaluations.back();
}

void RunState::apply_stage(const Event& event) {
    const auto stage = from_fields<StageProgress>(event.fields);
    EvaluationState& target = evaluation(turn(stage.turn), stage.evaluation);
    if (target.done) { // the rest of its cases
        target.completing = stage.state != "dropped";
        if (stage.state == "case")
            target.cases = std::clamp(static_cast<int>(get_int(stage.evidence, "index") + 1), target.cases,
                                      std::max(target.cases, target.cases_total));
        else if (stage.state == "dropped")
            target.cases = target.cases_judged;
        return;
    }
    target.place = place_of(event);
    auto it = std::find_if(target.stages.begin(), target.stages.end(),
                           [&](const StageState& known) { return known.stage == stage.stage; });
    if (it == target.stages.end())
        it = target.stages.insert(target.stages.end(), StageState{stage.stage, {}, {}, 0, 0});
    it->state = stage.state;
    it->outcome = stage.outcome;
    it->seconds = stage.seconds;
    it->rounds += stage.state == "round";
}

void RunState::apply_evaluation(const Event& event) {
    // The evaluator's whole answer is large and stays in the file: everything but that is copied.
    Json fields = Json::object();
    for (const auto& [key, value] : event.fields.items())
        if (key != "result")
            fields[key] = value;
    const auto told = from_fields<EvaluationEvent>(fields);
    TurnState& owner = turn(told.turn);
    EvaluationState& target = evaluation(owner, told.evaluation);
    if (target.done) { // judged again: the cost counts again, the later verdict stands
        owner.cost.device_s += told.device_s;
        owner.cost.queue_s += told.queue_s;
    }
    const bool first = !target.done;
    target.candidate = told.candidate;
    target.level = told.level;
    target.verdict = told.verdict;
    target.summary = told.summary;
    target.failed = told.failed;
    target.seconds_per_call = told.seconds_per_call;
    target.low = told.low;
    target.high = told.high;
    target.vs_champion = Speedup::from_json(told.vs_champion);
    target.vs_baselines.clear();
    if (told.vs_baselines.is_object())
        for (const auto& [name, speedup] : told.vs_baselines.items())
            target.vs_baselines[name] = Speedup::from_json(speedup);
    if (told.stages.is_array() && !told.stages.empty()) {
        target.stages.clear();
        for (const Json& stage : told.stages)
            target.stages.push_back(StageState{get_string(stage, "stage"), "ended", get_string(stage, "outcome"),
                                               get_double(stage, "seconds"), 0});
    }
    target.flags.clear();
    if (told.flags.is_array())
        for (const Json& flag : told.flags)
            if (flag.is_string())
                target.flags.push_back(flag.get<std::string>());
    target.tunables = told.tunables;
    target.samples = told.samples;
    target.device_s = told.device_s;
    target.queue_s = told.queue_s;
    target.cases = target.cases_judged = told.cases;
    target.cases_total = told.cases_total;
    target.completing = false;
    target.done = true;
    target.abandoned = false;
    target.place = place_of(event);
    if (first && !owner.finished) {
        owner.cost.device_s += told.device_s;
        owner.cost.queue_s += told.queue_s;
    }
}

void RunState::apply_resumed(const Event&) {
    ++resumed;
    stop.reset();
    end.reset();
    finished_at = 0;
    paused = false;
    for (auto& [number, known] : turns)
        for (EvaluationState& target : known.evaluations) {
            target.abandoned = target.abandoned || !target.done;
            target.completing = false;
            target.cases = target.cases_judged;
        }
}

void RunState::apply(const std::vector<Event>& list) {
    for (const Event& event : list)
        apply(event);
}

void RunState::apply(const Event& event) {
    ++events;
    if (event.type == EventType::unreadable) {
        ++unreadable_lines;
        return;
    }
    if (event.sequence - 1 != last_sequence)
        ++gaps;
    last_sequence = std::max(last_sequence, event.sequence);
    last_event_at = event.time;
    switch (event.type) {
    case EventType::run_started:
        start = from_fields<RunStarted>(event.fields);
        started_at = event.time;
        break;
    case EventType::turn_started: {
        const auto told = from_fields<TurnStarted>(event.fields);
        TurnState& known = turn(told.turn);
        known.parent = told.parent;
        known.author = told.author;
        known.strategy = told.strategy;
        known.hint = told.hint;
        known.started = true;
        known.started_at = event.time;
        break;
    }
    case EventType::turn_finished: {
        const auto told = from_fields<TurnFinished>(event.fields);
        TurnState& known = turn(told.turn);
        known.finished = true;
        known.finished_at = event.time;
        known.outcome = told.outcome;
        known.text = told.text;
        if (told.cost.is_object())
            known.cost = cost_from_json(told.cost);
        break;
    }
    case EventType::candidate: {
        auto told = from_fields<CandidateEvent>(event.fields);
        TurnState& known = turn(told.turn);
        known.source = std::move(told.source);
        known.file_name = std::move(told.file_name);
        known.diff = std::move(told.diff);
        ++known.candidates;
        break;
    }
    case EventType::stage:
        apply_stage(event);
        break;
    case EventType::evaluation:
        apply_evaluation(event);
        break;
    case EventType::model_exchange: {
        const auto told = from_fields<ModelExchange>(event.fields);
        TurnState& known = turn(told.turn);
        known.exchanges.push_back(place_of(event));
        if (!known.finished)
            known.cost += Cost{told.tokens_in, told.tokens_out, told.money, 0, 0, told.seconds};
        break;
    }
    case EventType::steering:
        steering.push_back(from_fields<Steering>(event.fields));
        if (steering.back().what == "pause" || steering.back().what == "continue")
            paused = steering.back().what == "pause";
        if (steering.back().what == "model")
            change_model(start.settings, steering.back().data);
        if (steering.back().what == "budget")
            change_budgets(start, steering.back().data);
        break;
    case EventType::champion: {
        auto told = from_fields<ChampionEvent>(event.fields);
        TurnState& known = turn(told.turn);
        known.mark = told.level == "promote" ? TurnMark::promoted : std::max(known.mark, TurnMark::champion);
        champions.push_back(ChampionState{told.turn, told.evaluation, told.candidate, told.level, told.why,
                                          told.tunables, told.seconds_per_call, place_of(event)});
        break;
    }
    case EventType::training:
        training.push_back(from_fields<Training>(event.fields));
        break;
    case EventType::budget:
        told_budget = event.fields;
        break;
    case EventType::note:
        notes.push_back(from_fields<Note>(event.fields));
        break;
    case EventType::resumed:
        apply_resumed(event);
        break;
    case EventType::stop: {
        auto told = from_fields<Stop>(event.fields);
        stop = StopState{std::move(told.reason), std::move(told.text), told.turn, event.time};
        break;
    }
    case EventType::run_finished:
        end = from_fields<RunFinished>(event.fields);
        finished_at = event.time;
        break;
    case EventType::infrastructure: {
        const auto told = from_fields<Infrastructure>(event.fields);
        if (told.turn >= 0)
            turn(told.turn).infrastructure.push_back(told.where.empty() ? told.what : told.where + ": " + told.what);
        else
            notes.push_back(Note{"warning", told.where.empty() ? told.what : told.where + ": " + told.what, -1});
        break;
    }
    case EventType::unreadable:
    case EventType::unknown:
        ++unknown_types[event.type_name];
        break;
    }
}

RunStatus RunState::status() const {
    if (end)
        return RunStatus::finished;
    if (stop)
        return RunStatus::stopping;
    return started_at > 0 || !start.task.empty() ? RunStatus::running : RunStatus::empty;
}

RunStatus RunState::status(LockState lock) const {
    const RunStatus told = status();
    const bool open_end = told == RunStatus::running || told == RunStatus::stopping;
    return open_end && lock != LockState::held ? RunStatus::interrupted : told;
}

int RunState::next_turn() const {
    const int last = turns.empty() ? -1 : turns.rbegin()->first;
    return std::clamp(last, -1, std::numeric_limits<int>::max() - 1) + 1;
}

double RunState::best_so_far() const {
    double best = 0;
    for (const ChampionState& champion : champions)
        if (champion.seconds_per_call > 0 && (best == 0 || champion.seconds_per_call < best))
            best = champion.seconds_per_call;
    return best;
}

std::vector<int> RunState::unfinished_turns() const {
    std::vector<int> numbers;
    for (const auto& [number, known] : turns)
        if (known.started && !known.finished)
            numbers.push_back(number);
    return numbers;
}

Cost RunState::spent() const {
    Cost sum;
    for (const auto& [number, known] : turns)
        sum += known.cost;
    return sum;
}

Json to_json(const RunState& state, RunStatus status) {
    Json turns = Json::array();
    for (const auto& [number, turn] : state.turns) {
        Json item{{"turn", number},
                  {"parent", turn.parent},
                  {"author", turn.author},
                  {"finished", turn.finished},
                  {"evaluations", turn.evaluations.size()}};
        if (const EvaluationState* decisive = turn.decisive()) {
            item["verdict"] = decisive->verdict;
            item["level"] = decisive->level;
            item["line"] = one_line(*decisive);
            item["seconds_per_call"] = decisive->seconds_per_call;
            if (decisive->cases_total > 0) {
                item["cases"] = decisive->cases;
                item["cases_total"] = decisive->cases_total;
            }
        }
        if (turn.mark != TurnMark::none)
            item["mark"] = turn.mark == TurnMark::promoted ? "promoted" : "champion";
        turns.push_back(std::move(item));
    }
    Json json{{"run", state.start.run},
              {"task", state.start.task},
              {"status", to_string(status)},
              {"paused", state.paused},
              {"events", state.events},
              {"last_sequence", state.last_sequence},
              {"turns", std::move(turns)},
              {"unfinished_turns", state.unfinished_turns()},
              {"spent", to_json(state.spent())},
              {"budgets", state.start.budgets},
              {"resumed", state.resumed},
              {"unreadable_lines", state.unreadable_lines},
              {"gaps", state.gaps}};
    if (const ChampionState* champion = state.champion())
        json["champion"] = {{"turn", champion->turn},
                            {"level", champion->level},
                            {"seconds_per_call", champion->seconds_per_call},
                            {"candidate", champion->candidate}};
    if (state.stop)
        json["stop"] = {{"reason", state.stop->reason}, {"text", state.stop->text}, {"turn", state.stop->turn}};
    if (!state.unknown_types.empty())
        json["unknown_types"] = state.unknown_types;
    return json;
}

} // namespace kf
