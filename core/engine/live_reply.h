// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is writing right now, for people who watch: the journal gets a reply when it is there, not its pieces.
// Written by the asking thread, read from any.
#pragma once

#include "core/base/deadline.h"
#include "core/llm/chat.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace kf {

class LiveReply {
public:
    void begin(int turn, int exchange, int attempt, const std::string& model);
    void piece(const ReplyPiece& piece);
    // It failed and is asked again in so many seconds.
    void retrying(double in_s, const std::string& why);
    void end();

    // {"model", "exchange", "attempt", "phase", …}: docs/protocol.md, `running.model`; null when nothing is asked.
    Json to_json() const;

    // How much of it somebody has seen.
    struct Cursor {
        std::uint64_t serial = 0; // of the attempt
        int turn = -1, exchange = 0, attempt = 0;
        std::size_t reasoning = 0, content = 0; // bytes
        bool ended = true;
    };
    // What came since, as the notifications of `subscribe`; each is shorter than a line may be.
    std::vector<Json> since(Cursor& cursor) const;

private:
    enum class Phase { waiting, reasoning, content, retrying };

    mutable std::mutex m_mutex;
    std::uint64_t m_serial = 0;
    bool m_asking = false;
    int m_turn = -1, m_exchange = 0, m_attempt = 0;
    std::string m_model, m_reasoning, m_content, m_why;
    Phase m_phase = Phase::waiting;
    double m_first_token_s = 0;
    Deadline m_retry_at;      // of `retrying`
    bool is_retrying() const; // with the mutex held
};

} // namespace kf
