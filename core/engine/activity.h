// SPDX-License-Identifier: GPL-3.0-or-later
// What a run does right now, for people who wait: the control socket's `status` and the progress of a bench. Written by
// the run's thread, read from any.
#pragma once

#include "core/base/json.h"

#include <mutex>
#include <string>
#include <vector>

namespace kf {

// What clocks on walls say; never for waiting.
double unix_seconds();

struct Activity {
    std::string what; // starting, evaluation, bench, completion, paused, waiting, ending
    int turn = -1;    // -1: none, or not known yet (a bench takes its number at the verdict)
    std::string evaluation, level, file_name;
    double since = 0; // unix seconds
};

class ActivityBoard {
public:
    // Leaves the board as it was before it. A bench inside an evaluation lies on top of that.
    class [[nodiscard]] Entry {
    public:
        explicit Entry(ActivityBoard& board) : m_board(&board) {}
        ~Entry() { m_board->leave(); }
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

    private:
        ActivityBoard* m_board;
    };

    Entry enter(Activity activity);
    // The evaluator's progress (docs/evaluator.md) of what runs.
    void progress(const Json& event);

    // {"what", "turn", "evaluation", "level", "file_name", "since", "seconds", "stage", "stage_since", "case", "cases",
    // "round", "rounds"}, what is not known left out; `behind`: the same of what it interrupts.
    Json to_json() const;

private:
    struct Running {
        Activity activity;
        std::string stage;
        double stage_since = 0;
        std::int64_t done = 0, total = 0;
        bool rounds = false;
    };
    static Json one(const Running& running);
    void leave();

    mutable std::mutex m_mutex;
    std::vector<Running> m_running;
};

} // namespace kf
