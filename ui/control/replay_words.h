// SPDX-License-Identifier: GPL-3.0-or-later
// The replies of a recorded run on the axis of its replay: when each was asked for, when its first token came, when it
// ended. A wait of more than ten seconds is shortened as any other; what was written takes the time that it took.
#pragma once

#include "core/journal/event.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kf::ui {

// Seconds of `from`, `first` and `until` are those of the replay's axis; those of `first_token_s` and `seconds` are the
// recorded ones, since the request was sent.
struct RecordedReply {
    std::size_t event = 0; // its place among the journal's events; from there on the reply is told
    int turn = -1, exchange = 1, attempt = 1;
    std::string model, hash;
    double from = 0, first = 0, until = 0;
    double first_token_s = 0, seconds = 0;
    // Recorded seconds since the request at a point of the axis.
    double elapsed_at(double position) const;
};

class ReplayWords {
public:
    // What was recorded may claim anything: one reply takes an hour at most.
    static constexpr double longest_reply_s = 3600;

    // An event model_exchange, `gap` seconds after the one before, which stands at `at`; gives where this one stands.
    double add(const Event& event, std::size_t place, double at, double gap, double longest_gap);
    // The one that is being written at `position` while the first `told` events are known; null: none is.
    const RecordedReply* at(double position, std::size_t told) const;

private:
    std::vector<RecordedReply> m_replies; // in the order of their events
};

} // namespace kf::ui
