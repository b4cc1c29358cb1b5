// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/event_types.h"

#include <concepts>
#include <limits>
#include <type_traits>

namespace kf {
namespace {

struct Writer {
    Json& fields;
    void operator()(const char* key, const std::string& value) {
        if (!value.empty())
            fields[key] = value;
    }
    void operator()(const char* key, const Json& value) {
        if (!value.is_null())
            fields[key] = value;
    }
    void operator()(const char* key, const std::optional<double>& value) {
        if (value)
            fields[key] = *value;
    }
    template<class N>
    requires std::is_arithmetic_v<N>
    void operator()(const char* key, N value) { fields[key] = value; }
};

struct Reader {
    const Json& fields;
    void operator()(const char* key, std::string& value) { value = get_string(fields, key, value); }
    void operator()(const char* key, Json& value) { value = get_member(fields, key); }
    void operator()(const char* key, std::optional<double>& value) {
        if (get_member(fields, key).is_number())
            value = get_double(fields, key);
    }
    void operator()(const char* key, double& value) { value = get_double(fields, key, value); }
    void operator()(const char* key, bool& value) { value = get_bool(fields, key, value); }
    void operator()(const char* key, std::int64_t& value) { value = get_int(fields, key, value); }
    void operator()(const char* key, int& value) {
        const std::int64_t number = get_int(fields, key, value);
        if (number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max())
            value = static_cast<int>(number);
    }
};

// One list of fields a type, for both directions. E is the type or the constant type.
template<class E, class T>
concept Is = std::same_as<std::remove_const_t<E>, T>;

template<class V> void visit(V&& v, Is<RunStarted> auto& e) {
    v("run", e.run), v("task", e.task), v("task_hash", e.task_hash), v("title", e.title), v("device", e.device);
    v("versions", e.versions), v("settings", e.settings), v("budgets", e.budgets), v("seed_policy", e.seed_policy);
    v("baselines", e.baselines), v("parent_run", e.parent_run), v("parent_turn", e.parent_turn);
}
template<class V> void visit(V&& v, Is<Cost> auto& e) {
    v("tokens_in", e.tokens_in), v("tokens_out", e.tokens_out), v("money", e.money), v("device_s", e.device_s);
    v("queue_s", e.queue_s), v("model_s", e.model_s);
}
template<class V> void visit(V&& v, Is<TurnStarted> auto& e) {
    v("turn", e.turn), v("parent", e.parent), v("author", e.author), v("strategy", e.strategy), v("hint", e.hint);
}
template<class V> void visit(V&& v, Is<TurnFinished> auto& e) {
    v("turn", e.turn), v("outcome", e.outcome), v("text", e.text), v("cost", e.cost);
}
template<class V> void visit(V&& v, Is<CandidateEvent> auto& e) {
    v("turn", e.turn), v("source", e.source), v("file_name", e.file_name), v("plan", e.plan);
    v("tunables", e.tunables), v("diff", e.diff), v("note", e.note);
}
template<class V> void visit(V&& v, Is<StageProgress> auto& e) {
    v("turn", e.turn), v("evaluation", e.evaluation), v("stage", e.stage), v("state", e.state);
    v("outcome", e.outcome), v("seconds", e.seconds), v("evidence", e.evidence);
}
template<class V> void visit(V&& v, Is<EvaluationEvent> auto& e) {
    v("turn", e.turn), v("evaluation", e.evaluation), v("candidate", e.candidate), v("tunables", e.tunables);
    v("level", e.level), v("verdict", e.verdict), v("summary", e.summary), v("failed", e.failed);
    v("seconds_per_call", e.seconds_per_call), v("low", e.low), v("high", e.high), v("vs_champion", e.vs_champion);
    v("vs_baselines", e.vs_baselines), v("stages", e.stages), v("flags", e.flags), v("result", e.result);
    v("result_blob", e.result_blob), v("samples", e.samples), v("device_s", e.device_s), v("queue_s", e.queue_s);
    v("cases", e.cases), v("cases_total", e.cases_total);
}
template<class V> void visit(V&& v, Is<ModelExchange> auto& e) {
    v("turn", e.turn), v("model", e.model), v("request", e.request), v("reply", e.reply), v("error", e.error);
    v("tokens_in", e.tokens_in), v("tokens_out", e.tokens_out), v("tokens_reasoning", e.tokens_reasoning);
    v("seconds", e.seconds), v("first_token_s", e.first_token_s), v("money", e.money);
}
template<class V> void visit(V&& v, Is<Steering> auto& e) {
    v("who", e.who), v("what", e.what), v("data", e.data), v("effect", e.effect);
}
template<class V> void visit(V&& v, Is<ChampionEvent> auto& e) {
    v("turn", e.turn), v("evaluation", e.evaluation), v("candidate", e.candidate), v("tunables", e.tunables);
    v("level", e.level), v("why", e.why), v("seconds_per_call", e.seconds_per_call);
}
template<class V> void visit(V&& v, Is<Training> auto& e) {
    v("step", e.step), v("group", e.group), v("episode", e.episode), v("turn", e.turn), v("reward", e.reward);
    v("reward_name", e.reward_name), v("reward_version", e.reward_version), v("inputs", e.inputs);
    v("evaluations", e.evaluations), v("stage_move", e.stage_move), v("metrics", e.metrics);
}
template<class V> void visit(V&& v, Is<Budget> auto& e) {
    v("spent", e.spent), v("exhausted", e.exhausted);
}
template<class V> void visit(V&& v, Is<Note> auto& e) {
    v("level", e.level), v("text", e.text), v("turn", e.turn);
}
template<class V> void visit(V&& v, Is<Resumed> auto& e) {
    v("torn_bytes", e.torn_bytes), v("previous_pid", e.previous_pid);
}
template<class V> void visit(V&& v, Is<Stop> auto& e) {
    v("reason", e.reason), v("text", e.text), v("turn", e.turn);
}
template<class V> void visit(V&& v, Is<RunFinished> auto& e) {
    v("summary", e.summary), v("champion", e.champion), v("turns", e.turns), v("cost", e.cost);
}
template<class V> void visit(V&& v, Is<Infrastructure> auto& e) {
    v("turn", e.turn), v("evaluation", e.evaluation), v("where", e.where), v("what", e.what), v("retry", e.retry);
}

} // namespace

template<class T> Json to_fields(const T& value) {
    Json fields = Json::object();
    visit(Writer{fields}, value);
    return fields;
}

template<class T> T from_fields(const Json& fields) {
    T value;
    visit(Reader{fields}, value);
    return value;
}

#define KF_EVENT(T)                                                                                                    \
    template Json to_fields<T>(const T&);                                                                              \
    template T from_fields<T>(const Json&);
KF_EVENT(RunStarted)
KF_EVENT(TurnStarted)
KF_EVENT(TurnFinished)
KF_EVENT(CandidateEvent)
KF_EVENT(StageProgress)
KF_EVENT(EvaluationEvent)
KF_EVENT(ModelExchange)
KF_EVENT(Steering)
KF_EVENT(ChampionEvent)
KF_EVENT(Training)
KF_EVENT(Budget)
KF_EVENT(Note)
KF_EVENT(Resumed)
KF_EVENT(Stop)
KF_EVENT(RunFinished)
KF_EVENT(Infrastructure)
#undef KF_EVENT

Json to_json(const Cost& cost) {
    return to_fields(cost);
}
Cost cost_from_json(const Json& json) {
    return from_fields<Cost>(json);
}

Cost& Cost::operator+=(const Cost& other) {
    tokens_in += other.tokens_in;
    tokens_out += other.tokens_out;
    money += other.money;
    device_s += other.device_s;
    queue_s += other.queue_s;
    model_s += other.model_s;
    return *this;
}

std::optional<StageProgress> stage_of_progress(const Json& progress) {
    const std::string event = get_string(progress, "event");
    StageProgress stage;
    if (event == "stage_started") {
        stage.stage = get_string(progress, "stage");
        stage.state = "started";
    } else if (event == "stage_ended") {
        const Json& report = get_member(progress, "report");
        stage.stage = get_string(report, "stage");
        stage.state = "ended";
        stage.outcome = get_string(report, "outcome");
        stage.seconds = get_double(report, "seconds");
    } else if (event == "case") {
        stage.stage = "verify";
        stage.state = "case";
        stage.evidence = Json{{"index", get_int(progress, "index")}, {"total", get_int(progress, "total")}};
    } else if (event == "round") {
        stage.stage = "measure";
        stage.state = "round";
        stage.evidence = Json{{"round", get_int(progress, "round")}, {"of", get_int(progress, "of")}};
    } else {
        return std::nullopt;
    }
    return stage;
}

} // namespace kf
