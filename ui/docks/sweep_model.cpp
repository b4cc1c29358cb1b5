// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/sweep_model.h"

#include "ui/models/turn_model.h"
#include "ui/theme/fonts.h"
#include "ui/theme/marks.h"

namespace kf::ui {

void SweepModel::set_points(std::vector<SweepPoint> points) {
    beginResetModel();
    m_points = std::move(points);
    endResetModel();
}

int SweepModel::row_of(const std::string& evaluation) const {
    for (std::size_t row = 0; row < m_points.size(); ++row)
        if (evaluation.empty() ? m_points[row].best : m_points[row].evaluation == evaluation)
            return static_cast<int>(row);
    return -1;
}

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_points.size());
}

int SweepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(Column::columns);
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const SweepPoint& point = m_points[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case tunables:
            return point.tunables.isEmpty() ? QStringLiteral("no tunables") : point.tunables;
        case time:
            return point.seconds > 0 ? QString::fromStdString(format_seconds(point.seconds)) : QString();
        case verdict:
            return point.word;
        case evidence:
            return point.level ? evidence_word(*point.level) : QString();
        default:
            return {};
        }
    case Qt::ToolTipRole:
        return point.tunables + (point.best ? QStringLiteral("\nthe best of this sweep") : QString());
    case Qt::AccessibleTextRole:
        return index.column() == tunables && point.best
                   ? data(index, Qt::DisplayRole).toString() + QStringLiteral(", best")
                   : data(index, Qt::DisplayRole);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() == time ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::FontRole:
        if (index.column() == tunables || index.column() == time)
            return mono_font(12, point.best ? Weight::semibold : Weight::regular);
        return {};
    case TurnRole::kind:
        return static_cast<int>(point.verdict);
    case TurnRole::level:
        return point.level ? static_cast<int>(*point.level) : -1;
    case TurnRole::champion:
        return point.best;
    default:
        return {};
    }
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section == time ? Qt::AlignRight : Qt::AlignLeft)));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case tunables:
        return QStringLiteral("tunables");
    case time:
        return QStringLiteral("time");
    case verdict:
        return QStringLiteral("verdict");
    case evidence:
        return QStringLiteral("evidence");
    default:
        return {};
    }
}

void ElementModel::set_elements(std::vector<BadElement> elements) {
    beginResetModel();
    m_elements = std::move(elements);
    endResetModel();
}

int ElementModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_elements.size());
}

int ElementModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(Column::columns);
}

QVariant ElementModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const BadElement& element = m_elements[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return index.column() == index_column ? index_text(element.index)
               : index.column() == expected   ? value_text(element.expected)
                                              : value_text(element.got);
    if (role == Qt::FontRole)
        return mono_font(12);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() == index_column ? Qt::AlignLeft : Qt::AlignRight)));
    return {};
}

QVariant ElementModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section == index_column ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole)
        return {};
    return section == index_column ? QStringLiteral("worst elements")
           : section == expected   ? QStringLiteral("expected")
                                   : QStringLiteral("got");
}

} // namespace kf::ui
