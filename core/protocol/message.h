// SPDX-License-Identifier: GPL-3.0-or-later
// JSON-RPC 2.0 messages, one object a line: engine and evaluator, evaluator and helpers, control socket of a run.
// Strict about lines that are not messages, tolerant about fields it does not know (they are kept in `extra`).
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/protocol/line_buffer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace kf {

// Newest protocol that this build speaks, and the oldest that it still understands.
struct ProtocolRange {
    int min = 1;
    int max = 1;
    bool operator==(const ProtocolRange&) const = default;
};
inline constexpr ProtocolRange supported_protocol{};

// Null stands only in an error reply to a line whose id could not be read.
using RpcId = std::variant<std::monostate, std::int64_t, std::string>;
std::string to_string(const RpcId& id);
Json to_json(const RpcId& id);
// From a JSON integer or a string of at most 200 bytes. Error: "rpc-invalid".
Result<RpcId> rpc_id_from_json(const Json& value);

enum class RpcCode : int {
    parse_error = -32700,      // the line is not JSON
    invalid_request = -32600,  // JSON, but not a request
    method_not_found = -32601, //
    invalid_params = -32602,   //
    internal_error = -32603,   // a fault of the callee's own
    failed = -32000,           // the method failed in a way it knows: data.code says which
    cancelled = -32001,        // `cancel`, or the peer is going
    deadline_exceeded = -32002,
    busy = -32003, // the queue is full; try again
    blob_missing = -32004,
    too_large = -32005,   // line, blob or result above its limit
    not_allowed = -32006, // token missing or wrong, or this peer may not do that
    shutting_down = -32007,
    protocol_mismatch = -32008,
};

struct RpcError {
    int code = static_cast<int>(RpcCode::internal_error);
    std::string message;
    Json data; // {"code": stable word, "remedy": text, "place": {file, line, column}} and more; may be null
};

// kf::Error travels inside RpcError::data, so that code, remedy and place arrive as they were.
RpcError to_rpc_error(const Error& error);
Error to_error(const RpcError& error);
RpcError rpc_error(RpcCode code, std::string message, std::string remedy = {});

struct Request {
    RpcId id;
    std::string method;
    Json params = Json::object();
    double deadline_s = 0; // seconds from receipt within which the answer is wanted; 0: the callee's default
    Json extra = Json::object();
};

struct Notification {
    std::string method;
    Json params = Json::object(); // progress of a request carries its "id" in here
    Json extra = Json::object();
};

struct Response {
    RpcId id;
    std::variant<Json, RpcError> body;
    Json extra = Json::object();

    bool ok() const { return body.index() == 0; }
    const Json& result() const { return std::get<0>(body); }
    const RpcError& error() const { return std::get<1>(body); }
};

using Message = std::variant<Request, Notification, Response>;

// One line without its line feed. Errors: "rpc-parse" (not JSON, a NUL byte, invalid UTF-8, nested too deep, above 1
// MiB) and "rpc-invalid" (not an object, a batch, wrong "jsonrpc", bad id, params not an object, result and error
// together or missing).
Result<Message> parse_message(std::string_view line);

// The id of a line that parse_message refused, if one can be read from it; else null.
RpcId recover_id(std::string_view line);

// One line without line feed. It may be longer than the limit; the channel refuses to write that.
std::string format_message(const Request& request);
std::string format_message(const Notification& notification);
std::string format_message(const Response& response);

Response make_response(RpcId id, Result<Json> result);

} // namespace kf
