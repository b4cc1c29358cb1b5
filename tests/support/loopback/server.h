// SPDX-License-Identifier: GPL-3.0-or-later
// The loopback model: HTTP on 127.0.0.1 at a port of its own, in a thread of its own. Everything it saw can be asked.
#pragma once

#include "tests/support/loopback/script.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kf::loopback {

struct SeenRequest {
    std::string method, path, rule;
    Json headers; // lower-case name to value
    Json body;    // null when it was none
};

// All functions may be called from any thread.
class LoopbackServer {
public:
    explicit LoopbackServer(Script script, int port = 0);
    ~LoopbackServer();

    bool listening() const;
    int port() const;
    std::string url() const; // http://127.0.0.1:PORT/v1
    void set_script(Script script);
    // Called in the server's thread before the request is answered.
    void on_request(std::function<void(const SeenRequest&)> call);

    std::vector<SeenRequest> requests() const;
    int posts() const;       // complete POST requests to /v1/chat/completions
    int connections() const; // accepted ones, also those on which nothing came
    int given_up() const;    // replies which the client did not wait for
    Json counters() const;   // {"posts","gets","connections","given_up","rules":{name: n}}

    struct Shared;

private:
    class Worker;
    std::shared_ptr<Shared> m_shared;
    std::unique_ptr<Worker> m_worker;
};

} // namespace kf::loopback
