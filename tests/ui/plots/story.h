// SPDX-License-Identifier: GPL-3.0-or-later
// A run told in a few words: events straight into a RunState, without files.
#pragma once

#include "core/journal/event_types.h"
#include "core/journal/projection.h"

namespace kf::ui {

class Story {
public:
    template<class T> Story& say(const T& value) {
        Event event;
        event.sequence = ++m_sequence;
        event.time = 1000.0 + static_cast<double>(m_sequence);
        event.type = T::type;
        event.type_name = std::string(to_string(T::type));
        event.fields = to_fields(value);
        state.apply(event);
        return *this;
    }
    Story& turn(int number, int parent, const std::string& author = "model") {
        return say(TurnStarted{number, parent, author, "", ""});
    }
    Story& ended(int number, const std::string& outcome = "verdict") {
        return say(TurnFinished{number, outcome, "", {}});
    }
    // Seconds 0: not timed.
    Story& judged(int number, const std::string& id, const std::string& verdict, double seconds,
                  const std::string& level = "certify", const Json& tunables = {}, double speedup = 0,
                  double against_eager = 0) {
        EvaluationEvent event;
        event.turn = number;
        event.evaluation = id;
        event.candidate = "source";
        event.tunables = tunables;
        event.level = level;
        event.verdict = verdict;
        event.failed = seconds == 0 && verdict != "verified";
        event.seconds_per_call = seconds;
        event.low = seconds * 0.99;
        event.high = seconds * 1.02;
        if (speedup > 0)
            event.vs_champion = {{"estimate", speedup}, {"low", speedup * 0.99}, {"high", speedup * 1.01}};
        if (against_eager > 0)
            event.vs_baselines = {{"eager", {{"estimate", against_eager}}}};
        return say(event);
    }
    Story& crowned(int number, const std::string& id, double seconds, const std::string& level = "certify") {
        return say(ChampionEvent{number, id, "source", {}, level, "", seconds});
    }

    RunState state;

private:
    std::int64_t m_sequence = 0;
};

} // namespace kf::ui
