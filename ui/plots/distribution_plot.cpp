// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/distribution_plot.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr double wheel_step = 1.25;
constexpr double narrowest = 1e-5; // of the time itself; finer is the timer's grain

} // namespace

DistributionPlot::DistributionPlot(QWidget* parent) : PlotWidget(tr("Distribution of times"), parent) {
    setObjectName(u"distribution_plot"_s);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    plot_changed();
}

void DistributionPlot::set_data(DistributionData data) {
    if (data.a.name != m_data.a.name || data.b.name != m_data.b.name || data.size != m_data.size)
        m_view.zoom = {};
    m_data = std::move(data);
    plot_changed();
}

void DistributionPlot::set_shape(DistributionShape shape) {
    m_view.shape = shape;
    m_view.pointed = 0;
    update();
}

void DistributionPlot::set_log(bool log) {
    m_view.log = log;
    update();
}

DistributionLayout DistributionPlot::layout_here() const {
    return layout_distribution(m_data, m_view, QRectF(rect()));
}

Range DistributionPlot::visible() const {
    const Axis axis = layout_here().axis;
    return {axis.low, axis.high};
}

void DistributionPlot::zoom_to(Range range) {
    const double low = std::max(0.0, std::min(range.low, range.high)), high = std::max(range.low, range.high);
    if (!std::isfinite(low) || !std::isfinite(high) || high - low < narrowest * high)
        return;
    m_view.zoom = {low, high};
    update();
}

void DistributionPlot::zoom_by(double factor, double seconds) {
    const Range now = visible();
    if (m_view.log && now.low > 0 && seconds > 0) {
        zoom_to(
            {seconds * std::pow(now.low / seconds, 1 / factor), seconds * std::pow(now.high / seconds, 1 / factor)});
        return;
    }
    zoom_to({seconds - (seconds - now.low) / factor, seconds + (now.high - seconds) / factor});
}

void DistributionPlot::fit() {
    m_view.zoom = {};
    update();
}

void DistributionPlot::render_to(QPainter& painter, const QRectF& area) const {
    paint_distribution(painter, m_data, m_view, layout_distribution(m_data, m_view, area));
}

QString DistributionPlot::text_twin() const {
    return distribution_text(m_data);
}

void DistributionPlot::mousePressEvent(QMouseEvent* event) {
    m_down = event->button() == Qt::LeftButton;
    m_pressed = event->position();
}

void DistributionPlot::mouseMoveEvent(QMouseEvent* event) {
    const DistributionLayout layout = layout_here();
    const auto inside = [&](QPointF point) {
        return layout.time_at({std::clamp(point.x(), layout.plot.left(), layout.plot.right()),
                               std::clamp(point.y(), layout.plot.top(), layout.plot.bottom())});
    };
    const QPointF moved = event->position() - m_pressed;
    const double far = layout.upright ? std::abs(moved.y()) : std::abs(moved.x());
    if (m_down && far > QApplication::startDragDistance()) {
        m_view.drag_from = inside(m_pressed);
        m_view.drag_to = inside(event->position());
        m_view.pointed = 0;
    } else {
        const bool there = layout.plot.contains(event->position()) && !(m_data.a.empty() && m_data.b.empty());
        m_view.pointed = there ? layout.time_at(event->position()) : 0;
    }
    update();
}

void DistributionPlot::mouseReleaseEvent(QMouseEvent*) {
    m_down = false;
    const Range chosen{std::min(m_view.drag_from, m_view.drag_to), std::max(m_view.drag_from, m_view.drag_to)};
    m_view.drag_from = m_view.drag_to = 0;
    if (chosen.high > chosen.low)
        zoom_to(chosen);
    update();
}

void DistributionPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        fit();
}

void DistributionPlot::wheelEvent(QWheelEvent* event) {
    event->accept();
    const double turned = event->angleDelta().y() / 120.0;
    if (turned == 0 || (m_data.a.empty() && m_data.b.empty()))
        return;
    const Range all = whole_range(m_data), now = visible();
    // Out again no farther than a little beyond everything there is.
    if (turned < 0 && now.high - now.low > 4 * (all.high - all.low))
        return fit();
    const DistributionLayout layout = layout_here();
    const QPointF place(std::clamp(event->position().x(), layout.plot.left(), layout.plot.right()),
                        std::clamp(event->position().y(), layout.plot.top(), layout.plot.bottom()));
    zoom_by(std::pow(wheel_step, turned), layout.time_at(place));
}

void DistributionPlot::keyPressEvent(QKeyEvent* event) {
    const Range now = visible();
    const double middle = m_view.log ? std::sqrt(std::max(now.low, 1e-12) * now.high) : (now.low + now.high) / 2;
    const double step = (now.high - now.low) / 10;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom_by(1.5, middle);
    case Qt::Key_Minus:
        return zoom_by(1 / 1.5, middle);
    case Qt::Key_0:
        return fit();
    case Qt::Key_Left:
        return zoom_to({now.low - std::min(step, now.low), now.high - std::min(step, now.low)});
    case Qt::Key_Right:
        return zoom_to({now.low + step, now.high + step});
    case Qt::Key_L:
        Q_EMIT log_wanted(!m_view.log);
        return;
    case Qt::Key_H:
        Q_EMIT shape_wanted(DistributionShape::histogram);
        return;
    case Qt::Key_E:
        Q_EMIT shape_wanted(DistributionShape::ecdf);
        return;
    case Qt::Key_B:
        if (event->modifiers() == Qt::NoModifier) {
            Q_EMIT shape_wanted(DistributionShape::box);
            return;
        }
        break;
    case Qt::Key_R:
        Q_EMIT shape_wanted(DistributionShape::raw);
        return;
    default:
        break;
    }
    PlotWidget::keyPressEvent(event);
}

void DistributionPlot::contextMenuEvent(QContextMenuEvent* event) {
    Q_EMIT menu_wanted(event->globalPos());
}

void DistributionPlot::leaveEvent(QEvent* event) {
    m_view.pointed = 0;
    update();
    PlotWidget::leaveEvent(event);
}

} // namespace kf::ui
