// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/pending.h"

namespace kf {

Result<std::int64_t> PendingReplies::add() {
    const std::lock_guard lock(m_mutex);
    if (m_failure)
        return *m_failure;
    m_entries.try_emplace(++m_last_id);
    return m_last_id;
}

void PendingReplies::remove(std::int64_t id) {
    const std::lock_guard lock(m_mutex);
    m_entries.erase(id);
}

PendingReplies::Delivery PendingReplies::kind_of(const RpcId& id) const {
    const auto* number = std::get_if<std::int64_t>(&id);
    if (!number || *number < 1 || *number > m_last_id)
        return Delivery::unknown;
    return m_entries.contains(*number) ? Delivery::delivered : Delivery::late;
}

PendingReplies::Delivery PendingReplies::deliver(Response response) {
    const std::lock_guard lock(m_mutex);
    const Delivery kind = kind_of(response.id);
    if (kind != Delivery::delivered)
        return kind;
    Entry& entry = m_entries.at(std::get<std::int64_t>(response.id));
    if (entry.response)
        return Delivery::late; // answered twice; the first counts
    entry.response = std::move(response);
    m_changed.notify_all();
    return kind;
}

PendingReplies::Delivery PendingReplies::progress(const Notification& notification) {
    const auto id = rpc_id_from_json(get_member(notification.params, "id"));
    if (!id)
        return Delivery::unknown;
    const std::lock_guard lock(m_mutex);
    const Delivery kind = kind_of(*id);
    if (kind == Delivery::delivered) {
        m_entries.at(std::get<std::int64_t>(*id)).progress.push_back(notification.params);
        m_changed.notify_all();
    }
    return kind;
}

void PendingReplies::fail(Error error) {
    const std::lock_guard lock(m_mutex);
    if (!m_failure)
        m_failure = std::move(error);
    m_changed.notify_all();
}

Status PendingReplies::state() const {
    const std::lock_guard lock(m_mutex);
    return m_failure ? Status(*m_failure) : Status();
}

Result<Json> PendingReplies::wait(std::int64_t id, const WaitOptions& options) {
    Deadline deadline = options.deadline;
    bool stopped = false;
    std::unique_lock lock(m_mutex);
    Entry& entry = m_entries.at(id); // a map's entries stay where they are
    const auto ready = [&] { return entry.response || m_failure || !entry.progress.empty(); };
    const auto finish = [&](Result<Json> result) {
        m_entries.erase(id);
        return result;
    };
    for (;;) {
        if (stopped)
            m_changed.wait_until(lock, deadline, ready);
        else
            m_changed.wait_until(lock, options.stop, deadline, ready);
        while (!entry.progress.empty()) {
            const Json params = std::move(entry.progress.front());
            entry.progress.pop_front();
            if (options.progress) {
                lock.unlock();
                options.progress(params);
                lock.lock();
            }
        }
        if (entry.response) {
            Response response = std::move(*entry.response);
            return finish(response.ok() ? Result<Json>(response.result()) : Result<Json>(to_error(response.error())));
        }
        if (m_failure)
            return finish(*m_failure);
        const bool late = std::chrono::steady_clock::now() >= deadline;
        if (!late && !(options.stop.stop_requested() && !stopped))
            continue;
        if (late && stopped)
            return finish(make_error("cancelled", "the request was cancelled"));
        if (options.send_cancel) {
            lock.unlock();
            options.send_cancel();
            lock.lock();
        }
        if (late)
            return finish(make_error("deadline-exceeded", "no answer came in time"));
        stopped = true;
        deadline = std::min(deadline, deadline_after(options.grace_s));
    }
}

} // namespace kf
