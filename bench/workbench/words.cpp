// SPDX-License-Identifier: GPL-3.0-or-later
// What it costs the window that a model writes: a run of so many turns is open, and the words of its newest turn come
// as the control socket tells them, ten times a second (docs/protocol.md), first as reasoning, then as a kernel.
// Processor time of the window's thread in the middle of both.
// Usage: bench_words [words a second] [seconds] [turns]
#include "bench/workbench/parts.h"
#include "core/base/files.h"
#include "ui/models/exchange_store.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QEventLoop>
#include <QTimer>

#include <cstdlib>

namespace {

using namespace kf;
using namespace kf::ui;
using namespace kf::ui::bench;

// As long as a token of prose or code, with a new line now and then.
std::string word(int index, bool code) {
    static const char* const prose[] = {"the ", "row ", "is read ", "once, ", "so the ", "second ", "pass ", "waits. "};
    static const char* const text[] = {"const ", "float ", "value", " = ", "x[i", " + 1]", " * ", "scale;\n    "};
    return index % 97 == 96 ? "\n\n" : (code ? text : prose)[index % 8];
}

struct Share {
    double share = 0; // of a core
    double longest_ms = 0, words = 0;
};

// The words of `kind` for so long, on top of what is there.
Share write(ExchangeStore& store, int turn, const std::string& kind, int rate, double seconds, std::size_t& from) {
    QTimer pen;
    pen.setTimerType(Qt::PreciseTimer);
    const auto begin = Clock::now();
    const double cpu = thread_seconds();
    int written = 0;
    double feeding = 0; // the making of the notifications is not the window's work
    QObject::connect(&pen, &QTimer::timeout, &pen, [&] {
        const double before = thread_seconds();
        std::string text;
        for (; written < seconds_since(begin) * rate; ++written)
            text += word(written, kind == "content");
        const Json told = {{"event", "model"}, {"turn", turn}, {"exchange", 1}, {"attempt", 1},       {"phase", kind},
                           {"kind", kind},     {"from", from}, {"text", text},  {"model", "nemotron"}};
        from += text.size();
        feeding += thread_seconds() - before;
        store.apply_live(told);
    });
    StallWatch watch;
    pen.start(100);
    run_for(seconds);
    pen.stop();
    watch.stop();
    // The watch asks a thousand times a second, which costs as well; see the line "nothing is written".
    return {(thread_seconds() - cpu - feeding) / seconds_since(begin), watch.longest_ms(), double(written)};
}

void tell(const char* what, const Share& cost, double seconds) {
    std::printf("%-22s %5.1f words/s, %5.2f %% of a core, longest stall %.1f ms\n", what, cost.words / seconds,
                cost.share * 100, cost.longest_ms);
}

} // namespace

int main(int argc, char** argv) {
    const int rate = argc > 1 ? std::atoi(argv[1]) : 200;
    const double seconds = argc > 2 ? std::atof(argv[2]) : 20;
    const int turns = argc > 3 ? std::atoi(argv[3]) : 20;
    const auto root = make_private_folder("kf-bench-");
    if (!root || rate < 1 || seconds <= 0 || turns < 1) {
        std::fprintf(stderr, "usage: bench_words [words a second >= 1] [seconds] [turns >= 1]\n");
        return 2;
    }
    qputenv("KERNELFORGE_HOME", QByteArray::fromStdString(root->string()));
    QApplication application(argc, argv);
    load_fonts();
    apply_style(application, ThemeName::dark);
    const auto folder = *root / "data" / "runs" / "20261130T140200Z-bench-aaaaaa";
    std::filesystem::create_directories(folder.parent_path());
    {
        auto writer = JournalWriter::create(folder, {.control_socket = {}, .flush_to_disk = false});
        if (!writer)
            return 1;
        RunStarted start;
        start.run = folder.filename().string();
        start.task = "bench";
        start.settings = {{"synthesizer", "model"}};
        std::size_t failures = !(*writer)->append(start);
        for (int turn = 0; turn < turns; ++turn)
            failures += write_turn(**writer, turn);
        failures += !(*writer)->append(TurnStarted{turns, turns - 1, "model", "fuse the epilogue", ""});
        Settings settings;
        MainWindow window(settings, {});
        window.resize(1680, 1050);
        window.show();
        window.begin();
        run_for(1);
        window.open_run(QString::fromStdString(folder.string()));
        run_for(2);
        ExchangeStore& store = window.models().exchanges;
        std::size_t reasoning = 0, content = 0;
        Share still;
        {
            const double cpu = thread_seconds();
            StallWatch watch;
            run_for(seconds / 4);
            watch.stop();
            still = {(thread_seconds() - cpu) / (seconds / 4), watch.longest_ms(), 0};
        }
        tell("nothing is written", still, seconds);
        tell("reasoning", write(store, turns, "reasoning", rate, seconds, reasoning), seconds);
        tell("a kernel", write(store, turns, "content", rate, seconds, content), seconds);
        std::printf("%zu bytes of reasoning, %zu of a kernel, %zu turns, %zu failures\n", reasoning, content,
                    window.store().state().turns.size(), failures);
        if (!store.live() || failures > 0)
            return 1;
    }
    std::error_code ignored;
    std::filesystem::remove_all(*root, ignored);
    return 0;
}
