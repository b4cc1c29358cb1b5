// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the timeline's chart into any rectangle, on screen or into a file, and tells where what was drawn.
#pragma once

#include "ui/models/timeline_data.h"

#include <QPainter>
#include <QRectF>

namespace kf::ui {

// What part of the data is looked at, and what is marked in it. Slots; −1: none.
struct TimelineView {
    double first = 0, last = 0; // visible slots, may lie between two
    int selected = -1, pinned = -1, hovered = -1;
    double drag_from = -1, drag_to = -1; // a range being chosen, in slots
};

// Where things are. Made by the same code for drawing and for pointing.
struct TimelineLayout {
    QRectF plot, lane, labels; // labels: the turn numbers below the lane
    double right = 0;          // left edge of the reference labels
    Axis axis;
    double first = 0, last = 1; // slots at the plot's edges, half a slot beyond the points

    double x(double slot) const { return plot.left() + (slot - first) / (last - first) * plot.width(); }
    double slot(double x) const { return first + (x - plot.left()) / plot.width() * (last - first); }
    double y(double seconds) const { return plot.bottom() - axis.position(seconds) * plot.height(); }
    double spacing() const { return plot.width() / (last - first); }
};

TimelineLayout layout_timeline(const TimelineData& data, const TimelineView& view, const QRectF& area);
void paint_timeline(QPainter& painter, const TimelineData& data, const TimelineView& view,
                    const TimelineLayout& layout);

// Whether that many slots are drawn as bins; and the bins, as drawn.
bool is_binned(const TimelineView& view);
std::vector<TimelineBin> visible_bins(const TimelineData& data, const TimelineView& view, const TimelineLayout& layout);

// Labels of the reference lines at the right edge: text and place, none over another.
struct ReferenceLabel {
    QString text;
    QRectF place;
    const TimelineReference* reference = nullptr;
    bool outside = false; // beyond the axis
};
std::vector<ReferenceLabel> reference_labels(const TimelineData& data, const TimelineLayout& layout);

} // namespace kf::ui
