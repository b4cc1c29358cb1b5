// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace kf::cli {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> received = 0;
std::atomic<int> wake_fd = -1;
std::array<struct sigaction, signals.size()> previous;

void ring() {
    const std::uint64_t one = 1;
    if (const int fd = wake_fd.load(); fd >= 0)
        (void)!write(fd, &one, sizeof one);
}

extern "C" void on_signal(int) {
    const int kept = errno;
    received.fetch_add(1);
    ring();
    errno = kept;
}

} // namespace

Interrupts::Interrupts() {
    received = 0;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], &action, &previous[i]);
        if (signals[i] != SIGHUP)
            continue;
        // What a window or `nohup` started goes on when that one is gone.
        const bool terminal = isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO);
        if (!terminal || previous[i].sa_handler == SIG_IGN)
            signal(SIGHUP, SIG_IGN);
    }
}

Interrupts::~Interrupts() {
    for (std::size_t i = 0; i < signals.size(); ++i)
        sigaction(signals[i], &previous[i], nullptr);
    if (const int fd = wake_fd.exchange(-1); fd >= 0)
        close(fd);
}

int Interrupts::count() const {
    return received.load();
}

void Interrupts::wait(int milliseconds) const {
    pollfd entry{wake_fd.load(), POLLIN, 0};
    if (poll(&entry, 1, milliseconds) > 0) {
        std::uint64_t ignored = 0;
        (void)!read(entry.fd, &ignored, sizeof ignored);
    }
}

void Interrupts::wake() const {
    ring();
}

} // namespace kf::cli
