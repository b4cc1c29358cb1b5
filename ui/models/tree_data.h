// SPDX-License-Identifier: GPL-3.0-or-later
// The lineage of a run's turns, laid out: which turn grew from which, generation by generation, the way to the champion
// in the first row of its branch. Pure. A parent that is not there has a node that says so; losing children can be
// folded into one.
#pragma once

#include "ui/models/texts.h"

#include <QString>
#include <QStringList>

#include <set>
#include <vector>

namespace kf::ui {

struct TreeNode {
    int turn = -1;   // of a fold: its first turn
    int parent = -1; // index of its node; −1: a root
    int generation = 0, row = 0;
    bool missing = false; // a parent that the journal does not hold
    bool best = false;    // on the way to the champion
    bool champion = false, promoted = false, human = false, running = false;
    VerdictKind kind = VerdictKind::none;
    int folded = 0; // turns that this node stands for; 0: it is one itself
    QString label;  // "8", "start", "77 missing", "+7"
    QString detail; // its time, or "5 wrong, 2 slower"
};

struct TreeData {
    std::vector<TreeNode> nodes; // in the order of their rows
    int rows = 0, generations = 0;
    int turns = 0, branches = 0; // branches: turns with more than one child
    int missing = 0;
    QString unit;
    int node_of(int turn) const; // −1: none; a fold stands for its turns
    QStringList lines() const;   // as text, indented
    std::vector<int> hidden;     // turns within folds, with …
    std::vector<int> hidden_in;  // … the node of each
};

struct TreeOptions {
    bool fold = true;
    std::set<int> unfolded; // turns whose children are all shown
    int selected = -1;      // never hidden
};

TreeData tree_data(const RunState& state, const TreeOptions& options);

} // namespace kf::ui
