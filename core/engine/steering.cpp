// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/steering.h"

namespace kf {

SteeringQueue::SteeringQueue() = default;
SteeringQueue::~SteeringQueue() {
    close();
}

void SteeringQueue::tell(const std::string& who, const std::string& what, Json data) {
    m_entries.push_back(SteeringEntry{who, what, std::move(data)});
    ++m_told;
    m_changed.notify_all();
}

void SteeringQueue::pause(const std::string& who) {
    const std::lock_guard lock(m_mutex);
    m_paused = true;
    tell(who, "pause");
}

void SteeringQueue::unpause(const std::string& who) {
    const std::lock_guard lock(m_mutex);
    m_paused = false;
    tell(who, "continue");
}

void SteeringQueue::stop_after_turn(const std::string& who) {
    const std::lock_guard lock(m_mutex);
    m_stop_after_turn = true;
    m_paused = false;
    tell(who, "stop", Json{{"when", "after_turn"}});
}

void SteeringQueue::stop_now(const std::string& who) {
    {
        const std::lock_guard lock(m_mutex);
        m_stop_after_turn = true;
        m_paused = false;
        tell(who, "stop", Json{{"when", "now"}});
    }
    m_stop.request_stop();
}

void SteeringQueue::hint(const std::string& who, const std::string& text) {
    const std::lock_guard lock(m_mutex);
    m_hints.push_back(text);
    tell(who, "hint", Json{{"text", text}});
}

void SteeringQueue::pin(const std::string& who, int turn) {
    const std::lock_guard lock(m_mutex);
    tell(who, "pin", Json{{"turn", turn}});
}

void SteeringQueue::bench(BenchRequest request) {
    std::function<void(const Json&, int)> replaced;
    Json why = Json{{"outcome", "cancelled"}, {"what", "replaced by a newer request"}};
    {
        const std::lock_guard lock(m_mutex);
        if (m_closed) {
            replaced = std::move(request.done);
            why["what"] = "the run has ended";
        } else {
            if (m_bench)
                replaced = std::move(m_bench->done);
            tell(request.who, "bench", Json{{"file_name", request.file_name}, {"level", to_string(request.level)}});
            m_bench = std::move(request);
        }
    }
    if (replaced)
        replaced(why, -1);
}

std::vector<SteeringEntry> SteeringQueue::take_entries() {
    const std::lock_guard lock(m_mutex);
    std::vector<SteeringEntry> entries(std::make_move_iterator(m_entries.begin()),
                                       std::make_move_iterator(m_entries.end()));
    m_entries.clear();
    return entries;
}

std::optional<BenchRequest> SteeringQueue::take_bench() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_bench, std::nullopt);
}

std::string SteeringQueue::take_hints() {
    const std::lock_guard lock(m_mutex);
    std::string text;
    for (const std::string& hint : m_hints)
        text += (text.empty() ? "" : "\n\n") + hint;
    m_hints.clear();
    return text;
}

bool SteeringQueue::paused() const {
    const std::lock_guard lock(m_mutex);
    return m_paused;
}

bool SteeringQueue::stopping() const {
    const std::lock_guard lock(m_mutex);
    return m_stop_after_turn;
}

void SteeringQueue::wait(Deadline deadline) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, deadline, [&] { return m_told != m_seen || m_closed; });
    m_seen = m_told;
}

void SteeringQueue::close() {
    std::optional<BenchRequest> left;
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        left = std::exchange(m_bench, std::nullopt);
        m_changed.notify_all();
    }
    if (left && left->done)
        left->done(Json{{"outcome", "cancelled"}, {"what", "the run has ended"}}, -1);
}

} // namespace kf
