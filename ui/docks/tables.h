// SPDX-License-Identifier: GPL-3.0-or-later
// What the tables of these docks have in common: whole rows, no grid, Ctrl+C and a menu (pointer or menu key) that copy
// rows as shown.
#pragma once

#include <QString>

#include <functional>

class QAbstractItemView;
class QMenu;
class QModelIndex;
class QTableView;
class QTreeView;

namespace kf::ui {

// `fill_menu` puts its own actions before Copy; it may be empty.
void set_up_view(QAbstractItemView& view, const QString& accessible_name,
                 std::function<void(QMenu&, const QModelIndex&)> fill_menu = {});
void set_up_table(QTableView& table, const QString& accessible_name,
                  std::function<void(QMenu&, const QModelIndex&)> fill_menu = {});
// The chosen rows, tab-separated; all rows when none is chosen.
QString rows_text(const QAbstractItemView& view);
// Shows its card through: a table within a card has no surface of its own.
void embed(QTableView& table);
// As high as its rows, up to `most` of them.
void fit_height(QTableView& table, int most);

} // namespace kf::ui
