// SPDX-License-Identifier: GPL-3.0-or-later
// Finds words in all that was said in a run, also in turns that are closed and in thoughts that are folded: a worker
// reads the replies once for each search, and a turn is opened when the walk comes to it. The turn that it opened is
// closed again when it goes on to another one.
#pragma once

#include "ui/models/transcript_model.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <memory>
#include <set>
#include <vector>

namespace kf::ui {

class TranscriptFinder : public QObject {
    Q_OBJECT
public:
    TranscriptFinder(RunStore& store, ExchangeStore& exchanges, TranscriptModel& model, QObject* parent = nullptr);
    ~TranscriptFinder() override;

    // Finds the first place from this row on, the row included. No words: nothing is looked for any more.
    void start(const QString& words, int from_row);
    void go(bool forward); // to the next place, or the one before, and round

Q_SIGNALS:
    void found(int row);
    void told(const QString& result); // "turn 8, in 3 turns", "not found", "searching …"

private:
    // A turn that is to be read, and what it says apart from its replies.
    struct Said {
        int turn = 0;
        QString text;
        std::vector<ModelExchange> exchanges;
    };

    void gather();
    void scan();
    void step();
    void arrive(int row);
    void miss();
    int place() const; // of m_at among the rows as they are now; −1: before the first
    bool holds(const QString& text) const { return text.contains(m_words, Qt::CaseInsensitive); }

    RunStore& m_store;
    ExchangeStore& m_exchanges;
    TranscriptModel& m_model;
    QString m_words;
    ReadingRow m_at;
    bool m_at_first = true; // before the first row
    bool m_forward = true, m_scanned = false;
    bool m_stepping = false; // once it is scanned, or read
    int m_reading = -1;      // the turn whose replies are awaited before the walk goes on in it
    std::set<int> m_hits;    // turns that hold the words, or may
    std::vector<Said> m_said;
    int m_gathered = -1; // the last turn that was
    QTimer m_gather;
    std::shared_ptr<std::atomic<bool>> m_given_up; // of the worker
};

} // namespace kf::ui
