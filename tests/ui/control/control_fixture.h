// SPDX-License-Identifier: GPL-3.0-or-later
// A controller in a home of its own, over the real `kernelforge` with the scripted evaluator.
#pragma once

#include "tests/app/cli_fixture.h"
#include "ui/control/run_controller.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QThread>

namespace kf::ui {

template<class Condition> bool until(Condition condition, int ms = 30'000) {
    QElapsedTimer clock;
    for (clock.start(); clock.elapsed() < ms; QThread::msleep(2)) {
        QCoreApplication::processEvents();
        if (condition())
            return true;
    }
    return false;
}

class ControlTest : public CliTest {
protected:
    using State = RunController::State;

    void SetUp() override {
        CliTest::SetUp();
        qputenv("KERNELFORGE_HOME", QByteArray::fromStdString(home.string()));
        qputenv("KERNELFORGE_RESOURCES", KF_SOURCE_DIR);
        qputenv("TMPDIR", QByteArray::fromStdString((home / "tmp").string()));
        make_controller();
    }
    void TearDown() override {
        if (controller && controller->state() != State::idle) {
            controller->stop_now();
            until([&] { return controller->state() == State::idle; }, 10'000);
        }
        controller.reset();
        qunsetenv("TMPDIR");
        // This process is of the home as well, but only its environment at the start counts.
        CliTest::TearDown();
    }
    void make_controller(const QString& how = {}) {
        controller = std::make_unique<RunController>(store);
        controller->set_evaluator_arguments(evaluator(how));
        QObject::connect(controller.get(), &RunController::failed, &context,
                         [this](const Error& error) { errors.push_back(error); });
        QObject::connect(controller.get(), &RunController::benched, &context,
                         [this](const BenchAnswer& answer) { answers.push_back(answer); });
        QObject::connect(controller.get(), &RunController::compiled, &context,
                         [this](const BenchAnswer& answer) { compiles.push_back(answer); });
        QObject::connect(controller.get(), &RunController::told, &context,
                         [this](const QString& what, const QString& effect) { told << what + QStringLiteral(": ") + effect; });
        QObject::connect(controller.get(), &RunController::state_changed, &context,
                         [this](State state) { states.push_back(state); });
    }
    QStringList evaluator(const QString& how = {}) const {
        return {QStringLiteral("--evaluator"), QStringLiteral(KF_BIN_DIR "/kf_fake_evaluator"),
                QStringLiteral("--launcher"),
                QStringLiteral("env KF_FAKE_STATE=%1 KF_FAKE_START=%2")
                    .arg(QString::fromStdString((home / "state").string()), how)};
    }
    StartRequest human() const {
        StartRequest request;
        request.task = QStringLiteral("stage1/silu_mul");
        request.synthesizer = QStringLiteral("human");
        request.start_file = QString::fromStdString(kernel("start.cu", {"speed 1"}));
        return request;
    }
    BenchOrder order(const std::vector<std::string>& directives, Level level = Level::screen) const {
        BenchOrder one;
        one.source = QByteArray::fromStdString(*read_file(kernel("draft.cu", directives)));
        one.level = level;
        return one;
    }
    void start_human() {
        controller->start(human());
        ASSERT_TRUE(until([&] { return controller->state() == State::running && store.state().champion(); }))
            << (errors.empty() ? "" : to_string(errors.back()));
    }
    void stop() {
        controller->stop_now();
        ASSERT_TRUE(until([&] { return controller->state() == State::idle; }));
    }
    const BenchAnswer* answer_of(std::uint64_t number) const {
        for (const BenchAnswer& answer : answers)
            if (answer.order == number)
                return &answer;
        return nullptr;
    }
    // As left_processes(), without waiting for those that are about to end.
    std::vector<pid_t> left_processes_now() const {
        std::vector<pid_t> left;
        for (const auto& item : std::filesystem::directory_iterator("/proc")) {
            const std::string name = item.path().filename().string();
            if (name.find_first_not_of("0123456789") == std::string::npos &&
                has_environment(static_cast<pid_t>(std::stol(name)), "KERNELFORGE_HOME=" + home.string()))
                left.push_back(static_cast<pid_t>(std::stol(name)));
        }
        return left;
    }
    std::string runs() const { return (home / "data" / "runs").string(); }

    QObject context;
    RunStore store;
    std::unique_ptr<RunController> controller;
    std::vector<Error> errors;
    std::vector<BenchAnswer> answers, compiles;
    std::vector<State> states;
    QStringList told;
};

} // namespace kf::ui
