// SPDX-License-Identifier: GPL-3.0-or-later
// What RpcServer, its calls and its workers share. A worker that never returns keeps it alive; internal.
#pragma once

#include "core/protocol/pending.h"
#include "core/protocol/server.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace kf {

class ServerCore : public std::enable_shared_from_this<ServerCore> {
public:
    enum class Place { worker, loop, deferred };
    struct Route {
        Place place = Place::worker;
        RpcServer::Handler handler;
        RpcServer::DeferredHandler deferred;
    };

    ServerCore(std::unique_ptr<FdChannel> channel, const RpcServerOptions& options);

    ServerEnd run();
    void stop();
    Status send(const std::string& line);
    bool finish(const RpcCall& call, Result<Json> result);
    Status progress(const RpcCall& call, const std::string& method, Json params);
    Result<Json> request_peer(const std::string& method, Json params, Deadline deadline);

    // Written before run(), only read afterwards.
    std::map<std::string, std::shared_ptr<Route>> routes;
    std::map<std::string, RpcServer::NotificationHandler> notification_handlers;

private:
    struct InFlight {
        const RpcCall* call = nullptr; // identity only: an id may be used again once it was answered
        std::weak_ptr<RpcCall> alive;
        Deadline due;
        const char* cancelled_by = nullptr; // an error code, once it was cancelled
    };
    struct Job {
        std::shared_ptr<RpcCall> call;
        std::shared_ptr<Route> route;
    };

    ServerEnd loop();
    void drain(ServerEnd& end);
    bool handle_line(const std::string& line); // false: it was garbage
    void handle_request(Request request);
    void handle_notification(const Notification& notification);
    bool cancel(const RpcId& id, const char* code);
    void answer(const RpcId& id, Result<Json> result);
    void check_deadlines();
    Deadline next_due() const;
    void work();
    void call_handler(RpcCall& call, const Route& route);

    std::unique_ptr<FdChannel> m_channel;
    const RpcServerOptions m_options;
    PendingReplies m_pending;
    std::atomic<bool> m_stop = false;
    std::atomic<bool> m_peer_gone = false;

    mutable std::mutex m_mutex; // everything below
    std::condition_variable m_jobs_changed;
    std::map<RpcId, InFlight> m_in_flight;
    std::deque<Job> m_jobs;
    std::vector<std::thread> m_workers;
    int m_idle = 0;
    int m_busy = 0;
    bool m_ending = false;
    std::string m_broken_text;
};

} // namespace kf
