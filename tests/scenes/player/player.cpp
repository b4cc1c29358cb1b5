// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/scenes/player/player.h"

#include "ui/window/workspace.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QKeySequence>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

namespace {

Json finding(const char* name, bool ok, const char* found, const char* remedy = "", const char* disables = "") {
    return Json{{"name", name}, {"ok", ok}, {"found", found}, {"remedy", remedy}, {"disables", disables}};
}

Json findings(Machine machine) {
    const bool complete = machine == Machine::complete, bare = machine == Machine::bare;
    Json checks = Json::array();
    checks.push_back(finding("tasks", true, "7 in /usr/share/kernelforge/tasks"));
    checks.push_back(finding("evaluator", true, "kf-evaluator 0.1.0"));
    checks.push_back(bare ? finding("sandbox", false, "bubblewrap is not installed", "apt install bubblewrap",
                                    "running kernels of others")
                          : finding("sandbox", true, "bubblewrap 0.8.0"));
    checks.push_back(bare
                         ? finding("compiler", false, "no g++ 12 or newer in PATH", "apt install g++", "the CPU device")
                         : finding("compiler", true, "g++ 12.2.0"));
    checks.push_back(
        bare ? finding("oracle", false, "libtorch is not installed", "apt install libtorch-dev", "judging any kernel")
             : finding("oracle", true, "libtorch 1.13.1"));
    checks.push_back(complete ? finding("GPU", true, "NVIDIA H200, driver 580.65.06")
                              : finding("GPU", false, "no CUDA driver",
                                        "run it on a machine with one, or set a launcher", "timings of a GPU"));
    checks.push_back(complete ? finding("NVRTC", true, "13.0")
                              : finding("NVRTC", false, "libnvrtc is not installed", "install the CUDA toolkit",
                                        "compiling for a GPU"));
    return Json{{"can_judge", !bare}, {"checks", checks}};
}

} // namespace

Player::Player() : m_home(m_folder.path()) {
    // Where everything of this window is kept: runs, drafts, settings, session.
    qputenv("KERNELFORGE_HOME", m_home.toUtf8());
    QApplication::setCursorFlashTime(0);
}

Player::~Player() {
    close();
}

void Player::write_program(Machine machine) {
    m_program = m_home + u"/kernelforge"_s;
    QFile answer(m_home + u"/doctor.json"_s);
    if (answer.open(QIODevice::WriteOnly))
        answer.write(QByteArray::fromStdString(dump_line(findings(machine))));
    QFile program(m_program);
    if (program.open(QIODevice::WriteOnly)) {
        program.write("#!/bin/sh\n[ \"$1\" = doctor ] && cat \"$(dirname \"$0\")/doctor.json\"\n");
        program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
}

void Player::make(std::string_view fixture, bool hosted) {
    auto made = make_fixture(fixture, runs());
    if (!made)
        throw std::runtime_error(to_string(made.error()));
    m_run = made->folder;
    if (!hosted) {
        m_fixtures.push_back(std::move(made).value());
        return;
    }
    auto host = RunHost::open(std::move(made).value());
    if (!host)
        throw std::runtime_error(to_string(host.error()));
    m_host = std::move(host).value();
}

void Player::make_used_home() {
    auto made = scenes::make_used_home(runs());
    if (!made)
        throw std::runtime_error(to_string(made.error()));
    m_run = made->front().folder;
    for (Fixture& fixture : *made)
        m_fixtures.push_back(std::move(fixture));
}

void Player::open(const PlayerSettings& wanted, bool on_start_page, const QString& replay, double speed) {
    close();
    if (!wanted.program.empty())
        m_program = QString::fromStdString(wanted.program);
    else if (wanted.machine == Machine::no_program)
        m_program = m_home + u"/no/such/kernelforge"_s;
    else
        write_program(wanted.machine);
    m_settings = std::make_unique<ui::Settings>();
    const std::pair<const char*, QVariant> values[] = {
        {"runs/program", m_program},         {"look/reduced_motion", true},  {"notices/desktop", false},
        {"session/restore", wanted.restore}, {"runs/device", wanted.device}, {"runs/points", wanted.points},
        {"runs/launcher", wanted.launcher}};
    for (const auto& [name, value] : values)
        if (!m_settings->set(QLatin1String(name), value))
            troubles.push_back(std::string("the setting ") + name + " was not taken");
    ui::WindowOptions options;
    options.theme = wanted.theme;
    options.layout = wanted.layout;
    if (!replay.isEmpty()) {
        options.replay = replay;
        options.speed = speed;
    } else if (!on_start_page && !m_run.empty()) {
        options.open = QString::fromStdString(m_run.string());
    }
    m_window = std::make_unique<ui::MainWindow>(*m_settings, options);
    m_window->resize(wanted.size);
    m_window->show();
    m_window->activateWindow();
    until([&] { return m_window->isActiveWindow(); }, 5);
    m_window->begin();
    QApplication::processEvents();
}

void Player::close() {
    m_window.reset();
    m_settings.reset();
}

void Player::release() {
    m_host.reset();
    m_fixtures.clear();
}

bool Player::until(const std::function<bool()>& condition, double seconds) {
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.elapsed() > seconds * 1000)
            return false;
        QTest::qWait(10);
    }
    return true;
}

void Player::settle(double seconds) {
    QElapsedTimer clock;
    clock.start();
    QImage before;
    for (int same = 0; clock.elapsed() < seconds * 1000;) {
        QTest::qWait(70);
        const QImage now = m_window->grab().toImage();
        same = now == before ? same + 1 : 0;
        before = now;
        if (same >= 3)
            return;
    }
}

QWidget* Player::keyboard() const {
    // The editor's completion list leaves the keys to the editor.
    if (QWidget* popup = QApplication::activePopupWidget();
        popup && (popup->inherits("QMenu") || popup->inherits("QComboBoxPrivateContainer")))
        return popup;
    QWidget* focus = m_window->focusWidget();
    return focus ? focus : m_window.get();
}

void Player::key(const char* portable) {
    const QKeySequence keys(QString::fromLatin1(portable), QKeySequence::PortableText);
    for (int i = 0; i < keys.count(); ++i)
        QTest::keyClick(keyboard(), keys[i].key(), keys[i].keyboardModifiers());
    QApplication::processEvents();
}

void Player::type(const QString& text) {
    const QStringList lines = text.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (i > 0)
            QTest::keyClick(keyboard(), Qt::Key_Return);
        QTest::keyClicks(keyboard(), lines[i]);
    }
    QApplication::processEvents();
}

void Player::click(QWidget* widget) {
    if (!widget || !widget->isVisible()) {
        troubles.emplace_back("a click on what is not there");
        return;
    }
    QTest::mouseClick(widget, Qt::LeftButton, {}, widget->rect().center());
    QApplication::processEvents();
}

void Player::click_button(QWidget* within, const QString& text) {
    for (auto* button : (within ? within : m_window.get())->findChildren<QAbstractButton*>())
        if (button->isVisible() &&
            (button->text().remove(u'&').startsWith(text) || button->accessibleName().startsWith(text))) {
            click(button);
            return;
        }
    troubles.push_back("no button \"" + text.toStdString() + "\"");
}

void Player::act(const char* id) {
    QAction* action = m_window->actions().find(QLatin1String(id));
    if (!action || !action->isEnabled()) {
        troubles.push_back(std::string("the action ") + id + (action ? " is disabled" : " is not there"));
        return;
    }
    action->trigger();
    QApplication::processEvents();
}

void Player::select(int turn, const std::string& evaluation) {
    m_window->selection().select({turn, evaluation});
    QApplication::processEvents();
}

void Player::pin(int turn) {
    m_window->selection().pin({turn, {}});
    QApplication::processEvents();
}

void Player::pane(const QString& id) {
    m_window->show_pane(id);
    QApplication::processEvents();
}

QWidget* Player::pane_widget(const QString& id) {
    return m_window->workspace().pane(id);
}

} // namespace kf::scenes
