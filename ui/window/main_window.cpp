// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "core/net/keys.h"
#include "ui/docks/runs_pane.h"
#include "ui/editor/editor_pane.h"
#include "ui/plots/distribution_pane.h"
#include "ui/plots/timeline_pane.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"
#include "ui/widgets/toast.h"
#include "ui/window/close_sheet.h"
#include "ui/window/command_palette.h"
#include "ui/window/desktop_notice.h"
#include "ui/window/exporter.h"
#include "ui/window/note_sheet.h"
#include "ui/window/replay_bar.h"
#include "ui/window/run_announcer.h"
#include "ui/window/run_progress.h"
#include "ui/window/selection_history.h"
#include "ui/window/settings_page.h"
#include "ui/window/shortcut_sheet.h"
#include "ui/window/start_page.h"
#include "ui/window/status_strip.h"
#include "ui/window/steer_sheet.h"
#include "ui/window/system_look.h"
#include "ui/window/top_bar.h"
#include "ui/window/workspace.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace kf::ui {

MainWindow::MainWindow(Settings& settings, WindowOptions options, QWidget* parent)
    : QWidget(parent), m_settings(settings), m_options(std::move(options)), m_controller(m_store), m_models(m_store),
      m_keys(std::make_unique<net::Keys>()), m_actions(new Actions(this)), m_exporter(new Exporter(this)),
      m_announcer(new RunAnnouncer(m_store, this)), m_desktop(new DesktopNotice(this)),
      m_history(new SelectionHistory(m_selection, this)) {
    m_since_made.start();
    setObjectName(QStringLiteral("window"));
    setWindowTitle(QStringLiteral("KernelForge"));
    setAcceptDrops(true);
    setMinimumSize(900, 560);
    configure_controller();
    m_controller.set_runs_folder(m_options.runs.isEmpty() ? m_settings.text(QStringLiteral("runs/folder"))
                                                          : m_options.runs);
    apply_look();
    make_actions();
    make_widgets();
    make_palette();
    wire_run();
    wire_panes();
    wire_pages();
    wire_steering();
    restore_session();
    m_actions->apply_custom_keys(m_settings.shortcuts());
    if (m_settings.damage())
        fail(QStringLiteral("settings"), *m_settings.damage());
    show_page();
    refresh_actions();
}

MainWindow::~MainWindow() {
    // Panes look at store and models until they are gone; those are members and would go first.
    qDeleteAll(findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
}

void MainWindow::make_widgets() {
    m_bar = new TopBar(*m_actions, this);
    m_banners = new BannerStack(this);
    m_pages = new QStackedWidget(this);
    m_models.turns.set_notes(&m_notes);
    m_start = new StartPage(m_models.tasks, m_models.runs, m_doctor, m_pages);
    m_panes = make_panes({m_store, m_selection, m_controller, m_notices, &m_notes}, m_models, m_pages);
    make_editor_actions();
    m_workspace = new Workspace(m_panes.panes, m_panes.headline, m_pages);
    m_workspace->set_text_scale(text_scale());
    m_replay_bar = new ReplayBar(this);
    m_strip = new StatusStrip(m_store, m_controller, m_models.issues, m_models.exchanges, this);
    m_pages->addWidget(m_start);
    m_pages->addWidget(m_workspace);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_banners);
    column->addWidget(m_pages, 1);
    column->addWidget(m_replay_bar);
    column->addWidget(m_strip);
    m_toasts = new ToastStack(m_pages);
    m_palette = new CommandPalette(this);
    m_shortcuts = new ShortcutSheet(this, *m_actions);
    m_steer_sheet = new SteerSheet(this);
    m_close_sheet = new CloseSheet(this);
    m_note_sheet = new NoteSheet(this);
}

void MainWindow::wire_panes() {
    connect(&m_notices, &Notices::toasted, this, [this](const QString& text) { m_toasts->post(text); });
    connect(&m_notices, &Notices::bannered, this, &MainWindow::fail);
    connect(&m_notices, &Notices::cleared, m_banners, &BannerStack::clear);
    for (Pane* pane : m_panes.panes) {
        connect(pane, &Pane::link_activated, this, &MainWindow::follow_link);
        connect(pane, &Pane::wants_attention, this, [this, pane] { m_workspace->show_pane(pane->id(), false); });
    }
    connect(m_panes.runs, &RunsPane::run_requested, this, &MainWindow::start_run);
    connect(m_panes.runs, &RunsPane::edit_requested, this, &MainWindow::edit_by_hand);
    connect(m_panes.editor, &EditorPane::stale_changed, this, [this](bool stale) {
        const QString why = stale ? QStringLiteral("The plots show the run; the source was changed since") : QString();
        m_panes.timeline->set_stale(why);
        m_panes.distribution->set_stale(why);
    });
    connect(m_exporter, &Exporter::done, this, [this](const QString& file) {
        m_toasts->post(QStringLiteral("Exported to %1").arg(file), QStringLiteral("Copy path"),
                       [file] { QGuiApplication::clipboard()->setText(file); });
    });
    connect(m_exporter, &Exporter::failed, this, [this](const Error& error) { fail(QStringLiteral("export"), error); });
    connect(m_note_sheet, &NoteSheet::written, &m_notes, &RunNotes::set_note);
    connect(m_history, &SelectionHistory::changed, this, &MainWindow::refresh_actions);
    connect(&m_selection, &Selection::current_changed, this, &MainWindow::refresh_actions);
    connect(&m_store, &RunStore::loading_changed, this, &MainWindow::refresh_actions);
    connect(m_workspace, &Workspace::compact_changed, m_strip, &StatusStrip::set_compact);
}

void MainWindow::wire_pages() {
    connect(m_start, &StartPage::task_chosen, this, &MainWindow::choose_task);
    connect(m_start, &StartPage::run_requested, this, &MainWindow::start_run);
    connect(m_start, &StartPage::model_run_requested, this, &MainWindow::start_model_run);
    connect(m_start, &StartPage::edit_requested, this, &MainWindow::edit_by_hand);
    connect(m_start, &StartPage::run_opened, this, &MainWindow::open_run);
    connect(m_start, &StartPage::open_requested, this, &MainWindow::ask_for_run);
    connect(m_start, &StartPage::settings_requested, this, &MainWindow::show_settings);
    connect(m_start, &StartPage::model_settings_requested, this, &MainWindow::show_model_settings);
    connect(m_start, &StartPage::probe_requested, this, &MainWindow::probe);
    connect(m_bar, &TopBar::task_chosen, this, &MainWindow::choose_task);
    connect(m_bar, &TopBar::device_chosen, this,
            [this](const QString& device) { m_settings.set(QStringLiteral("runs/device"), device); });
    connect(m_bar, &TopBar::layout_chosen, this, &MainWindow::set_layout);
    connect(m_strip, &StatusStrip::issues_wanted, this, [this] { show_pane(QStringLiteral("issues")); });
    connect(m_strip, &StatusStrip::log_wanted, this, [this] { show_pane(QStringLiteral("log")); });
    connect(&m_models.tasks, &TaskListModel::refreshed, this, &MainWindow::refresh_tasks);
    connect(&m_settings, &Settings::changed, this, &MainWindow::setting_changed);
    connect(m_close_sheet, &CloseSheet::keep_running, this, [this] {
        m_close_anyway = true;
        close();
    });
    connect(m_close_sheet, &CloseSheet::stop_after_turn, this, [this] {
        m_close_anyway = true;
        m_controller.stop_after_turn();
        close();
    });
}

void MainWindow::apply_look() {
    set_text_scale(m_settings.number(QStringLiteral("look/text_scale")) / 100);
    set_source_pixels(static_cast<int>(m_settings.number(QStringLiteral("look/editor_font"))));
    set_reduced_motion(m_settings.flag(QStringLiteral("look/reduced_motion")));
    const QString named = m_options.theme.isEmpty() ? m_settings.text(QStringLiteral("look/theme")) : m_options.theme;
    apply_style(*qApp, parse_theme(named).value_or(system_theme()));
    if (m_workspace) {
        m_workspace->set_text_scale(text_scale());
        m_bar->set_compact(width() < static_cast<int>(Workspace::compact_width * text_scale()));
        m_bar->measure_again();
    }
}

void MainWindow::setting_changed(const QString& key) {
    if (key == QLatin1String("look/theme"))
        m_options.theme.clear(); // what is chosen now counts more than the command line
    if (key.startsWith(QLatin1String("look/")))
        apply_look();
    if (key == QLatin1String("runs/folder")) {
        m_options.runs.clear();
        m_controller.set_runs_folder(m_settings.text(key));
        m_models.runs.set_folder(m_settings.text(key));
    }
    if (key == QLatin1String("runs/device") || key == QLatin1String("runs/launcher") ||
        key == QLatin1String("runs/program")) {
        configure_controller();
        refresh_tasks();
        probe();
    }
    if (const Status kept = m_settings.save(); !kept)
        fail(QStringLiteral("settings"), kept.error());
}

void MainWindow::begin() {
    m_models.tasks.set_folder({});
    m_models.runs.set_folder(m_options.runs.isEmpty() ? m_settings.text(QStringLiteral("runs/folder"))
                                                      : m_options.runs);
    m_models.runs.set_watch(true);
    if (!m_options.replay.isEmpty())
        replay_run(m_options.replay, m_options.speed);
    else if (!m_options.open.isEmpty())
        open_run(m_options.open);
    else if (!m_session.run.isEmpty() && QFileInfo::exists(m_session.run))
        open_run(m_session.run);
    else if (page() == QLatin1String("start"))
        m_start->focus_first();
    probe();
}

QString MainWindow::page() const {
    const QWidget* shown = m_pages->currentWidget();
    return shown == m_start       ? QStringLiteral("start")
           : shown == m_workspace ? QStringLiteral("work")
                                  : QStringLiteral("settings");
}

void MainWindow::show_page() {
    if (m_settings_page && m_pages->currentWidget() == m_settings_page)
        return;
    const bool work =
        m_store.mode() != RunMode::none || m_editing || m_controller.state() == RunController::State::starting;
    const bool entered = work && m_pages->currentWidget() != m_workspace;
    m_pages->setCurrentWidget(work ? static_cast<QWidget*>(m_workspace) : m_start);
    if (entered && isVisible())
        m_workspace->focus_centre();
    m_bar->set_layouts_shown(work);
    const QString task = QString::fromStdString(m_store.state().start.task);
    if (m_store.mode() == RunMode::none)
        setWindowTitle(QStringLiteral("KernelForge"));
    else
        setWindowTitle(QStringLiteral("%1 – KernelForge").arg(task.isEmpty() ? m_task : task));
}

void MainWindow::show_settings() {
    if (!m_settings_page) {
        m_settings_page = new SettingsPage(m_settings, *m_actions, make_provider_page(), m_pages);
        m_pages->addWidget(m_settings_page);
        connect(m_settings_page, &SettingsPage::done, this, [this] {
            m_pages->setCurrentWidget(m_start);
            show_page();
        });
    }
    m_pages->setCurrentWidget(m_settings_page);
    m_settings_page->focus_first();
}

void MainWindow::set_layout(const QString& layout) {
    if (!m_layout.isEmpty())
        m_session.arrangements[m_layout] = to_text(m_workspace->arrangement());
    m_layout = built_in(layout).layout;
    const auto saved = arrangement_from_text(m_session.arrangements.value(m_layout), m_workspace->pane_ids());
    m_workspace->apply(saved ? *saved : built_in(m_layout, m_of_model));
    fit_to_synthesizer();
    m_bar->set_layout_name(m_layout);
}

void MainWindow::show_pane(const QString& id) {
    if (page() == QLatin1String("start"))
        m_editing = true; // a pane without a run: its own empty state says what to do
    if (m_settings_page && page() == QLatin1String("settings"))
        m_pages->setCurrentWidget(m_start);
    show_page();
    m_workspace->show_pane(id);
}

void MainWindow::announce(const QString& title, const QString& text, int turn) {
    const QString whole = text.isEmpty() ? title : QStringLiteral("%1: %2").arg(title, text);
    if (turn >= 0)
        m_toasts->post(whole, QStringLiteral("Show"), [this, turn] { m_selection.select({turn, {}}); });
    else
        m_toasts->post(whole);
    if (!isActiveWindow() && m_settings.flag(QStringLiteral("notices/desktop")))
        m_desktop->show(title, text);
}

void MainWindow::fail(const QString& key, const Error& error) {
    Banner banner = banner_of(key, error);
    if (error.code == "run-missing" || error.code == "journal-newer" || error.code == "packed-invalid") {
        banner.action = QStringLiteral("Open run…");
        banner.act = [this] { ask_for_run(); };
    } else if (error.code == "program-missing" || error.code == "settings-unwritable" ||
               error.code == "launcher-syntax") {
        banner.action = QStringLiteral("Settings…");
        banner.act = [this] { show_settings(); };
    }
    // The source of a run and what drives it may tell of the same thing.
    for (const QString& shown : m_banners->texts())
        if (shown.contains(banner.cause) && shown.contains(banner.remedy))
            return;
    m_banners->post(std::move(banner));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const bool going = !m_started_here.isEmpty() && m_store.place() == m_started_here &&
                       m_store.mode() == RunMode::live &&
                       (m_store.status() == RunStatus::running || m_store.status() == RunStatus::empty);
    if (going && !m_close_anyway) {
        event->ignore();
        const QString turn = progress_of(m_store.state(), m_store.status(), 0).turns;
        m_close_sheet->ask(turn.isEmpty() ? m_task : QStringLiteral("%1 · %2").arg(m_task, turn));
        return;
    }
    keep_session();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().front().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString file = event->mimeData()->urls().value(0).toLocalFile();
    const QFileInfo info(file);
    event->acceptProposedAction();
    open_run(info.fileName() == QLatin1String("journal.jsonl") ? info.absolutePath() : file);
}

// What no widget took: copying from a pane that has nothing of its own selected.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    Pane* pane = m_workspace->active();
    if (event->matches(QKeySequence::Copy) && page() == QLatin1String("work") && pane) {
        QGuiApplication::clipboard()->setText(pane->text_twin());
        m_toasts->post(QStringLiteral("Copied as text: %1").arg(pane->title()));
        event->accept();
        return;
    }
    QWidget::keyPressEvent(event);
}

void MainWindow::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    if (!m_painted) {
        m_painted = true;
        Q_EMIT first_painted(m_since_made.elapsed());
    }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_bar->set_compact(event->size().width() < static_cast<int>(Workspace::compact_width * text_scale()));
}

} // namespace kf::ui
