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
constexpr std::ptrdiff_t most_turns = 1000; // of a status
constexpr int idle_ms = 1000, subscribed_ms = 100;

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

// What people see of an evaluation that runs; whole reports stand in its outcome.
Json brief(const Json& event) {
    Json json = Json::object();
    for (const char* field : {"event", "stage", "index", "total", "round", "of", "log_ratio", "size", "seconds"})
        if (const Json& value = get_member(event, field); !value.is_null())
            json[field] = value;
    const Json& report = get_member(event, "report");
    for (const char* field : {"stage", "outcome", "seconds", "passed"})
        if (const Json& value = get_member(report, field); !value.is_null())
            json[field] = value;
    return json;
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
    const std::string cases = get_string(params, "cases", *level == Level::screen ? "first" : "all");
    if (cases != "all" && cases != "first")
        return make_error("request-invalid", "unknown cases `" + cases.substr(0, 32) + "`", "all or first");
    request.quick = cases == "first";
    if (request.quick && *level != Level::screen)
        return make_error("request-invalid", "only a screen may be told after its first cases",
                          "leave out `cases`, or ask for the level screen");
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

Result<std::unique_ptr<ControlServer>> ControlServer::open(Run& run) {
    auto folder = make_private_folder("kf-control-"); // a run's own path can be too long for a socket's address
    if (!folder)
        return folder.error();
    auto server = std::unique_ptr<ControlServer>(new ControlServer(run));
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
    if (auto told = run.journal().set_control_socket(server->m_path.string()); !told)
        return told.error();
    server->m_thread = std::thread([raw = server.get()] { raw->accept_loop(); });
    return server;
}

ControlServer::~ControlServer() {
    if (m_thread.joinable()) {
        const std::uint64_t one = 1;
        m_ending = true;
        (void)!write(m_wake.get(), &one, sizeof one);
        m_thread.join();
    }
    (void)tell_subscribers(); // the last words of the last reply
    {
        const std::lock_guard lock(m_mutex);
        for (const Subscriber& subscriber : m_subscribers)
            subscriber.call->reply(Json{{"ended", true}});
        m_subscribers.clear();
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
        if (poll(entries, 2, tell_subscribers() ? subscribed_ms : idle_ms) < 0 && errno != EINTR)
            return;
        if (m_ending)
            return;
        if (entries[1].revents) { // a subscriber came
            std::uint64_t ignored = 0;
            (void)!read(m_wake.get(), &ignored, sizeof ignored);
        }
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
    options.write_timeout_s = 2; // the run waits for nobody who does not read
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

Json ControlServer::status(bool with_turns) const {
    Json status;
    if (with_turns) {
        const RunState state = m_journal.snapshot();
        status = to_json(state, state.status());
        // One line has to hold it; the journal has them all.
        if (Json& turns = status["turns"]; static_cast<std::ptrdiff_t>(turns.size()) > most_turns) {
            status["turns_left_out"] = static_cast<std::ptrdiff_t>(turns.size()) - most_turns;
            turns.erase(turns.begin(), turns.end() - most_turns);
        }
    } else {
        status = m_journal.look_at([](const RunState& state) {
            Json brief{{"run", state.start.run},
                       {"task", state.start.task},
                       {"status", to_string(state.status())},
                       {"paused", state.paused},
                       {"last_sequence", state.last_sequence},
                       {"last_turn", state.next_turn() - 1}};
            if (const ChampionState* champion = state.champion())
                brief["champion"] = {{"turn", champion->turn}, {"seconds_per_call", champion->seconds_per_call}};
            return brief;
        });
    }
    status["protocol"] = supported_protocol.max;
    status["running"] = m_run.activity().to_json();
    status["queue"] = Json{{"bench", m_steering.waiting_bench()}, {"hints", m_steering.waiting_hints()}};
    if (m_run.asks_model()) {
        status["model"] = m_run.model_status();
        Json* running = &status["running"];
        while (get_string(*running, "what") != "model" && running->contains("behind"))
            running = &(*running)["behind"];
        if (get_string(*running, "what") == "model")
            (*running)["model"] = m_run.live_reply().to_json();
    }
    status["pausing"] = m_steering.paused();
    status["stopping"] = m_steering.stopping();
    status["evaluator"] = m_run.evaluator().status();
    status["device"] = m_run.evaluator().device_status();
    return status;
}

void ControlServer::register_methods(RpcServer& server) {
    server.on_worker("status",
                     [this](RpcCall& call) { return Result<Json>(status(get_bool(call.params(), "turns", true))); });
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
    server.on_worker("fork", [this](RpcCall& call) -> Result<Json> {
        const Json& turn = get_member(call.params(), "turn");
        const std::string hint = get_string(call.params(), "hint");
        if (!turn.is_number_integer() || hint.size() > most_hint_bytes)
            return make_error("request-invalid", "`turn` is no whole number, or `hint` is longer than 16 KiB");
        return m_run.fork(who(call.params()), static_cast<int>(get_int(call.params(), "turn", -1)), hint);
    });
    server.on_worker("model", [this](RpcCall& call) {
        Json change = call.params();
        change.erase("who");
        return m_run.change_model(who(call.params()), change);
    });
    server.on_worker("budget",
                     [this](RpcCall& call) { return m_run.change_budget(who(call.params()), call.params()); });
    server.on_deferred("subscribe", [this](std::shared_ptr<RpcCall> call) {
        if (const Json& what = get_member(call->params(), "what");
            !what.is_null() && !(what.is_array() && what.size() == 1 && what[0] == "model")) {
            call->reply(make_error("request-invalid", "`what` is " + dump_line(what).substr(0, 60), "[\"model\"]"));
            return;
        }
        {
            const std::lock_guard lock(m_mutex);
            m_subscribers.push_back(Subscriber{std::move(call), {}});
        }
        const std::uint64_t one = 1;
        (void)!write(m_wake.get(), &one, sizeof one);
    });
    for (const char* method : {"bench", "edit"})
        server.on_deferred(method, [this](std::shared_ptr<RpcCall> call) { take_bench(std::move(call)); });
}

bool ControlServer::tell_subscribers() {
    const std::lock_guard lock(m_mutex);
    for (auto it = m_subscribers.begin(); it != m_subscribers.end();) {
        bool there = !it->call->cancelled();
        if (there)
            for (Json& event : m_run.live_reply().since(it->seen))
                there = there && it->call->progress(std::move(event));
        if (there) {
            ++it;
        } else {
            it->call->reply(Json{{"ended", false}});
            it = m_subscribers.erase(it);
        }
    }
    return !m_subscribers.empty();
}

void ControlServer::take_bench(std::shared_ptr<RpcCall> call) {
    auto request = bench_request(call->params());
    if (request && call->method() == "edit") {
        if (!m_run.asks_model())
            request = make_error("not-a-model-run", "this run asks no model", "use `bench`");
        else
            request->grow = true;
    }
    if (!request) {
        call->reply(request.error());
        return;
    }
    if (request->grow) {
        request->quick = false;
        request->hint = get_string(call->params(), "hint").substr(0, most_hint_bytes);
    }
    request->progress = [call](const Json& event) { (void)call->progress(brief(event)); };
    request->done = [call](const Json& outcome, int turn) {
        Json answer = outcome;
        answer["turn"] = turn;
        if (answer.contains("evaluation") && answer["evaluation"].is_object())
            answer["evaluation"].erase("samples"); // in the journal; too large for a line
        call->reply(std::move(answer));
    };
    (void)call->progress(Json{{"event", "taken"}, {"behind", m_run.activity().to_json()}});
    m_steering.bench(std::move(*request));
}

} // namespace kf
