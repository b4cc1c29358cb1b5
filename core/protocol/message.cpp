// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/message.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kf {
namespace {

constexpr std::size_t max_id_bytes = 200;
constexpr std::size_t max_method_bytes = 200;

struct CodeName {
    RpcCode code;
    const char* name;
};
// Words of kf::Error::code that have a JSON-RPC number of their own; all others travel as RpcCode::failed.
constexpr std::array<CodeName, 14> code_names = {{
    {RpcCode::parse_error, "rpc-parse"},
    {RpcCode::invalid_request, "rpc-invalid"},
    {RpcCode::method_not_found, "rpc-method-unknown"},
    {RpcCode::invalid_params, "rpc-params"},
    {RpcCode::internal_error, "rpc-internal"},
    {RpcCode::failed, "rpc-failed"},
    {RpcCode::cancelled, "cancelled"},
    {RpcCode::deadline_exceeded, "deadline-exceeded"},
    {RpcCode::busy, "busy"},
    {RpcCode::blob_missing, "blob-missing"},
    {RpcCode::too_large, "too-large"},
    {RpcCode::not_allowed, "not-allowed"},
    {RpcCode::shutting_down, "shutting-down"},
    {RpcCode::protocol_mismatch, "protocol-mismatch"},
}};

const char* name_of(int code) {
    for (const auto& entry : code_names)
        if (static_cast<int>(entry.code) == code)
            return entry.name;
    return "rpc-failed";
}

int code_of(std::string_view name) {
    for (const auto& entry : code_names)
        if (entry.name == name)
            return static_cast<int>(entry.code);
    return static_cast<int>(RpcCode::failed);
}

Error invalid(std::string message, std::string remedy = {}) {
    return make_error("rpc-invalid", std::move(message), std::move(remedy));
}

Json rest_of(Json object, std::initializer_list<const char*> known) {
    for (const char* key : known)
        object.erase(key);
    return object;
}

Result<Json> params_of(const Json& object) {
    const auto it = object.find("params");
    if (it == object.end() || it->is_null())
        return Json(Json::object());
    if (!it->is_object())
        return invalid("\"params\" is not an object", "name the parameters");
    return Json(*it);
}

Result<RpcError> error_of(const Json& value) {
    const Json& code = get_member(value, "code");
    const Json& message = get_member(value, "message");
    if (!code.is_number_integer() || !message.is_string())
        return invalid("\"error\" needs an integer \"code\" and a text \"message\"");
    const std::int64_t number = get_int(value, "code");
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
        return invalid("\"error\".\"code\" is out of range");
    return RpcError{static_cast<int>(number), message.get<std::string>(), get_member(value, "data")};
}

Result<Message> response_of(Json object) {
    const auto result = object.find("result");
    const auto error = object.find("error");
    if ((result == object.end()) == (error == object.end()))
        return invalid("a reply has either \"result\" or \"error\"");
    Response response;
    const auto id = object.find("id");
    if (id == object.end())
        return invalid("a reply has an \"id\"");
    if (!id->is_null()) {
        auto parsed = rpc_id_from_json(*id);
        if (!parsed)
            return parsed.error();
        response.id = std::move(*parsed);
    } else if (error == object.end()) {
        return invalid("a result has an \"id\"");
    }
    if (error != object.end()) {
        auto parsed = error_of(*error);
        if (!parsed)
            return parsed.error();
        response.body.emplace<1>(std::move(*parsed));
    } else {
        response.body.emplace<0>(std::move(*result));
    }
    response.extra = rest_of(std::move(object), {"jsonrpc", "id", "result", "error"});
    return Message(std::move(response));
}

Result<Message> call_of(Json object) {
    const auto method = object.find("method");
    if (!method->is_string() || method->get_ref<const std::string&>().empty() ||
        method->get_ref<const std::string&>().size() > max_method_bytes)
        return invalid("\"method\" is not a text of 1 to 200 bytes");
    if (object.contains("result") || object.contains("error"))
        return invalid("a line has either \"method\" or \"result\"/\"error\"");
    auto params = params_of(object);
    if (!params)
        return params.error();
    const auto id = object.find("id");
    if (id == object.end()) {
        Notification notification{method->get<std::string>(), std::move(*params), {}};
        notification.extra = rest_of(std::move(object), {"jsonrpc", "method", "params"});
        return Message(std::move(notification));
    }
    auto parsed = rpc_id_from_json(*id);
    if (!parsed)
        return parsed.error();
    Request request{std::move(*parsed), method->get<std::string>(), std::move(*params), 0, {}};
    if (const auto deadline = object.find("deadline_s"); deadline != object.end()) {
        if (!deadline->is_number() || !(deadline->get<double>() >= 0))
            return invalid("\"deadline_s\" is not a number of seconds");
        request.deadline_s = deadline->get<double>();
    }
    request.extra = rest_of(std::move(object), {"jsonrpc", "id", "method", "params", "deadline_s"});
    return Message(std::move(request));
}

Json frame(const Json& extra) {
    Json object = extra.is_object() ? extra : Json::object();
    object["jsonrpc"] = "2.0";
    return object;
}

} // namespace

std::string to_string(const RpcId& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id))
        return std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&id))
        return *text;
    return "null";
}

Json to_json(const RpcId& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id))
        return *number;
    if (const auto* text = std::get_if<std::string>(&id))
        return *text;
    return nullptr;
}

Result<RpcId> rpc_id_from_json(const Json& value) {
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        return invalid("\"id\" is out of range");
    if (value.is_number_integer())
        return RpcId(value.get<std::int64_t>());
    if (value.is_string() && value.get_ref<const std::string&>().size() <= max_id_bytes)
        return RpcId(value.get<std::string>());
    return invalid("\"id\" is neither an integer nor a text of at most 200 bytes");
}

RpcError rpc_error(RpcCode code, std::string message, std::string remedy) {
    return to_rpc_error(make_error(name_of(static_cast<int>(code)), std::move(message), std::move(remedy)));
}

RpcError to_rpc_error(const Error& error) {
    RpcError rpc{code_of(error.code), error.message, Json{{"code", error.code}}};
    if (!error.remedy.empty())
        rpc.data["remedy"] = error.remedy;
    if (error.place != Place{})
        rpc.data["place"] = {{"file", error.place.file}, {"line", error.place.line}, {"column", error.place.column}};
    return rpc;
}

Error to_error(const RpcError& error) {
    const Json& place = get_member(error.data, "place");
    const auto number = [&](const char* key) {
        return static_cast<int>(std::clamp<std::int64_t>(get_int(place, key), 0, std::numeric_limits<int>::max()));
    };
    return make_error(get_string(error.data, "code", name_of(error.code)), error.message,
                      get_string(error.data, "remedy"),
                      Place{get_string(place, "file"), number("line"), number("column")});
}

Result<Message> parse_message(std::string_view line) {
    // The JSON library takes a NUL byte for the end of its input and would accept what stands before it.
    if (line.find('\0') != std::string_view::npos)
        return make_error("rpc-parse", "the line contains a NUL byte");
    auto parsed = parse_json(line, {}, max_line_bytes);
    if (!parsed)
        return make_error("rpc-parse", to_string(parsed.error()));
    Json object = std::move(*parsed);
    if (object.is_array())
        return invalid("batches are not part of this protocol", "send one object a line");
    if (!object.is_object())
        return invalid("the line is not a JSON object");
    const Json& version = get_member(object, "jsonrpc");
    if (!version.is_string() || version.get_ref<const std::string&>() != "2.0")
        return invalid("\"jsonrpc\" is not \"2.0\"");
    return object.contains("method") ? call_of(std::move(object)) : response_of(std::move(object));
}

RpcId recover_id(std::string_view line) {
    const auto parsed = parse_json(line, {}, max_line_bytes);
    if (!parsed)
        return {};
    const auto id = rpc_id_from_json(get_member(*parsed, "id"));
    return id ? *id : RpcId{};
}

std::string format_message(const Request& request) {
    Json object = frame(request.extra);
    object["id"] = to_json(request.id);
    object["method"] = request.method;
    if (!request.params.empty())
        object["params"] = request.params;
    if (request.deadline_s > 0 && std::isfinite(request.deadline_s))
        object["deadline_s"] = request.deadline_s;
    return dump_line(object);
}

std::string format_message(const Notification& notification) {
    Json object = frame(notification.extra);
    object["method"] = notification.method;
    if (!notification.params.empty())
        object["params"] = notification.params;
    return dump_line(object);
}

std::string format_message(const Response& response) {
    Json object = frame(response.extra);
    object["id"] = to_json(response.id);
    if (response.ok()) {
        object["result"] = response.result();
    } else {
        Json error{{"code", response.error().code}, {"message", response.error().message}};
        if (!response.error().data.is_null())
            error["data"] = response.error().data;
        object["error"] = std::move(error);
    }
    return dump_line(object);
}

Response make_response(RpcId id, Result<Json> result) {
    Response response{std::move(id), Json(), {}};
    if (result)
        response.body.emplace<0>(std::move(*result));
    else
        response.body.emplace<1>(to_rpc_error(result.error()));
    return response;
}

} // namespace kf
