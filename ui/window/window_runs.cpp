// SPDX-License-Identifier: GPL-3.0-or-later
// What MainWindow has to do with runs: starting, opening, replaying and leaving them, what they tell, and the tasks and
// devices that a new one can be started with.
#include "core/base/files.h"
#include "ui/editor/editor_pane.h"
#include "ui/widgets/toast.h"
#include "ui/window/main_window.h"
#include "ui/window/provider_page.h"
#include "ui/window/replay_bar.h"
#include "ui/window/run_announcer.h"
#include "ui/window/selection_history.h"
#include "ui/window/start_page.h"
#include "ui/window/top_bar.h"

#include <QFileDialog>
#include <QFileInfo>

namespace kf::ui {

void MainWindow::wire_run() {
    connect(&m_store, &RunStore::was_reset, this, [this] {
        m_selection.clear();
        m_history->clear();
        m_notes.open(m_store.place());
        m_selection_restored = m_store.place() != m_session.run;
        m_task_told = false;
        show_page();
        refresh_actions();
    });
    connect(&m_store, &RunStore::changed, this, [this](const RunChanges& changes) {
        const RunState& state = m_store.state();
        // The bar speaks of a run as it is opened; what is chosen afterwards is for the next one.
        if (const QString task = QString::fromStdString(state.start.task); !m_task_told && !task.isEmpty()) {
            m_task_told = true;
            if (m_models.tasks.loading() || m_models.tasks.row_of(task) >= 0)
                choose_task(task);
        }
        if (!state.turns.empty())
            m_selection.follow({state.turns.rbegin()->first, {}});
        if (changes.header || !m_selection_restored)
            refresh_actions();
        restore_selection();
    });
    connect(&m_store, &RunStore::failed, this, [this](const Error& error) { fail(QStringLiteral("store"), error); });
    connect(&m_controller, &RunController::failed, this, [this](const Error& error) {
        m_starting = false;
        fail(QStringLiteral("control"), error);
    });
    connect(&m_controller, &RunController::state_changed, this, [this](RunController::State state) {
        if (state == RunController::State::running)
            m_banners->clear(QStringLiteral("control"));
        show_page();
        refresh_actions();
    });
    connect(&m_controller, &RunController::opened, this, [this](const QString& place) {
        if (m_starting)
            m_started_here = place;
        m_starting = false;
        m_session.recent_runs.removeAll(place);
        m_session.recent_runs.prepend(place);
        m_banners->clear(QStringLiteral("store"));
        m_models.runs.refresh();
        show_page();
    });
    connect(&m_controller, &RunController::replay_changed, m_replay_bar, &ReplayBar::set_source);
    connect(&m_controller, &RunController::told, this, [this](const QString& what, const QString& effect) {
        m_toasts->post(effect.isEmpty() ? what : QStringLiteral("%1: %2").arg(what, effect));
        refresh_actions();
    });
    connect(m_announcer, &RunAnnouncer::announced, this, &MainWindow::announce);
    connect(&m_notes, &RunNotes::failed, this, [this](const Error& error) { fail(QStringLiteral("notes"), error); });
}

void MainWindow::configure_controller() {
    m_controller.set_program(program());
    m_controller.set_device(m_settings.text(QStringLiteral("runs/device")));
    const QString launcher = m_settings.text(QStringLiteral("runs/launcher"));
    m_controller.set_evaluator_arguments(launcher.isEmpty() ? QStringList()
                                                            : QStringList{QStringLiteral("--launcher"), launcher});
}

QString MainWindow::program() const {
    const QString set = m_settings.text(QStringLiteral("runs/program"));
    return set.isEmpty() ? QString::fromStdString(program_path("kernelforge").string()) : set;
}

void MainWindow::probe() {
    QStringList arguments{QStringLiteral("--device"), m_settings.text(QStringLiteral("runs/device"))};
    const QString launcher = m_settings.text(QStringLiteral("runs/launcher"));
    if (!launcher.isEmpty())
        arguments << QStringLiteral("--launcher") << launcher;
    m_doctor.probe(program(), arguments);
}

void MainWindow::refresh_tasks() {
    std::vector<BarChoice> choices;
    for (const TaskEntry& one : m_models.tasks.tasks())
        if (one.trouble.isEmpty())
            choices.push_back({one.name, one.name, one.shape, one.title});
    m_bar->set_tasks(choices);
    m_models.runs.set_tasks(m_models.tasks.names());
    if (m_task.isEmpty() || m_models.tasks.row_of(m_task) < 0)
        choose_task(m_options.task.isEmpty() ? m_start->task() : m_options.task);
    const QString device = m_settings.text(QStringLiteral("runs/device"));
    std::vector<BarChoice> devices = {{QStringLiteral("cpu"),
                                       QStringLiteral("CPU"),
                                       {},
                                       QStringLiteral("Judged on this machine's processor; labelled CPU timings")}};
    if (device != QLatin1String("cpu") || !m_settings.text(QStringLiteral("runs/launcher")).isEmpty()) {
        const QString gpu = device == QLatin1String("cpu") ? QStringLiteral("cuda:0") : device;
        devices.push_back({gpu, gpu, {}, QStringLiteral("Judged on a GPU that the evaluator reaches")});
    }
    m_bar->set_devices(devices);
    m_bar->set_device(device);
}

void MainWindow::choose_task(const QString& name) {
    if (name.isEmpty() || name == m_task)
        return;
    m_task = name;
    m_bar->set_task(name);
    m_start->set_task(name);
    m_panes.editor->set_task(name);
    refresh_actions();
}

void MainWindow::start_run(const QString& task) {
    start(task, false);
}

void MainWindow::start(const QString& task, bool with_model) {
    if (task.isEmpty())
        return;
    if (m_store.mode() == RunMode::replay)
        m_toasts->post(QStringLiteral("The replay is closed; a new run starts"));
    choose_task(task);
    m_starting = true;
    StartRequest request;
    request.task = task;
    request.device = m_settings.text(QStringLiteral("runs/device"));
    request.turns = static_cast<int>(m_settings.number(QStringLiteral("runs/turns")));
    request.points = static_cast<int>(m_settings.number(QStringLiteral("runs/points")));
    if (with_model) {
        request.synthesizer = QStringLiteral("model");
        request.model = model_choice(m_settings);
        request.model.key_variable = lend_session_key();
    }
    m_banners->clear(QStringLiteral("control"));
    m_controller.start(request);
    set_layout(QStringLiteral("watch"));
    show_page();
}

void MainWindow::open_run(const QString& place) {
    m_editing = false;
    m_banners->clear(QStringLiteral("control"));
    m_controller.open(place);
}

void MainWindow::replay_run(const QString& place, double speed) {
    m_banners->clear(QStringLiteral("control"));
    m_controller.replay(place, speed);
}

void MainWindow::close_run() {
    m_editing = false;
    m_started_here.clear();
    m_controller.close();
    m_session.run.clear();
    show_page();
    m_start->focus_first();
}

void MainWindow::ask_for_run() {
    auto* dialog = new QFileDialog(this, QStringLiteral("Open a run"), QString::fromStdString(runs_folder().string()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("open"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({QStringLiteral("Runs (journal.jsonl *.kfrun)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        const QFileInfo info(file);
        open_run(info.fileName() == QLatin1String("journal.jsonl") ? info.absolutePath() : file);
    });
    dialog->open();
}

} // namespace kf::ui
