// SPDX-License-Identifier: GPL-3.0-or-later
// Where the person has been: Alt+← and Alt+→ through what was selected by hand.
#pragma once

#include "ui/models/selection.h"

#include <vector>

namespace kf::ui {

class SelectionHistory : public QObject {
    Q_OBJECT
public:
    explicit SelectionHistory(Selection& selection, QObject* parent = nullptr);
    bool can_go(int step) const;
    void go(int step);
    void clear();

Q_SIGNALS:
    void changed();

private:
    void visited(const Chosen& chosen);
    Selection& m_selection;
    std::vector<Chosen> m_places;
    std::size_t m_at = 0; // index of the present one
    bool m_going = false;
};

} // namespace kf::ui
