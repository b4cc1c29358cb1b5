// SPDX-License-Identifier: GPL-3.0-or-later
// A fixture with a living writer that can be steered: this process holds the run's lock and answers at its control
// socket (docs/protocol.md, "Control socket of a run") as an engine would that is busy with a turn.
#pragma once

#include "core/protocol/server.h"
#include "tests/scenes/fixtures/fixtures.h"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

namespace kf::scenes {

class RunHost {
public:
    // The fixture's own lock is let go of and taken again with the socket in it.
    static Result<std::unique_ptr<RunHost>> open(Fixture fixture);
    ~RunHost();

    const std::filesystem::path& folder() const { return m_fixture.folder; }
    // What was asked for, in order: "pause", "bench", …
    std::vector<std::string> asked() const;
    // The bench that waits; empty when none does.
    bool has_bench() const;
    std::string bench_source() const;
    void answer_bench(const EvaluationOutcome& outcome, int turn);
    void fail_bench(const Error& error);
    // Writes an event behind the others, with the next number.
    void append(EventType type, Json fields);

private:
    RunHost() = default;
    void accept_loop();
    void serve(UniqueFd socket);

    struct Connection {
        std::unique_ptr<RpcServer> server;
        std::thread thread;
    };
    Fixture m_fixture;
    std::filesystem::path m_socket_folder;
    UniqueFd m_listener, m_wake;
    std::thread m_thread;
    mutable std::mutex m_mutex;
    std::list<Connection> m_connections;
    std::vector<std::string> m_asked;
    std::shared_ptr<RpcCall> m_bench;
    bool m_paused = false, m_stopping = false;
    std::int64_t m_sequence = 0;
    double m_time = 0;
};

} // namespace kf::scenes
