// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/scenes/player/run_host.h"

#include "core/autopsy/evaluation.h"
#include "core/base/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace kf::scenes {
namespace {

Json effect(const char* text) {
    return Json{{"effect", text}};
}

} // namespace

Result<std::unique_ptr<RunHost>> RunHost::open(Fixture fixture) {
    auto host = std::unique_ptr<RunHost>(new RunHost);
    fixture.lock.reset();
    host->m_fixture = std::move(fixture);
    const RunState state = state_of(host->m_fixture.folder);
    host->m_sequence = state.last_sequence;
    host->m_time = state.last_event_at;
    host->m_paused = state.paused;
    auto folder = make_private_folder("kf-scene-");
    if (!folder)
        return folder.error();
    host->m_socket_folder = *folder;
    const std::string path = (*folder / "control").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return make_error("control-socket", "the temporary folder's path is too long: " + path);
    std::strcpy(address.sun_path, path.c_str());
    host->m_listener.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    host->m_wake.reset(eventfd(0, EFD_CLOEXEC));
    if (!host->m_listener || !host->m_wake ||
        bind(host->m_listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(host->m_listener.get(), 16) != 0)
        return make_error("control-socket", std::strerror(errno));
    auto lock = RunLock::take(host->m_fixture.folder, path);
    if (!lock)
        return lock.error();
    host->m_fixture.lock = std::make_unique<RunLock>(std::move(lock).value());
    host->m_thread = std::thread([raw = host.get()] { raw->accept_loop(); });
    return host;
}

RunHost::~RunHost() {
    if (m_thread.joinable()) {
        const std::uint64_t one = 1;
        (void)!write(m_wake.get(), &one, sizeof one);
        m_thread.join();
    }
    std::list<Connection> connections;
    {
        const std::lock_guard lock(m_mutex);
        connections.swap(m_connections);
        m_bench.reset();
    }
    for (Connection& connection : connections) {
        connection.server->stop();
        connection.thread.join();
    }
    std::error_code ignored;
    if (!m_socket_folder.empty())
        std::filesystem::remove_all(m_socket_folder, ignored);
}

void RunHost::accept_loop() {
    for (;;) {
        pollfd entries[2] = {{m_listener.get(), POLLIN, 0}, {m_wake.get(), POLLIN, 0}};
        if (poll(entries, 2, -1) < 0 && errno != EINTR)
            return;
        if (entries[1].revents)
            return;
        if (entries[0].revents)
            if (UniqueFd socket(accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC)); socket)
                serve(std::move(socket));
    }
}

void RunHost::serve(UniqueFd socket) {
    auto channel = FdChannel::over_socket(std::move(socket));
    if (!channel)
        return;
    RpcServerOptions options;
    options.heartbeat_interval_s = 0;
    options.silence_timeout_s = 0;
    options.workers = 1;
    options.drain_s = 1;
    auto server = std::make_unique<RpcServer>(std::move(*channel), options);
    const auto note = [this](const char* what) {
        const std::lock_guard lock(m_mutex);
        m_asked.emplace_back(what);
    };
    server->on_loop("status", [this](RpcCall&) {
        const std::lock_guard lock(m_mutex);
        return Result<Json>(Json{{"status", m_stopping ? "stopping" : "running"},
                                 {"paused", m_paused},
                                 {"pausing", m_paused},
                                 {"stopping", m_stopping},
                                 {"last_sequence", m_sequence},
                                 {"running", Json::object()},
                                 {"queue", {{"bench", m_bench != nullptr}}},
                                 {"evaluator", {{"state", "ready"}, {"restarts", 0}}}});
    });
    server->on_loop("pause", [this, note](RpcCall&) {
        note("pause");
        const std::lock_guard lock(m_mutex);
        m_paused = true;
        return Result<Json>(effect("after this turn"));
    });
    server->on_loop("continue", [this, note](RpcCall&) {
        note("continue");
        const std::lock_guard lock(m_mutex);
        m_paused = false;
        return Result<Json>(effect("now"));
    });
    server->on_loop("stop", [this, note](RpcCall&) {
        note("stop");
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        return Result<Json>(effect("after this turn"));
    });
    server->on_loop("hint", [note](RpcCall&) {
        note("hint");
        return Result<Json>(Json{{"turn", 11}});
    });
    server->on_loop("pin", [note](RpcCall& call) {
        note("pin");
        return Result<Json>(Json{{"turn", get_int(call.params(), "turn", -1)}});
    });
    server->on_deferred("bench", [this, note](std::shared_ptr<RpcCall> call) {
        note("bench");
        (void)call->progress(Json{{"event", "taken"}, {"behind", Json::object()}});
        const std::lock_guard lock(m_mutex);
        // A newer one takes the place of one that waits, as the engine has it.
        if (m_bench)
            m_bench->reply(Json{{"outcome", "cancelled"}, {"what", "replaced by a newer one"}, {"replaced", true}, {"turn", -1}});
        m_bench = std::move(call);
    });
    const std::lock_guard lock(m_mutex);
    Connection& connection = m_connections.emplace_back();
    connection.server = std::move(server);
    connection.thread = std::thread([raw = connection.server.get()] { raw->run(); });
}

std::vector<std::string> RunHost::asked() const {
    const std::lock_guard lock(m_mutex);
    return m_asked;
}

bool RunHost::has_bench() const {
    const std::lock_guard lock(m_mutex);
    return m_bench != nullptr;
}

std::string RunHost::bench_source() const {
    const std::lock_guard lock(m_mutex);
    return m_bench ? get_string(m_bench->params(), "source") : std::string();
}

void RunHost::answer_bench(const EvaluationOutcome& outcome, int turn) {
    const std::lock_guard lock(m_mutex);
    if (!m_bench)
        return;
    Json answer = to_json(outcome);
    answer["turn"] = turn;
    if (answer.contains("evaluation"))
        answer["evaluation"].erase("samples");
    m_bench->reply(std::move(answer));
    m_bench.reset();
}

void RunHost::fail_bench(const Error& error) {
    const std::lock_guard lock(m_mutex);
    if (m_bench)
        m_bench->reply(error);
    m_bench.reset();
}

void RunHost::append(EventType type, Json fields) {
    Event event;
    event.type = type;
    event.fields = std::move(fields);
    event.sequence = ++m_sequence;
    event.time = m_time += 0.1;
    std::ofstream(m_fixture.folder / "journal.jsonl", std::ios::binary | std::ios::app) << format_event(event) + "\n";
}

} // namespace kf::scenes
