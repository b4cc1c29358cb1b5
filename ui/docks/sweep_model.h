// SPDX-License-Identifier: GPL-3.0-or-later
// The points of a tuner's sweep as a table, in the order they are given.
#pragma once

#include "ui/models/autopsy_data.h"
#include "ui/models/texts.h"

#include <QAbstractTableModel>
#include <QStringList>

namespace kf::ui {

class SweepModel : public QAbstractTableModel {
    Q_OBJECT
public:
    // Behind the tunables, one column each.
    enum Column { time, verdict, evidence, fixed_columns };
    using QAbstractTableModel::QAbstractTableModel;

    void set_points(std::vector<SweepPoint> points);
    const std::vector<SweepPoint>& points() const { return m_points; }
    int row_of(const std::string& evaluation) const; // −1: none; "": the best
    int column_of(Column column) const { return static_cast<int>(m_names.size()) + column; }
    int tunable_count() const { return static_cast<int>(m_names.size()); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString value(const SweepPoint& point, int column) const;

    std::vector<SweepPoint> m_points;
    TimeUnit m_unit;     // of all rows
    QStringList m_names; // of the tunables, as they come
};

// The worst elements of an output: index, expected, got.
class ElementModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { index_column, expected, got, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void set_elements(std::vector<BadElement> elements);
    const std::vector<BadElement>& elements() const { return m_elements; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<BadElement> m_elements;
};

} // namespace kf::ui
