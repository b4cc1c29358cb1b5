// SPDX-License-Identifier: GPL-3.0-or-later
// One exchange with a language model, whatever carries it: what is asked, what came back piece by piece, or why nothing
// usable came. core/net carries it over HTTP; a recorded run and the tests carry it without a network.
#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kf {

struct ChatMessage {
    std::string role; // system, user, assistant
    std::string content;
    bool operator==(const ChatMessage&) const = default;
};

// How much a reasoning model is to think before it answers. `automatic` sends no switch at all.
enum class ReasoningEffort { automatic, off, low, full };
std::string_view to_string(ReasoningEffort effort);
std::optional<ReasoningEffort> parse_reasoning_effort(std::string_view name);

struct ChatRequest {
    std::string model;
    std::vector<ChatMessage> messages;
    std::optional<double> temperature; // none: the provider's default
    int max_tokens = 16384;            // of the reply, its thinking included
    ReasoningEffort reasoning = ReasoningEffort::automatic;
    std::optional<std::uint64_t> seed;
};
Json to_json(const ChatRequest& request); // as the journal keeps it; holds no secret
std::optional<ChatRequest> chat_request_from_json(const Json& json);

struct TokenUsage {
    std::int64_t in = 0, out = 0; // `out` includes reasoning
    std::int64_t reasoning = 0;
    double money = 0;  // as the provider told it, or by the provider entry's prices; 0: not known
    bool told = false; // false: the provider sent no usage
};

struct ReplyPiece {
    enum class Kind { content, reasoning } kind = Kind::content;
    std::string text;
    double at_s = 0; // since the request was sent
};

struct ChatReply {
    std::string content;       // without what was thought
    std::string reasoning;     // apart, for people
    std::string finish_reason; // stop, length, content_filter, …; empty: only [DONE] was seen
    std::string model;         // as the provider named it
    TokenUsage usage;
    std::vector<ReplyPiece> pieces;
    double first_token_s = 0, seconds = 0;
    int attempts = 1; // POSTs that were sent for it
    bool cut() const { return finish_reason == "length"; }
};
Json to_json(const ChatReply& reply); // the journal's reply blob
std::optional<ChatReply> chat_reply_from_json(const Json& json);

enum class ModelFailure {
    unreachable, // no connection, name not found, connection lost before a byte came
    tls,
    redirect,     // never followed: the key would go along
    unauthorized, // 401
    payment,      // 402
    forbidden,    // 403
    not_found,    // 404: wrong URL or model
    bad_request,  // other 4xx
    overflow,     // the prompt does not fit the context, whatever the wording
    too_large,    // 413, or a 429 that no waiting mends
    rate_limited, // 429
    server,       // 5xx
    first_token_late,
    stalled,      // pieces came, then none for too long
    truncated,    // the stream ended without finish_reason and [DONE]
    stream_error, // an error inside a 200 stream
    malformed,    // not what the protocol says
    empty,        // ended in order without a word
    cancelled,
    not_recorded, // a replay whose record has no such exchange
};
std::string_view to_string(ModelFailure failure);
std::optional<ModelFailure> parse_model_failure(std::string_view name);

struct ModelError {
    ModelFailure failure = ModelFailure::unreachable;
    int http_status = 0;       // 0: none came
    std::string message;       // one sentence, with the provider's own words where it has some; never a key
    std::string remedy;        // what a person can do
    double retry_after_s = 0;  // as the provider asked; 0: it did not
    bool maybe_billed = false; // a request went out and nobody knows what became of it
    ChatReply partial;         // what came before it failed
};

using ChatOutcome = std::variant<ChatReply, ModelError>;

// Told before a transport sends the same request once more: why, how often it was sent, and for how long it waits.
using RetryListener = std::function<void(const ModelError&, int tries_made, double wait_s)>;

// Blocking; one exchange at a time. Retries (before the first token only) are the transport's own affair and counted in
// `attempts`.
class ModelTransport {
public:
    virtual ~ModelTransport() = default;
    // `on_piece` is called in the asking thread as pieces come. `stop` gives up at any moment: cancelled.
    virtual ChatOutcome ask(const ChatRequest& request, const std::stop_token& stop,
                            const std::function<void(const ReplyPiece&)>& on_piece) = 0;
    // Called in the asking thread; for transports that try again by themselves.
    virtual void set_on_retry(RetryListener) {}
    // For the journal and for people: {"provider", "url", "model"}; no secret.
    virtual Json describe() const = 0;
};

} // namespace kf
