// SPDX-License-Identifier: GPL-3.0-or-later
// A run's control socket: a Unix stream socket that only its owner can open (docs/protocol.md, "Control socket of a
// run").
#pragma once

#include "core/base/unique_fd.h"
#include "core/engine/run.h"
#include "core/protocol/server.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace kf {

class ControlServer {
public:
    // Opens the socket in a private folder of its own and writes its path into the run's lock. Errors:
    // "control-socket".
    static Result<std::unique_ptr<ControlServer>> open(Run& run);
    ~ControlServer(); // closes every connection and removes the socket

    const std::filesystem::path& path() const { return m_path; }

private:
    struct Connection {
        std::unique_ptr<RpcServer> server;
        std::thread thread;
        std::atomic<bool> ended{false};
    };

    struct Subscriber { // of what the model writes
        std::shared_ptr<RpcCall> call;
        LiveReply::Cursor seen;
    };

    explicit ControlServer(Run& run) : m_run(run), m_steering(run.steering()), m_journal(run.journal()) {}
    Json status(bool with_turns) const;
    // Tells the subscribers what came; false when there are none.
    bool tell_subscribers();
    void accept_loop();
    void serve(UniqueFd socket);
    void register_methods(RpcServer& server);
    void take_bench(std::shared_ptr<RpcCall> call);
    void reap(bool all);

    Run& m_run;
    SteeringQueue& m_steering;
    RunJournal& m_journal;
    std::filesystem::path m_folder, m_path;
    UniqueFd m_listener, m_wake;
    std::thread m_thread;
    std::atomic<bool> m_ending{false};
    std::mutex m_mutex;
    std::list<Connection> m_connections;
    std::list<Subscriber> m_subscribers; // with m_mutex
};

// The other end, for `attach` and the window.
class ControlClient {
public:
    // Errors: "control-gone" when nobody listens there (any more).
    static Result<std::unique_ptr<ControlClient>> connect(const std::filesystem::path& path);
    ~ControlClient();
    // Any number of threads may ask at the same time. `progress` is called in the asking thread; `stop` gives up.
    // Errors: the run's own, "control-gone", "deadline-exceeded", "cancelled".
    Result<Json> request(const std::string& method, Json params, double deadline_s = 10,
                         const std::function<void(const Json&)>& progress = {}, const std::stop_token& stop = {});
    // Whether the run is still at the other end, as far as anybody can know.
    bool connected() const;

private:
    ControlClient();
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace kf
