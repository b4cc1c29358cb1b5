// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in the shown run, one line an event that a person would want to read. Progress within an evaluation is
// left out: it is seen in the timeline.
#pragma once

#include "ui/models/run_store.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <deque>

namespace kf::ui {

enum class LogSeverity { detail, info, warning, error };

enum class LogColumn { time, turn, text, count };

namespace LogRole {
enum Value {
    severity = Qt::UserRole + 1, // int LogSeverity
    turn_number,                 // int; −1: none
    time,                        // double, unix seconds
    type,                        // QString: name of the event's type
};
}

class LogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    // The oldest lines go when there are more.
    static constexpr int most_lines = 100'000;

    explicit LogModel(RunStore& store, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    // "20:14:07  turn 3  …", for copying.
    QString line(int row) const;
    // Where the event stands in the journal, to read the whole of it; 0 bytes: nowhere.
    EventPlace place(int row) const { return m_lines[static_cast<std::size_t>(row)].place; }

private:
    struct Line {
        EventPlace place;
        double time = 0;
        LogSeverity severity = LogSeverity::info;
        EventType type = EventType::note;
        int turn = -1;
        std::string text;
    };
    void add(const std::vector<Event>& events);
    static bool make_line(const Event& event, Line& line);
    QString time_text(double time) const;

    std::deque<Line> m_lines;
};

// By severity and by words: every blank-separated word must occur.
class LogFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit LogFilter(QObject* parent = nullptr);
    void set_least(LogSeverity severity);
    void set_search(const QString& words);
    LogSeverity least() const { return m_least; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    LogSeverity m_least = LogSeverity::info;
    QStringList m_words;
};

} // namespace kf::ui
