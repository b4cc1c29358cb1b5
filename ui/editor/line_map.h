// SPDX-License-Identifier: GPL-3.0-or-later
// Where a line of a text stands after the text was edited: lines before the first and behind the last difference keep
// their place, counted from their own end; what lies between is gone.
#pragma once

#include <QByteArray>
#include <QList>

namespace kf::ui {

class LineMap {
public:
    LineMap(const QByteArray& before, const QByteArray& after);
    // From 0; -1: the line was changed.
    int line(int before) const;

private:
    int m_head = 0, m_tail = 0; // equal lines at the front and at the end
    int m_before = 0, m_after = 0;
};

} // namespace kf::ui
