// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a run as the window does, says where it is once it can be steered, and waits to be killed.
//   kf_run_owner TASK START_FILE [evaluator argument…]
#include "ui/control/run_controller.h"

#include <QCoreApplication>

#include <cstdio>

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = application.arguments();
    kf::ui::RunStore store;
    kf::ui::RunController controller(store);
    controller.set_evaluator_arguments(arguments.mid(3));
    QObject::connect(&controller, &kf::ui::RunController::failed, &application, [](const kf::Error& error) {
        std::fprintf(stderr, "%s\n", kf::to_string(error).c_str());
        QCoreApplication::exit(1);
    });
    QObject::connect(&controller, &kf::ui::RunController::state_changed, &application,
                     [&](kf::ui::RunController::State state) {
                         if (state != kf::ui::RunController::State::running)
                             return;
                         std::printf("%s\n", store.place().toUtf8().constData());
                         std::fflush(stdout);
                     });
    kf::ui::StartRequest request;
    request.task = arguments.value(1);
    request.start_file = arguments.value(2);
    request.synthesizer = QStringLiteral("human");
    controller.start(request);
    return application.exec();
}
