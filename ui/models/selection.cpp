// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/selection.h"

namespace kf::ui {

void Selection::select(Chosen chosen) {
    set_follow(false);
    if (chosen == m_current)
        return;
    m_current = std::move(chosen);
    Q_EMIT current_changed(m_current);
}

void Selection::follow(Chosen newest) {
    if (!m_follow || newest == m_current)
        return;
    m_current = std::move(newest);
    Q_EMIT current_changed(m_current);
}

void Selection::set_follow(bool follow) {
    if (follow == m_follow)
        return;
    m_follow = follow;
    Q_EMIT follow_changed(follow);
}

void Selection::pin(Chosen chosen) {
    if (chosen == m_pinned)
        return;
    m_pinned = std::move(chosen);
    Q_EMIT pinned_changed(m_pinned);
}

void Selection::clear() {
    pin({});
    if (m_current != Chosen{}) {
        m_current = {};
        Q_EMIT current_changed(m_current);
    }
    set_follow(true);
}

} // namespace kf::ui
