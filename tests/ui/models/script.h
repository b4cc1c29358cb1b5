// SPDX-License-Identifier: GPL-3.0-or-later
// Events of a run as its journal would give them, for tests of models: numbers and times count on by themselves.
#pragma once

#include "core/journal/event_types.h"
#include "ui/models/run_store.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>

#include <string>
#include <utility>
#include <vector>

namespace kf::ui {

class Script {
public:
    template<class T> Script& add(const T& value) { return add(T::type, to_fields(value)); }
    Script& add(EventType type, Json fields) {
        Event event;
        event.sequence = ++m_sequence;
        event.time = m_time += 0.5;
        event.type = type;
        event.type_name = std::string(to_string(type));
        event.fields = std::move(fields);
        m_events.push_back(std::move(event));
        return *this;
    }
    Script& begin(const std::string& task = "swiglu_bias") {
        RunStarted start;
        start.run = "20261130T140200Z-swiglu_bias-abc123";
        start.task = task;
        start.device = Json{{"id", "cpu"}, {"name", "A processor"}};
        return add(start);
    }
    Script& turn(int number, int parent, const std::string& author) {
        TurnStarted started;
        started.turn = number;
        started.parent = parent;
        started.author = author;
        return add(started);
    }
    Script& end(int number, const std::string& outcome = "verdict") {
        TurnFinished finished;
        finished.turn = number;
        finished.outcome = outcome;
        return add(finished);
    }
    Script& champion(int number, const std::string& evaluation, double seconds, const std::string& level = "certify") {
        ChampionEvent champion;
        champion.turn = number;
        champion.evaluation = evaluation;
        champion.level = level;
        champion.seconds_per_call = seconds;
        return add(champion);
    }
    // What was not asked for since the last time.
    std::vector<Event> take() { return std::exchange(m_events, {}); }

private:
    std::int64_t m_sequence = 0;
    double m_time = 1.796e9;
    std::vector<Event> m_events;
};

// An evaluation that was accepted, with what lists show of it.
inline EvaluationEvent accepted(int turn, const std::string& id, const std::string& verdict, double seconds,
                                Json vs_champion = {}, double eager = 0, int registers = -1, int spills = 0) {
    EvaluationEvent event;
    event.turn = turn;
    event.evaluation = id;
    event.level = "certify";
    event.verdict = verdict;
    event.seconds_per_call = seconds;
    event.vs_champion = std::move(vs_champion);
    if (eager > 0)
        event.vs_baselines = Json{{"eager", {{"estimate", eager}}}};
    if (registers >= 0)
        event.stages = Json::array(
            {{{"stage", "compile"},
              {"outcome", "passed"},
              {"evidence",
               {{"kernels",
                 {{{"name", "k"}, {"registers", registers}, {"spill_stores", spills}, {"spill_loads", 0}}}}}}}});
    event.result = Json{{"cases_total", 2},
                        {"cases",
                         {{{"passed", true}, {"comparisons", {{{"max_abs_error", 0.001}}}}},
                          {{"passed", true}, {"comparisons", {{{"max_abs_error", 0.002}}}}}}},
                        {"duel", {{"decision", {{"rounds", 12}, {"reason", "beyond-limit"}}}}}};
    return event;
}

inline EvaluationEvent rejected(int turn, const std::string& id, const std::string& failure, Json result = {}) {
    EvaluationEvent event;
    event.turn = turn;
    event.evaluation = id;
    event.level = "screen";
    event.verdict = failure;
    event.summary = failure + ": the script says so";
    event.failed = true;
    event.result = std::move(result);
    return event;
}

inline Json speedup(double estimate, double low, double high) {
    return Json{{"estimate", estimate}, {"low", low}, {"high", high}};
}

template<class Condition> bool eventually(Condition condition, int ms = 20'000) {
    QElapsedTimer clock;
    for (clock.start(); clock.elapsed() < ms; QThread::msleep(2)) {
        QCoreApplication::processEvents();
        if (condition())
            return true;
    }
    return false;
}

} // namespace kf::ui
