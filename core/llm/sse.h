// SPDX-License-Identifier: GPL-3.0-or-later
// Server-sent events (WHATWG HTML, "event stream interpretation"): bytes in any portions to events.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf {

struct SseEvent {
    std::string name; // of the `event` field; empty: "message"
    std::string data; // the `data` lines, joined by LF; always valid UTF-8
    bool operator==(const SseEvent&) const = default;
};

struct SseLimits {
    std::size_t line = std::size_t{4} << 20;  // bytes of one line
    std::size_t event = std::size_t{8} << 20; // bytes of one event's data
};

// Lines may end with LF, CRLF or CR; a byte-order mark at the start, comments and unknown fields are passed over; an
// event without data is none. `id` and `retry` have no use here: a reply is never reconnected to.
class SseParser {
public:
    explicit SseParser(SseLimits limits = {}) : m_limits(limits) {}

    // Appends what `bytes` completed. Errors: "sse-too-large"; the parser then accepts nothing more.
    Status feed(std::string_view bytes, std::vector<SseEvent>& events);
    // After the last byte: an event that the end cut short (the standard drops it; a server that forgets the last empty
    // line has ended in order nevertheless). True when there was one.
    bool finish(std::vector<SseEvent>& events);

private:
    Status take_line(std::string_view line, std::vector<SseEvent>& events);
    Status too_large();

    SseLimits m_limits;
    std::string m_line; // begun, not ended
    SseEvent m_event;
    bool m_has_data = false;
    bool m_at_start = true;  // a byte-order mark may still come
    bool m_after_cr = false; // an LF that comes next belongs to it
    bool m_broken = false;
};

// Every byte that is not part of well-formed UTF-8 becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

} // namespace kf
