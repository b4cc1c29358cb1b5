// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/loopback/reply.h"

#include <cstdio>

namespace kf::loopback {
namespace {

std::string reason_of(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 307:
        return "Temporary Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 404:
        return "Not Found";
    case 429:
        return "Too Many Requests";
    default:
        return status < 400 ? "Fine" : "Failure";
    }
}

// Pieces of at most `n` code points.
std::vector<std::string> pieces_of(const std::string& text, int n) {
    std::vector<std::string> pieces;
    int in_piece = 0;
    for (const char c : text) {
        const bool starts = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        if (starts && (pieces.empty() || in_piece == n)) {
            pieces.emplace_back();
            in_piece = 0;
        }
        in_piece += starts;
        if (pieces.empty())
            pieces.emplace_back();
        pieces.back() += c;
    }
    return pieces;
}

Json usage_of(const Rule& rule, const Json& request) {
    const std::size_t in = get_member(request, "messages").dump().size() / 4;
    const std::size_t thought = rule.thinking.size() / 4;
    const std::size_t out = rule.reply.size() / 4 + thought + 1;
    return Json{{"prompt_tokens", in},
                {"completion_tokens", out},
                {"total_tokens", in + out},
                {"completion_tokens_details", {{"reasoning_tokens", thought}}}};
}

class Stream {
public:
    Stream(const Rule& rule, const Json& request) : m_rule(rule), m_b(rule.behaviour), m_request(request) {}

    HttpReply make() {
        std::string head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n";
        for (const auto& [name, value] : m_b.headers)
            head += name + ": " + value + "\r\n";
        if (m_b.chunked)
            head += "Transfer-Encoding: chunked\r\n";
        m_reply.steps.push_back({m_b.headers_ms, head + "\r\n"});
        m_wait = m_b.first_ms;
        if (!m_b.raw.empty()) {
            send(m_b.raw);
            return end(Ending::close);
        }
        event(delta(Json{{"role", "assistant"}, {"content", ""}}));
        if (m_b.reasoning == ReasoningField::think && !m_rule.thinking.empty()) {
            if (!words("<think>" + m_rule.thinking + "</think>" + m_rule.reply, false))
                return m_reply;
        } else if (!words(m_rule.thinking, true) || !words(m_rule.reply, false)) {
            return m_reply;
        }
        if (stopped())
            return m_reply;
        if (m_b.finish && !m_b.finish->empty()) {
            Json last = delta(Json::object(), *m_b.finish);
            if (m_b.usage == UsageForm::with_finish)
                last["usage"] = usage_of(m_rule, m_request);
            event(last);
        }
        usage();
        if (m_b.done)
            line("data: [DONE]");
        return end(Ending::close);
    }

private:
    Json delta(Json content, const std::string& finish = {}) const {
        Json choice{{"index", 0}, {"delta", std::move(content)}, {"finish_reason", nullptr}};
        if (!finish.empty() || (m_b.finish && m_b.finish->empty()))
            choice["finish_reason"] = finish;
        return Json{{"id", "loopback"},
                    {"object", "chat.completion.chunk"},
                    {"model", get_string(m_request, "model")},
                    {"choices", Json::array({std::move(choice)})}};
    }
    bool words(const std::string& text, bool thought) {
        for (const std::string& piece : pieces_of(text, m_b.piece_chars)) {
            if (stopped())
                return false;
            event(delta(thought ? thinking(piece) : Json{{"content", piece}}));
            ++m_pieces;
            m_wait = m_b.pause_ms;
        }
        return true;
    }
    Json thinking(const std::string& piece) const {
        if (m_b.reasoning == ReasoningField::reasoning)
            return Json{{"reasoning", piece}};
        if (m_b.reasoning == ReasoningField::reasoning_details)
            return Json{{"reasoning_details", Json::array({Json{{"type", "reasoning.text"}, {"text", piece}}})}};
        return Json{{"reasoning_content", piece}};
    }
    // Whether the behaviour ends the stream here; then the ending is made.
    bool stopped() {
        if (m_b.error_after >= 0 && m_pieces >= m_b.error_after) {
            event(Json{{"error", m_b.error}});
            end(Ending::close);
            return true;
        }
        if (m_b.cut_after >= 0 && m_pieces >= m_b.cut_after) {
            m_reply.ending = Ending::abort;
            return true;
        }
        if (m_b.stall_after >= 0 && m_pieces >= m_b.stall_after) {
            m_reply.ending = Ending::hold;
            return true;
        }
        return false;
    }
    void usage() {
        const Json& options = get_member(m_request, "stream_options");
        if (m_b.usage == UsageForm::none || m_b.usage == UsageForm::with_finish || !get_bool(options, "include_usage"))
            return;
        Json json{{"id", "loopback"}, {"object", "chat.completion.chunk"}, {"model", get_string(m_request, "model")}};
        if (m_b.usage != UsageForm::choices_missing)
            json["choices"] = m_b.usage == UsageForm::choices_empty ? Json::array() : Json();
        json["usage"] = usage_of(m_rule, m_request);
        event(json);
    }
    void event(const Json& json) {
        if (m_b.comments)
            line(": PROCESSING");
        line("data: " + json.dump());
    }
    void line(const std::string& text) {
        const std::string end = m_b.crlf ? "\r\n" : "\n";
        send(text + end + end);
    }
    void send(const std::string& bytes) {
        std::string framed = bytes;
        if (m_b.chunked) {
            char size[32];
            std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
            framed = size + bytes + "\r\n";
        }
        m_reply.steps.push_back({m_wait, std::move(framed)});
        m_wait = 0;
    }
    HttpReply end(Ending ending) {
        if (m_b.chunked)
            m_reply.steps.push_back({0, "0\r\n\r\n"});
        m_reply.ending = ending;
        return m_reply;
    }

    const Rule& m_rule;
    const Behaviour& m_b;
    const Json& m_request;
    HttpReply m_reply;
    int m_wait = 0, m_pieces = 0;
};

std::string whole_reply(const Rule& rule, const Json& request) {
    Json message{{"role", "assistant"}, {"content", rule.reply}};
    if (!rule.thinking.empty())
        message["reasoning_content"] = rule.thinking;
    Json choice{{"index", 0}, {"message", std::move(message)}};
    choice["finish_reason"] = rule.behaviour.finish ? Json(*rule.behaviour.finish) : Json();
    return Json{{"id", "loopback"},
                {"object", "chat.completion"},
                {"model", get_string(request, "model")},
                {"choices", Json::array({std::move(choice)})},
                {"usage", usage_of(rule, request)}}
        .dump();
}

} // namespace

HttpReply plain_reply(int status, const std::vector<std::pair<std::string, std::string>>& headers,
                      const std::string& body, const std::string& content_type) {
    std::string text = "HTTP/1.1 " + std::to_string(status) + " " + reason_of(status) + "\r\nConnection: close\r\n";
    bool typed = false;
    for (const auto& [name, value] : headers) {
        text += name + ": " + value + "\r\n";
        typed = typed || name == "Content-Type";
    }
    if (!typed)
        text += "Content-Type: " + content_type + "\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    return HttpReply{{Step{0, std::move(text)}}, Ending::close};
}

HttpReply chat_reply(const Rule& rule, const Json& request) {
    const Behaviour& b = rule.behaviour;
    if (b.drop)
        return HttpReply{{Step{b.headers_ms, {}}}, Ending::abort};
    if (b.deaf)
        return HttpReply{{}, Ending::hold};
    HttpReply reply;
    if (!b.redirect.empty())
        reply = plain_reply(307, {{"Location", b.redirect}}, "");
    else if (b.status != 0)
        reply = plain_reply(b.status, b.headers, b.body);
    else if (b.whole || !get_bool(request, "stream"))
        reply = plain_reply(200, b.headers, whole_reply(rule, request));
    else
        return Stream(rule, request).make();
    reply.steps.front().wait_ms = b.headers_ms;
    return reply;
}

} // namespace kf::loopback
