// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/control_server.h"

#include "core/base/files.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace kf {
namespace {

constexpr std::size_t most_connections = 32;
constexpr std::size_t most_source_bytes = std::size_t{1} << 20;
constexpr std::size_t most_hint_bytes = 16384;

Error socket_error(const std::string& what) {
    return make_error("control-socket", what + ": " + std::strerror(errno));
}

std::string who(const Json& params) {
    return get_string(params, "who", "attach").substr(0, 64);
}

Json effect(const std::string& text) {
    return Json{{"effect", text}};
}

bool wants_now(const Json& params) {
    return get_string(params, "after", get_string(params, "when", "turn")) == "now";
}

Result<BenchRequest> bench_request(const Json& params) {
    const Json& source = get_member(params, "source");
    if (!source.is_string())
        return make_error("request-invalid", "`source` is missing or not text");
    BenchRequest request;
    request.who = who(params);
    request.source = source.get<std::string>();
    if (request.source.size() > most_source_bytes)
        return make_error("request-invalid", "the source has " + std::to_string(request.source.size()) +
                                                 " bytes, at most 1 MiB is accepted");
    request.file_name = get_string(params, "file_name", "draft.cu");
    request.parent = static_cast<int>(get_int(params, "parent", -1));
    const auto level = parse_level(get_string(params, "level", "screen"));
    if (!level || *level == Level::promote)
        return make_error("request-invalid", "unknown level `" + get_string(params, "level") + "`",
                          "screen, duel or certify");
    request.level = *level;
    const Json& tunables = get_member(params, "tunables");
    if (tunables.is_object())
        for (const auto& [name, value] : tunables.items()) {
            if (!value.is_number_integer())
                return make_error("request-invalid", "tunable `" + name + "` is not an integer");
            request.tunables[name] = value.get<std::int64_t>();
        }
    return request;
}

} // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::open(SteeringQueue& steering, RunJournal& journal) {
    auto folder = make_private_folder("kf-control-"); // a run's own path can be too long for a socket's address
    if (!folder)
        return folder.error();
    auto server = std::unique_ptr<ControlServer>(new ControlServer(steering, journal));
    server->m_folder = *folder;
    server->m_path = *folder / "control";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (server->m_path.string().size() >= sizeof address.sun_path)
        return make_error("control-socket",
                          "the temporary folder's path is too long for a socket: " + server->m_path.string(),
                          "set TMPDIR to a shorter path");
    std::strcpy(address.sun_path, server->m_path.c_str());
    server->m_listener.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    server->m_wake.reset(eventfd(0, EFD_CLOEXEC));
    if (!server->m_listener || !server->m_wake ||
        bind(server->m_listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        chmod(server->m_path.c_str(), 0600) != 0 || listen(server->m_listener.get(), 16) != 0)
        return socket_error("the control socket cannot be opened");
    if (auto told = journal.set_control_socket(server->m_path.string()); !told)
        return told.error();
    server->m_thread = std::thread([raw = server.get()] { raw->accept_loop(); });
    return server;
}

ControlServer::~ControlServer() {
    if (m_thread.joinable()) {
        const std::uint64_t one = 1;
        (void)!write(m_wake.get(), &one, sizeof one);
        m_thread.join();
    }
    reap(true);
    std::error_code ignored;
    if (!m_folder.empty())
        std::filesystem::remove_all(m_folder, ignored);
}

void ControlServer::reap(bool all) {
    const std::lock_guard lock(m_mutex);
    for (auto it = m_connections.begin(); it != m_connections.end();) {
        if (!all && !it->ended.load()) {
            ++it;
            continue;
        }
        it->server->stop();
        it->thread.join();
        it = m_connections.erase(it);
    }
}

void ControlServer::accept_loop() {
    for (;;) {
        pollfd entries[2] = {{m_listener.get(), POLLIN, 0}, {m_wake.get(), POLLIN, 0}};
        if (poll(entries, 2, 1000) < 0 && errno != EINTR)
            return;
        if (entries[1].revents)
            return;
        reap(false);
        if (!entries[0].revents)
            continue;
        UniqueFd socket(accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket)
            continue;
        {
            const std::lock_guard lock(m_mutex);
            if (m_connections.size() >= most_connections)
                continue; // closed at once: the client is told that the run hung up
        }
        serve(std::move(socket));
    }
}

void ControlServer::serve(UniqueFd socket) {
    auto channel = FdChannel::over_socket(std::move(socket));
    if (!channel)
        return;
    RpcServerOptions options;
    options.heartbeat_interval_s = 0;
    options.silence_timeout_s = 0; // somebody who only watches says nothing
    options.workers = 1;
    options.drain_s = 1;
    const std::lock_guard lock(m_mutex);
    Connection& connection = m_connections.emplace_back();
    connection.server = std::make_unique<RpcServer>(std::move(*channel), options);
    register_methods(*connection.server);
    connection.thread = std::thread([&connection] {
        connection.server->run();
        connection.ended.store(true);
    });
}

void ControlServer::register_methods(RpcServer& server) {
    server.on_worker("status", [this](RpcCall&) {
        const RunState state = m_journal.snapshot();
        Json status = to_json(state, state.status());
        status["protocol"] = supported_protocol.max;
        return Result<Json>(std::move(status));
    });
    server.on_loop("pause", [this](RpcCall& call) {
        m_steering.pause(who(call.params()));
        return Result<Json>(effect("after this turn"));
    });
    server.on_loop("continue", [this](RpcCall& call) {
        m_steering.unpause(who(call.params()));
        return Result<Json>(effect("now"));
    });
    server.on_loop("stop", [this](RpcCall& call) {
        if (wants_now(call.params())) {
            m_steering.stop_now(who(call.params()));
            return Result<Json>(effect("now"));
        }
        m_steering.stop_after_turn(who(call.params()));
        return Result<Json>(effect("after this turn"));
    });
    server.on_loop("hint", [this](RpcCall& call) -> Result<Json> {
        const std::string text = get_string(call.params(), "text");
        if (text.empty() || text.size() > most_hint_bytes)
            return make_error("request-invalid", "`text` is missing, empty or longer than 16 KiB");
        m_steering.hint(who(call.params()), text);
        return Json{{"turn", m_journal.snapshot().next_turn()}};
    });
    server.on_loop("pin", [this](RpcCall& call) {
        const int turn = static_cast<int>(get_int(call.params(), "turn", -1));
        m_steering.pin(who(call.params()), turn);
        return Result<Json>(Json{{"turn", turn}});
    });
    server.on_deferred("bench", [this](std::shared_ptr<RpcCall> call) {
        auto request = bench_request(call->params());
        if (!request) {
            call->reply(request.error());
            return;
        }
        request->done = [call](const Json& outcome, int turn) {
            Json answer = outcome;
            answer["turn"] = turn;
            if (answer.contains("evaluation") && answer["evaluation"].is_object())
                answer["evaluation"].erase("samples"); // in the journal; too large for a line
            call->reply(std::move(answer));
        };
        m_steering.bench(std::move(*request));
    });
}

} // namespace kf
