// SPDX-License-Identifier: GPL-3.0-or-later
// The turns of the shown run as a table with one level of children: the points of a tuner's sweep. Grows with the
// run, and tells only what changed; sort and filter through proxies (TurnRole::sort sorts figures as figures).
#pragma once

#include "ui/models/run_notes.h"
#include "ui/models/run_store.h"
#include "ui/models/selection.h"
#include "ui/models/texts.h"

#include <QAbstractItemModel>
#include <QPointer>

#include <memory>
#include <unordered_map>
#include <vector>

namespace kf::ui {

enum class TurnColumn { turn, verdict, time, against_champion, speed_against_eager, error, registers, evidence, count };

namespace TurnRole {
enum Value {
    kind = Qt::UserRole + 1, // int VerdictKind
    level,                   // int Level; −1: none
    turn_number,             // int
    evaluation_id,           // QString; of a turn: of the evaluation that speaks for it
    human,                   // bool: a person's turn
    star,                    // bool: promoted
    champion,                // bool: the present champion
    sort,                    // double or QString, by the column; unknown figures sort behind all others
    spills,                  // int bytes; −1: not known
    running,                 // bool: not judged yet, and somebody is at it
    parent_turn,             // int; −1: none, or missing
    was_champion,            // bool: was crowned at some time
    points,                  // int: points of a sweep that are done
    note,                    // QString: what a person wrote about the turn
    marked,                  // bool: a person starred the turn
};
}

class TurnModel : public QAbstractItemModel {
    Q_OBJECT
public:
    explicit TurnModel(RunStore& store, QObject* parent = nullptr);
    ~TurnModel() override;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    // Column 0 of what is chosen; of the turn, where its point is not (or no longer) a row; invalid: no such turn.
    QModelIndex index_of(const Chosen& chosen) const;
    Chosen chosen_at(const QModelIndex& index) const;
    // What people wrote about the turns; null: nothing.
    void set_notes(const RunNotes* notes);
    // The unit of the time column, fixed as far as it can be (texts.h).
    const TimeUnit& unit() const { return m_unit; }

private:
    struct Node;

    void rebuild();
    void update(const RunChanges& changes);
    void insert(const std::vector<int>& numbers);
    void refresh(Node& node, bool told);
    void update_unit();
    const TurnState* turn(const Node& node) const;
    QVariant turn_data(const Node& node, TurnColumn column, int role) const;
    QVariant point_data(const Node& node, int point, TurnColumn column, int role) const;
    QVariant shared_data(const Node& node, const EvaluationState* evaluation, TurnColumn column, int role) const;
    QString turn_tooltip(const Node& node) const;
    void note_changed(int turn);

    RunStore& m_store;
    QPointer<const RunNotes> m_notes;
    std::unordered_map<int, std::unique_ptr<Node>> m_nodes;
    std::vector<Node*> m_rows; // by turn number
    TimeUnit m_unit;
    int m_champion = -1;
};

} // namespace kf::ui
