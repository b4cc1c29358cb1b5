// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/server.h"

#include "core/protocol/server_core.h"

namespace kf {

RpcCall::RpcCall(std::shared_ptr<ServerCore> core, Request request, Deadline deadline)
    : m_core(std::move(core)), m_request(std::move(request)), m_deadline(deadline) {}

RpcCall::~RpcCall() {
    m_core->finish(*this, make_error("rpc-internal", "the method \"" + method() + "\" gave no answer"));
}

Status RpcCall::progress(Json params, const std::string& method) const {
    return m_core->progress(*this, method, std::move(params));
}

bool RpcCall::reply(Result<Json> result) {
    return m_core->finish(*this, std::move(result));
}

std::string_view to_string(ServerEndReason reason) {
    switch (reason) {
    case ServerEndReason::closed:
        return "closed";
    case ServerEndReason::silent:
        return "silent";
    case ServerEndReason::stopped:
        return "stopped";
    case ServerEndReason::broken:
        return "broken";
    case ServerEndReason::garbage:
        break;
    }
    return "garbage";
}

RpcServer::RpcServer(std::unique_ptr<FdChannel> channel, RpcServerOptions options)
    : m_core(std::make_shared<ServerCore>(std::move(channel), options)) {}

RpcServer::~RpcServer() = default;

void RpcServer::on_worker(const std::string& method, Handler handler) {
    m_core->routes[method] =
        std::make_shared<ServerCore::Route>(ServerCore::Route{ServerCore::Place::worker, std::move(handler), {}});
}

void RpcServer::on_loop(const std::string& method, Handler handler) {
    m_core->routes[method] =
        std::make_shared<ServerCore::Route>(ServerCore::Route{ServerCore::Place::loop, std::move(handler), {}});
}

void RpcServer::on_deferred(const std::string& method, DeferredHandler handler) {
    m_core->routes[method] =
        std::make_shared<ServerCore::Route>(ServerCore::Route{ServerCore::Place::deferred, {}, std::move(handler)});
}

void RpcServer::on_notification(const std::string& method, NotificationHandler handler) {
    m_core->notification_handlers[method] = std::move(handler);
}

ServerEnd RpcServer::run() {
    return m_core->run();
}

void RpcServer::stop() {
    m_core->stop();
}

Status RpcServer::notify(const std::string& method, Json params) {
    return m_core->send(format_message(Notification{method, std::move(params), {}}));
}

Result<Json> RpcServer::request_peer(const std::string& method, Json params, Deadline deadline) {
    return m_core->request_peer(method, std::move(params), deadline);
}

} // namespace kf
