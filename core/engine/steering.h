// SPDX-License-Identifier: GPL-3.0-or-later
// What people tell a run while it goes: from the control socket, from the terminal. Thread-safe; the run's thread takes
// things out at the next boundary between evaluations.
#pragma once

#include "core/base/deadline.h"
#include "core/base/level.h"
#include "core/candidate/candidate.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace kf {

// "Bench this source": a person's edit. The newest wins: it takes the place of one that waits and cancels one that is
// being judged, and whoever asked for the older one is told at once.
struct BenchRequest {
    std::string who;
    std::string source, file_name;
    TunableValues tunables;
    Level level = Level::screen;
    // The number first: the smallest case and the timed size, a screen's six rounds; the other cases when that is told.
    bool quick = false;
    bool grow = false; // edit and continue: the model's next turn grows from it
    std::string hint;  // of `grow`
    int parent = -1;
    std::stop_token stop; // set by the queue when it is taken out
    // The evaluator's progress; from the run's thread.
    std::function<void(const Json& event)> progress;
    // Called once, from any thread, with the outcome as JSON and the turn it took (-1: none).
    std::function<void(const Json& outcome, int turn)> done;
};

struct SteeringEntry { // for the journal
    std::string who, what;
    Json data;
};

class SteeringQueue {
public:
    SteeringQueue();
    ~SteeringQueue();

    void pause(const std::string& who);
    void unpause(const std::string& who);
    void stop_after_turn(const std::string& who);
    void stop_now(const std::string& who); // cancels the evaluation in flight
    void hint(const std::string& who, const std::string& text);
    void pin(const std::string& who, int turn);
    void bench(BenchRequest request);
    // The next turn grows from that one; `hint` may be empty.
    void fork(const std::string& who, int turn, const std::string& hint);
    // Anything that the run does when it takes it out: model, budget.
    void order(const std::string& who, const std::string& what, Json data);
    // What a lost run had been told and had not done yet.
    void restore_hint(const std::string& text);

    // The run's side.
    std::vector<SteeringEntry> take_entries();
    // What is taken out is in flight until answer_bench(); its `done` stays here. With `quick_only` another one stays.
    std::optional<BenchRequest> take_bench(bool quick_only = false);
    // Nobody hears it when a newer one has taken its place.
    void answer_bench(const Json& outcome, int turn);
    // The rest of a quick bench's cases, which a newer bench cancels. It is in flight until end_completion().
    std::stop_token begin_completion();
    void end_completion();
    // {"file_name", "level", "who", "since"} of the one that waits; null when none does.
    Json waiting_bench() const;
    // One paragraph a hint; empty when there are none. Only what take_entries() gave: the journal says it first.
    std::string take_hints();
    std::vector<std::string> waiting_hints() const;
    bool paused() const;
    bool stopping() const; // after the turn or now
    const std::stop_token stop_token() const { return m_stop.get_token(); }
    // Sleeps until something was told, at most until the deadline.
    void wait(Deadline deadline);
    // Nothing more is served: a bench that waits is answered.
    void close();

private:
    struct InFlight {
        std::stop_source stop;
        std::function<void(const Json&, int)> done; // empty: answered
    };
    void tell(const std::string& who, const std::string& what, Json data = Json::object());

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<SteeringEntry> m_entries;
    std::optional<BenchRequest> m_bench;
    double m_bench_since = 0;
    std::optional<InFlight> m_in_flight;
    std::vector<std::string> m_hints;
    std::size_t m_noted_hints = 0;
    bool m_paused = false;
    bool m_stop_after_turn = false;
    bool m_closed = false;
    std::uint64_t m_told = 0, m_seen = 0;
    std::stop_source m_stop;
};

} // namespace kf
