// SPDX-License-Identifier: GPL-3.0-or-later
// When the same request is sent again, and after how long.
#pragma once

#include "core/llm/chat.h"

#include <optional>

namespace kf {

struct RetryPolicy {
    int tries = 5;               // POSTs for one exchange
    double first_s = 1;          // before the second; doubles up to
    double most_s = 30;          //
    double patience_s = 15 * 60; // a provider that asks for more than this is not waited for
};

// Seconds to wait after attempt number `tries_made` (from 1) failed with `error`, or none: give up. A reply of which a
// piece came is never asked for again. Retried: no connection, a connection lost before a byte, 408, 429, 5xx.
// Retry-After is honoured, also above `most_s`. `uniform` in [0, 1) is the jitter: half of the wait or more.
std::optional<double> wait_before_retry(const RetryPolicy& policy, const ModelError& error, int tries_made,
                                        double uniform);

} // namespace kf
