// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/issue_model.h"

#include <algorithm>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

int rank(const QString& severity) {
    return severity == u"error"_s ? 0 : severity == u"warning"_s ? 1 : 2;
}

QString place_of(const Issue& issue) {
    QString place = issue.file;
    if (issue.line > 0)
        place += (place.isEmpty() ? u"line "_s : u":"_s) + QString::number(issue.line);
    if (issue.line > 0 && issue.column > 0)
        place += u":"_s + QString::number(issue.column);
    if (place.isEmpty() && issue.turn >= 0)
        place = u"turn %1"_s.arg(issue.turn);
    return place;
}

} // namespace

void IssueModel::set_issues(const QString& producer, std::vector<Issue> issues) {
    for (Issue& issue : issues)
        issue.producer = producer;
    const auto is_ours = [&](const Issue& issue) { return issue.producer == producer; };
    const auto begin = std::find_if(m_issues.begin(), m_issues.end(), is_ours);
    const auto end = std::find_if_not(begin, m_issues.end(), is_ours);
    if (std::equal(begin, end, issues.begin(), issues.end()))
        return;
    const int row = static_cast<int>(begin - m_issues.begin());
    const int old_count = static_cast<int>(end - begin), new_count = static_cast<int>(issues.size());
    // What stays in its place is changed, so that a selected row stays selected while a person types.
    const int kept = std::min(old_count, new_count);
    int first = -1, last = -1;
    for (int i = 0; i < kept; ++i) {
        Issue& known = m_issues[static_cast<std::size_t>(row + i)];
        Issue& given = issues[static_cast<std::size_t>(i)];
        if (known == given)
            continue;
        known = std::move(given);
        first = first < 0 ? row + i : first;
        last = row + i;
    }
    if (old_count > kept) {
        beginRemoveRows({}, row + kept, row + old_count - 1);
        m_issues.erase(m_issues.begin() + row + kept, m_issues.begin() + row + old_count);
        endRemoveRows();
    } else if (new_count > kept) {
        beginInsertRows({}, row + kept, row + new_count - 1);
        m_issues.insert(m_issues.begin() + row + kept, std::make_move_iterator(issues.begin() + kept),
                        std::make_move_iterator(issues.end()));
        endInsertRows();
    }
    if (first >= 0)
        Q_EMIT dataChanged(index(first, 0), index(last, columnCount() - 1));
    Q_EMIT counts_changed(errors(), warnings());
}

void IssueModel::clear() {
    if (m_issues.empty())
        return;
    beginResetModel();
    m_issues.clear();
    endResetModel();
    Q_EMIT counts_changed(0, 0);
}

int IssueModel::errors() const {
    return static_cast<int>(
        std::count_if(m_issues.begin(), m_issues.end(), [](const Issue& issue) { return rank(issue.severity) == 0; }));
}

int IssueModel::warnings() const {
    return static_cast<int>(
        std::count_if(m_issues.begin(), m_issues.end(), [](const Issue& issue) { return rank(issue.severity) == 1; }));
}

int IssueModel::next_line(const QString& file, int line, bool forward) const {
    int nearest = -1, around = -1;
    const auto line_at = [&](int row) { return m_issues[static_cast<std::size_t>(row)].line; };
    for (int row = 0; row < rowCount(); ++row) {
        const Issue& one = m_issues[static_cast<std::size_t>(row)];
        if (one.line <= 0 || (!file.isEmpty() && !one.file.isEmpty() && one.file != file))
            continue;
        const bool beyond = forward ? one.line > line : one.line < line;
        int& best = beyond ? nearest : around;
        if (best < 0 || (forward ? one.line < line_at(best) : one.line > line_at(best)))
            best = row;
    }
    return nearest >= 0 ? nearest : around;
}

int IssueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_issues.size());
}

int IssueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(IssueColumn::count);
}

QVariant IssueModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Issue& issue = m_issues[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (static_cast<IssueColumn>(index.column())) {
        case IssueColumn::message:
            return issue.message;
        case IssueColumn::place:
            return place_of(issue);
        case IssueColumn::producer:
            return issue.producer;
        case IssueColumn::count:
            break;
        }
        return {};
    case Qt::ToolTipRole: {
        QString text = issue.severity + u": "_s + issue.message;
        if (!issue.remedy.isEmpty())
            text += u"\n"_s + issue.remedy;
        if (const QString place = place_of(issue); !place.isEmpty())
            text += u"\n"_s + place;
        return text;
    }
    case Qt::AccessibleTextRole:
        return issue.severity + u", "_s + place_of(issue) + u": "_s + issue.message;
    case IssueRole::severity:
        return issue.severity;
    case IssueRole::file:
        return issue.file;
    case IssueRole::line:
        return issue.line;
    case IssueRole::column:
        return issue.column;
    case IssueRole::remedy:
        return issue.remedy;
    case IssueRole::turn:
        return issue.turn;
    case IssueRole::producer:
        return issue.producer;
    case IssueRole::sort:
        return u"%1 %2 %3 %4"_s.arg(rank(issue.severity))
            .arg(issue.file)
            .arg(issue.line, 8, 10, QLatin1Char('0'))
            .arg(issue.column, 6, 10, QLatin1Char('0'));
    default:
        return {};
    }
}

QVariant IssueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<IssueColumn>(section)) {
    case IssueColumn::message:
        return u"issue"_s;
    case IssueColumn::place:
        return u"place"_s;
    case IssueColumn::producer:
        return u"from"_s;
    case IssueColumn::count:
        break;
    }
    return {};
}

} // namespace kf::ui
