// SPDX-License-Identifier: GPL-3.0-or-later
// The one selection that every dock follows: a turn (and a point of its sweep), and the pinned baseline A.
#pragma once

#include <QObject>
#include <QString>

namespace kf::ui {

struct Chosen {
    int turn = -1;          // -1: none
    std::string evaluation; // of a sweep's point; "": the evaluation that speaks for the turn
    bool operator==(const Chosen&) const = default;
};

class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    const Chosen& current() const { return m_current; }
    const Chosen& pinned() const { return m_pinned; } // baseline A of comparisons; turn -1: none
    // Whether the newest turn is selected as it comes; a choice by hand ends it, choosing the newest turn begins it.
    bool follows_newest() const { return m_follow; }

    void select(Chosen chosen); // by hand
    void follow(Chosen newest); // by the run; heeded only while following
    void set_follow(bool follow);
    void pin(Chosen chosen); // turn -1: nothing is pinned
    void clear();

Q_SIGNALS:
    void current_changed(const kf::ui::Chosen& current);
    void pinned_changed(const kf::ui::Chosen& pinned);
    void follow_changed(bool follow);

private:
    Chosen m_current, m_pinned;
    bool m_follow = true;
};

} // namespace kf::ui
