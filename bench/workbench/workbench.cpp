// SPDX-License-Identifier: GPL-3.0-or-later
// The window's models without a window: how long a journal of 10,000 turns takes to open, how long the user-interface
// thread is held up meanwhile and while a live run is followed, what scrolling costs. A run's panes come on top.
// Usage: bench_workbench [turns] [live seconds] [repeats]
#include "bench/workbench/parts.h"
#include "core/base/files.h"
#include "ui/control/follower.h"
#include "ui/models/log_model.h"
#include "ui/models/turn_model.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QSortFilterProxyModel>
#include <QTimer>

#include <cstdlib>

namespace {

using namespace kf;
using namespace kf::ui;
using namespace kf::ui::bench;

// What the window has on a run: models, a sorted proxy, the log; and a view of forty rows that is painted as it
// changes.
struct Bench {
    RunStore store;
    TurnModel turns{store};
    LogModel log{store};
    LogFilter log_filter;
    QSortFilterProxyModel sorted;
    Follower follower{store};
    std::size_t cells = 0, paints = 0;

    Bench() {
        log_filter.setSourceModel(&log);
        sorted.setSourceModel(&turns);
        sorted.setSortRole(TurnRole::sort);
        sorted.sort(0);
        QObject::connect(&store, &RunStore::changed, &turns, [this] { paint(sorted.rowCount() - 40, 40); });
    }
    // All that a delegate asks for.
    void paint(int first, int rows) {
        ++paints;
        for (int row = std::max(first, 0); row < std::min(first + rows, sorted.rowCount()); ++row)
            for (int column = 0; column < sorted.columnCount(); ++column) {
                const QModelIndex index = sorted.index(row, column);
                for (const int role : {static_cast<int>(Qt::DisplayRole), static_cast<int>(Qt::TextAlignmentRole),
                                       static_cast<int>(TurnRole::kind), static_cast<int>(TurnRole::level)}) {
                    cells += !index.data(role).isNull() || role >= 0;
                }
            }
    }
};

void report(const char* what, std::vector<double> values, const char* unit) {
    std::sort(values.begin(), values.end());
    std::printf("%-44s median %9.2f %s  min %9.2f  max %9.2f  n %zu\n", what, values[values.size() / 2], unit,
                values.front(), values.back(), values.size());
}

// Until it has read all; in an event loop as the window's, which sleeps when there is nothing to do.
bool read_all(Follower& follower, double seconds) {
    QEventLoop loop;
    QObject::connect(&follower, &Follower::caught_up_with, &loop, &QEventLoop::quit);
    QTimer::singleShot(static_cast<int>(seconds * 1e3), &loop, &QEventLoop::quit);
    loop.exec();
    return follower.caught_up();
}

double process_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const int turns = argc > 1 ? std::atoi(argv[1]) : 10'000;
    const double live_seconds = argc > 2 ? std::atof(argv[2]) : 10;
    const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
    const auto root = make_private_folder("kf-bench-");
    if (turns < 1 || repeats < 1 || !root) {
        std::fprintf(stderr, "usage: bench_workbench [turns >= 1] [live seconds] [repeats >= 1]\n");
        return 2;
    }
    std::size_t failures = 0;
    const auto folder = *root / "20261130T140200Z-bench-aaaaaa";
    auto writer = JournalWriter::create(folder, {.control_socket = {}, .flush_to_disk = false});
    if (!writer)
        return 1;
    RunStarted start;
    start.run = folder.filename().string();
    start.task = "bench";
    failures += !(*writer)->append(start);
    for (int turn = 0; turn < turns; ++turn)
        failures += write_turn(**writer, turn);
    writer->reset();
    std::printf("journal: %d turns, %.1f MB\n", turns,
                static_cast<double>(std::filesystem::file_size(folder / "journal.jsonl")) / 1e6);

    // Open.
    std::vector<double> opened, cpu, all_cpu, stalls, work, first_rows;
    for (int i = 0; i < repeats; ++i) {
        Bench bench;
        StallWatch watch;
        double first = 0;
        const auto begin = Clock::now();
        const double cpu_begin = thread_seconds(), all_begin = process_seconds();
        QObject::connect(&bench.turns, &QAbstractItemModel::rowsInserted, &bench.turns, [&] {
            if (first == 0)
                first = seconds_since(begin);
        });
        bench.follower.follow(QString::fromStdString(folder.string()), *root);
        failures += !read_all(bench.follower, 60);
        opened.push_back(seconds_since(begin) * 1e3);
        cpu.push_back((thread_seconds() - cpu_begin) * 1e3);
        all_cpu.push_back((process_seconds() - all_begin) * 1e3);
        watch.stop();
        stalls.push_back(watch.longest_ms());
        work.push_back(watch.longest_work_ms());
        first_rows.push_back(first * 1e3);
        failures += bench.turns.rowCount() != turns;
    }
    report("open (aim: under 2000)", opened, "ms");
    report("open, first rows", first_rows, "ms");
    report("open, user-interface thread's own time", cpu, "ms");
    report("open, processor time of all threads", all_cpu, "ms");
    report("open, longest stall (aim: under 50)", stalls, "ms");
    report("open, the same in processor time", work, "ms");

    // Scroll, over all of it.
    {
        Bench bench;
        bench.follower.follow(QString::fromStdString(folder.string()), *root);
        failures += !read_all(bench.follower, 60);
        std::vector<double> frames;
        bench.cells = 0;
        const auto begin = Clock::now();
        for (int row = 0; row + 40 <= turns; row += std::max(1, turns / 2000)) {
            const auto frame = Clock::now();
            bench.paint(row, 40);
            frames.push_back(seconds_since(frame) * 1e3);
        }
        const double seconds = seconds_since(begin);
        std::printf("%-44s %.2f million a second\n", "scroll, data() calls",
                    static_cast<double>(bench.cells) / seconds / 1e6);
        report("scroll, a page of 40 rows", frames, "ms");
    }

    // Live: a writer of 200 events a second on top of what is there.
    {
        auto live = JournalWriter::open_existing(folder, {.control_socket = {}, .flush_to_disk = false});
        if (!live)
            return 1;
        Bench bench;
        bench.follower.follow(QString::fromStdString(folder.string()), *root);
        failures += !read_all(bench.follower, 60);
        StallWatch watch;
        const double cpu_begin = thread_seconds();
        std::atomic<int> written = 0;
        std::jthread author([&](const std::stop_token& stop) {
            failures += write_live(**live, turns, 200, live_seconds, written, stop);
        });
        QEventLoop loop;
        QTimer::singleShot(static_cast<int>(live_seconds * 1e3), &loop, &QEventLoop::quit);
        loop.exec();
        author.join();
        watch.stop();
        const double used = thread_seconds() - cpu_begin;
        std::printf("%-44s %.1f events/s for %.0f s, %zu paints\n", "live", written / live_seconds, live_seconds,
                    bench.paints);
        std::printf("%-44s longest %.2f ms  99.9 %% %.2f ms  median %.2f ms  n %zu; processor time %.2f ms\n",
                    "live, stalls (aim: under 50)", watch.longest_ms(), watch.share_ms(0.999), watch.share_ms(0.5),
                    watch.count(), watch.longest_work_ms());
        std::printf("%-44s %.1f %% of a core\n", "live, user-interface thread", used / live_seconds * 100);
    }
    std::filesystem::remove_all(*root);
    if (failures)
        std::fprintf(stderr, "%zu things went wrong\n", failures);
    return failures ? 1 : 0;
}
