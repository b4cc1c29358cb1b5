// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/line_map.h"

#include <algorithm>

namespace kf::ui {

LineMap::LineMap(const QByteArray& before, const QByteArray& after) {
    const QList<QByteArray> old_lines = before.split('\n'), new_lines = after.split('\n');
    m_before = static_cast<int>(old_lines.size());
    m_after = static_cast<int>(new_lines.size());
    const int most = std::min(m_before, m_after);
    while (m_head < most && old_lines[m_head] == new_lines[m_head])
        ++m_head;
    while (m_tail < most - m_head && old_lines[m_before - 1 - m_tail] == new_lines[m_after - 1 - m_tail])
        ++m_tail;
}

int LineMap::line(int before) const {
    if (before < m_head)
        return before;
    if (before >= m_before - m_tail && before < m_before)
        return before + m_after - m_before;
    return -1;
}

} // namespace kf::ui
