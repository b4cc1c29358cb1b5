// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/selection_history.h"

namespace kf::ui {
namespace {

constexpr std::size_t places_kept = 100;

} // namespace

SelectionHistory::SelectionHistory(Selection& selection, QObject* parent) : QObject(parent), m_selection(selection) {
    connect(&selection, &Selection::current_changed, this, &SelectionHistory::visited);
}

void SelectionHistory::visited(const Chosen& chosen) {
    if (m_going || chosen.turn < 0)
        return;
    // What the run itself moved on to is no place of its own, except as the last one.
    if (m_selection.follows_newest() && !m_places.empty() && m_at + 1 == m_places.size()) {
        m_places.back() = chosen;
        return;
    }
    if (!m_places.empty())
        m_places.resize(m_at + 1);
    m_places.push_back(chosen);
    if (m_places.size() > places_kept)
        m_places.erase(m_places.begin());
    m_at = m_places.size() - 1;
    Q_EMIT changed();
}

bool SelectionHistory::can_go(int step) const {
    return step < 0 ? m_at > 0 : m_at + 1 < m_places.size();
}

void SelectionHistory::go(int step) {
    if (!can_go(step))
        return;
    m_at = step < 0 ? m_at - 1 : m_at + 1;
    m_going = true;
    m_selection.select(m_places[m_at]);
    m_going = false;
    Q_EMIT changed();
}

void SelectionHistory::clear() {
    m_places.clear();
    m_at = 0;
    Q_EMIT changed();
}

} // namespace kf::ui
