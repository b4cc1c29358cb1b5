// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/server_core.h"

#include <cmath>
#include <exception>

namespace kf {
namespace {

constexpr Deadline no_deadline = Deadline::max();

Error shutting_down() {
    return make_error("shutting-down", "the server is ending");
}

} // namespace

ServerCore::ServerCore(std::unique_ptr<FdChannel> channel, const RpcServerOptions& options)
    : m_channel(std::move(channel)), m_options(options) {}

Status ServerCore::send(const std::string& line) {
    if (m_peer_gone)
        return make_error("channel-closed", "the connection was given up");
    Status status = m_channel->write_line(line, deadline_after(m_options.write_timeout_s));
    if (!status && status.error().code.starts_with("channel-")) {
        {
            const std::lock_guard lock(m_mutex);
            m_broken_text = status.error().message;
        }
        m_peer_gone = true;
        m_channel->interrupt();
    }
    return status;
}

void ServerCore::answer(const RpcId& id, Result<Json> result) {
    std::string line = format_message(make_response(id, std::move(result)));
    if (line.size() > max_line_bytes)
        line = format_message(make_response(
            id, make_error("too-large", "the result has " + std::to_string(line.size()) + " bytes as a line",
                           "give the large parts as blobs")));
    [[maybe_unused]] const Status sent = send(line); // a failure ends the loop, which says so
}

bool ServerCore::finish(const RpcCall& call, Result<Json> result) {
    {
        const std::lock_guard lock(m_mutex);
        const auto it = m_in_flight.find(call.id());
        if (it == m_in_flight.end() || it->second.call != &call)
            return false;
        m_in_flight.erase(it);
    }
    answer(call.id(), std::move(result));
    return !m_peer_gone;
}

Status ServerCore::progress(const RpcCall& call, const std::string& method, Json params) {
    {
        const std::lock_guard lock(m_mutex);
        const auto it = m_in_flight.find(call.id());
        if (it == m_in_flight.end() || it->second.call != &call)
            return make_error("rpc-finished", "the call has been answered already");
    }
    params["id"] = to_json(call.id());
    return send(format_message(Notification{method, std::move(params), {}}));
}

Result<Json> ServerCore::request_peer(const std::string& method, Json params, Deadline deadline) {
    const auto id = m_pending.add();
    if (!id)
        return id.error();
    const Request request{RpcId(*id), method, std::move(params), seconds_left(deadline), {}};
    if (const Status sent = send(format_message(request)); !sent) {
        m_pending.remove(*id);
        return make_error(sent.error().code == "line-too-long" ? "too-large" : "peer-closed", sent.error().message);
    }
    PendingReplies::WaitOptions wait;
    wait.deadline = deadline;
    wait.send_cancel = [&] {
        [[maybe_unused]] const Status sent = send(format_message(Notification{"cancel", {{"id", *id}}, {}}));
    };
    return m_pending.wait(*id, wait);
}

void ServerCore::stop() {
    m_stop = true;
    m_channel->interrupt();
}

Deadline ServerCore::next_due() const {
    const std::lock_guard lock(m_mutex);
    Deadline due = no_deadline;
    for (const auto& [id, flight] : m_in_flight)
        due = std::min(due, flight.due);
    return due;
}

bool ServerCore::cancel(const RpcId& id, const char* code) {
    std::shared_ptr<RpcCall> call;
    {
        const std::lock_guard lock(m_mutex);
        const auto it = m_in_flight.find(id);
        if (it == m_in_flight.end())
            return false;
        if (it->second.cancelled_by)
            return true;
        it->second.cancelled_by = code;
        it->second.due = deadline_after(m_options.grace_s);
        call = it->second.alive.lock();
    }
    if (call)
        call->m_stop.request_stop(); // outside the lock: stop callbacks are foreign code
    return true;
}

void ServerCore::check_deadlines() {
    const Deadline now = std::chrono::steady_clock::now();
    std::vector<RpcId> late;
    std::vector<std::pair<RpcId, std::string>> overdue;
    {
        const std::lock_guard lock(m_mutex);
        for (auto it = m_in_flight.begin(); it != m_in_flight.end();) {
            if (it->second.due > now) {
                ++it;
            } else if (!it->second.cancelled_by) {
                late.push_back((it++)->first);
            } else {
                overdue.emplace_back(it->first, it->second.cancelled_by);
                it = m_in_flight.erase(it);
            }
        }
    }
    for (const RpcId& id : late)
        cancel(id, "deadline-exceeded");
    for (const auto& [id, code] : overdue)
        answer(id, make_error(code, code == "cancelled" ? "the request was cancelled"
                                                        : "the request was not done before its deadline"));
}

void ServerCore::call_handler(RpcCall& call, const Route& route) {
    if (call.cancelled()) {
        call.reply(make_error("cancelled", "the request was cancelled before it was begun"));
        return;
    }
    try {
        call.reply(route.handler(call));
    } catch (const std::exception& e) {
        call.reply(make_error("rpc-internal", "the method \"" + call.method() + "\" failed: " + e.what()));
    }
}

void ServerCore::work() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        ++m_idle;
        m_jobs_changed.wait(lock, [&] { return m_ending || !m_jobs.empty(); });
        --m_idle;
        if (m_ending)
            return;
        Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        ++m_busy;
        lock.unlock();
        call_handler(*job.call, *job.route);
        job = {};
        lock.lock();
        --m_busy;
        m_jobs_changed.notify_all();
    }
}

void ServerCore::handle_request(Request request) {
    if (request.method == "ping")
        return answer(request.id, Json::object());
    if (request.method == "cancel") {
        const auto id = rpc_id_from_json(get_member(request.params, "id"));
        if (!id)
            return answer(request.id, make_error("rpc-params", "cancel: " + id.error().message));
        return answer(request.id, Json{{"found", cancel(*id, "cancelled")}});
    }
    if (request.method == "hello") {
        const std::int64_t wanted = get_int(request.params, "protocol", -1);
        if (wanted < m_options.protocol.min || wanted > m_options.protocol.max)
            return answer(request.id, make_error("protocol-mismatch",
                                                 "protocol " + std::to_string(wanted) + " is not spoken here"));
        return answer(request.id, Json{{"protocol", wanted}});
    }
    const auto route = routes.find(request.method);
    if (route == routes.end())
        return answer(request.id, make_error("rpc-method-unknown", "no method \"" + request.method + "\" here"));

    const double seconds = request.deadline_s > 0 ? request.deadline_s : m_options.default_deadline_s;
    const Deadline deadline = deadline_after(seconds > 0 ? seconds : 1e8);
    auto call = std::make_shared<RpcCall>(shared_from_this(), std::move(request), deadline);
    const char* refusal = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        if (m_in_flight.contains(call->id()))
            refusal = "rpc-invalid";
        else if (static_cast<int>(m_in_flight.size()) >= m_options.max_in_flight)
            refusal = "busy";
        else
            m_in_flight[call->id()] = InFlight{call.get(), call, deadline, nullptr};
        if (!refusal && route->second->place == Place::worker) {
            m_jobs.push_back(Job{call, route->second});
            if (m_idle < static_cast<int>(m_jobs.size()) && static_cast<int>(m_workers.size()) < m_options.workers)
                m_workers.emplace_back([core = shared_from_this()] { core->work(); });
        }
    }
    if (refusal)
        return answer(call->id(), make_error(refusal, refusal[0] == 'b' ? "too many requests are in flight"
                                                                        : "this id is in flight already"));
    if (route->second->place == Place::worker)
        m_jobs_changed.notify_one();
    else if (route->second->place == Place::loop)
        call_handler(*call, *route->second);
    else
        route->second->deferred(std::move(call));
}

void ServerCore::handle_notification(const Notification& notification) {
    if (notification.method == "heartbeat")
        return;
    if (notification.method == "cancel") {
        if (const auto id = rpc_id_from_json(get_member(notification.params, "id")))
            cancel(*id, "cancelled");
        return;
    }
    if (const auto it = notification_handlers.find(notification.method); it != notification_handlers.end())
        it->second(notification);
}

bool ServerCore::handle_line(const std::string& line) {
    auto message = parse_message(line);
    if (!message) {
        answer(recover_id(line), message.error());
        return false;
    }
    if (auto* request = std::get_if<Request>(&*message))
        handle_request(std::move(*request));
    else if (const auto* notification = std::get_if<Notification>(&*message))
        handle_notification(*notification);
    else
        return m_pending.deliver(std::get<Response>(std::move(*message))) != PendingReplies::Delivery::unknown;
    return true;
}

ServerEnd ServerCore::loop() {
    const auto seconds = [](double s) {
        return std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(std::min(s, 1e8)));
    };
    int garbage = 0;
    Deadline next_beat =
        m_options.heartbeat_interval_s > 0 ? deadline_after(m_options.heartbeat_interval_s) : no_deadline;
    for (;;) {
        const Deadline silent_at = m_options.silence_timeout_s > 0
                                       ? m_channel->last_activity() + seconds(m_options.silence_timeout_s)
                                       : no_deadline;
        const auto line = m_channel->read_line(std::min({next_beat, silent_at, next_due()}));
        if (m_stop)
            return {ServerEndReason::stopped, "stopped", 0};
        if (m_peer_gone) {
            const std::lock_guard lock(m_mutex);
            return {ServerEndReason::broken, m_broken_text, 0};
        }
        if (line) {
            garbage = handle_line(*line) ? 0 : garbage + 1;
        } else if (line.error().code == "line-too-long") {
            answer({}, make_error("too-large", line.error().message, line.error().remedy));
            ++garbage;
        } else if (line.error().code == "channel-closed") {
            return {ServerEndReason::closed, line.error().message, 0};
        } else if (line.error().code == "channel-broken") {
            return {ServerEndReason::broken, line.error().message, 0};
        }
        if (garbage > m_options.max_garbage_lines)
            return {ServerEndReason::garbage, std::to_string(garbage) + " lines in a row were no messages", 0};
        const Deadline now = std::chrono::steady_clock::now();
        if (m_options.silence_timeout_s > 0 && now >= m_channel->last_activity() + seconds(m_options.silence_timeout_s))
            return {ServerEndReason::silent,
                    "nothing came for " + std::to_string(m_options.silence_timeout_s) + " seconds", 0};
        if (now >= next_beat) {
            [[maybe_unused]] const Status sent = send(format_message(Notification{"heartbeat", Json::object(), {}}));
            next_beat = deadline_after(m_options.heartbeat_interval_s);
        }
        check_deadlines();
    }
}

void ServerCore::drain(ServerEnd& end) {
    m_pending.fail(make_error("peer-closed", "the connection has ended: " + end.text));
    if (end.reason != ServerEndReason::stopped)
        m_peer_gone = true; // nobody is left to be answered
    std::deque<Job> jobs;
    std::vector<std::shared_ptr<RpcCall>> calls;
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        jobs.swap(m_jobs);
        for (auto& [id, flight] : m_in_flight)
            if (auto call = flight.alive.lock())
                calls.push_back(std::move(call));
    }
    m_jobs_changed.notify_all();
    for (const auto& job : jobs)
        job.call->reply(shutting_down());
    for (const auto& call : calls)
        call->m_stop.request_stop();
    std::vector<std::thread> workers;
    {
        std::unique_lock lock(m_mutex);
        m_jobs_changed.wait_until(lock, deadline_after(m_options.drain_s), [&] { return m_busy == 0; });
        end.stuck_handlers = m_busy;
        workers.swap(m_workers);
    }
    for (std::thread& worker : workers) {
        if (end.stuck_handlers > 0)
            worker.detach();
        else
            worker.join();
    }
    std::map<RpcId, InFlight> left;
    {
        const std::lock_guard lock(m_mutex);
        left.swap(m_in_flight);
    }
    for (const auto& [id, flight] : left)
        answer(id, shutting_down());
}

ServerEnd ServerCore::run() {
    ServerEnd end = loop();
    drain(end);
    return end;
}

} // namespace kf
