// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/chat_stream.h"

#include "core/llm/model_error.h"

#include <cmath>
#include <utility>

namespace kf {
namespace {

constexpr std::size_t whole_limit = std::size_t{32} << 20;

// A text field, or the texts of a list of parts ([{"type": "text", "text": …}]).
std::string text_of(const Json& value) {
    if (value.is_string())
        return value.get<std::string>();
    std::string text;
    if (value.is_array())
        for (const Json& part : value)
            text += get_string(part, "text", get_string(part, "summary"));
    return text;
}

// One of the names under which providers send thinking; a delta that repeats it under several counts once.
std::string reasoning_of(const Json& words) {
    for (const char* name : {"reasoning_content", "reasoning", "reasoning_details"})
        if (std::string text = text_of(get_member(words, name)); !text.empty())
            return text;
    return {};
}

std::int64_t count_of(const Json& object, const char* key) {
    const Json& value = get_member(object, key);
    if (!value.is_number())
        return 0;
    const double number = value.get<double>();
    return number > 0 && number < 1e12 ? static_cast<std::int64_t>(number) : 0;
}

bool is_error(const Json& body) {
    const Json& error = get_member(body, "error");
    return (error.is_object() && !error.empty()) ||
           (error.is_string() && !error.get_ref<const std::string&>().empty()) || get_string(body, "object") == "error";
}

} // namespace

void ChatStream::fail(ModelFailure failure, std::string message, std::string remedy) {
    if (m_error)
        return;
    m_error.emplace();
    m_error->failure = failure;
    m_error->http_status = 200;
    m_error->message = std::move(message);
    m_error->remedy = std::move(remedy);
}

void ChatStream::fail_with(const Json& body) {
    if (!m_error)
        m_error = explain_stream_error(body);
}

void ChatStream::feed(std::string_view bytes, double at_s, std::vector<ReplyPiece>& pieces) {
    if (ended())
        return;
    if (m_form == Form::unknown) {
        m_whole += bytes;
        const std::string_view seen = m_whole;
        const bool mark = seen.substr(0, 3) == "\xef\xbb\xbf";
        const std::size_t first = seen.find_first_not_of(" \t\r\n", mark ? 3 : 0);
        if (first == std::string_view::npos || (seen.size() < 3 && seen.front() == '\xef')) {
            if (m_whole.size() > whole_limit)
                fail(ModelFailure::malformed, "the reply is nothing but white space");
            return;
        }
        m_form = seen[first] == '{' ? Form::whole : Form::events;
        if (m_form == Form::whole)
            return;
        const std::string begun = std::exchange(m_whole, {});
        feed(begun, at_s, pieces);
        return;
    }
    if (m_form == Form::whole) {
        if (m_whole.size() + bytes.size() > whole_limit)
            fail(ModelFailure::malformed, "the reply is larger than any answer");
        else
            m_whole += bytes;
        return;
    }
    std::vector<SseEvent> events;
    const Status status = m_sse.feed(bytes, events);
    for (const SseEvent& event : events)
        if (!ended())
            take_event(event, at_s, pieces, false);
    if (!status && !ended())
        fail(ModelFailure::malformed, status.error().message);
}

void ChatStream::take_event(const SseEvent& event, double at_s, std::vector<ReplyPiece>& pieces, bool cut) {
    const std::size_t from = event.data.find_first_not_of(" \t");
    if (from == std::string::npos)
        return;
    if (event.data.compare(from, 6, "[DONE]") == 0) {
        m_done = true;
        return;
    }
    const Result<Json> chunk = parse_json(event.data, "event");
    if (!chunk) {
        // Half of the last event is a stream that was cut; anywhere else it is not JSON.
        if (event.name == "error")
            fail_with(Json{{"error", event.data}});
        else if (!cut)
            fail(ModelFailure::malformed, "an event of the stream is not JSON: " + one_line(event.data, 120),
                 "check that the URL is the base of an OpenAI-compatible API");
        return;
    }
    if (event.name == "error" || is_error(*chunk)) {
        fail_with(*chunk);
        return;
    }
    take_chunk(*chunk, at_s, pieces);
}

void ChatStream::take_chunk(const Json& chunk, double at_s, std::vector<ReplyPiece>& pieces) {
    if (m_reply.model.empty())
        m_reply.model = get_string(chunk, "model");
    take_usage(get_member(chunk, "usage"));
    const Json& choices = get_member(chunk, "choices");
    if (!choices.is_array())
        return;
    for (const Json& choice : choices) {
        if (count_of(choice, "index") != 0)
            continue; // one answer was asked for
        if (is_error(choice)) {
            fail_with(choice);
            return;
        }
        const Json& delta = get_member(choice, "delta");
        take_words(delta.is_object() ? delta : get_member(choice, "message"), at_s, pieces);
        if (const std::string reason = get_string(choice, "finish_reason"); !reason.empty())
            m_reply.finish_reason = reason;
    }
    if (m_reply.finish_reason == "error")
        fail(ModelFailure::stream_error, "the provider broke the reply off with an error and gave no reason",
             "try again");
}

void ChatStream::take_words(const Json& words, double at_s, std::vector<ReplyPiece>& pieces) {
    std::vector<ReplyPiece> fresh;
    if (std::string text = reasoning_of(words); !text.empty()) {
        m_reasoning_field = true;
        fresh.push_back(ReplyPiece{ReplyPiece::Kind::reasoning, std::move(text), at_s});
    }
    m_think.feed(text_of(get_member(words, "content")), at_s, fresh);
    m_think.feed(text_of(get_member(words, "refusal")), at_s, fresh);
    keep(std::move(fresh), pieces);
}

void ChatStream::keep(std::vector<ReplyPiece> fresh, std::vector<ReplyPiece>& pieces) {
    for (ReplyPiece& piece : fresh) {
        m_bytes += piece.text.size();
        if (m_bytes > m_options.reply_bytes) {
            fail(ModelFailure::malformed, "the reply is larger than any answer");
            return;
        }
        if (m_reply.pieces.empty())
            m_reply.first_token_s = piece.at_s;
        (piece.kind == ReplyPiece::Kind::reasoning ? m_reply.reasoning : m_reply.content) += piece.text;
        pieces.push_back(piece);
        m_reply.pieces.push_back(std::move(piece));
    }
}

void ChatStream::take_usage(const Json& usage) {
    if (!usage.is_object())
        return;
    TokenUsage& told = m_reply.usage;
    told.in = count_of(usage, "prompt_tokens");
    told.out = count_of(usage, "completion_tokens");
    told.reasoning = count_of(get_member(usage, "completion_tokens_details"), "reasoning_tokens");
    if (const double cost = get_double(usage, "cost"); std::isfinite(cost) && cost > 0)
        told.money = cost;
    told.told = told.in > 0 || told.out > 0;
}

void ChatStream::take_whole(double at_s, std::vector<ReplyPiece>& pieces) {
    std::string_view text = m_whole;
    if (text.substr(0, 3) == "\xef\xbb\xbf")
        text.remove_prefix(3);
    const Result<Json> body = parse_json(replace_invalid_utf8(text), "reply", whole_limit * 3);
    if (!body) {
        fail(ModelFailure::truncated, "the reply is a JSON document without its end", "try again");
        return;
    }
    if (is_error(*body))
        fail_with(*body);
    else if (!get_member(*body, "choices").is_array())
        fail(ModelFailure::malformed, "the reply is JSON, but no chat completion: " + one_line(text, 120),
             "check that the URL is the base of an OpenAI-compatible API");
    else
        take_chunk(*body, at_s, pieces);
    m_done = true;
}

// A chat template may put <think> into the prompt; then the answer holds </think> alone.
void ChatStream::settle_thinking() {
    constexpr std::string_view closing = "</think>";
    const std::size_t end = m_reply.content.find(closing);
    if (!m_reasoning_field && m_reply.reasoning.empty() && end != std::string::npos) {
        m_reply.reasoning = m_reply.content.substr(0, end);
        const std::size_t rest = m_reply.content.find_first_not_of(" \t\r\n", end + closing.size());
        m_reply.content = rest == std::string::npos ? std::string() : m_reply.content.substr(rest);
    } else if (m_options.thinking_off && m_reply.content.empty() && m_reply.finish_reason == "stop") {
        m_reply.content = std::exchange(m_reply.reasoning, {});
    }
}

ChatOutcome ChatStream::finish(double at_s, std::vector<ReplyPiece>& pieces) {
    if (m_form == Form::events && !ended()) {
        std::vector<SseEvent> events;
        const bool cut = m_sse.finish(events);
        for (const SseEvent& event : events)
            if (!ended())
                take_event(event, at_s, pieces, cut);
    } else if (m_form == Form::whole && !ended()) {
        take_whole(at_s, pieces);
    }
    std::vector<ReplyPiece> held;
    m_think.finish(at_s, held);
    if (!m_error)
        keep(std::move(held), pieces);
    settle_thinking();
    m_reply.seconds = at_s;
    if (!m_error && m_reply.finish_reason.empty() && !m_done)
        fail(ModelFailure::truncated,
             m_reply.pieces.empty() ? "the reply ended before its first word"
                                    : "the reply broke off in the middle (no finish_reason, no [DONE])",
             "try again; if it happens again, a proxy may cut long replies");
    if (!m_error && m_reply.content.empty() && m_reply.reasoning.empty())
        fail(ModelFailure::empty, "the reply ended in order without a word",
             "the prompt may be longer than the model's loaded context; else try again");
    if (!m_error)
        return m_reply;
    m_error->maybe_billed = true;
    m_error->partial = m_reply;
    return *m_error;
}

} // namespace kf
