// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/steering.h"

#include "core/engine/activity.h"

#include <utility>
#include <vector>

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
    std::optional<std::stop_source> in_flight;
    {
        const std::lock_guard lock(m_mutex);
        m_stop_after_turn = true;
        m_paused = false;
        tell(who, "stop", Json{{"when", "now"}});
        if (m_in_flight)
            in_flight = m_in_flight->stop;
    }
    m_stop.request_stop();
    if (in_flight)
        in_flight->request_stop();
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

void SteeringQueue::fork(const std::string& who, int turn, const std::string& hint) {
    const std::lock_guard lock(m_mutex);
    Json data{{"turn", turn}};
    if (!hint.empty()) {
        data["hint"] = hint;
        m_hints.push_back(hint);
    }
    tell(who, "fork", std::move(data));
}

void SteeringQueue::order(const std::string& who, const std::string& what, Json data) {
    const std::lock_guard lock(m_mutex);
    tell(who, what, std::move(data));
}

void SteeringQueue::restore_hint(const std::string& text) {
    const std::lock_guard lock(m_mutex);
    m_hints.push_back(text);
    m_noted_hints = m_hints.size();
}

void SteeringQueue::bench(BenchRequest request) {
    std::vector<std::function<void(const Json&, int)>> replaced;
    std::optional<std::stop_source> in_flight;
    Json why = Json{{"outcome", "cancelled"}, {"what", "replaced by a newer one"}, {"replaced", true}};
    {
        const std::lock_guard lock(m_mutex);
        if (m_closed) {
            replaced.push_back(std::move(request.done));
            why = Json{{"outcome", "cancelled"}, {"what", "the run has ended"}};
        } else {
            if (m_bench)
                replaced.push_back(std::move(m_bench->done));
            if (m_in_flight) {
                in_flight = m_in_flight->stop;
                replaced.push_back(std::exchange(m_in_flight->done, nullptr));
            }
            Json data{{"file_name", request.file_name}, {"level", to_string(request.level)}};
            if (!request.hint.empty()) {
                data["hint"] = request.hint;
                m_hints.push_back(request.hint);
            }
            tell(request.who, request.grow ? "edit" : "bench", std::move(data));
            m_bench = std::move(request);
            m_bench_since = unix_seconds();
        }
    }
    if (in_flight) // without the lock: it calls what waits for it
        in_flight->request_stop();
    for (const auto& done : replaced)
        if (done)
            done(why, -1);
}

std::vector<SteeringEntry> SteeringQueue::take_entries() {
    const std::lock_guard lock(m_mutex);
    std::vector<SteeringEntry> entries(std::make_move_iterator(m_entries.begin()),
                                       std::make_move_iterator(m_entries.end()));
    m_entries.clear();
    m_noted_hints = m_hints.size();
    return entries;
}

std::optional<BenchRequest> SteeringQueue::take_bench(bool quick_only) {
    const std::lock_guard lock(m_mutex);
    if (!m_bench || (quick_only && !m_bench->quick))
        return std::nullopt;
    auto bench = std::exchange(m_bench, std::nullopt);
    m_in_flight.emplace();
    m_in_flight->done = std::exchange(bench->done, nullptr);
    bench->stop = m_in_flight->stop.get_token();
    if (m_stop.stop_requested())
        m_in_flight->stop.request_stop(); // nothing waits for it yet
    return bench;
}

void SteeringQueue::answer_bench(const Json& outcome, int turn) {
    std::function<void(const Json&, int)> done;
    {
        const std::lock_guard lock(m_mutex);
        if (m_in_flight)
            done = std::move(m_in_flight->done);
        m_in_flight.reset();
    }
    if (done)
        done(outcome, turn);
}

std::stop_token SteeringQueue::begin_completion() {
    const std::lock_guard lock(m_mutex);
    m_in_flight.emplace();
    if (m_bench || m_stop.stop_requested())
        m_in_flight->stop.request_stop();
    return m_in_flight->stop.get_token();
}

void SteeringQueue::end_completion() {
    const std::lock_guard lock(m_mutex);
    m_in_flight.reset();
}

Json SteeringQueue::waiting_bench() const {
    const std::lock_guard lock(m_mutex);
    if (!m_bench)
        return nullptr;
    return Json{{"file_name", m_bench->file_name},
                {"level", to_string(m_bench->level)},
                {"who", m_bench->who},
                {"since", m_bench_since}};
}

std::string SteeringQueue::take_hints() {
    const std::lock_guard lock(m_mutex);
    std::string text;
    for (std::size_t i = 0; i < m_noted_hints; ++i)
        text += (text.empty() ? "" : "\n\n") + m_hints[i];
    m_hints.erase(m_hints.begin(), m_hints.begin() + static_cast<std::ptrdiff_t>(m_noted_hints));
    m_noted_hints = 0;
    return text;
}

std::vector<std::string> SteeringQueue::waiting_hints() const {
    const std::lock_guard lock(m_mutex);
    return m_hints;
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
    std::vector<std::function<void(const Json&, int)>> left;
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        if (m_bench)
            left.push_back(std::move(m_bench->done));
        if (m_in_flight)
            left.push_back(std::move(m_in_flight->done));
        m_bench.reset();
        m_in_flight.reset();
        m_changed.notify_all();
    }
    for (const auto& done : left)
        if (done)
            done(Json{{"outcome", "cancelled"}, {"what", "the run has ended"}}, -1);
}

} // namespace kf
