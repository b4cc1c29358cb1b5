// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, offscreen, with all its panes: how long its thread is held up while a live run is followed at 200
// events a second, on top of a journal of so many turns, and by which events.
// Usage: bench_window [turns] [live seconds] [events a second]
#include "bench/workbench/parts.h"
#include "core/base/files.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QEvent>
#include <QEventLoop>
#include <QMetaEnum>
#include <QThread>
#include <QTimer>

#include <cstdlib>

namespace {

// Keeps what was done between two signs of life, so that a stall has names.
class Application : public QApplication {
public:
    using QApplication::QApplication;

    // Of this thread; workers have events of their own.
    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0 || QThread::currentThread() != thread())
            return QApplication::notify(receiver, event);
        // Both may be gone afterwards.
        const bool sign = receiver->objectName() == QLatin1String("stall watch");
        const std::string name = std::string(receiver->metaObject()->className()) + " " + type_of(*event);
        const double begin = kf::ui::bench::thread_seconds();
        ++m_depth;
        const bool answer = QApplication::notify(receiver, event);
        --m_depth;
        if (!sign) {
            m_now.emplace_back(kf::ui::bench::thread_seconds() - begin, name);
        } else {
            if (sum(m_now) > sum(m_longest))
                m_longest = m_now;
            m_now.clear();
        }
        return answer;
    }

    void forget() {
        m_now.clear();
        m_longest.clear();
    }

    // The events of the longest stretch that take a millisecond or more.
    void tell() const {
        std::printf("  longest stretch: %.1f ms in %zu events, of these\n", sum(m_longest) * 1e3, m_longest.size());
        for (const auto& [seconds, name] : m_longest)
            if (seconds >= 1e-3)
                std::printf("  %6.1f ms %s\n", seconds * 1e3, name.c_str());
    }

private:
    using Stretch = std::vector<std::pair<double, std::string>>;
    static double sum(const Stretch& stretch) {
        double seconds = 0;
        for (const auto& one : stretch)
            seconds += one.first;
        return seconds;
    }
    static std::string type_of(const QEvent& event) {
        const char* name = QMetaEnum::fromType<QEvent::Type>().valueToKey(event.type());
        return name ? name : std::to_string(event.type());
    }

    Stretch m_now, m_longest;
    int m_depth = 0;
};

} // namespace

int main(int argc, char** argv) {
    using namespace kf;
    using namespace kf::ui;
    using namespace kf::ui::bench;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const auto root = make_private_folder("kf-bench-");
    const int turns = argc > 1 ? std::atoi(argv[1]) : 100;
    const double live_seconds = argc > 2 ? std::atof(argv[2]) : 10;
    const double rate = argc > 3 ? std::atof(argv[3]) : 200; // a turn takes 14 events
    if (!root || turns < 1) {
        std::fprintf(stderr, "usage: bench_window [turns >= 1] [live seconds] [events a second]\n");
        return 2;
    }
    qputenv("KERNELFORGE_HOME", QByteArray::fromStdString(root->string()));
    Application application(argc, argv);
    load_fonts();
    apply_style(application, ThemeName::dark);
    const auto folder = *root / "data" / "runs" / "20261130T140200Z-bench-aaaaaa";
    std::filesystem::create_directories(folder.parent_path());
    auto writer = JournalWriter::create(folder, {.control_socket = {}, .flush_to_disk = false});
    if (!writer)
        return 1;
    std::size_t failures = 0;
    RunStarted start;
    start.run = folder.filename().string();
    start.task = "bench";
    failures += !(*writer)->append(start);
    for (int turn = 0; turn < turns; ++turn)
        failures += write_turn(**writer, turn);
    {
        Settings settings;
        MainWindow window(settings, {});
        window.resize(1680, 1050);
        window.show();
        window.begin();
        run_for(1);
        application.forget();
        StallWatch opening;
        window.open_run(QString::fromStdString(folder.string()));
        run_for(turns > 1000 ? 6 : 2);
        opening.stop();
        std::printf("opening\n");
        application.tell();
        application.forget();
        StallWatch watch;
        const double cpu_begin = thread_seconds();
        std::atomic<int> written = 0;
        std::jthread author([&](const std::stop_token& stop) {
            failures += write_live(**writer, turns, rate, live_seconds, written, stop);
        });
        run_for(live_seconds);
        author.join();
        const double used = thread_seconds() - cpu_begin;
        watch.stop();
        std::printf("live\n");
        application.tell();
        std::printf("%d turns, then %.1f events/s for %.0f s; the window shows %zu turns\n", turns,
                    written / live_seconds, live_seconds, window.store().state().turns.size());
        std::printf("opening: longest stall %.1f ms (of it the thread's own work %.1f ms), 99 %% %.2f ms, n %zu\n",
                    opening.longest_ms(), opening.longest_work_ms(), opening.share_ms(0.99), opening.count());
        std::printf(
            "live:    longest stall %.1f ms (of it the thread's own work %.1f ms), 99 %% %.2f ms, n %zu; %.1f %% of "
            "a core\n",
            watch.longest_ms(), watch.longest_work_ms(), watch.share_ms(0.99), watch.count(),
            used / live_seconds * 100);
        failures += window.store().state().turns.empty();
    }
    std::error_code ignored;
    std::filesystem::remove_all(*root, ignored);
    return failures ? 1 : 0;
}
