// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_area.h"

#include "ui/theme/icons.h"
#include "ui/window/plate.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace kf::ui {
namespace {

QString area_text(Area area) {
    switch (area) {
    case Area::left:
        return QStringLiteral("Left");
    case Area::centre:
        return QStringLiteral("Centre");
    case Area::bottom:
        return QStringLiteral("Bottom");
    case Area::right:
        return QStringLiteral("Right");
    }
    return {};
}

} // namespace

DockArea::DockArea(Area area, QWidget* parent)
    : QWidget(parent), m_area(area), m_row(new Plate(&Theme::window, Qt::BottomEdge, this)), m_tabs(new QTabBar(m_row)),
      m_stack(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("area.") + to_string(area));
    m_tabs->setObjectName(QStringLiteral("tabs.") + to_string(area));
    m_tabs->setAccessibleName(area_text(area) + QStringLiteral(" panes"));
    m_tabs->setDrawBase(true); // the row's line, open below the tab in front
    m_tabs->setExpanding(false);
    m_tabs->setMovable(true);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setFocusPolicy(Qt::TabFocus);
    m_tabs->setContextMenuPolicy(Qt::CustomContextMenu);

    auto* row = new QHBoxLayout(m_row);
    row->setContentsMargins(8, 0, 8, 0);
    row->setSpacing(0);
    row->addWidget(m_tabs, 1, Qt::AlignBottom);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_row);
    column->addWidget(m_stack, 1);

    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (m_filling || index < 0)
            return;
        const QString id = m_tabs->tabData(index).toString();
        set_current(id);
        Q_EMIT current_changed(id);
    });
    connect(m_tabs, &QTabBar::tabMoved, this, [this] {
        std::ranges::sort(m_panes, {}, [this](const Pane* pane) {
            for (int i = 0; i < m_tabs->count(); ++i)
                if (m_tabs->tabData(i).toString() == pane->id())
                    return i;
            return m_tabs->count();
        });
        Q_EMIT order_changed();
    });
    connect(m_tabs, &QTabBar::customContextMenuRequested, this, &DockArea::show_menu);
}

void DockArea::set_panes(const std::vector<Pane*>& panes, const QString& current) {
    m_filling = true;
    for (Pane* pane : m_panes)
        pane->disconnect(this);
    m_panes = panes;
    while (m_tabs->count() > 0)
        m_tabs->removeTab(0);
    for (Pane* pane : panes) {
        if (m_stack->indexOf(pane) < 0)
            m_stack->addWidget(pane);
        const int tab = m_tabs->addTab(pane->title());
        m_tabs->setTabData(tab, pane->id());
        refresh_tab(pane);
        connect(pane, &Pane::badge_changed, this, [this, pane] { refresh_tab(pane); });
    }
    const bool bare = panes.size() == 1 && panes.front()->property("own_tabs").toBool();
    m_row->setVisible(!bare);
    m_filling = false;
    set_current(current);
}

QStringList DockArea::ids() const {
    QStringList all;
    for (const Pane* pane : m_panes)
        all << pane->id();
    return all;
}

Pane* DockArea::current() const {
    return m_panes.empty() ? nullptr : qobject_cast<Pane*>(m_stack->currentWidget());
}

void DockArea::set_current(const QString& id) {
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (m_panes[i]->id() != id)
            continue;
        m_filling = true;
        m_tabs->setCurrentIndex(static_cast<int>(i));
        m_filling = false;
        m_stack->setCurrentWidget(m_panes[i]);
        return;
    }
}

void DockArea::refresh_tab(Pane* pane) {
    for (int i = 0; i < m_tabs->count(); ++i) {
        if (m_tabs->tabData(i).toString() != pane->id())
            continue;
        const QString badge = pane->badge();
        m_tabs->setTabText(i, badge.isEmpty() ? pane->title() : pane->title() + QLatin1Char(' ') + badge);
        m_tabs->setTabToolTip(i, pane->accessibleDescription());
    }
}

void DockArea::show_menu(const QPoint& at) {
    const int tab = m_tabs->tabAt(at);
    if (tab < 0)
        return;
    const QString id = m_tabs->tabData(tab).toString();
    QMenu menu(this);
    for (const Area to : areas) {
        if (to == m_area)
            continue;
        menu.addAction(QStringLiteral("Move to the %1").arg(area_text(to).toLower()), this,
                       [this, id, to] { Q_EMIT move_requested(id, to); });
    }
    menu.addSeparator();
    QAction* close = menu.addAction(icon(QStringLiteral("close")), QStringLiteral("Close this pane"), this,
                                    [this, id] { Q_EMIT close_requested(id); });
    // Somewhere to work has to remain.
    close->setEnabled(m_area != Area::centre || m_panes.size() > 1);
    menu.exec(m_tabs->mapToGlobal(at));
}

} // namespace kf::ui
