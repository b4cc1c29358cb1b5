// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the texts a person works on: each producer (plan, compiler, judge, task …) has its own list and
// replaces it as a whole; the pane does not know the producers.
#pragma once

#include <QAbstractTableModel>
#include <QString>

#include <vector>

namespace kf::ui {

struct Issue {
    QString producer; // filled in by set_issues
    QString severity; // "error", "warning", "note"
    QString file;
    int line = 0, column = 0; // from 1; 0: not known
    QString message, remedy;
    int turn = -1;
    bool operator==(const Issue&) const = default;
};

enum class IssueColumn { message, place, producer, count };

namespace IssueRole {
enum Value {
    severity = Qt::UserRole + 1, // QString
    file,
    line,
    column,
    remedy,
    turn,
    producer,
    sort, // errors first, then by place
};
}

class IssueModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    // In the producer's order; an empty list takes the producer away.
    void set_issues(const QString& producer, std::vector<Issue> issues);
    void clear();
    const Issue& issue(int row) const { return m_issues[static_cast<std::size_t>(row)]; }
    int errors() const;
    int warnings() const;
    // The row after (before) the one at this line; wraps around; −1: there is none. Only issues with a line.
    int next_line(const QString& file, int line, bool forward) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    void counts_changed(int errors, int warnings);

private:
    std::vector<Issue> m_issues; // a producer's stand together
};

} // namespace kf::ui
