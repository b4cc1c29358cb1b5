// SPDX-License-Identifier: GPL-3.0-or-later
// One HTTP request on a connection of its own, from connecting to the last byte, a deadline or a stop.
#pragma once

#include "core/llm/chat.h"
#include "core/llm/model_error.h"

#include <QByteArray>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace kf::net {

struct HttpRequest {
    std::string url;
    bool post = false;
    QByteArray body;
    std::string bearer; // empty: no Authorization header
    std::map<std::string, std::string> headers;
    bool bypass_proxy = false;
    double connect_s = 30, first_s = 600, stall_s = 120, total_s = 3600;
};

enum class Ended {
    complete,  // the peer ended the body (or the connection)
    enough,    // on_bytes said so
    cancelled, //
    connect_late,
    first_late,
    stalled,
    failed, // `failure` and `message` say why
};

struct HttpResult {
    Ended ended = Ended::complete;
    HttpAnswer answer; // status, and for anything but 2xx the body (at most 1 MiB) and headers
    bool sent = false; // the whole request had gone out, or a byte of an answer came
    ModelFailure failure = ModelFailure::unreachable;
    std::string message; // of `failed`
};

// What on_bytes makes of a 2xx body's bytes.
struct Progress {
    bool visible = false; // a piece came: the stall deadline counts from here
    bool enough = false;  // the rest is not needed
};

// Blocks. `on_bytes` is called in this thread; what it throws is thrown on.
HttpResult perform_http(const HttpRequest& request, const std::stop_token& stop,
                        const std::function<Progress(std::string_view bytes)>& on_bytes);

} // namespace kf::net
