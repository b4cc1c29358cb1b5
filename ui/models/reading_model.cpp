// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/reading_model.h"

#include <algorithm>

namespace kf::ui {

int ReadingModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ReadingModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ReadingRow& one = row(index.row());
    if (role == ReadingRole::kind)
        return static_cast<int>(one.kind);
    if (role == ReadingRole::turn)
        return one.turn;
    if (role == Qt::AccessibleTextRole)
        return line(index.row());
    return row_data(one, role);
}

QString ReadingModel::line(int index) const {
    return line_of(row(index));
}

QString ReadingModel::line_of(const ReadingRow& one) const {
    QStringList parts;
    for (const int role : {static_cast<int>(ReadingRole::title), static_cast<int>(Qt::DisplayRole),
                           static_cast<int>(ReadingRole::detail), static_cast<int>(ReadingRole::note)})
        if (const QString text = row_data(one, role).toString(); !text.isEmpty())
            parts << text;
    return parts.join(one.kind == ReadingKind::heading ? QStringLiteral(" · ") : QStringLiteral("\n"));
}

int ReadingModel::find(const QString& words, int from, bool forward) const {
    const int count = rowCount();
    if (words.isEmpty() || count == 0)
        return -1;
    for (int step = 1; step <= count; ++step) {
        const int at = ((from + (forward ? step : -step)) % count + count) % count;
        if (line(at).contains(words, Qt::CaseInsensitive))
            return at;
    }
    return -1;
}

int ReadingModel::count_of(const QString& words) const {
    int found = 0;
    for (int at = 0; !words.isEmpty() && at < rowCount(); ++at)
        found += line(at).contains(words, Qt::CaseInsensitive);
    return found;
}

void ReadingModel::replace(int first, int count, const std::vector<ReadingRow>& fresh) {
    const int fresh_count = static_cast<int>(fresh.size());
    int before = 0;
    while (before < std::min(count, fresh_count) && row(first + before) == fresh[static_cast<std::size_t>(before)])
        ++before;
    int behind = 0;
    while (behind < std::min(count, fresh_count) - before &&
           row(first + count - 1 - behind) == fresh[static_cast<std::size_t>(fresh_count - 1 - behind)])
        ++behind;
    const int old_middle = count - before - behind, new_middle = fresh_count - before - behind;
    const int at = first + before, common = std::min(old_middle, new_middle);
    std::copy_n(fresh.begin() + before, common, m_rows.begin() + at);
    if (common > 0)
        touch(at, at + common - 1);
    if (new_middle > common) {
        beginInsertRows({}, at + common, at + new_middle - 1);
        m_rows.insert(m_rows.begin() + at + common, fresh.begin() + before + common,
                      fresh.begin() + before + new_middle);
        endInsertRows();
    } else if (old_middle > common) {
        beginRemoveRows({}, at + common, at + old_middle - 1);
        m_rows.erase(m_rows.begin() + at + common, m_rows.begin() + at + old_middle);
        endRemoveRows();
    }
}

void ReadingModel::reset(std::vector<ReadingRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void ReadingModel::touch(int first, int last) {
    if (first <= last)
        Q_EMIT dataChanged(index(first), index(last));
}

} // namespace kf::ui
