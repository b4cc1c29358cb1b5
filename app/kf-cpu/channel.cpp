// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/channel.h"

#include <cerrno>
#include <unistd.h>

namespace kf::cpu {

namespace {
constexpr std::size_t line_limit = std::size_t{16} << 20;
}

std::optional<std::string> Channel::read_line() {
    for (;;) {
        const std::size_t end = m_buffer.find('\n', m_scanned);
        if (end != std::string::npos) {
            std::string line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            m_scanned = 0;
            return line;
        }
        m_scanned = m_buffer.size();
        if (m_buffer.size() > line_limit)
            return std::nullopt;
        char chunk[16384];
        const ssize_t got = read(channel_fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return std::nullopt;
        m_buffer.append(chunk, static_cast<std::size_t>(got));
    }
}

bool Channel::write(const Json& message) {
    std::string line = dump_line(message);
    line += '\n';
    const char* text = line.data();
    std::size_t left = line.size();
    while (left > 0) {
        const ssize_t written = ::write(channel_fd, text, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        left -= static_cast<std::size_t>(written);
    }
    return true;
}

void write_raw(const char* text, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = ::write(channel_fd, text, bytes);
        if (written <= 0)
            return;
        text += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

} // namespace kf::cpu
