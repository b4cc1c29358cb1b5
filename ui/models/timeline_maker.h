// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the timeline of a run and keeps it up to date while the run grows: what did not change is not made again, so
// that a turn more costs the same after ten turns and after ten thousand.
#pragma once

#include "core/journal/projection.h"
#include "ui/models/timeline_data.h"

#include <map>
#include <set>
#include <vector>

namespace kf::ui {

class TimelineMaker {
public:
    // Everything anew. `running`: whether the run's writer may still finish what was begun.
    void rebuild(TimelineData& data, const RunState& state, bool running);
    // `data` as the last call left it, and the turns that were added or changed since (RunChanges::turns). Gives the
    // same as rebuild().
    void update(TimelineData& data, const RunState& state, bool running, const std::set<int>& changed);

private:
    struct Context; // one call

    void add_turn(TimelineData& data, const Context& context, const TurnState& turn);
    std::vector<TimelinePoint> points_of(const Context& context, const TurnState& turn) const;
    void count(TimelineData& data, const TimelinePoint& point, int by);
    void take_champions(const RunState& state);
    void cut(TimelineData& data, std::size_t turn);
    void finish(TimelineData& data, const Context& context, bool steps);

    bool m_made = false, m_running = false;
    int m_resumed = 0;
    std::size_t m_champions_seen = 0;
    std::map<int, std::vector<std::size_t>> m_champions; // turn → places in RunState::champions
    int m_untimed = 0;                                   // points in the lane that are done and no failures
};

TimelineData make_timeline(const RunState& state, bool running);

} // namespace kf::ui
