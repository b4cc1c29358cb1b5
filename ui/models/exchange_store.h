// SPDX-License-Identifier: GPL-3.0-or-later
// What was said to a language model in the shown run, and what it answered: one record an exchange, as its event told
// it; request and reply are read by a worker when somebody wants to see them, and kept for a while. Also the reply that
// is being written just now, which no journal holds yet.
#pragma once

#include "core/journal/event_types.h"
#include "core/llm/chat.h"
#include "ui/models/run_store.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kf::ui {

struct Exchange {
    ModelExchange event;
    double time = 0;             // unix seconds: when the reply was there, or why there is none
    int number = 1, attempt = 1; // of its turn: 2 is the repair; attempts after a failure count on
    bool repair = false;
    std::string failure;      // name of a ModelFailure; "": the reply is usable
    std::string remedy;       // for people
    std::string no_candidate; // why the reply holds none
    std::string finish_reason;
    bool estimated = false;         // no usage was told: tokens are bytes / 3
    bool maybe_billed = false;      // it failed, and nobody knows what it cost
    bool recorded = false;          // it came from a record; nothing was asked or paid
    std::int64_t prompt_tokens = 0; // estimated before it was sent; 0: not told
    QStringList left_out;           // of the prompt, in words
    std::size_t derived = 0;        // lines that were lifted from other people's code
};

// What all replies of a run took.
struct Spent {
    std::int64_t tokens = 0; // in and out
    double money = 0;        // as the provider told it, or by its prices
    bool estimated = false;  // some were counted by their bytes, or failed and may have been billed
};

struct ExchangeBody {
    std::shared_ptr<const ChatRequest> request; // null: not stored, or not readable
    std::shared_ptr<const ChatReply> reply;     // null: there was none
    QString trouble;                            // why something could not be read; "": nothing
};

// A reply as it comes. `text` only grows while `part` stays the same.
struct LiveReply {
    int turn = -1;
    int exchange = 1, attempt = 1; // counted from 1; 2 is a repair
    QString model;
    QString phase; // waiting, reasoning, content, retrying
    QString reasoning, content;
    qint64 began_ms = 0;       // of the machine's monotonic clock
    double elapsed_s = -1;     // of a replay; −1: the clock says it
    double first_token_s = -1; // −1: none came
    double tokens_per_s = 0;   // estimated from what came in the last seconds; 0: not known
    std::uint64_t part = 0;    // counts the replies that were begun
    std::size_t reasoning_bytes = 0, content_bytes = 0;
};

// A recorded reply as far as it had come `elapsed_s` after its request.
struct ReplayedReply {
    int turn = -1, exchange = 1, attempt = 1;
    QString model;
    std::shared_ptr<const ChatReply> reply; // null: none is being written
    double elapsed_s = 0;
};

class ExchangeStore : public QObject {
    Q_OBJECT
public:
    explicit ExchangeStore(RunStore& store, QObject* parent = nullptr);
    ~ExchangeStore() override;

    // In the order of their events.
    const std::vector<Exchange>& of_turn(int turn) const;
    // Of the whole run.
    std::size_t count() const { return m_count; }
    const Spent& spent() const { return m_spent; }
    // Null while it is read; body_loaded() says when it is there. Asking for it starts the reading.
    std::shared_ptr<const ExchangeBody> body(int turn, std::size_t exchange);

    // Null while no reply is being written.
    const LiveReply* live() const { return m_live ? &*m_live : nullptr; }
    // A notification of the control socket's `subscribe` (docs/protocol.md): {"event": "model", …}, "model_ended".
    void apply_live(const Json& notification);
    // For replays: what had come of a recorded reply by then. Going back in it begins it anew.
    void show_live(const kf::ui::ReplayedReply& replayed);
    void end_live();

Q_SIGNALS:
    void was_reset();
    void changed(int turn); // an exchange was added
    void body_loaded(int turn, int exchange);
    void live_changed();

private:
    struct Key {
        int turn;
        std::size_t exchange;
        auto operator<=>(const Key&) const = default;
    };
    void apply(const std::vector<Event>& events);
    void reset();
    bool is_told(int turn, int exchange, int attempt) const; // it stands in the journal
    LiveReply& begin_live(int turn, int exchange, int attempt);
    void rate(std::size_t bytes);

    RunStore& m_store;
    std::map<int, std::vector<Exchange>> m_exchanges;
    std::size_t m_count = 0;
    Spent m_spent;
    std::map<Key, std::shared_ptr<const ExchangeBody>> m_bodies; // null: being read
    std::list<Key> m_used;                                       // the last used first
    std::optional<LiveReply> m_live;
    std::uint64_t m_part = 0, m_run = 0;
    std::vector<std::pair<qint64, std::size_t>> m_arrivals; // of the last seconds
    std::size_t m_shown_pieces = 0;                         // of a replayed reply
};

// Prompt and reply of one exchange, read from the run's files; for any thread.
ExchangeBody read_exchange(const RunBlobs* blobs, const ModelExchange& event);

} // namespace kf::ui
