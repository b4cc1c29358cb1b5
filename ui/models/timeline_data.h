// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline's chart shows, as plain values: one point an evaluation in the order in which they were made, the
// champions as a step line, failures apart, reference lines, and bins where there are more points than pixels.
#pragma once

#include "core/render/marks.h"
#include "ui/models/plot_axis.h"
#include "ui/models/selection.h"

#include <QStringList>

#include <cstdint>
#include <set>
#include <vector>

namespace kf::ui {

// More visible points than this are drawn as bins.
inline constexpr int most_single_points = 500;

enum class PointState { done, running, interrupted };

struct TimelinePoint {
    Chosen chosen;  // names the evaluation where the turn has several, else only the turn
    int slot = 0;   // place in the order, from 0
    int number = 0; // of a sweep's point, from 1; 0: the turn as a whole
    VerdictKind kind = VerdictKind::none;
    PointState state = PointState::done;
    bool human = false;
    bool speaks = true;    // for its turn
    bool champion = false; // it became one
    bool promoted = false;
    double seconds = 0, low = 0, high = 0; // 0: not timed; the point is in the lane
    bool timed() const { return seconds > 0; }
    bool failed() const; // the candidate was no good, or nobody could tell
};

// What belongs together: the points of one turn, or turns in a row that grew from the same one.
struct TimelineBand {
    int turn = 0, first = 0, last = 0; // slots; `turn`: whose points, or the parent
    bool siblings = false;
};

// From `slot` on a champion of that time.
struct TimelineStep {
    int slot = 0, turn = 0;
    double seconds = 0;
};

enum class ReferenceKind { baseline, reachable, bound };
struct TimelineReference {
    ReferenceKind kind = ReferenceKind::baseline;
    QString name;
    double seconds = 0;
    bool compiler = false; // TorchInductor and the like: another line pattern
};

struct TimelineTurn {
    int turn = 0, first = 0, last = 0; // its slots
    int parent = -1;
};

struct TimelineData {
    std::vector<TimelinePoint> points; // points[i].slot == i
    std::vector<TimelineTurn> turns;   // in order
    std::vector<TimelineBand> bands;
    std::vector<TimelineStep> steps;
    std::vector<TimelineReference> references; // the slowest first
    QString conditions;                        // "CPU timings"; may be empty
    int timed = 0, failed = 0, running = 0;
    bool only_failures_in_lane = true;

    // Slot of the point, or of the one that speaks for the turn; -1: there is none.
    int slot_of(const Chosen& chosen) const;
    // "start" or the turn's number.
    static QString turn_text(int turn);
    QString point_text(const TimelinePoint& point) const; // "turn 8", "turn 1, point 3"
};

// Axis over the points in [first, last] and the references that are near enough; whiskers reach out of it when they
// are many times wider than the points are apart.
Axis timeline_axis(const TimelineData& data, int first, int last, int ticks);

struct TimelineBin {
    int first = 0, last = 0; // slots
    int timed = 0, failed = 0;
    double best = 0, median = 0, worst = 0;
    bool champion = false; // holds one
};
// The slots [first, last] in at most `most` bins of equal width, each with at least one slot.
std::vector<TimelineBin> bin_points(const TimelineData& data, int first, int last, int most);

// What the tooltip says of a point, at most five lines: verdict with evidence, time with its quartiles, against the
// champion, against eager, what it was.
QStringList key_facts(const RunState& state, const TimelinePoint& point);

// "+7: 5 wrong, 2 slower": what is folded away, the most frequent first. Empty for none.
QString fold_summary(const std::vector<VerdictKind>& folded);

// Turns that the present champion grew from, itself included.
std::set<int> champion_ancestry(const RunState& state);

// The chart as text: one line a step, reference and turn (at most `most` turns, then how many more).
QString timeline_text(const TimelineData& data, int most = 200);
// turn,point,evaluation,verdict,seconds,low,high,champion,human; times in seconds, empty when there is none.
QByteArray timeline_csv(const TimelineData& data);

} // namespace kf::ui
