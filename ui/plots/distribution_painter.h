// SPDX-License-Identifier: GPL-3.0-or-later
// Draws one or two distributions of a time into any rectangle: histogram with density, distribution function, boxes,
// or the raw samples in their order.
#pragma once

#include "ui/models/distribution_data.h"
#include "ui/models/plot_axis.h"
#include "ui/models/sample_shapes.h"

#include <QPainter>
#include <QRectF>

#include <functional>

namespace kf::ui {

enum class DistributionShape { histogram, ecdf, box, raw };

struct DistributionView {
    DistributionShape shape = DistributionShape::histogram;
    bool log = false;
    Range zoom;                        // of the time axis; not known: all that matters
    double drag_from = 0, drag_to = 0; // a range of times being chosen; equal: none
    double pointed = 0;                // a time that is pointed at; 0: none
};

struct DistributionLayout {
    QRectF plot, ticks; // ticks: below the plot, or left of it for raw samples
    Axis axis;
    bool upright = false; // times go upwards (raw)

    double place(double seconds) const {
        return upright ? plot.bottom() - axis.position(seconds) * plot.height()
                       : plot.left() + axis.position(seconds) * plot.width();
    }
    double time_at(QPointF point) const {
        return axis.value(upright ? (plot.bottom() - point.y()) / plot.height()
                                  : (point.x() - plot.left()) / plot.width());
    }
};

// What is worth seeing of both sides.
Range whole_range(const DistributionData& data);
DistributionLayout layout_distribution(const DistributionData& data, const DistributionView& view, const QRectF& area);
void paint_distribution(QPainter& painter, const DistributionData& data, const DistributionView& view,
                        const DistributionLayout& layout);

} // namespace kf::ui
