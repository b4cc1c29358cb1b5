// SPDX-License-Identifier: GPL-3.0-or-later
// poll() with a point in time instead of a span, so that interruptions do not prolong a wait.
#pragma once

#include "core/base/deadline.h"

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <span>

namespace kf {

using SteadyTime = std::chrono::steady_clock::time_point;

// A point `seconds` from now.
inline SteadyTime after(std::chrono::duration<double> seconds) {
    return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
}

// True as soon as one of the entries has an event; false at the deadline.
inline bool poll_until(std::span<pollfd> entries, SteadyTime deadline) {
    for (;;) {
        const int n = poll(entries.data(), entries.size(), poll_milliseconds(deadline));
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return true; // the caller's next read or write reports what is wrong
        if (std::chrono::steady_clock::now() >= deadline)
            return false;
    }
}

inline bool poll_until(int fd, short events, SteadyTime deadline) {
    pollfd entry{fd, events, 0};
    return poll_until(std::span(&entry, 1), deadline);
}

} // namespace kf
