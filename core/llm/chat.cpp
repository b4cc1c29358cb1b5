// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/chat.h"

#include <array>
#include <utility>

namespace kf {
namespace {

constexpr std::array<std::pair<ReasoningEffort, std::string_view>, 4> efforts = {{
    {ReasoningEffort::automatic, "automatic"},
    {ReasoningEffort::off, "off"},
    {ReasoningEffort::low, "low"},
    {ReasoningEffort::full, "full"},
}};

constexpr std::array<std::pair<ModelFailure, std::string_view>, 20> failures = {{
    {ModelFailure::unreachable, "unreachable"},
    {ModelFailure::tls, "tls"},
    {ModelFailure::redirect, "redirect"},
    {ModelFailure::unauthorized, "unauthorized"},
    {ModelFailure::payment, "payment"},
    {ModelFailure::forbidden, "forbidden"},
    {ModelFailure::not_found, "not_found"},
    {ModelFailure::bad_request, "bad_request"},
    {ModelFailure::overflow, "overflow"},
    {ModelFailure::too_large, "too_large"},
    {ModelFailure::rate_limited, "rate_limited"},
    {ModelFailure::server, "server"},
    {ModelFailure::first_token_late, "first_token_late"},
    {ModelFailure::stalled, "stalled"},
    {ModelFailure::truncated, "truncated"},
    {ModelFailure::stream_error, "stream_error"},
    {ModelFailure::malformed, "malformed"},
    {ModelFailure::empty, "empty"},
    {ModelFailure::cancelled, "cancelled"},
    {ModelFailure::not_recorded, "not_recorded"},
}};

template<class Table, class Value> std::string_view name_in(const Table& table, Value value) {
    for (const auto& [one, name] : table)
        if (one == value)
            return name;
    return "unknown";
}

template<class Value, class Table> std::optional<Value> value_in(const Table& table, std::string_view wanted) {
    for (const auto& [one, name] : table)
        if (name == wanted)
            return one;
    return std::nullopt;
}

} // namespace

std::string_view to_string(ReasoningEffort effort) {
    return name_in(efforts, effort);
}
std::optional<ReasoningEffort> parse_reasoning_effort(std::string_view name) {
    return value_in<ReasoningEffort>(efforts, name);
}
std::string_view to_string(ModelFailure failure) {
    return name_in(failures, failure);
}
std::optional<ModelFailure> parse_model_failure(std::string_view name) {
    return value_in<ModelFailure>(failures, name);
}

Json to_json(const ChatRequest& request) {
    Json messages = Json::array();
    for (const ChatMessage& message : request.messages)
        messages.push_back(Json{{"role", message.role}, {"content", message.content}});
    Json json{{"model", request.model},
              {"messages", std::move(messages)},
              {"max_tokens", request.max_tokens},
              {"reasoning", std::string(to_string(request.reasoning))}};
    if (request.temperature)
        json["temperature"] = *request.temperature;
    if (request.seed)
        json["seed"] = *request.seed;
    return json;
}

std::optional<ChatRequest> chat_request_from_json(const Json& json) {
    const Json& messages = get_member(json, "messages");
    if (!json.is_object() || !messages.is_array())
        return std::nullopt;
    ChatRequest request;
    request.model = get_string(json, "model");
    for (const Json& message : messages)
        request.messages.push_back(ChatMessage{get_string(message, "role"), get_string(message, "content")});
    request.max_tokens = static_cast<int>(get_int(json, "max_tokens", request.max_tokens));
    request.reasoning = parse_reasoning_effort(get_string(json, "reasoning")).value_or(ReasoningEffort::automatic);
    if (const Json& value = get_member(json, "temperature"); value.is_number())
        request.temperature = value.get<double>();
    if (const Json& value = get_member(json, "seed"); value.is_number_unsigned())
        request.seed = value.get<std::uint64_t>();
    return request;
}

Json to_json(const ChatReply& reply) {
    Json pieces = Json::array();
    for (const ReplyPiece& piece : reply.pieces)
        pieces.push_back(
            Json::array({piece.at_s, piece.kind == ReplyPiece::Kind::reasoning ? "reasoning" : "content", piece.text}));
    return Json{{"content", reply.content},
                {"reasoning", reply.reasoning},
                {"finish_reason", reply.finish_reason},
                {"model", reply.model},
                {"usage",
                 {{"in", reply.usage.in},
                  {"out", reply.usage.out},
                  {"reasoning", reply.usage.reasoning},
                  {"money", reply.usage.money},
                  {"told", reply.usage.told}}},
                {"pieces", std::move(pieces)},
                {"first_token_s", reply.first_token_s},
                {"seconds", reply.seconds},
                {"attempts", reply.attempts}};
}

std::optional<ChatReply> chat_reply_from_json(const Json& json) {
    if (!json.is_object() || !get_member(json, "content").is_string())
        return std::nullopt;
    ChatReply reply;
    reply.content = get_string(json, "content");
    reply.reasoning = get_string(json, "reasoning");
    reply.finish_reason = get_string(json, "finish_reason");
    reply.model = get_string(json, "model");
    const Json& usage = get_member(json, "usage");
    reply.usage = TokenUsage{get_int(usage, "in"), get_int(usage, "out"), get_int(usage, "reasoning"),
                             get_double(usage, "money"), get_bool(usage, "told")};
    if (const Json& pieces = get_member(json, "pieces"); pieces.is_array())
        for (const Json& piece : pieces)
            if (piece.is_array() && piece.size() == 3 && piece[0].is_number() && piece[1].is_string() &&
                piece[2].is_string())
                reply.pieces.push_back(
                    ReplyPiece{piece[1] == "reasoning" ? ReplyPiece::Kind::reasoning : ReplyPiece::Kind::content,
                               piece[2].get<std::string>(), piece[0].get<double>()});
    reply.first_token_s = get_double(json, "first_token_s");
    reply.seconds = get_double(json, "seconds");
    reply.attempts = static_cast<int>(get_int(json, "attempts", 1));
    return reply;
}

} // namespace kf
