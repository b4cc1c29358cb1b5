// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's chart as a widget: zoom, pan, pointing, walking by keys. It chooses nothing itself; it tells what was
// asked for.
#pragma once

#include "ui/plots/timeline_painter.h"
#include "ui/widgets/plot_widget.h"

#include <functional>
#include <utility>

namespace kf::ui {

class TimelinePlot : public PlotWidget {
    Q_OBJECT
public:
    explicit TimelinePlot(QWidget* parent = nullptr);

    void set_data(TimelineData data);
    // For whoever changes it in place and gives it back by set_data().
    TimelineData take_data() { return std::exchange(m_data, {}); }
    const TimelineData& data() const { return m_data; }
    void set_selection(const Chosen& selected, const Chosen& pinned);
    // Lines of the tooltip of a point.
    void set_facts(std::function<QStringList(const TimelinePoint&)> facts) { m_facts = std::move(facts); }

    // Visible slots. Fitted: all, also those to come.
    bool is_fitted() const { return m_fitted; }
    double first_visible() const { return m_view.first; }
    double last_visible() const { return m_view.last; }
    void zoom_to(double first, double last);
    // Above 1 nearer; `slot` stays where it is.
    void zoom_by(double factor, double slot);
    void fit();
    // Where a point is drawn, for pointing at it.
    QPointF place_of(int slot) const;

    void render_to(QPainter& painter, const QRectF& area) const override;
    QString text_twin() const override;
    QSize sizeHint() const override { return {640, 300}; }
    QSize minimumSizeHint() const override { return {240, 132}; }

Q_SIGNALS:
    void point_chosen(const kf::ui::Chosen& chosen);
    void point_activated(const kf::ui::Chosen& chosen); // Return
    void menu_wanted(const kf::ui::Chosen& chosen, QPoint global);
    void view_changed();

protected:
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    TimelineLayout layout_here() const;
    int slot_at(QPointF place) const; // −1: none there
    void choose(int slot);
    void walk(int step);
    void keep_inside();
    void show_slot(int slot);
    void mark_selection();
    QString tooltip(int slot) const;

    TimelineData m_data;
    TimelineView m_view;
    Chosen m_selected, m_pinned;
    bool m_fitted = true;
    std::function<QStringList(const TimelinePoint&)> m_facts;
    QPointF m_pressed;
    enum class Drag { none, pressed, range, pan } m_drag = Drag::none;
    double m_pan_first = 0;
};

} // namespace kf::ui
