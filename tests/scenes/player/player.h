// SPDX-License-Identifier: GPL-3.0-or-later
// One window on one home of its own, driven as a person would: keys, clicks, waiting until it is quiet. Scenes and
// tests of the whole window use it.
#pragma once

#include "tests/scenes/player/run_host.h"
#include "ui/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>
#include <string_view>

namespace kf::scenes {

// What the stand-in for `kernelforge doctor` finds on the machine.
enum class Machine { complete, no_gpu, bare, no_program };

struct PlayerSettings {
    QSize size{1680, 1050};
    QString layout = QStringLiteral("watch");
    QString theme = QStringLiteral("dark");
    Machine machine = Machine::no_gpu;
    std::string program;  // the real `kernelforge`; empty: the stand-in, which only answers to doctor
    bool restore = false; // the session of the window before in this home
    QString device = QStringLiteral("cpu");
    int points = 0;
    QString launcher;
};

class Player {
public:
    Player();
    ~Player();

    const QString& home() const { return m_home; }
    std::filesystem::path runs() const { return std::filesystem::path(m_home.toStdString()) / "data" / "runs"; }

    // Makes the fixture below the home's runs. `hosted`: its writer lives and can be steered.
    void make(std::string_view fixture, bool hosted = false);
    void make_used_home();
    RunHost& host() { return *m_host; }
    bool hosted() const { return m_host != nullptr; }
    const std::filesystem::path& run() const { return m_run; } // of the last make()

    // Opens the window, on the last made run unless `on_start_page`.
    void open(const PlayerSettings& settings, bool on_start_page = false, const QString& replay = {}, double speed = 1);
    void close();   // as if the process had ended: the run is left alone
    void release(); // lets go of the fixtures that are held: they look as if their writers had ended
    ui::MainWindow& window() { return *m_window; }
    bool is_open() const { return m_window != nullptr; }

    // True as soon as the condition holds.
    bool until(const std::function<bool()>& condition, double seconds = 10);
    // Until the picture does not change any more, at most so long.
    void settle(double seconds = 4);

    void key(const char* portable); // "Ctrl+Shift+P", to what has the keyboard
    void type(const QString& text);
    void click(QWidget* widget);
    void click_button(QWidget* within, const QString& text); // visible button that begins with this text
    void act(const char* id);                                // an action of the window
    void select(int turn, const std::string& evaluation = {});
    void pin(int turn);
    void pane(const QString& id);
    QWidget* pane_widget(const QString& id);
    QWidget* keyboard() const; // what has it

    std::vector<std::string> troubles; // what a script wanted and could not have

private:
    void write_program(Machine machine);
    QTemporaryDir m_folder;
    QString m_home, m_program;
    std::filesystem::path m_run;
    std::vector<Fixture> m_fixtures;
    std::unique_ptr<RunHost> m_host;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace kf::scenes
