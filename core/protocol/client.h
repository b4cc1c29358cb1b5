// SPDX-License-Identifier: GPL-3.0-or-later
// The asking side of the protocol, over descriptors that are open already: a long-living helper program, or an
// evaluator. Any number of threads may ask at the same time; replies may come in any order.
#pragma once

#include "core/protocol/channel.h"
#include "core/protocol/message.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace kf {

struct HelperClientOptions {
    double heartbeat_interval_s = 5; // 0: sends none
    double silence_timeout_s =
        0; // gives up when no byte came for so long; 0: never. Set it for a peer with a heartbeat
    double write_timeout_s = 10;
    int tolerated_garbage_lines = 0; // more than so many lines that are no messages end the connection
    // Called on the reading thread; must return at once.
    std::function<Result<Json>(const Request&)> on_request;   // what the peer may ask (`blob.get`)
    std::function<void(const Notification&)> on_notification; // all but progress and heartbeat
};

struct RequestOptions {
    std::function<void(const Json&)>
        progress;         // parameters of each notification with the request's id; in the asking thread
    std::stop_token stop; // sends `cancel`, then waits for the reply for at most cancel_grace_s
    double cancel_grace_s = 2;
};

class HelperClient {
public:
    // `name` stands in the messages: "kf-nvrtc".
    HelperClient(std::unique_ptr<FdChannel> channel, std::string name, HelperClientOptions options = {});
    // Closes both descriptors: the peer sees the end of its input. No request may be waiting.
    ~HelperClient();
    HelperClient(const HelperClient&) = delete;
    HelperClient& operator=(const HelperClient&) = delete;

    // Sends the request and waits. Errors:
    //   the peer's own (see to_error),
    //   "deadline-exceeded", "cancelled" (the peer is told; a late reply is dropped), "too-large" (request above 1
    //   MiB), infrastructure, after which this client is of no use any more: "helper-closed" (it ended),
    //   "helper-garbage" (a line that is no message), "helper-silent", "helper-broken".
    Result<Json> request(const std::string& method, Json params, Deadline deadline, const RequestOptions& options = {});
    Status notify(const std::string& method, Json params);
    // The next notification of that name that was not waited for yet (`ready` of a helper). Up to 64 are kept.
    Result<Json> wait_notification(const std::string& method, Deadline deadline);

    // Why this client is of no use any more, if so.
    Status health() const;
    const std::string& name() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

// True for failures of the connection, false for an answer of the peer and for a deadline.
bool is_infrastructure(const Error& error);

} // namespace kf
