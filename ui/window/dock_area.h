// SPDX-License-Identifier: GPL-3.0-or-later
// One of the four places of the workspace: a row of tabs over the panes that stand there. Panes can be dragged along
// the row and sent elsewhere by the tab's menu. A pane with tabs of its own (property "own_tabs") that is alone here
// needs no row above it.
#pragma once

#include "ui/widgets/pane.h"
#include "ui/window/arrangement.h"

#include <QStackedWidget>
#include <QTabBar>

namespace kf::ui {

class Plate;

class DockArea : public QWidget {
    Q_OBJECT
public:
    explicit DockArea(Area area, QWidget* parent = nullptr);

    Area area() const { return m_area; }
    // Takes these panes, in this order; those it had and that are not among them stay hidden where they are.
    void set_panes(const std::vector<Pane*>& panes, const QString& current);
    const std::vector<Pane*>& panes() const { return m_panes; }
    QStringList ids() const;
    Pane* current() const;
    void set_current(const QString& id);
    QTabBar* tabs() const { return m_tabs; }

Q_SIGNALS:
    void current_changed(const QString& id);
    void order_changed();
    void move_requested(const QString& id, kf::ui::Area to);
    void close_requested(const QString& id);

private:
    void refresh_tab(Pane* pane);
    void show_menu(const QPoint& at);
    Area m_area;
    std::vector<Pane*> m_panes;
    Plate* m_row;
    QTabBar* m_tabs;
    QStackedWidget* m_stack;
    bool m_filling = false;
};

} // namespace kf::ui
