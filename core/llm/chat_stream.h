// SPDX-License-Identifier: GPL-3.0-or-later
// The body of a successful (200) chat completion, in any portions of bytes, to pieces and at last to a reply or an
// error. Accepts a stream of events and one whole JSON document; the first byte tells them apart.
//
// A reply that ended in order has a finish_reason or [DONE]. Anything else is truncated, never a success.
#pragma once

#include "core/llm/chat.h"
#include "core/llm/sse.h"
#include "core/llm/think.h"

namespace kf {

struct ChatStreamOptions {
    std::size_t reply_bytes = std::size_t{16} << 20; // content and reasoning together; more is "malformed"
    bool thinking_off = false; // asked not to think: an answer that all came as reasoning is the answer (vLLM's parser)
};

class ChatStream {
public:
    explicit ChatStream(ChatStreamOptions options = {}) : m_options(options) {}

    // Appends what became visible to `pieces`. `at_s`: seconds since the request was sent.
    void feed(std::string_view bytes, double at_s, std::vector<ReplyPiece>& pieces);
    // Nothing more is needed: [DONE], or an error.
    bool ended() const { return m_done || m_error.has_value(); }
    // A reason to finish was told; only usage and [DONE] can follow.
    bool finishing() const { return !m_reply.finish_reason.empty(); }
    bool any_piece() const { return !m_reply.pieces.empty(); }
    // What came so far; for an attempt that is broken off.
    const ChatReply& partial() const { return m_reply; }

    // After the last byte. Pieces that were held back are appended too.
    ChatOutcome finish(double at_s, std::vector<ReplyPiece>& pieces);

private:
    void take_event(const SseEvent& event, double at_s, std::vector<ReplyPiece>& pieces, bool cut);
    void take_chunk(const Json& chunk, double at_s, std::vector<ReplyPiece>& pieces);
    void take_words(const Json& words, double at_s, std::vector<ReplyPiece>& pieces);
    void take_usage(const Json& usage);
    void take_whole(double at_s, std::vector<ReplyPiece>& pieces);
    void keep(std::vector<ReplyPiece> fresh, std::vector<ReplyPiece>& pieces);
    void fail(ModelFailure failure, std::string message, std::string remedy = {});
    void fail_with(const Json& body);
    void settle_thinking();

    ChatStreamOptions m_options;
    enum class Form { unknown, events, whole } m_form = Form::unknown;
    SseParser m_sse;
    std::string m_whole; // the JSON document, or the first bytes while the form is not known
    ThinkSplitter m_think;
    ChatReply m_reply;
    std::optional<ModelError> m_error;
    bool m_done = false;
    bool m_reasoning_field = false; // reasoning came in a field of its own
    std::size_t m_bytes = 0;
};

} // namespace kf
