// SPDX-License-Identifier: GPL-3.0-or-later
// The window. It wires: models and selection to the panes, actions to what they do, what fails to banners, what happens
// to toasts. It owns no run; it starts, attaches, follows and steers through RunController.
#pragma once

#include "ui/control/doctor_model.h"
#include "ui/control/run_controller.h"
#include "ui/models/run_notes.h"
#include "ui/models/selection.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pane.h"
#include "ui/window/actions.h"
#include "ui/window/arrangement.h"
#include "ui/window/panes.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

#include <QElapsedTimer>
#include <QWidget>

#include <memory>

class QMenu;
class QStackedWidget;

namespace kf::net {
class Keys;
}

namespace kf::ui {

class CloseSheet;
class CommandPalette;
class DesktopNotice;
class Exporter;
class NoteSheet;
class ReplayBar;
class RunAnnouncer;
class SelectionHistory;
class SettingsPage;
class ShortcutSheet;
class StartPage;
class StatusStrip;
class SteerSheet;
class ToastStack;
class TopBar;
class Workspace;

// Of the command line; what is empty comes from session and settings.
struct WindowOptions {
    QString open, task, layout, theme, runs, replay;
    double speed = 1;
    bool start_page = false; // not where one left off
};

class MainWindow : public QWidget {
    Q_OBJECT
public:
    MainWindow(Settings& settings, WindowOptions options, QWidget* parent = nullptr);
    ~MainWindow() override;

    // After the first show: reads lists, probes the machine, opens what is to be opened.
    void begin();

    RunStore& store() { return m_store; }
    Selection& selection() { return m_selection; }
    RunController& controller() { return m_controller; }
    Notices& notices() { return m_notices; }
    SharedModels& models() { return m_models; }
    Actions& actions() { return *m_actions; }
    Workspace& workspace() { return *m_workspace; }
    StartPage& start_page() { return *m_start; }
    CommandPalette& palette_sheet() { return *m_palette; }
    RunNotes& notes() { return m_notes; }
    BannerStack& banners() { return *m_banners; }
    ToastStack& toasts() { return *m_toasts; }
    EditorPane* editor() const { return m_panes.editor; }
    QString page() const; // "start", "work", "settings"

    void choose_task(const QString& name);
    void start_run(const QString& task); // by the tuner
    void start_model_run(const QString& task);
    void edit_by_hand(const QString& task);
    void open_run(const QString& place);
    void replay_run(const QString& place, double speed);
    void close_run();
    void set_layout(const QString& layout);
    void show_pane(const QString& id);
    void show_settings();
    void show_model_settings();
    // "line:12", "turn:3", "pane:issues": a link of a pane, or of a toast.
    void follow_link(const QString& target);

Q_SIGNALS:
    void first_painted(qint64 milliseconds);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // window_actions.cpp
    void make_actions();
    void make_run_actions();
    void make_turn_actions();
    void make_view_actions();
    void make_editor_actions();
    void make_palette();
    void refresh_actions();
    void walk_turns(int step);
    void step_text_scale(int steps);
    // window_steering.cpp
    void make_steering_actions();
    void fit_to_synthesizer();
    void refresh_steering_actions();
    void wire_steering();
    void show_prompt(const QString& target);
    void refresh_model();
    void refresh_model_button();
    void fill_model_menu(QMenu& menu);
    QWidget* make_provider_page();
    QString lend_session_key();
    void start(const QString& task, bool with_model);
    Json present_model() const;
    // window_session.cpp
    void restore_session();
    void keep_session();
    void restore_selection();
    void restore_geometry();
    // window_runs.cpp
    void wire_run();
    void refresh_tasks();
    void ask_for_run();
    void probe();
    void configure_controller();
    QString program() const;
    // main_window.cpp
    void make_widgets();
    void wire_panes();
    void wire_pages();
    void apply_look();
    void setting_changed(const QString& key);
    void show_page();
    void fail(const QString& key, const Error& error);
    void announce(const QString& title, const QString& text, int turn);

    Settings& m_settings;
    WindowOptions m_options;
    Session m_session;
    RunStore m_store;
    Selection m_selection;
    RunController m_controller;
    Notices m_notices;
    RunNotes m_notes;
    SharedModels m_models;
    DoctorModel m_doctor;
    PaneSet m_panes;
    std::unique_ptr<net::Keys> m_keys;

    Actions* m_actions;
    TopBar* m_bar = nullptr;
    BannerStack* m_banners = nullptr;
    QStackedWidget* m_pages = nullptr;
    StartPage* m_start = nullptr;
    Workspace* m_workspace = nullptr;
    SettingsPage* m_settings_page = nullptr; // made when it is first shown
    ReplayBar* m_replay_bar = nullptr;
    StatusStrip* m_strip = nullptr;
    ToastStack* m_toasts = nullptr;
    CommandPalette* m_palette = nullptr;
    ShortcutSheet* m_shortcuts = nullptr;
    CloseSheet* m_close_sheet = nullptr;
    NoteSheet* m_note_sheet = nullptr;
    SteerSheet* m_steer_sheet = nullptr;
    Exporter* m_exporter;
    RunAnnouncer* m_announcer;
    DesktopNotice* m_desktop;
    SelectionHistory* m_history;

    QString m_task, m_layout;
    QString m_started_here;  // place of the run that this window started; it asks before it closes on it
    bool m_starting = false; // a start was asked for
    bool m_editing = false;  // the workspace is shown without a run
    bool m_close_anyway = false, m_painted = false;
    bool m_of_model = false;         // the run that is open asks a model; of no run: the last one did
    bool m_transcript_shown = false; // of the run that is open, once
    bool m_selection_restored = true, m_task_told = true;
    QElapsedTimer m_since_made;
};

} // namespace kf::ui
