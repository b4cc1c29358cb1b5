// SPDX-License-Identifier: GPL-3.0-or-later
// What MainWindow remembers between two starts.
#include "ui/docks/runs_pane.h"
#include "ui/editor/editor_pane.h"
#include "ui/plots/distribution_pane.h"
#include "ui/plots/timeline_pane.h"
#include "ui/window/main_window.h"
#include "ui/window/start_page.h"
#include "ui/window/workspace.h"

#include <QGuiApplication>
#include <QScreen>

namespace kf::ui {

void MainWindow::restore_session() {
    const Session saved = load_session();
    // The shape of the window always comes back; run and selection only when that is wished.
    m_session.geometry = saved.geometry;
    m_session.arrangements = saved.arrangements;
    m_session.layout = saved.layout;
    m_session.recent_runs = saved.recent_runs;
    m_session.task = saved.task;
    if (m_settings.flag(QStringLiteral("session/restore")) && m_options.open.isEmpty() && m_options.replay.isEmpty()) {
        m_session = saved;
        // A task on the command line asks for a new beginning.
        if (!m_options.task.isEmpty() || m_options.start_page)
            m_session.run.clear();
    }
    m_actions->set_recent(saved.recent_actions);
    m_session.panes = saved.panes;
    m_session.pinned_tasks = saved.pinned_tasks;
    m_panes.runs->set_pinned(saved.pinned_tasks);
    if (const QByteArray state = saved.panes.value(QStringLiteral("editor")); !state.isEmpty())
        m_panes.editor->restore_state(state);
    if (const QByteArray state = saved.panes.value(QStringLiteral("timeline")); !state.isEmpty())
        m_panes.timeline->restore_state(state);
    if (const QByteArray state = saved.panes.value(QStringLiteral("distribution")); !state.isEmpty())
        m_panes.distribution->restore_state(state);
    restore_geometry();
    set_layout(m_options.layout.isEmpty() ? m_session.layout : m_options.layout);
    choose_task(m_options.task.isEmpty() ? m_session.task : m_options.task);
}

void MainWindow::restore_geometry() {
    const QScreen* screen = QGuiApplication::primaryScreen();
    const QRect space = screen ? screen->availableGeometry() : QRect(0, 0, 1680, 1050);
    if (m_session.geometry.isEmpty() || !restoreGeometry(m_session.geometry))
        resize(QSize(1680, 1050).boundedTo(space.size()));
    // A screen may be gone or smaller than it was.
    if (const QScreen* now = this->screen()) {
        const QRect fits = now->availableGeometry();
        resize(size().boundedTo(fits.size()));
        if (!fits.intersects(geometry().adjusted(40, 40, -40, -40)))
            move(fits.topLeft());
    }
}

void MainWindow::restore_selection() {
    if (m_selection_restored)
        return;
    const auto& turns = m_store.state().turns;
    if (!m_session.follow && !turns.contains(m_session.selected.turn))
        return; // not read yet
    m_selection_restored = true;
    if (turns.contains(m_session.pinned.turn))
        m_selection.pin(m_session.pinned);
    if (!m_session.follow)
        m_selection.select(m_session.selected);
}

void MainWindow::keep_session() {
    m_session.run = m_store.mode() == RunMode::replay ? QString() : m_store.place();
    m_session.task = m_task;
    m_session.layout = m_layout;
    m_session.arrangements[m_layout] = to_text(m_workspace->arrangement());
    m_session.geometry = saveGeometry();
    m_session.selected = m_selection.current();
    m_session.pinned = m_selection.pinned();
    m_session.follow = m_selection.follows_newest();
    m_session.recent_actions = m_actions->recent();
    m_session.pinned_tasks = m_panes.runs->pinned();
    m_session.panes = {{QStringLiteral("editor"), m_panes.editor->save_state()},
                       {QStringLiteral("timeline"), m_panes.timeline->save_state()},
                       {QStringLiteral("distribution"), m_panes.distribution->save_state()}};
    while (m_session.recent_runs.size() > 20)
        m_session.recent_runs.removeLast();
    if (const Status kept = save_session(m_session); !kept)
        qWarning("%s", to_string(kept.error()).c_str());
}

} // namespace kf::ui
