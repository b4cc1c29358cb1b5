// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeline_plot.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr double least_visible = 4; // slots
constexpr double wheel_step = 1.25; // a notch

} // namespace

TimelinePlot::TimelinePlot(QWidget* parent) : PlotWidget(tr("Timeline chart"), parent) {
    setObjectName(u"timeline_plot"_s);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setToolTip(u" "_s); // ours is made when it is asked for
    set_data({});
}

void TimelinePlot::set_data(TimelineData data) {
    m_data = std::move(data);
    if (m_fitted) {
        m_view.first = 0;
        m_view.last = std::max<double>(static_cast<double>(m_data.points.size()) - 1, 0);
    } else {
        keep_inside();
    }
    mark_selection();
    plot_changed();
}

void TimelinePlot::set_selection(const Chosen& selected, const Chosen& pinned) {
    const bool moved = !(selected == m_selected);
    if (!moved && pinned == m_pinned)
        return;
    m_selected = selected;
    m_pinned = pinned;
    mark_selection();
    if (moved)
        show_slot(m_view.selected);
    update();
}

void TimelinePlot::mark_selection() {
    m_view.selected = m_data.slot_of(m_selected);
    m_view.pinned = m_pinned.turn < 0 ? -1 : m_data.slot_of(m_pinned);
}

void TimelinePlot::show_slot(int slot) {
    if (m_fitted || slot < 0 || (slot >= m_view.first && slot <= m_view.last))
        return;
    const double span = m_view.last - m_view.first;
    m_view.first = slot < m_view.first ? slot : slot - span;
    m_view.last = m_view.first + span;
    Q_EMIT view_changed();
}

void TimelinePlot::keep_inside() {
    const double end = std::max<double>(static_cast<double>(m_data.points.size()) - 1, 0);
    double span = std::max(m_view.last - m_view.first, least_visible - 1);
    if (span >= end) {
        m_fitted = true;
        m_view.first = 0;
        m_view.last = end;
        return;
    }
    m_view.first = std::clamp(m_view.first, 0.0, end - span);
    m_view.last = m_view.first + span;
}

void TimelinePlot::zoom_to(double first, double last) {
    m_fitted = false;
    m_view.first = std::min(first, last);
    m_view.last = std::max(first, last);
    keep_inside();
    update();
    Q_EMIT view_changed();
}

void TimelinePlot::zoom_by(double factor, double slot) {
    const double span = (m_view.last - m_view.first + 1) / factor;
    const double share = (slot - m_view.first + 0.5) / (m_view.last - m_view.first + 1);
    // What is zoomed at stays inside, whole.
    const double first = std::clamp(slot - share * span + 0.5, slot - std::max(0.0, span - 1), slot);
    zoom_to(first, first + span - 1);
}

void TimelinePlot::fit() {
    m_fitted = true;
    m_view.first = 0;
    m_view.last = std::max<double>(static_cast<double>(m_data.points.size()) - 1, 0);
    update();
    Q_EMIT view_changed();
}

TimelineLayout TimelinePlot::layout_here() const {
    return layout_timeline(m_data, m_view, QRectF(rect()));
}

QPointF TimelinePlot::place_of(int slot) const {
    const TimelineLayout layout = layout_here();
    if (slot < 0 || slot >= static_cast<int>(m_data.points.size()))
        return {};
    const TimelinePoint& point = m_data.points[static_cast<std::size_t>(slot)];
    return {layout.x(slot), point.timed() ? layout.y(point.seconds) : layout.lane.center().y()};
}

void TimelinePlot::render_to(QPainter& painter, const QRectF& area) const {
    paint_timeline(painter, m_data, m_view, layout_timeline(m_data, m_view, area));
}

QString TimelinePlot::text_twin() const {
    return timeline_text(m_data);
}

int TimelinePlot::slot_at(QPointF place) const {
    const TimelineLayout layout = layout_here();
    const QRectF whole = layout.plot.united(layout.labels).adjusted(-4, -12, 4, 0);
    if (m_data.points.empty() || !whole.contains(place))
        return -1;
    const int slot = static_cast<int>(std::lround(layout.slot(place.x())));
    return std::clamp(slot, 0, static_cast<int>(m_data.points.size()) - 1);
}

QString TimelinePlot::tooltip(int slot) const {
    const TimelinePoint& point = m_data.points[static_cast<std::size_t>(slot)];
    if (is_binned(m_view)) {
        for (const TimelineBin& bin : visible_bins(m_data, m_view, layout_here()))
            if (slot >= bin.first && slot <= bin.last) {
                QString text = m_data.point_text(m_data.points[static_cast<std::size_t>(bin.first)]) + u" … "_s +
                               m_data.point_text(m_data.points[static_cast<std::size_t>(bin.last)]);
                text += u"\n%1 timed, %2 failed"_s.arg(bin.timed).arg(bin.failed);
                if (bin.timed > 0)
                    text += u"\nbest %1, median %2, worst %3"_s.arg(short_time(bin.best), short_time(bin.median),
                                                                    short_time(bin.worst));
                return text;
            }
    }
    QStringList lines{m_data.point_text(point)};
    lines[0][0] = lines[0][0].toUpper();
    if (m_facts)
        lines += m_facts(point);
    return lines.join(u'\n');
}

bool TimelinePlot::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int slot = slot_at(help->pos());
        if (slot >= 0)
            QToolTip::showText(help->globalPos(), tooltip(slot), this);
        else
            QToolTip::hideText();
        return true;
    }
    return PlotWidget::event(event);
}

void TimelinePlot::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->position();
    m_pan_first = m_view.first;
    const bool pans = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
    if (pans)
        m_drag = Drag::pan;
    else if (event->button() == Qt::LeftButton)
        m_drag = Drag::pressed;
}

void TimelinePlot::mouseMoveEvent(QMouseEvent* event) {
    const TimelineLayout layout = layout_here();
    const QPointF moved = event->position() - m_pressed;
    if (m_drag == Drag::pressed && std::abs(moved.x()) > QApplication::startDragDistance() &&
        m_data.points.size() > static_cast<std::size_t>(least_visible))
        m_drag = Drag::range;
    if (m_drag == Drag::range) {
        const auto inside = [&](double x) {
            return layout.slot(std::clamp(x, layout.plot.left(), layout.plot.right()));
        };
        m_view.drag_from = inside(m_pressed.x());
        m_view.drag_to = inside(event->position().x());
    } else if (m_drag == Drag::pan && !m_fitted) {
        const double span = m_view.last - m_view.first;
        m_view.first = m_pan_first - moved.x() / layout.spacing();
        m_view.last = m_view.first + span;
        keep_inside();
        Q_EMIT view_changed();
    }
    m_view.hovered = m_drag == Drag::none ? slot_at(event->position()) : -1;
    update();
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(m_drag, Drag::none);
    if (drag == Drag::range) {
        const double from = std::min(m_view.drag_from, m_view.drag_to), to = std::max(m_view.drag_from, m_view.drag_to);
        m_view.drag_from = m_view.drag_to = -1;
        zoom_to(from + 0.5, to - 0.5);
    } else if (drag == Drag::pressed) {
        choose(slot_at(event->position()));
    }
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        fit();
}

void TimelinePlot::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    const TimelineLayout layout = layout_here();
    if (std::abs(turned.x()) > std::abs(turned.y()) || event->modifiers().testFlag(Qt::ShiftModifier)) {
        const double by = -(turned.x() != 0 ? turned.x() : turned.y()) / 120.0 * (m_view.last - m_view.first) / 10;
        if (!m_fitted)
            zoom_to(m_view.first + by, m_view.last + by);
    } else if (turned.y() != 0 && !m_data.points.empty()) {
        const double x = std::clamp(event->position().x(), layout.plot.left(), layout.plot.right());
        if (turned.y() > 0 || !m_fitted)
            zoom_by(std::pow(wheel_step, turned.y() / 120.0), layout.slot(x));
    }
    event->accept();
}

void TimelinePlot::choose(int slot) {
    if (slot >= 0)
        Q_EMIT point_chosen(m_data.points[static_cast<std::size_t>(slot)].chosen);
}

void TimelinePlot::walk(int step) {
    const int end = static_cast<int>(m_data.points.size()) - 1;
    if (end < 0)
        return;
    const int from = m_view.selected < 0 ? (step > 0 ? -1 : end + 1) : m_view.selected;
    choose(std::clamp(from + step, 0, end));
}

void TimelinePlot::keyPressEvent(QKeyEvent* event) {
    const double middle = m_view.selected >= 0 ? m_view.selected : (m_view.first + m_view.last) / 2;
    const int all = static_cast<int>(m_data.points.size());
    switch (event->key()) {
    case Qt::Key_Left:
        return walk(-1);
    case Qt::Key_Right:
        return walk(1);
    case Qt::Key_PageUp:
        return walk(-10);
    case Qt::Key_PageDown:
        return walk(10);
    case Qt::Key_Home:
        return walk(-all);
    case Qt::Key_End:
        return walk(all);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom_by(1.5, middle);
    case Qt::Key_Minus:
        if (!m_fitted)
            zoom_by(1 / 1.5, middle);
        return;
    case Qt::Key_0:
        return fit();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_view.selected >= 0)
            Q_EMIT point_activated(m_data.points[static_cast<std::size_t>(m_view.selected)].chosen);
        return;
    default:
        PlotWidget::keyPressEvent(event);
    }
}

void TimelinePlot::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const int slot = by_key ? m_view.selected : slot_at(event->pos());
    const QPoint where = by_key && slot >= 0 ? mapToGlobal(place_of(slot).toPoint()) : event->globalPos();
    Q_EMIT menu_wanted(slot < 0 ? Chosen{} : m_data.points[static_cast<std::size_t>(slot)].chosen, where);
}

void TimelinePlot::leaveEvent(QEvent* event) {
    m_view.hovered = -1;
    update();
    PlotWidget::leaveEvent(event);
}

} // namespace kf::ui
