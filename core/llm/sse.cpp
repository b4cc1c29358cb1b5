// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/sse.h"

#include <algorithm>
#include <utility>

namespace kf {
namespace {

// Length of the well-formed UTF-8 sequence at the beginning of `text` (Unicode 15, table 3-7), or 0.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
        return byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef)
        return continues(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && continues(2) ? 3 : 0;
    if (first >= 0xf0 && first <= 0xf4)
        return continues(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && continues(2) && continues(3)
                   ? 4
                   : 0;
    return 0;
}

} // namespace

std::string replace_invalid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t plain = static_cast<std::size_t>(
            std::find_if(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) < 0; }) -
            text.begin());
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const std::size_t length = sequence_length(text);
        out.append(length ? text.substr(0, length) : std::string_view("\xef\xbf\xbd"));
        text.remove_prefix(length ? length : 1);
    }
    return out;
}

Status SseParser::too_large() {
    m_broken = true;
    m_line.clear();
    return make_error("sse-too-large", "the stream holds a line or an event that is larger than any reply");
}

Status SseParser::feed(std::string_view bytes, std::vector<SseEvent>& events) {
    if (m_broken)
        return too_large();
    while (!bytes.empty()) {
        if (std::exchange(m_after_cr, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const std::size_t end = bytes.find_first_of("\r\n");
        const std::size_t n = std::min(end, bytes.size());
        if (m_line.size() + n > m_limits.line)
            return too_large();
        if (end == std::string_view::npos) {
            m_line.append(bytes);
            return {};
        }
        m_after_cr = bytes[end] == '\r';
        if (m_line.empty()) {
            if (const Status status = take_line(bytes.substr(0, end), events); !status)
                return status;
        } else {
            m_line.append(bytes.substr(0, end));
            const std::string line = std::exchange(m_line, {});
            if (const Status status = take_line(line, events); !status)
                return status;
        }
        bytes.remove_prefix(end + 1);
    }
    return {};
}

Status SseParser::take_line(std::string_view line, std::vector<SseEvent>& events) {
    if (std::exchange(m_at_start, false) && line.substr(0, 3) == "\xef\xbb\xbf")
        line.remove_prefix(3);
    if (line.empty()) {
        if (m_has_data) {
            m_event.data = replace_invalid_utf8(m_event.data);
            events.push_back(std::exchange(m_event, {}));
        }
        m_event = {};
        m_has_data = false;
        return {};
    }
    const std::size_t colon = line.find(':'); // 0: a comment
    const std::string_view field = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (!value.empty() && value.front() == ' ')
        value.remove_prefix(1);
    if (field == "data") {
        if (m_event.data.size() + value.size() >= m_limits.event)
            return too_large();
        if (m_has_data)
            m_event.data += '\n';
        m_event.data += value;
        m_has_data = true;
    } else if (field == "event") {
        m_event.name = replace_invalid_utf8(value);
    }
    return {};
}

bool SseParser::finish(std::vector<SseEvent>& events) {
    if (m_broken)
        return false;
    const std::size_t before = events.size();
    const bool cut = !m_line.empty() || m_has_data;
    if (!m_line.empty()) {
        const std::string line = std::exchange(m_line, {});
        if (!take_line(line, events))
            return false;
    }
    if (m_has_data)
        (void)take_line({}, events);
    return cut && events.size() > before;
}

} // namespace kf
