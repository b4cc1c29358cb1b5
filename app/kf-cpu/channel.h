// SPDX-License-Identifier: GPL-3.0-or-later
// The connection to the evaluator: one JSON object a line each way on file descriptor 3.
#pragma once

#include "core/base/json.h"

#include <optional>
#include <string>

namespace kf::cpu {

constexpr int channel_fd = 3;
constexpr int arena_fd = 4;

class Channel {
public:
    // The next line; nothing at the end of the stream, after an error, or when a line is longer than 16 MiB.
    std::optional<std::string> read_line();
    bool write(const Json& message);

private:
    std::string m_buffer;
    std::size_t m_scanned = 0;
};

// Writes text to the channel with nothing but write(2): for signal handlers.
void write_raw(const char* text, std::size_t bytes);

} // namespace kf::cpu
