// SPDX-License-Identifier: GPL-3.0-or-later
// The talk with the model as rows: a heading a turn, and below those that are open what was sent, what was thought and
// answered, what went wrong, the verdict. The selected turn is open; its exchanges are read when it is opened. A reply
// that is being written grows row by row. Hints that wait for their turn stand at the end.
#pragma once

#include "ui/models/exchange_store.h"
#include "ui/models/reading_model.h"
#include "ui/models/reply_blocks.h"
#include "ui/models/turn_model.h"

#include <QTimer>

#include <map>
#include <set>
#include <vector>

namespace kf::ui {

struct PendingHint {
    QString text, who;
    int turn = -1; // as its answer said; −1: the next one
};

class TranscriptModel : public ReadingModel {
    Q_OBJECT
public:
    TranscriptModel(RunStore& store, ExchangeStore& exchanges, TurnModel& turns, QObject* parent = nullptr);

    // The selected turn: opened; the one before is closed, unless it was opened by hand.
    void set_current(int turn);
    int current() const { return m_current; }
    void set_open(int turn, bool open);
    bool is_open(int turn) const { return m_open.contains(turn); }
    // Opened to look into; closed when another one is looked into, unless it was opened by hand or is selected.
    void peek(int turn);
    // Open, and its replies are there (or what says why not).
    bool is_read(int turn) const;
    void toggle(int row) override;

    int heading_of(int turn) const;  // −1: there is none
    int last_row_of(int turn) const; // −1: there is none
    const std::vector<PendingHint>& pending_hints() const { return m_pending; }
    // The turn that the model will write next, as far as anybody can tell.
    int next_turn() const;
    // Everything of the turn that is read so far.
    QString text_of(int turn) const;
    // What its rows would say if it were open, apart from its replies.
    QString closed_text(int turn) const;

protected:
    QVariant row_data(const ReadingRow& row, int role) const override;

private:
    // What is kept of an exchange while its turn is open.
    struct Part {
        std::shared_ptr<const ExchangeBody> body;
        ReplyBlocks reasoning{false}, content;
        bool reasoning_open = false, filled = false;
    };
    struct Open {
        bool by_hand = false;
        std::vector<Part> parts;
        Part live;
        std::uint64_t live_part = 0;
        qsizetype live_reasoning = 0, live_content = 0; // characters taken
        bool live_reasoning_told = false;               // a person folded or unfolded it
    };

    void rebuild();
    void update(const RunChanges& changes);
    void refresh(int turn);
    void refresh_pending();
    struct LiveRows {
        bool reasoning = false, content = false; // more came
        std::size_t reasoning_from = 0, content_from = 0;
    };
    LiveRows absorb(const LiveReply& live, Open& open);
    void take_live();
    void fill(int turn, Open& open);
    bool is_writing(int turn) const;
    std::vector<ReadingRow> rows_of(int turn, Open* open) const;
    const TurnState* turn(int number) const;
    const Part* part_of(const ReadingRow& row) const;
    QVariant heading_data(int turn, int role) const;
    QVariant verdict_data(int turn, int role) const;
    QVariant sent_data(const ReadingRow& row, int role) const;
    QVariant block_data(const ReadingRow& row, const ReplyBlocks& blocks, int role) const;
    QString live_text() const;

    RunStore& m_store;
    ExchangeStore& m_exchanges;
    TurnModel& m_turns;
    std::map<int, Open> m_open;
    int m_current = -1, m_peeked = -1;
    std::vector<PendingHint> m_pending;
    int m_seen_steering = 0;
    QTimer m_tick; // seconds of waiting count on
};

} // namespace kf::ui
