// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of one HTTP reply and when they go out.
#pragma once

#include "tests/support/loopback/script.h"

#include <string>
#include <vector>

namespace kf::loopback {

struct Step {
    int wait_ms = 0; // before it
    std::string bytes;
};
enum class Ending { close, abort, hold }; // hold: silence until the client goes

struct HttpReply {
    std::vector<Step> steps;
    Ending ending = Ending::close;
};

HttpReply plain_reply(int status, const std::vector<std::pair<std::string, std::string>>& headers,
                      const std::string& body, const std::string& content_type = "application/json");
// What `rule` says to `request`.
HttpReply chat_reply(const Rule& rule, const Json& request);

} // namespace kf::loopback
