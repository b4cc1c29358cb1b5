// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is repeated from its journal: the same turns, the replies from the record instead of a model. Verdicts and
// their figures are made anew.
#pragma once

#include "core/engine/synthesizer.h"
#include "core/journal/packed_run.h"
#include "core/journal/projection.h"
#include "core/journal/reader.h"
#include "core/llm/chat.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kf {

class Record {
public:
    // A run's folder or a .kfrun file. Errors: those of JournalReader and PackedRun; "record-empty" when there is no
    // run in it.
    static Result<std::shared_ptr<Record>> open(const std::string& path);

    const RunState& state() const { return m_state; }
    const std::string& name() const { return m_state.start.run; }
    Result<Task> task() const;
    // Of the start kernel. Error: "record-empty" when the run ended before it had one.
    Result<std::string> start_source() const;
    std::string start_file() const;
    Result<std::string> blob(const std::string& hash) const { return m_reader.blob(hash); }

    // Numbers of the turns that can be repeated, in order: those with a reply, or with a candidate that somebody gave.
    const std::vector<int>& turns() const { return m_turns; }

    // The next reply of a recorded turn: one to the same request where there is one, else the first that was not served
    // yet. `served` says which: {"run", "sequence", "match": request | order}.
    ChatOutcome reply(int turn, const std::string& request_hash, Json& served);
    // A reply that the run took before it was lost.
    void mark_served(std::int64_t sequence);

private:
    struct Exchange {
        std::int64_t sequence = 0;
        std::string request, reply; // blobs
        Json fields;
        bool served = false;
    };
    Record(JournalReader reader, std::optional<PackedRun> packed)
        : m_packed(std::move(packed)), m_reader(std::move(reader)) {}

    std::optional<PackedRun> m_packed; // its folder goes with us
    JournalReader m_reader;
    RunState m_state;
    std::vector<int> m_turns;
    std::map<int, std::vector<Exchange>> m_exchanges;
};

// Serves a record's replies, without waiting as the model did.
class RecordedTransport final : public ModelTransport {
public:
    explicit RecordedTransport(std::shared_ptr<Record> record) : m_record(std::move(record)) {}
    // The recorded turn whose replies are served; -1: none.
    void set_turn(int turn);
    ChatOutcome ask(const ChatRequest& request, const std::stop_token& stop,
                    const std::function<void(const ReplyPiece&)>& on_piece) override;
    Json describe() const override;
    // What the last answer was taken from.
    Json served() const;

private:
    std::shared_ptr<Record> m_record;
    mutable std::mutex m_mutex;
    int m_turn = -1;
    Json m_served;
};

// The proposal that repeats a recorded turn. `became`: turn of the record → turn of this run. Errors: those of
// Record::blob.
Result<Proposal> repeat(const Record& record, int turn, const std::map<int, int>& became);

} // namespace kf
