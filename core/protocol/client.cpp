// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/client.h"

#include "core/protocol/handshake.h"
#include "core/protocol/pending.h"

#include <thread>

namespace kf {
namespace {
constexpr std::size_t max_kept_notifications = 64;
constexpr Deadline no_deadline = Deadline::max();
} // namespace

class HelperClient::Impl {
public:
    Impl(std::unique_ptr<FdChannel> channel, std::string helper_name, HelperClientOptions options)
        : name(std::move(helper_name)), m_channel(std::move(channel)), m_options(std::move(options)),
          m_reader([this] { read(); }) {}

    ~Impl() {
        m_stop = true;
        m_channel->interrupt();
        m_reader.join();
    }

    Result<Json> request(const std::string& method, Json params, Deadline deadline, const RequestOptions& options) {
        const auto id = pending.add();
        if (!id)
            return id.error();
        const Request request{RpcId(*id), method, std::move(params), seconds_left(deadline), {}};
        if (const Status sent = send(format_message(request), deadline); !sent) {
            pending.remove(*id);
            return sent.error();
        }
        PendingReplies::WaitOptions wait;
        wait.deadline = deadline;
        wait.progress = options.progress;
        wait.stop = options.stop;
        wait.grace_s = options.cancel_grace_s;
        wait.send_cancel = [&] {
            // Without waiting long: the asker wants to go on.
            [[maybe_unused]] const Status sent =
                send(format_message(Notification{"cancel", {{"id", *id}}, {}}), deadline_after(0.1));
        };
        auto result = pending.wait(*id, wait);
        if (!result && result.error().code == "deadline-exceeded" && result.error().place == Place{})
            return make_error("deadline-exceeded", name + ": \"" + method + "\" was not done in time");
        return result;
    }

    Status send(const std::string& line, Deadline deadline) {
        if (line.size() > max_line_bytes)
            return make_error("too-large", "a request to " + name + " has " + std::to_string(line.size()) + " bytes",
                              "give the large parts as blobs");
        Status status = m_channel->write_line(line, std::min(deadline, deadline_after(m_options.write_timeout_s)));
        if (status)
            return status;
        if (status.error().code == "channel-timeout" && std::chrono::steady_clock::now() >= deadline)
            return make_error("deadline-exceeded", name + " does not read");
        // The reader may know better why the connection ended.
        return give_up(status.error().code == "channel-closed" ? "helper-closed" : "helper-broken",
                       status.error().message);
    }

    Result<Json> wait_notification(const std::string& method, Deadline deadline) {
        std::unique_lock lock(m_mutex);
        for (;;) {
            for (auto it = m_notifications.begin(); it != m_notifications.end(); ++it) {
                if (it->method != method)
                    continue;
                Json params = std::move(it->params);
                m_notifications.erase(it);
                return params;
            }
            if (const Status state = pending.state(); !state)
                return state.error();
            if (m_changed.wait_until(lock, deadline) == std::cv_status::timeout)
                return make_error("deadline-exceeded", name + " did not send \"" + method + "\" in time");
        }
    }

    const std::string name;
    PendingReplies pending;

private:
    Error give_up(const char* code, const std::string& why) {
        pending.fail(make_error(code, name + ": " + why));
        const std::lock_guard lock(m_mutex);
        m_changed.notify_all();
        return pending.state().error();
    }

    void read() {
        const auto silence =
            std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(m_options.silence_timeout_s));
        const double interval = m_options.heartbeat_interval_s;
        Deadline next_beat = interval > 0 ? deadline_after(interval) : no_deadline;
        int garbage = 0;
        while (!m_stop) {
            const auto silent_at = [&] {
                return m_options.silence_timeout_s > 0 ? m_channel->last_activity() + silence : no_deadline;
            };
            const auto line = m_channel->read_line(std::min(next_beat, silent_at()));
            if (m_stop)
                return;
            std::string reason;
            if (line) {
                reason = handle(*line);
            } else if (line.error().code == "line-too-long") {
                reason = line.error().message;
            } else if (line.error().code == "channel-closed") {
                give_up("helper-closed", line.error().message);
                return;
            } else if (line.error().code == "channel-broken") {
                give_up("helper-broken", line.error().message);
                return;
            }
            if (!reason.empty() && ++garbage > m_options.tolerated_garbage_lines) {
                give_up("helper-garbage", reason);
                return;
            }
            const Deadline now = std::chrono::steady_clock::now();
            if (now >= silent_at()) {
                give_up("helper-silent",
                        "nothing came for " + std::to_string(m_options.silence_timeout_s) + " seconds");
                return;
            }
            if (now >= next_beat) {
                // A busy helper may not read; that alone is no failure.
                [[maybe_unused]] const Status sent = m_channel->write_line(
                    format_message(Notification{"heartbeat", Json::object(), {}}), deadline_after(0.1));
                next_beat = deadline_after(interval);
            }
        }
    }

    // Why the line is garbage; empty when it is not.
    std::string handle(const std::string& line) {
        auto message = parse_message(line);
        if (!message)
            return "a line came that is no message (" + message.error().message + "): \"" + printable(line) + "\"";
        if (auto* request = std::get_if<Request>(&*message)) {
            const Result<Json> result =
                m_options.on_request ? m_options.on_request(*request)
                                     : make_error("rpc-method-unknown", "no method \"" + request->method + "\" here");
            [[maybe_unused]] const Status sent = send(format_message(make_response(request->id, result)), no_deadline);
            return {};
        }
        if (auto* notification = std::get_if<Notification>(&*message)) {
            if (notification->method == "heartbeat")
                return {};
            if (pending.progress(*notification) != PendingReplies::Delivery::unknown)
                return {};
            if (m_options.on_notification)
                m_options.on_notification(*notification);
            const std::lock_guard lock(m_mutex);
            if (m_notifications.size() >= max_kept_notifications)
                m_notifications.pop_front();
            m_notifications.push_back(std::move(*notification));
            m_changed.notify_all();
            return {};
        }
        auto& response = std::get<Response>(*message);
        if (response.id == RpcId{})
            return "it could not read a line of ours: " + response.error().message;
        const std::string id = to_string(response.id);
        if (pending.deliver(std::move(response)) == PendingReplies::Delivery::unknown)
            return "a reply came to a request \"" + printable(id) + "\" that was never made";
        return {};
    }

    std::unique_ptr<FdChannel> m_channel;
    const HelperClientOptions m_options;
    std::atomic<bool> m_stop = false;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Notification> m_notifications;
    std::thread m_reader; // last: it uses all of the above
};

HelperClient::HelperClient(std::unique_ptr<FdChannel> channel, std::string name, HelperClientOptions options)
    : m_impl(std::make_unique<Impl>(std::move(channel), std::move(name), std::move(options))) {}

HelperClient::~HelperClient() = default;

Result<Json> HelperClient::request(const std::string& method, Json params, Deadline deadline,
                                   const RequestOptions& options) {
    return m_impl->request(method, std::move(params), deadline, options);
}

Status HelperClient::notify(const std::string& method, Json params) {
    return m_impl->send(format_message(Notification{method, std::move(params), {}}), no_deadline);
}

Result<Json> HelperClient::wait_notification(const std::string& method, Deadline deadline) {
    return m_impl->wait_notification(method, deadline);
}

Status HelperClient::health() const {
    return m_impl->pending.state();
}

const std::string& HelperClient::name() const {
    return m_impl->name;
}

bool is_infrastructure(const Error& error) {
    return error.code.starts_with("helper-") || error.code.starts_with("peer-") || error.code.starts_with("channel-");
}

} // namespace kf
