// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON type of the whole project. Keys are kept sorted, so that dump() of equal values is equal text and can be
// hashed.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kf {

using Json = nlohmann::json;

// Parses text of at most `limit` bytes nested at most 64 deep (a deeper text could exhaust the stack).
// Errors: "json-too-large", "json-too-deep", "json-syntax" with line and column of the first bad byte; `file` names the
// source.
Result<Json> parse_json(std::string_view text, const std::string& file, std::size_t limit = std::size_t{16} << 20);

// One line of JSON; invalid UTF-8 is replaced rather than thrown about, NaN and Inf become null.
std::string dump_line(const Json& value);

// Tolerant readers: the field's value, or the fallback when it is missing or of another type.
std::string get_string(const Json& object, const char* key, std::string fallback = {});
double get_double(const Json& object, const char* key, double fallback = 0);
std::int64_t get_int(const Json& object, const char* key, std::int64_t fallback = 0);
bool get_bool(const Json& object, const char* key, bool fallback = false);
// The member, or a null value that lives for ever.
const Json& get_member(const Json& object, const char* key);

} // namespace kf
