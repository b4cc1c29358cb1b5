// SPDX-License-Identifier: GPL-3.0-or-later
// The panes in their places: left column, centre over bottom, right column under the headline. Splitters and tabs of
// our own rather than QDockWidget: nothing floats (panes cannot come back on Wayland before Qt 6.7), a saved layout is
// a value that can be checked, and every area looks the same. Below `compact_width` the right column becomes tabs at
// the bottom and the left one a rail of icons.
#pragma once

#include "ui/window/dock_area.h"

#include <QSplitter>
#include <QToolButton>

#include <map>

class QVBoxLayout;

namespace kf::ui {

class Workspace : public QWidget {
    Q_OBJECT
public:
    static constexpr int compact_width = 1500;

    // `headline`: stands over the right column, or in the Autopsy where there is no such column; may be null.
    Workspace(std::vector<Pane*> panes, QWidget* headline, QWidget* parent = nullptr);

    // The present one, sizes included; never the compact form.
    Arrangement arrangement() const;
    void apply(const Arrangement& arrangement);
    QStringList pane_ids() const;
    const std::vector<Pane*>& all_panes() const { return m_panes; }
    Pane* pane(const QString& id) const;

    // Brings it to the front and, if wanted, the keyboard to it; opens it when it was closed.
    void show_pane(const QString& id, bool focus = true);
    void close_pane(const QString& id);
    void open_all_closed(); // each where the layout would have it
    QStringList closed() const;
    // In the order of the areas; wraps round. Leaves any pane, the editor too.
    void focus_next(int step);
    void focus_centre();
    // The pane that has the keyboard, else the one that had it last.
    Pane* active() const;
    void toggle_area(Area area);

    bool is_compact() const { return m_compact; }
    void set_text_scale(double scale);

Q_SIGNALS:
    void arranged();
    void active_changed(kf::ui::Pane* pane);
    void compact_changed(bool compact);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    void choose_form(int width);
    void set_sizes();
    void take_sizes();
    void fill_rail();
    void place_headline(bool right_shown);
    std::vector<Pane*> visible_panes() const;

    std::vector<Pane*> m_panes;
    QWidget* m_headline;
    Arrangement m_arrangement;
    bool m_compact = false;
    bool m_left_open = false; // compact: the left column beside its rail
    bool m_sized = false;
    double m_text_scale = 1;
    Pane* m_active = nullptr;

    QSplitter *m_columns, *m_rows;
    QWidget *m_rail, *m_right, *m_headline_holder;
    QVBoxLayout *m_rail_layout, *m_right_layout, *m_bottom_layout;
    std::map<Area, DockArea*> m_areas;
    std::vector<QToolButton*> m_rail_buttons;
};

} // namespace kf::ui
