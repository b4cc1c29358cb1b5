// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's table: the turns with the points of their sweeps folded below them, sorted by any column, with fewer
// columns where there is less room.
#pragma once

#include "ui/models/turn_model.h"

#include <QSortFilterProxyModel>
#include <QTreeView>

#include <set>

class QPushButton;

namespace kf::ui {

// Sorts by TurnRole::sort; what is unknown stays last in either direction. Adds to a sweep's verdict what is folded
// below it, and makes the champion's ancestry bold.
class TurnOrder : public QSortFilterProxyModel {
    Q_OBJECT
public:
    TurnOrder(TurnModel& turns, RunStore& store, QObject* parent);
    QVariant data(const QModelIndex& index, int role) const override;
    Chosen chosen_at(const QModelIndex& index) const;
    QModelIndex index_of(const Chosen& chosen) const;

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QString folded(const QModelIndex& source) const;

    TurnModel& m_turns;
    RunStore& m_store;
    std::set<int> m_ancestry;
};

class TurnTable : public QTreeView {
    Q_OBJECT
public:
    TurnTable(TurnModel& turns, RunStore& store, QWidget* parent = nullptr);

    TurnOrder& order() const { return *m_order; }
    // Shows the row and selects it; does not tell of it.
    void show_chosen(const Chosen& chosen);
    // Follows the newest row: scrolls as rows come. Otherwise a pill offers it.
    void set_following(bool following);

    // Columns that the person wants; the others go, whatever the room. Empty: by the room alone.
    void set_wanted(const std::set<TurnColumn>& columns);
    const std::set<TurnColumn>& wanted() const { return m_wanted; }
    QByteArray selected_tsv() const;
    void copy_rows() const;

Q_SIGNALS:
    void row_chosen(const kf::ui::Chosen& chosen);
    void row_activated(const kf::ui::Chosen& chosen);
    void menu_wanted(const kf::ui::Chosen& chosen, QPoint global);
    void latest_wanted();
    void columns_changed();

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void fit_columns();
    void find_nested();
    void choose_columns(QPoint where);
    void place_pill();
    void fold_finished();
    void restyle();

    TurnOrder* m_order;
    QPushButton* m_latest;
    std::set<TurnColumn> m_wanted;
    std::set<int> m_opened; // sweeps that were opened because they run
    bool m_following = true;
    bool m_nested = false;  // a sweep stands below its turn: the first column has names of points, not only numbers
    bool m_showing = false; // what is selected now came from outside
};

} // namespace kf::ui
