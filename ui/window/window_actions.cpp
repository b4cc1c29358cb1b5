// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that MainWindow can be told to do: one row an action.
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/toast.h"
#include "ui/window/command_palette.h"
#include "ui/window/exporter.h"
#include "ui/window/main_window.h"
#include "ui/window/note_sheet.h"
#include "ui/window/selection_history.h"
#include "ui/window/shortcut_sheet.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QUrl>

namespace kf::ui {
namespace {

QList<QKeySequence> keys(std::initializer_list<const char*> texts) {
    QList<QKeySequence> all;
    for (const char* text : texts)
        all << QKeySequence(QString::fromLatin1(text), QKeySequence::PortableText);
    return all;
}

} // namespace

void MainWindow::make_actions() {
    make_run_actions();
    make_steering_actions();
    make_turn_actions();
    make_view_actions();
}

void MainWindow::make_run_actions() {
    const QString group = QStringLiteral("Run");
    m_actions->add({QStringLiteral("run.start"), group, QStringLiteral("Run"),
                    QStringLiteral("Start a run of the chosen task with the tuner"), QStringLiteral("run"),
                    keys({"Ctrl+R"})},
                   [this] { start_run(m_task); });
    m_actions->add({QStringLiteral("run.resume"), group, QStringLiteral("Resume"),
                    QStringLiteral("Go on with the interrupted run where it was lost"), QStringLiteral("run")},
                   [this] {
                       m_starting = true;
                       m_controller.resume();
                   });
    m_actions->add({QStringLiteral("run.pause"), group, QStringLiteral("Pause after turn"),
                    QStringLiteral("Hold the run when the present turn is judged"), QStringLiteral("pause"),
                    keys({"F9"})},
                   [this] { m_store.state().paused ? m_controller.go_on() : m_controller.pause(); });
    m_actions->add({QStringLiteral("run.stop_after"), group, QStringLiteral("Stop after turn"),
                    QStringLiteral("End the run when the present turn is judged"), QStringLiteral("stop"),
                    keys({"Ctrl+F9"})},
                   [this] { m_controller.stop_after_turn(); });
    m_actions->add({QStringLiteral("run.stop"), group, QStringLiteral("Stop"),
                    QStringLiteral("End the run now; what was judged is kept"), QStringLiteral("stop"),
                    keys({"Shift+F5"})},
                   [this] { m_controller.stop_now(); });
    m_actions->add({QStringLiteral("run.open"), group, QStringLiteral("Open run…"),
                    QStringLiteral("A run's folder, or a .kfrun file"), QStringLiteral("folder"), keys({"Ctrl+O"})},
                   [this] { ask_for_run(); });
    m_actions->add({QStringLiteral("run.close"), group, QStringLiteral("Close run"),
                    QStringLiteral("Back to the start page; a run that goes is left going"), QStringLiteral("close"),
                    keys({"Ctrl+W"})},
                   [this] { close_run(); });
    m_actions->add({QStringLiteral("run.replay"), group, QStringLiteral("Replay this run"),
                    QStringLiteral("Play the run again from its journal, at any speed"), QStringLiteral("replay")},
                   [this] { replay_run(m_store.place(), 4); });
    m_actions->add({QStringLiteral("run.folder"), group, QStringLiteral("Show the run's folder"),
                    QStringLiteral("In the file manager"), QStringLiteral("external")},
                   [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_store.place())); });
    m_actions->add({QStringLiteral("run.copy_path"), group, QStringLiteral("Copy the run's path"),
                    QStringLiteral("To look at it with kernelforge in a terminal"), QStringLiteral("copy")},
                   [this] {
                       QGuiApplication::clipboard()->setText(m_store.place());
                       m_toasts->post(QStringLiteral("Copied: %1").arg(m_store.place()));
                   });
    m_actions->add({QStringLiteral("run.probe"), group, QStringLiteral("Look what this machine can judge"),
                    QStringLiteral("What kernelforge doctor finds, on the start page"), QStringLiteral("doctor")},
                   [this] { probe(); });
    m_actions->add({QStringLiteral("window.quit"), group, QStringLiteral("Quit"),
                    QStringLiteral("Close the window; a run can be kept going"), QStringLiteral("close"),
                    keys({"Ctrl+Q"})},
                   [this] { close(); });
}

void MainWindow::make_turn_actions() {
    const QString group = QStringLiteral("Turn");
    m_actions->add({QStringLiteral("go.turn_previous"), group, QStringLiteral("Previous turn"),
                    QStringLiteral("Select the turn before"), QStringLiteral("chevron-up"), keys({"Alt+Up"})},
                   [this] { walk_turns(-1); });
    m_actions->add({QStringLiteral("go.turn_next"), group, QStringLiteral("Next turn"),
                    QStringLiteral("Select the turn after"), QStringLiteral("chevron-down"), keys({"Alt+Down"})},
                   [this] { walk_turns(1); });
    m_actions->add({QStringLiteral("go.back"), group, QStringLiteral("Back"),
                    QStringLiteral("To what was selected before"), QStringLiteral("chevron-left"), keys({"Alt+Left"})},
                   [this] { m_history->go(-1); });
    m_actions->add({QStringLiteral("go.forward"), group, QStringLiteral("Forward"),
                    QStringLiteral("To what was selected after"), QStringLiteral("chevron-right"), keys({"Alt+Right"})},
                   [this] { m_history->go(1); });
    m_actions->add({QStringLiteral("turn.follow"), group, QStringLiteral("Follow the newest turn"),
                    QStringLiteral("The selection moves with the run"), QStringLiteral("fit"), keys({"Alt+End"}), true},
                   [this] {
                       m_selection.set_follow(!m_selection.follows_newest());
                       if (!m_store.state().turns.empty())
                           m_selection.follow({m_store.state().turns.rbegin()->first, {}});
                   });
    m_actions->add({QStringLiteral("turn.champion"), group, QStringLiteral("Select the champion"),
                    QStringLiteral("The fastest kernel that was proven right"), QStringLiteral("star"),
                    keys({"Alt+Home"})},
                   [this] {
                       if (const ChampionState* champion = m_store.state().champion())
                           m_selection.select({champion->turn, champion->evaluation});
                   });
    m_actions->add({QStringLiteral("turn.pin"), group, QStringLiteral("Pin as baseline A"),
                    QStringLiteral("Compare others with the selected turn; again to let go"), QStringLiteral("pin"),
                    keys({"Ctrl+B"})},
                   [this] {
                       const Chosen& now = m_selection.current();
                       m_selection.pin(m_selection.pinned() == now ? Chosen{} : now);
                       m_toasts->post(m_selection.pinned().turn < 0
                                          ? QStringLiteral("Nothing is pinned")
                                          : QStringLiteral("Pinned turn %1 as baseline A").arg(now.turn));
                   });
    m_actions->add({QStringLiteral("turn.compare"), group, QStringLiteral("Compare with the pinned turn"),
                    QStringLiteral("Show the distribution of A and B"), QStringLiteral("compare"),
                    keys({"Ctrl+Shift+B"})},
                   [this] { show_pane(QStringLiteral("distribution")); });
    m_actions->add({QStringLiteral("turn.note"), group, QStringLiteral("Note on the turn…"),
                    QStringLiteral("Write down what should be remembered"), QStringLiteral("note"), keys({"Ctrl+M"})},
                   [this] {
                       const int turn = m_selection.current().turn;
                       m_note_sheet->ask(turn, m_notes.note(turn));
                   });
    m_actions->add({QStringLiteral("turn.star"), group, QStringLiteral("Star the turn"),
                    QStringLiteral("Mark the selected turn; again to take the mark away"), QStringLiteral("star"),
                    keys({"Ctrl+Shift+M"})},
                   [this] {
                       const int turn = m_selection.current().turn;
                       m_notes.set_starred(turn, !m_notes.starred(turn));
                       m_toasts->post(m_notes.starred(turn) ? QStringLiteral("Starred turn %1").arg(turn)
                                                            : QStringLiteral("Turn %1 has no star").arg(turn));
                   });
    m_actions->add({QStringLiteral("pane.export"), group, QStringLiteral("Export the pane…"),
                    QStringLiteral("The pane that has the keyboard, as table or picture"), QStringLiteral("export"),
                    keys({"Ctrl+E"})},
                   [this] {
                       if (Pane* pane = m_workspace->active())
                           m_exporter->ask(pane);
                   });
    m_actions->add({QStringLiteral("pane.copy_text"), group, QStringLiteral("Copy the pane as text"),
                    QStringLiteral("What the pane shows, as text"), QStringLiteral("copy"), keys({"Ctrl+Shift+C"})},
                   [this] {
                       if (const Pane* pane = m_workspace->active()) {
                           QGuiApplication::clipboard()->setText(pane->text_twin());
                           m_toasts->post(QStringLiteral("Copied as text: %1").arg(pane->title()));
                       }
                   });
    m_actions->add({QStringLiteral("pane.find"), group, QStringLiteral("Find in the pane"),
                    QStringLiteral("Search what the pane shows"), QStringLiteral("search"), keys({"Ctrl+F"})},
                   [this] {
                       if (Pane* pane = m_workspace->active())
                           pane->find();
                   });
}

void MainWindow::make_view_actions() {
    const QString go = QStringLiteral("Go"), view = QStringLiteral("View"), help = QStringLiteral("Help");
    m_actions->add({QStringLiteral("go.commands"), go, QStringLiteral("Commands"),
                    QStringLiteral("Find anything that can be done"), QStringLiteral("palette"),
                    keys({"Ctrl+Shift+P"})},
                   [this] { m_palette->open_with(QStringLiteral(">")); });
    m_actions->add({QStringLiteral("go.anything"), go, QStringLiteral("Find anything"),
                    QStringLiteral("Commands, tasks, runs and turns by name"), QStringLiteral("search"),
                    keys({"Ctrl+K", "Ctrl+P"})},
                   [this] { m_palette->open_with({}); });
    m_actions->add({QStringLiteral("go.turn"), go, QStringLiteral("Go to turn…"),
                    QStringLiteral("By number or by verdict"), QStringLiteral("timeline"), keys({"Ctrl+T"})},
                   [this] { m_palette->open_with(QStringLiteral("#")); });
    m_actions->add({QStringLiteral("go.task"), go, QStringLiteral("Choose a task…"),
                    QStringLiteral("The task that Run starts"), QStringLiteral("tasks"), keys({"Ctrl+Shift+T"})},
                   [this] { m_palette->open_with(QStringLiteral("t ")); });

    m_actions->add({QStringLiteral("layout.watch"), view, QStringLiteral("Layout Watch"),
                    QStringLiteral("Timeline large, to follow a run"), QStringLiteral("layout"), keys({"Alt+1"})},
                   [this] { set_layout(QStringLiteral("watch")); });
    m_actions->add({QStringLiteral("layout.edit"), view, QStringLiteral("Layout Edit"),
                    QStringLiteral("Editor large, to change a kernel"), QStringLiteral("layout"), keys({"Alt+2"})},
                   [this] { set_layout(QStringLiteral("edit")); });
    m_actions->add({QStringLiteral("layout.reset"), view, QStringLiteral("Reset layout"),
                    QStringLiteral("Every pane where this layout has it at first"), QStringLiteral("refresh")},
                   [this] { m_workspace->apply(built_in(m_layout, m_of_model)); });
    m_actions->add({QStringLiteral("layout.dock_all"), view, QStringLiteral("Show all panes"),
                    QStringLiteral("Open every pane that was closed"), QStringLiteral("layout")},
                   [this] { m_workspace->open_all_closed(); });
    m_actions->add({QStringLiteral("layout.left"), view, QStringLiteral("Left column"),
                    QStringLiteral("Show or hide runs and tasks"), QStringLiteral("chevron-left"),
                    keys({"Ctrl+Alt+Left"})},
                   [this] { m_workspace->toggle_area(Area::left); });
    m_actions->add({QStringLiteral("layout.bottom"), view, QStringLiteral("Bottom panes"),
                    QStringLiteral("Show or hide the tabs at the bottom"), QStringLiteral("chevron-down"),
                    keys({"Ctrl+Alt+Down"})},
                   [this] { m_workspace->toggle_area(Area::bottom); });
    m_actions->add({QStringLiteral("layout.right"), view, QStringLiteral("Right column"),
                    QStringLiteral("Show or hide headline and autopsy"), QStringLiteral("chevron-right"),
                    keys({"Ctrl+Alt+Right"})},
                   [this] { m_workspace->toggle_area(Area::right); });
    const std::pair<const char*, const char*> panes[] = {
        {"timeline", "Timeline"}, {"editor", "Editor"},         {"distribution", "Distribution"},
        {"autopsy", "Autopsy"},   {"issues", "Issues"},         {"log", "Log"},
        {"runs", "Runs"},         {"transcript", "Transcript"}, {"tree", "Tree"},
        {"prompt", "Prompt"}};
    int number = 0;
    for (const auto& [id, title] : panes) {
        const QString name = QString::fromLatin1(id), text = QString::fromLatin1(title);
        m_actions->add({QStringLiteral("pane.") + name, view, text, QStringLiteral("Bring the keyboard to it"), name,
                        ++number > 9 ? QList<QKeySequence>{}
                                     : QList<QKeySequence>{QKeySequence(QStringLiteral("Ctrl+%1").arg(number))}},
                       [this, name] { show_pane(name); });
    }
    m_actions->add({QStringLiteral("pane.next"), view, QStringLiteral("Next pane"),
                    QStringLiteral("Leaves any pane, the editor too"), QStringLiteral("play-next"), keys({"F6"})},
                   [this] { m_workspace->focus_next(1); });
    m_actions->add({QStringLiteral("pane.previous"), view, QStringLiteral("Previous pane"),
                    QStringLiteral("Leaves any pane, the editor too"), QStringLiteral("play-previous"),
                    keys({"Shift+F6"})},
                   [this] { m_workspace->focus_next(-1); });
    m_actions->add({QStringLiteral("view.full_screen"), view, QStringLiteral("Full screen"),
                    QStringLiteral("The window alone on its screen"), QStringLiteral("maximize"), keys({"F11"})},
                   [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    m_actions->add({QStringLiteral("view.larger"), view, QStringLiteral("Larger text"),
                    QStringLiteral("Everything a step larger"), QStringLiteral("plus"), keys({"Ctrl+=", "Ctrl++"})},
                   [this] { step_text_scale(1); });
    m_actions->add({QStringLiteral("view.smaller"), view, QStringLiteral("Smaller text"),
                    QStringLiteral("Everything a step smaller"), QStringLiteral("minus"), keys({"Ctrl+-"})},
                   [this] { step_text_scale(-1); });
    m_actions->add({QStringLiteral("view.usual"), view, QStringLiteral("Usual text size"), QStringLiteral("100 %"),
                    QStringLiteral("zoom"), keys({"Ctrl+0"})},
                   [this] { m_settings.reset(QStringLiteral("look/text_scale")); });
    const std::pair<const char*, const char*> themes[] = {
        {"dark", "Theme dark"}, {"light", "Theme light"}, {"contrast", "Theme high contrast"}};
    for (const auto& [id, title] : themes) {
        const QString name = QString::fromLatin1(id);
        m_actions->add({QStringLiteral("theme.") + name, view, QString::fromLatin1(title),
                        QStringLiteral("Colours of the whole window"), QStringLiteral("theme")},
                       [this, name] {
                           m_options.theme.clear();
                           m_settings.set(QStringLiteral("look/theme"), name);
                           apply_look();
                       });
    }
    m_actions->add({QStringLiteral("view.settings"), help, QStringLiteral("Settings"),
                    QStringLiteral("Theme, folders, evaluator, shortcuts"), QStringLiteral("settings"),
                    keys({"Ctrl+,"})},
                   [this] { show_settings(); });
    m_actions->add({QStringLiteral("help.shortcuts"), help, QStringLiteral("Keyboard shortcuts"),
                    QStringLiteral("All keys on one sheet"), QStringLiteral("keyboard"), keys({"F1"})},
                   [this] { m_shortcuts->open_sheet(); });
}

void MainWindow::walk_turns(int step) {
    const auto& turns = m_store.state().turns;
    if (turns.empty())
        return;
    auto now = turns.find(m_selection.current().turn);
    if (now == turns.end())
        now = step > 0 ? turns.begin() : std::prev(turns.end());
    else if (step > 0 && std::next(now) != turns.end())
        ++now;
    else if (step < 0 && now != turns.begin())
        --now;
    m_selection.select({now->first, {}});
    if (std::next(now) == turns.end() && step > 0)
        m_selection.set_follow(true);
}

void MainWindow::step_text_scale(int steps) {
    const SettingSpec* spec = Settings::find(QStringLiteral("look/text_scale"));
    m_settings.set(spec->key, std::clamp(m_settings.number(spec->key) + steps * spec->step, spec->low, spec->high));
}

void MainWindow::refresh_actions() {
    if (!m_workspace)
        return;
    const auto enable = [this](const char* id, bool on) {
        if (QAction* action = m_actions->find(QString::fromLatin1(id)))
            action->setEnabled(on);
    };
    const RunController::State control = m_controller.state();
    const RunStatus status = m_store.status();
    const bool open = m_store.mode() != RunMode::none, steered = control == RunController::State::running;
    const bool going = steered || control == RunController::State::starting ||
                       (m_store.mode() == RunMode::live && status == RunStatus::running);
    // A replay only shows what was; what starts a run says how to leave it.
    const bool replay = m_store.mode() == RunMode::replay;
    const bool interrupted = !replay && open && status == RunStatus::interrupted && !m_store.loading();
    const bool paused = m_store.state().paused;
    enable("run.start", !going && !replay && !m_task.isEmpty());
    const QString leave = m_actions->find(QStringLiteral("run.close"))->shortcut().toString(QKeySequence::NativeText);
    m_actions->set_reason(QStringLiteral("run.start"),
                          !replay           ? QString()
                          : leave.isEmpty() ? QStringLiteral("This is a replay; close it first")
                                            : QStringLiteral("This is a replay; close it first (%1)").arg(leave));
    enable("run.resume", interrupted);
    for (const char* id : {"run.pause", "run.stop", "run.stop_after"})
        enable(id, steered && status != RunStatus::finished);
    for (const char* id : {"run.replay", "run.folder", "run.copy_path"})
        enable(id, open);
    enable("run.close", open || m_editing);
    const bool turns = !m_store.state().turns.empty(), chosen = m_selection.current().turn >= 0;
    for (const char* id : {"go.turn_previous", "go.turn_next", "turn.follow", "go.turn"})
        enable(id, turns);
    for (const char* id : {"turn.pin", "turn.note", "turn.star", "turn.compare"})
        enable(id, chosen);
    enable("turn.champion", m_store.state().champion() != nullptr);
    enable("go.back", m_history->can_go(-1));
    enable("go.forward", m_history->can_go(1));
    m_actions->find(QStringLiteral("turn.follow"))->setChecked(m_selection.follows_newest());
    refresh_steering_actions();
    QAction* pause = m_actions->find(QStringLiteral("run.pause"));
    pause->setText(paused ? QStringLiteral("Continue") : QStringLiteral("Pause after turn"));
    pause->setIcon(icon(paused ? QStringLiteral("run") : QStringLiteral("pause")));
    m_bar->set_primary(interrupted ? QStringLiteral("run.resume") : QStringLiteral("run.start"));
}

} // namespace kf::ui
