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

// "Bench this source": a person's edit. A newer one replaces one that still waits.
struct BenchRequest {
    std::string who;
    std::string source, file_name;
    TunableValues tunables;
    Level level = Level::screen;
    int parent = -1;
    // Called once, from the run's thread, with the outcome as JSON and the turn it took (-1: replaced or stopped).
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

    // The run's side.
    std::vector<SteeringEntry> take_entries();
    std::optional<BenchRequest> take_bench();
    std::string take_hints(); // one paragraph a hint; empty when there are none
    bool paused() const;
    bool stopping() const; // after the turn or now
    const std::stop_token stop_token() const { return m_stop.get_token(); }
    // Sleeps until something was told, at most until the deadline.
    void wait(Deadline deadline);
    // Nothing more is served: a bench that waits is answered.
    void close();

private:
    void tell(const std::string& who, const std::string& what, Json data = Json::object());

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<SteeringEntry> m_entries;
    std::optional<BenchRequest> m_bench;
    std::vector<std::string> m_hints;
    bool m_paused = false;
    bool m_stop_after_turn = false;
    bool m_closed = false;
    std::uint64_t m_told = 0, m_seen = 0;
    std::stop_source m_stop;
};

} // namespace kf
