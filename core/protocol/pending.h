// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that wait for their reply, in any order and from any number of threads. Shared by client and server;
// internal.
#pragma once

#include "core/base/deadline.h"
#include "core/protocol/message.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>

namespace kf {

class PendingReplies {
public:
    enum class Delivery { delivered, late, unknown };
    struct WaitOptions {
        Deadline deadline;
        std::function<void(const Json&)> progress; // called in the waiting thread
        std::stop_token stop;
        std::function<void()> send_cancel; // called once, when stopped or too late
        double grace_s = 2;                // after a stop, for the reply that says how it ended
    };

    // A new id, from 1 upwards. Error: the one given to fail().
    Result<std::int64_t> add();
    Delivery deliver(Response response);
    Delivery progress(const Notification& notification);
    // Ends all waits, present and future.
    void fail(Error error);
    Status state() const;
    // Errors: "deadline-exceeded", "cancelled", the peer's own, the one given to fail().
    Result<Json> wait(std::int64_t id, const WaitOptions& options);
    void remove(std::int64_t id);

private:
    struct Entry {
        std::deque<Json> progress;
        std::optional<Response> response;
    };
    Delivery kind_of(const RpcId& id) const; // with the mutex held

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<std::int64_t, Entry> m_entries;
    std::int64_t m_last_id = 0;
    std::optional<Error> m_failure;
};

} // namespace kf
