// SPDX-License-Identifier: GPL-3.0-or-later
// What the strip says about a run, as words: pure functions of its state.
#pragma once

#include "ui/models/exchange_store.h"

#include <QString>

namespace kf::ui {

struct RunProgress {
    QString state; // "turn 3 · measure, round 4 of 6 · point 12", "paused before turn 4", "finished: no progress"
    bool active = false;    // something is being done
    bool attention = false; // interrupted
    QString device;         // "Intel Xeon"
    QStringList labels;     // "CPU timings"
    QString turns;          // "turn 3 of 20"
    QString elapsed;        // "06:12"
    QString evaluator;      // "evaluator restarted 2×"; "" while there is nothing to say
};

// `now`: unix seconds; counts while the run goes.
RunProgress progress_of(const RunState& state, RunStatus status, double now);
// "streaming turn 10 · 84 tok/s", "turn 10 · waiting for the model"; "" when the reply is there.
QString streaming_text(const LiveReply& live);
// "41,208 tokens · $0.021"; "" for nothing.
QString spent_text(const Spent& spent);
// "06:12", "1:06:12"; "" for what is no duration.
QString duration_text(double seconds);

} // namespace kf::ui
