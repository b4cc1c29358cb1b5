// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/line_buffer.h"

#include <algorithm>

namespace kf {
namespace {
constexpr std::size_t evidence_bytes = 256;
}

void LineBuffer::append(std::string_view bytes) {
    if (m_begin > 0 && (m_begin == m_bytes.size() || m_begin > (std::size_t{64} << 10))) {
        m_bytes.erase(0, m_begin);
        m_scanned -= m_begin;
        m_begin = 0;
    }
    m_bytes.append(bytes);
}

std::optional<LineBuffer::Line> LineBuffer::next() {
    const std::size_t end = m_bytes.find('\n', m_scanned);
    if (end == std::string::npos) {
        const std::size_t held = m_bytes.size() - m_begin;
        if (m_dropped + held > m_limit) {
            // Keep the evidence in front; everything after it until the line feed is only counted.
            const std::size_t keep = std::min({evidence_bytes, held, m_limit});
            m_dropped += held - keep;
            m_bytes.resize(m_begin + keep);
        }
        m_scanned = m_bytes.size();
        return std::nullopt;
    }
    Line line;
    line.size = m_dropped + (end - m_begin);
    line.too_long = line.size > m_limit;
    line.text = m_bytes.substr(m_begin, line.too_long ? std::min({end - m_begin, evidence_bytes}) : end - m_begin);
    m_begin = m_scanned = end + 1;
    m_dropped = 0;
    return line;
}

} // namespace kf
