// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/live_reply.h"

#include <algorithm>

namespace kf {
namespace {

constexpr std::size_t most_text = std::size_t{128} << 10; // of one notification: a line has 1 MiB, escapes included

// The end of a piece of `text` from `begin` that cuts no code point in two.
std::size_t piece_end(const std::string& text, std::size_t begin) {
    std::size_t end = std::min(text.size(), begin + most_text);
    while (end < text.size() && end > begin + 4 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return end;
}

} // namespace

void LiveReply::begin(int turn, int exchange, int attempt, const std::string& model) {
    const std::lock_guard lock(m_mutex);
    ++m_serial;
    m_asking = true;
    m_turn = turn;
    m_exchange = exchange;
    m_attempt = attempt;
    m_model = model;
    m_reasoning.clear();
    m_content.clear();
    m_phase = Phase::waiting;
    m_first_token_s = 0;
}

void LiveReply::piece(const ReplyPiece& piece) {
    const std::lock_guard lock(m_mutex);
    const bool reasoning = piece.kind == ReplyPiece::Kind::reasoning;
    if (m_phase == Phase::waiting || m_phase == Phase::retrying)
        m_first_token_s = piece.at_s;
    (reasoning ? m_reasoning : m_content) += piece.text;
    m_phase = reasoning ? Phase::reasoning : Phase::content;
}

void LiveReply::retrying(double in_s, const std::string& why) {
    const std::lock_guard lock(m_mutex);
    m_phase = Phase::retrying;
    m_retry_at = deadline_after(in_s);
    m_why = why;
}

// A transport that tries again by itself says when, not that it did.
bool LiveReply::is_retrying() const {
    return m_phase == Phase::retrying && (!m_asking || seconds_left(m_retry_at) > 0);
}

void LiveReply::end() {
    const std::lock_guard lock(m_mutex);
    m_asking = false;
    m_phase = Phase::waiting;
}

Json LiveReply::to_json() const {
    const std::lock_guard lock(m_mutex);
    if (!m_asking && m_phase != Phase::retrying)
        return nullptr;
    static constexpr const char* phases[] = {"waiting", "reasoning", "content", "retrying"};
    const Phase phase = m_phase == Phase::retrying && !is_retrying() ? Phase::waiting : m_phase;
    Json json{{"model", m_model},
              {"exchange", m_exchange},
              {"attempt", m_attempt},
              {"phase", phases[static_cast<int>(phase)]},
              {"reasoning_bytes", m_reasoning.size()},
              {"content_bytes", m_content.size()}};
    if (phase == Phase::retrying) {
        json["retry_in_s"] = seconds_left(m_retry_at);
        json["why"] = m_why;
    } else if (phase != Phase::waiting) {
        json["first_token_s"] = m_first_token_s;
    }
    return json;
}

std::vector<Json> LiveReply::since(Cursor& cursor) const {
    const std::lock_guard lock(m_mutex);
    std::vector<Json> events;
    const auto ended = [&] {
        events.push_back(Json{{"event", "model_ended"},
                              {"turn", cursor.turn},
                              {"exchange", cursor.exchange},
                              {"attempt", cursor.attempt}});
        cursor.ended = true;
    };
    if (cursor.serial != m_serial) {
        if (!cursor.ended)
            ended();
        if (!m_asking)
            return events; // it came and went between two looks: the journal has it
        cursor = Cursor{m_serial, m_turn, m_exchange, m_attempt, 0, 0, false};
    }
    static constexpr const char* phases[] = {"waiting", "reasoning", "content", "retrying"};
    for (const bool reasoning : {true, false}) {
        const std::string& text = reasoning ? m_reasoning : m_content;
        std::size_t& seen = reasoning ? cursor.reasoning : cursor.content;
        while (!cursor.ended && seen < text.size()) {
            const std::size_t end = piece_end(text, seen);
            events.push_back(Json{{"event", "model"},
                                  {"turn", m_turn},
                                  {"exchange", m_exchange},
                                  {"attempt", m_attempt},
                                  {"phase", phases[static_cast<int>(m_phase)]},
                                  {"kind", reasoning ? "reasoning" : "content"},
                                  {"from", seen},
                                  {"text", text.substr(seen, end - seen)}});
            seen = end;
        }
    }
    if (!m_asking && !cursor.ended)
        ended();
    return events;
}

} // namespace kf
