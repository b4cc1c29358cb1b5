// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time per thread, per barrier and per warp shuffle on the CPU device. Aim: below 40 ns for a switch.
#include "core/runners/cpu/runtime/exports.h"
#include "core/runners/cpu/runtime/scheduler.h"

#include <cstdio>
#include <ctime>

using namespace kf::cpu;

namespace {

int g_rounds = 0;

void only_start(void**) {}
void barriers(void**) {
    for (int i = 0; i < g_rounds; ++i)
        Scheduler::instance().barrier(BarrierKind::Plain, false, 1);
}
void shuffles(void**) {
    for (int i = 0; i < g_rounds; ++i)
        Scheduler::instance().warp(WarpOp::Exchange, ~0u, static_cast<std::uint64_t>(i), 3, 1);
}

// CPU time, so that other work on the machine does not count.
double seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(const char* name, void (*kernel)(void**), unsigned int threads, unsigned int blocks, int rounds) {
    g_rounds = rounds;
    Launch launch;
    launch.kernel = {name, "FvvE", kernel, 0};
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    double best = 1e9;
    for (unsigned int i = 0; i < 7; ++i) {
        launch.seed = i;
        const double begin = seconds();
        if (Scheduler::instance().launch(launch))
            std::abort();
        best = std::min(best, seconds() - begin);
    }
    const double steps = static_cast<double>(threads) * blocks * std::max(rounds, 1);
    std::printf("%-28s %5u threads a block  %6.1f ns a thread and step\n", name, threads, best / steps * 1e9);
}

} // namespace

int main() {
    enable_exports();
    measure("start and end", only_start, 256, 4096, 0);
    for (const unsigned int threads : {32u, 128u, 256u, 1024u}) {
        measure("barrier", barriers, threads, 64, 100);
        measure("warp shuffle", shuffles, threads, 64, 100);
    }
}
