// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/sweep_model.h"

#include "ui/models/turn_model.h"
#include "ui/theme/fonts.h"
#include "ui/theme/marks.h"

namespace kf::ui {

namespace {

constexpr qsizetype most_tunables = 8; // columns; a journal can claim any number

}

void SweepModel::set_points(std::vector<SweepPoint> points) {
    beginResetModel();
    m_points = std::move(points);
    m_names.clear();
    double fastest = 0;
    for (const SweepPoint& point : m_points)
        if (point.seconds > 0 && (fastest == 0 || point.seconds < fastest))
            fastest = point.seconds;
    m_unit = time_unit(fastest);
    for (const SweepPoint& point : m_points)
        for (const auto& [name, value] : point.values)
            if (!m_names.contains(name) && m_names.size() < most_tunables)
                m_names << name;
    endResetModel();
}

int SweepModel::row_of(const std::string& evaluation) const {
    for (std::size_t row = 0; row < m_points.size(); ++row)
        if (evaluation.empty() ? m_points[row].best : m_points[row].evaluation == evaluation)
            return static_cast<int>(row);
    return -1;
}

QString SweepModel::value(const SweepPoint& point, int column) const {
    for (const auto& [name, value] : point.values)
        if (name == m_names[column])
            return value;
    return {};
}

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_points.size());
}

int SweepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : tunable_count() + fixed_columns;
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const SweepPoint& point = m_points[static_cast<std::size_t>(index.row())];
    const bool figure = index.column() <= column_of(time);
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() < tunable_count())
            return value(point, index.column());
        if (index.column() == column_of(time))
            return point.seconds > 0 ? time_text(point.seconds, m_unit) : QString();
        if (index.column() == column_of(verdict))
            return point.best ? point.word + QStringLiteral(" · best") : point.word;
        return point.level ? evidence_word(*point.level) : QString();
    case Qt::ToolTipRole:
        return point.tunables + QStringLiteral("\n") + point.word +
               (point.level ? QStringLiteral(" · ") + evidence_word(*point.level) : QString()) +
               (point.best ? QStringLiteral("\nthe best of this sweep") : QString());
    case Qt::AccessibleTextRole: // the disc behind the verdict is only drawn
        return index.column() == column_of(verdict) && point.level
                   ? data(index, Qt::DisplayRole).toString() + QStringLiteral(", ") + evidence_word(*point.level)
                   : data(index, Qt::DisplayRole).toString();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (figure ? Qt::AlignRight : Qt::AlignLeft)));
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
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section <= column_of(time) ? Qt::AlignRight : Qt::AlignLeft)));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    if (section < tunable_count())
        return m_names[section];
    return section == column_of(time)      ? (m_unit.known ? m_unit.name : QStringLiteral("time"))
           : section == column_of(verdict) ? QStringLiteral("verdict")
                                           : QStringLiteral("evidence");
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
