// SPDX-License-Identifier: GPL-3.0-or-later
// The answering side of the protocol: evaluator (engine ↔ evaluator) and helper programs. One thread, the caller of
// run(), reads, keeps the heartbeat and the deadlines; handlers run there, on workers, or wherever the owner takes
// them.
#pragma once

#include "core/protocol/channel.h"
#include "core/protocol/message.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace kf {

class ServerCore;

// One request, from its arrival to its single answer. Thread-safe; valid as long as somebody holds it. If it is dropped
// without an answer, the peer receives an internal error, never silence.
class RpcCall {
public:
    RpcCall(std::shared_ptr<ServerCore> core, Request request, Deadline deadline);
    ~RpcCall();
    RpcCall(const RpcCall&) = delete;
    RpcCall& operator=(const RpcCall&) = delete;

    const RpcId& id() const { return m_request.id; }
    const std::string& method() const { return m_request.method; }
    const Json& params() const { return m_request.params; }
    Deadline deadline() const { return m_deadline; }

    // Set by `cancel`, by the deadline and by the end of the server. The handler answers soon (with a typed outcome
    // "cancelled" if the method has one); otherwise the server answers for it after a grace period.
    bool cancelled() const { return m_stop.stop_requested(); }
    std::stop_token stop_token() const { return m_stop.get_token(); }

    // Notification `method` with the request's id in its parameters. Errors: those of FdChannel::write_line;
    // "rpc-finished" when the call has been answered already.
    Status progress(Json params, const std::string& method = "progress") const;

    // The answer. False when there was one already, or when it could not be sent.
    bool reply(Result<Json> result);

private:
    friend class ServerCore;
    std::shared_ptr<ServerCore> m_core;
    Request m_request;
    Deadline m_deadline;
    std::stop_source m_stop;
};

struct RpcServerOptions {
    double heartbeat_interval_s = 5; // 0: sends none
    double silence_timeout_s =
        30; // ends when no byte came for so long; 0: never (a helper whose owner sends no heartbeat)
    double write_timeout_s = 10;   // a peer that does not read for so long is gone
    double default_deadline_s = 0; // of a request that names none; 0: three years
    double grace_s = 2;            // from cancel or deadline to the server's own answer
    double drain_s = 5;            // from the end to run()'s return, for handlers that are still busy
    int workers = 4;
    int max_in_flight = 64;      // above it: "busy"
    int max_garbage_lines = 100; // in a row; then the connection is given up
    ProtocolRange protocol = supported_protocol;
};

enum class ServerEndReason { closed, silent, stopped, broken, garbage };
std::string_view to_string(ServerEndReason reason);

struct ServerEnd {
    ServerEndReason reason = ServerEndReason::closed;
    std::string text;
    // Handlers that did not return within drain_s. Their threads still run: leave by _exit().
    int stuck_handlers = 0;
};

// Built in: `hello {protocol}` → {protocol}, `ping` → {}, `cancel {id}` → {found}, notifications `cancel` and
// `heartbeat`.
class RpcServer {
public:
    using Handler = std::function<Result<Json>(RpcCall&)>;
    using DeferredHandler = std::function<void(std::shared_ptr<RpcCall>)>;
    using NotificationHandler = std::function<void(const Notification&)>;

    explicit RpcServer(std::unique_ptr<FdChannel> channel, RpcServerOptions options = {});
    ~RpcServer();
    RpcServer(const RpcServer&) = delete;
    RpcServer& operator=(const RpcServer&) = delete;

    // Register before run(). A handler's exception becomes an internal error.
    void on_worker(const std::string& method, Handler handler); // may take long
    void on_loop(const std::string& method, Handler handler);   // must return at once: it holds up heartbeat and cancel
    void on_deferred(const std::string& method, DeferredHandler handler); // called on the loop; the owner answers later
    void on_notification(const std::string& method, NotificationHandler handler); // called on the loop

    // Serves until the end; call it once. Then every call in flight is cancelled.
    ServerEnd run();
    // From any thread, also from a handler.
    void stop();

    // From any thread. Errors: those of FdChannel::write_line.
    Status notify(const std::string& method, Json params);
    // Asks the peer (for example `blob.get`); from any thread but the loop's. Errors: those of HelperClient::request,
    // with "peer-" in place of "helper-".
    Result<Json> request_peer(const std::string& method, Json params, Deadline deadline);

private:
    std::shared_ptr<ServerCore> m_core;
};

} // namespace kf
