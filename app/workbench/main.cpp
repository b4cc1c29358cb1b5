// SPDX-License-Identifier: GPL-3.0-or-later
// kernelforge-workbench: the window. Parsing and the first show; everything else is in ui/window.
#include "core/net/keys.h"
#include "core/process/environment.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/window/main_window.h"
#include "ui/window/system_look.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QElapsedTimer>
#include <QTimer>

#include <cstdio>

namespace {

struct Arguments {
    std::string open, task, layout, theme, runs, replay, screenshot, size;
    double speed = 1, quit_after = 0;
    bool bench_startup = false, start_page = false, run = false;
};

std::string check_size(std::string& text) {
    int width = 0, height = 0;
    char rest = 0;
    const bool ok = std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2;
    return ok && width >= 320 && width <= 8192 && height >= 240 && height <= 8192 ? ""
                                                                                  : "give WxH, for example 1680x1050";
}

void add_options(CLI::App& app, Arguments& arguments) {
    app.set_version_flag("--version", std::string("kernelforge-workbench ") + KF_VERSION);
    auto* place = app.add_option("RUN", arguments.open, "run to show: the same as --open");
    app.add_flag("--start", arguments.start_page, "begin at the start page, not where you left off");
    app.add_option("--open", arguments.open, "run to show: folder, .kfrun file, name, or last")->excludes(place);
    auto* task = app.add_option("--task", arguments.task, "task to choose, for example silu_mul");
    app.add_flag("--run", arguments.run, "start a run of --task at once, by the tuner")->needs(task)->excludes(place);
    app.add_option("--layout", arguments.layout, "watch or edit")->check(CLI::IsMember({"watch", "edit"}));
    app.add_option("--theme", arguments.theme, "dark, light or contrast")
        ->check(CLI::IsMember({"dark", "light", "contrast"}));
    app.add_option("--runs", arguments.runs, "folder that runs are kept in");
    auto* replay = app.add_option("--replay", arguments.replay, "run to play again: folder or .kfrun file");
    app.add_option("--speed", arguments.speed, "speed of --replay (1)")->check(CLI::Range(0.1, 1000.0))->needs(replay);
    app.add_option("--screenshot", arguments.screenshot, "write the window as a picture and quit");
    app.add_option("--size", arguments.size, "size of the window: WxH")->check(CLI::Validator(check_size, "WxH"));
    app.add_option("--quit-after", arguments.quit_after, "quit after so many seconds")->check(CLI::NonNegativeNumber);
    app.add_flag("--bench-startup", arguments.bench_startup, "print milliseconds to the first picture, and quit");
}

int save_picture(QWidget& window, const std::string& file) {
    if (window.grab().save(QString::fromStdString(file)))
        return 0;
    std::fprintf(stderr, "kernelforge-workbench: %s cannot be written\n", file.c_str());
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    QElapsedTimer since_start;
    since_start.start();
    const auto providers = kf::load_providers(); // a wrong list is told by the page that needs it
    kf::withhold_from_children(kf::net::key_variables(providers ? *providers : kf::ProviderList()));
    Arguments arguments;
    CLI::App parser{"KernelForge's window: pick a task, watch a run, edit a kernel.", "kernelforge-workbench"};
    add_options(parser, arguments);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return parser.exit(error) == 0 ? 0 : 2;
    }
    QCoreApplication::setApplicationName(QStringLiteral("kernelforge-workbench"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("KernelForge"));
    QCoreApplication::setApplicationVersion(QStringLiteral(KF_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.kernelforge.workbench"));
    QApplication application(argc, argv);
    kf::ui::system_theme(); // before our own palette is set
    kf::ui::load_fonts();

    kf::ui::Settings settings;
    kf::ui::WindowOptions options;
    const auto text = [](const std::string& word) { return QString::fromStdString(word); };
    options.open = text(arguments.open);
    options.task = text(arguments.task);
    options.layout = text(arguments.layout);
    options.theme = text(arguments.theme);
    options.runs = text(arguments.runs);
    options.replay = text(arguments.replay);
    options.speed = arguments.speed;
    options.start_page = arguments.start_page;
    kf::ui::MainWindow window(settings, options);
    if (int width = 0, height = 0; std::sscanf(arguments.size.c_str(), "%dx%d", &width, &height) == 2)
        window.resize(width, height);
    QObject::connect(&window, &kf::ui::MainWindow::first_painted, &window, [&] {
        if (arguments.bench_startup || qEnvironmentVariableIsSet("KERNELFORGE_STARTUP_TIME")) {
            std::printf("first picture after %lld ms\n", static_cast<long long>(since_start.elapsed()));
            std::fflush(stdout);
        }
        if (arguments.bench_startup)
            QTimer::singleShot(0, &application, &QCoreApplication::quit);
    });
    window.show();
    QTimer::singleShot(0, &window, [&] {
        window.begin();
        if (arguments.run)
            window.start_run(options.task);
    });
    int picture = 0;
    if (!arguments.screenshot.empty()) {
        // Long enough for workers to have read what is to be shown.
        const double wait = arguments.quit_after > 0 ? arguments.quit_after : 6;
        QTimer::singleShot(static_cast<int>(wait * 1000), &window, [&] {
            picture = save_picture(window, arguments.screenshot);
            QCoreApplication::quit();
        });
    } else if (arguments.quit_after > 0) {
        QTimer::singleShot(static_cast<int>(arguments.quit_after * 1000), &application, &QCoreApplication::quit);
    }
    const int code = QApplication::exec();
    return code != 0 ? code : picture;
}
