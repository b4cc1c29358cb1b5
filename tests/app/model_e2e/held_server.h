// SPDX-License-Identifier: GPL-3.0-or-later
// The loopback model in the test's own process, which answers when the test lets it: what happens while a model writes
// happens without a clock.
#pragma once

#include "tests/support/loopback/server.h"

#include <condition_variable>
#include <mutex>

namespace kf {

class HeldServer {
public:
    explicit HeldServer(const Json& script)
        : m_server(loopback::Script::parse(script, KF_SOURCE_DIR "/tests/data/llm").value()) {
        m_server.on_request([this](const loopback::SeenRequest& request) {
            if (request.method != "POST")
                return;
            std::unique_lock lock(m_mutex);
            m_seen.push_back(request);
            m_changed.notify_all();
            m_changed.wait(lock, [this] { return m_let_go >= m_seen.size() || m_open; });
        });
    }
    ~HeldServer() { open(); }

    std::string url() const { return m_server.url(); }
    // Waits until request number `n`, from 1, came in; it is not answered yet.
    bool came(std::size_t n, double seconds = 60) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return m_seen.size() >= n; });
    }
    // Answers up to request number `n`.
    void let_go(std::size_t n) {
        const std::lock_guard lock(m_mutex);
        m_let_go = n;
        m_changed.notify_all();
    }
    // From now on everything at once.
    void open() {
        const std::lock_guard lock(m_mutex);
        m_open = true;
        m_changed.notify_all();
    }
    loopback::SeenRequest request(std::size_t n) {
        const std::lock_guard lock(m_mutex);
        return m_seen.at(n - 1);
    }
    std::size_t posts() {
        const std::lock_guard lock(m_mutex);
        return m_seen.size();
    }
    // All that request `n` says to the model.
    std::string prompt(std::size_t n) {
        const loopback::SeenRequest seen = request(n);
        std::string text;
        for (const Json& message : seen.body.at("messages"))
            text += get_string(message, "content") + "\n";
        return text;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<loopback::SeenRequest> m_seen;
    std::size_t m_let_go = 0;
    bool m_open = false;
    loopback::LoopbackServer m_server; // last: its thread uses all of the above
};

} // namespace kf
