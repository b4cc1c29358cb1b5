// SPDX-License-Identifier: GPL-3.0-or-later
// What MainWindow has to do with the editor: its actions, and links that lead into a source.
#include "ui/editor/editor_pane.h"
#include "ui/window/exporter.h"
#include "ui/window/main_window.h"
#include "ui/window/note_sheet.h"
#include "ui/window/workspace.h"

namespace kf::ui {

void MainWindow::make_editor_actions() {
    // These work without looking at the text; all others bring the editor to the front.
    const QStringList anywhere = {QStringLiteral("editor.bench"), QStringLiteral("editor.certify"),
                                  QStringLiteral("editor.compile")};
    for (const EditorCommand& one : m_panes.editor->commands()) {
        QList<QKeySequence> keys;
        for (const QString& text : one.keys)
            keys << QKeySequence(text, QKeySequence::PortableText);
        m_actions->add(
            {one.id, QStringLiteral("Editor"), one.text, one.tip, one.icon, keys},
            [this, run = one.run, show = !anywhere.contains(one.id)] {
                if (show)
                    show_pane(QStringLiteral("editor"));
                run();
            },
            one.in_editor ? m_panes.editor : nullptr);
    }
    m_actions->set_editor_keys(m_panes.editor->editor_keys());
}

void MainWindow::edit_by_hand(const QString& task) {
    // A run of another task would bring its own text into the editor.
    if (m_store.mode() != RunMode::none && m_store.state().start.task != task.toStdString())
        close_run();
    choose_task(task);
    m_editing = true;
    set_layout(QStringLiteral("edit"));
    show_page();
    m_workspace->show_pane(QStringLiteral("editor"));
}

void MainWindow::follow_link(const QString& target) {
    const QString kind = target.section(QLatin1Char(':'), 0, 0), rest = target.section(QLatin1Char(':'), 1);
    bool ok = false;
    if (kind == QLatin1String("pane")) {
        show_pane(rest);
    } else if (kind == QLatin1String("prompt")) {
        show_prompt(target);
    } else if (kind == QLatin1String("turn")) {
        const int turn = rest.toInt(&ok);
        if (ok && m_store.state().turns.contains(turn))
            m_selection.select({turn, {}});
    } else if (kind == QLatin1String("note")) {
        const int turn = rest.toInt(&ok);
        if (ok)
            m_note_sheet->ask(turn, m_notes.note(turn));
    } else if (kind == QLatin1String("export")) {
        if (Pane* pane = m_workspace->pane(rest))
            m_exporter->ask(pane);
    } else if (kind == QLatin1String("line")) {
        const int line = rest.section(QLatin1Char(':'), 0, 0).toInt(&ok);
        show_pane(QStringLiteral("editor"));
        if (ok)
            m_panes.editor->go_to(line, rest.section(QLatin1Char(':'), 1, 1).toInt());
    }
}

} // namespace kf::ui
