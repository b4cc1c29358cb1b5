// SPDX-License-Identifier: GPL-3.0-or-later
// A run's control socket: a Unix stream socket that only its owner can open (docs/protocol.md, "Control socket of a
// run").
#pragma once

#include "core/base/unique_fd.h"
#include "core/engine/run_journal.h"
#include "core/engine/steering.h"
#include "core/protocol/server.h"

#include <atomic>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace kf {

class ControlServer {
public:
    // Opens the socket in a private folder of its own and writes its path into the run's lock. Errors:
    // "control-socket".
    static Result<std::unique_ptr<ControlServer>> open(SteeringQueue& steering, RunJournal& journal);
    ~ControlServer(); // closes every connection and removes the socket

    const std::filesystem::path& path() const { return m_path; }

private:
    struct Connection {
        std::unique_ptr<RpcServer> server;
        std::thread thread;
        std::atomic<bool> ended{false};
    };

    ControlServer(SteeringQueue& steering, RunJournal& journal) : m_steering(steering), m_journal(journal) {}
    void accept_loop();
    void serve(UniqueFd socket);
    void register_methods(RpcServer& server);
    void reap(bool all);

    SteeringQueue& m_steering;
    RunJournal& m_journal;
    std::filesystem::path m_folder, m_path;
    UniqueFd m_listener, m_wake;
    std::thread m_thread;
    std::mutex m_mutex;
    std::list<Connection> m_connections;
};

// The other end, for `attach` and the window.
class ControlClient {
public:
    // Errors: "control-gone" when nobody listens there (any more).
    static Result<std::unique_ptr<ControlClient>> connect(const std::filesystem::path& path);
    ~ControlClient();
    // Errors: the run's own, "control-gone", "deadline-exceeded".
    Result<Json> request(const std::string& method, Json params, double deadline_s = 10);

private:
    ControlClient();
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace kf
