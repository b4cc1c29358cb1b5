// SPDX-License-Identifier: GPL-3.0-or-later
// A run as lines for a terminal: events in, lines out. Pure: no clock, no terminal, no file but through `blobs`. Live
// view, attach and replay differ only in where the events come from.
#pragma once

#include "core/journal/projection.h"
#include "core/render/live_progress.h"
#include "core/render/terminal_text.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kf {

// A blob of the run by its hash, for evaluations that are too large for a line.
using BlobSource = std::function<Result<std::string>(const std::string& hash)>;

class RunRenderer {
public:
    // `journal`: what the last lines call the journal's place; "" leaves it out.
    RunRenderer(TextStyle style, std::string journal, BlobSource blobs = {});

    // The lines that this event finishes; often none.
    std::vector<std::string> apply(const Event& event);
    // What goes on now, in one line; "" when there is nothing to say. `now` in unix seconds. `model`: what the model
    // does, as model_progress() says it; the journal holds whole replies only.
    std::string live_line(double now, const std::string& model = {}) const;
    // After the last event: what there is to say about a run that has no end, by its lock.
    std::vector<std::string> after_last(LockState lock) const;
    // A terminal that was resized.
    void set_width(int width) { m_style.width = width; }

    const RunState& state() const { return m_state; }

private:
    std::vector<std::string> run_lines() const;
    std::vector<std::string> evaluation_lines(const Event& event);
    std::vector<std::string> turn_end_lines(int number);
    std::vector<std::string> steering_lines() const;
    std::vector<std::string> champion_lines() const;
    std::vector<std::string> end_lines() const;
    std::string remark(const std::string& text, Tint tint) const;
    void keep_autopsy(int turn, const Event& event);

    TextStyle m_style;
    std::string m_journal;
    BlobSource m_blobs;
    RunState m_state;
    LiveProgress m_progress;
    int m_turn = -1; // that runs; -1: none
    bool m_header_shown = false;
    std::map<int, std::vector<std::string>> m_autopsies; // of turns that have not ended
    std::map<int, int> m_points;                         // of sweeps that have not ended
};

} // namespace kf
