// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a stream of bytes into lines. Memory stays bounded whatever comes in: of a line longer than the limit only the
// beginning is kept, as evidence.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kf {

// The longest line of protocol and journal, without its line feed.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

class LineBuffer {
public:
    struct Line {
        std::string text; // without the line feed; of an overlong line its first 256 bytes
        bool too_long = false;
        std::size_t size = 0; // bytes that the line really had
    };

    explicit LineBuffer(std::size_t limit = max_line_bytes) : m_limit(limit) {}

    void append(std::string_view bytes);
    // The next complete line, in order; nothing while no line feed has come.
    std::optional<Line> next();
    // Bytes of the line that is not complete yet (also those of an overlong line that were dropped).
    std::size_t pending_bytes() const { return m_dropped + (m_bytes.size() - m_begin); }
    // What is kept of the incomplete line.
    std::string_view pending() const { return std::string_view(m_bytes).substr(m_begin); }

private:
    std::size_t m_limit;
    std::string m_bytes;
    std::size_t m_begin = 0;   // first byte of the current line
    std::size_t m_scanned = 0; // no line feed before this position
    std::size_t m_dropped = 0; // bytes of an overlong line that are gone already
};

} // namespace kf
