// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/retry.h"

#include <algorithm>
#include <cmath>

namespace kf {

std::optional<double> wait_before_retry(const RetryPolicy& policy, const ModelError& error, int tries_made,
                                        double uniform) {
    const bool mended_by_waiting = error.failure == ModelFailure::unreachable ||
                                   error.failure == ModelFailure::rate_limited || error.failure == ModelFailure::server;
    if (!mended_by_waiting || !error.partial.pieces.empty() || tries_made >= policy.tries || error.http_status == 501)
        return std::nullopt;
    if (error.retry_after_s > policy.patience_s)
        return std::nullopt;
    const double backoff = std::min(policy.most_s, policy.first_s * std::pow(2.0, std::max(0, tries_made - 1)));
    const double jittered = backoff * (0.5 + 0.5 * uniform);
    if (error.retry_after_s > 0) // not a moment earlier; a little spread, so that not all come back at once
        return error.retry_after_s + 0.25 * policy.first_s * uniform;
    return jittered;
}

} // namespace kf
