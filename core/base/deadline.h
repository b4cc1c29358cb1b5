// SPDX-License-Identifier: GPL-3.0-or-later
// Points in time until which something may wait. Always the steady clock: a corrected wall clock must not end or
// prolong a wait.
#pragma once

#include <algorithm>
#include <chrono>

namespace kf {

using Deadline = std::chrono::steady_clock::time_point;

// `seconds` from now. Negative and NaN mean now; at most three years, so that the sum cannot overflow.
inline Deadline deadline_after(double seconds) {
    const double limited = seconds > 0 ? std::min(seconds, 1e8) : 0.0;
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(limited));
}

// Seconds left, never negative.
inline double seconds_left(Deadline deadline) {
    return std::max(0.0, std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count());
}

// The same for poll(): rounded up, so that a wait never ends before its deadline; at most a day.
inline int poll_milliseconds(Deadline deadline) {
    return static_cast<int>(std::min(seconds_left(deadline) * 1000 + 0.999, 86'400'000.0));
}

} // namespace kf
