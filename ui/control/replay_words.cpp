// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/replay_words.h"

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

double seconds_in(const Json& fields, const char* key, double most) {
    const double value = get_double(fields, key);
    return std::isfinite(value) ? std::clamp(value, 0.0, most) : 0;
}

int small(const Json& fields, const char* key, int fallback) {
    return static_cast<int>(std::clamp<std::int64_t>(get_int(fields, key, fallback), -1, 1'000'000'000));
}

} // namespace

double RecordedReply::elapsed_at(double position) const {
    const auto part = [position](double begin, double end) {
        return end > begin ? std::clamp((position - begin) / (end - begin), 0.0, 1.0) : 1.0;
    };
    return position < first ? first_token_s * part(from, first)
                            : first_token_s + (seconds - first_token_s) * part(first, until);
}

double ReplayWords::add(const Event& event, std::size_t place, double at, double gap, double longest_gap) {
    const Json& fields = event.fields;
    RecordedReply one;
    one.hash = get_string(fields, "reply");
    if (one.hash.empty()) // nothing was written
        return at + std::min(gap, longest_gap);
    one.event = place;
    one.turn = small(fields, "turn", -1);
    one.exchange = small(fields, "exchange", 1);
    one.attempt = small(fields, "attempt", 1);
    one.model = get_string(fields, "model");
    one.seconds = seconds_in(fields, "seconds", longest_reply_s);
    one.first_token_s = seconds_in(fields, "first_token_s", one.seconds);
    // A run that was itself served from a record has the old seconds, and gaps that are shorter.
    const double writing = std::min(one.seconds - one.first_token_s, gap);
    const double waiting = std::min(one.first_token_s, gap - writing);
    one.from = at + std::min(gap - writing - waiting, longest_gap);
    one.first = one.from + std::min(waiting, longest_gap);
    one.until = one.first + writing;
    m_replies.push_back(one);
    return one.until;
}

const RecordedReply* ReplayWords::at(double position, std::size_t told) const {
    const auto next = std::lower_bound(m_replies.begin(), m_replies.end(), told,
                                       [](const RecordedReply& one, std::size_t wanted) { return one.event < wanted; });
    return next != m_replies.end() && position >= next->from && position < next->until ? &*next : nullptr;
}

} // namespace kf::ui
