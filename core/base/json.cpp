// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <cmath>

namespace kf {
namespace {

constexpr int max_depth = 64;

// True when brackets outside strings nest deeper than max_depth.
bool too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > max_depth)
                return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

Place place_of_byte(std::string_view text, std::size_t byte, const std::string& file) {
    Place place{file, 1, 1};
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else {
            ++place.column;
        }
    }
    return place;
}

} // namespace

Result<Json> parse_json(std::string_view text, const std::string& file, std::size_t limit) {
    if (text.size() > limit)
        return make_error("json-too-large",
                          "the JSON text has " + std::to_string(text.size()) + " bytes, at most " +
                              std::to_string(limit) + " are accepted",
                          {}, Place{file, 0, 0});
    if (too_deep(text))
        return make_error("json-too-deep", "the JSON text nests deeper than " + std::to_string(max_depth) + " levels",
                          {}, Place{file, 0, 0});
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& e) {
        std::string what = e.what();
        // The library's own prefix repeats the position that we give as a place.
        if (const auto colon = what.find(": "); colon != std::string::npos)
            what = what.substr(colon + 2);
        return make_error("json-syntax", "not valid JSON: " + what, "correct the text at this place",
                          place_of_byte(text, e.byte, file));
    } catch (const Json::exception& e) {
        return make_error("json-syntax", std::string("not valid JSON: ") + e.what(), {}, Place{file, 0, 0});
    }
}

std::string dump_line(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& get_member(const Json& object, const char* key) {
    static const Json nothing;
    if (!object.is_object())
        return nothing;
    const auto it = object.find(key);
    return it == object.end() ? nothing : *it;
}

std::string get_string(const Json& object, const char* key, std::string fallback) {
    const Json& member = get_member(object, key);
    return member.is_string() ? member.get<std::string>() : fallback;
}

double get_double(const Json& object, const char* key, double fallback) {
    const Json& member = get_member(object, key);
    return member.is_number() ? member.get<double>() : fallback;
}

std::int64_t get_int(const Json& object, const char* key, std::int64_t fallback) {
    const Json& member = get_member(object, key);
    if (member.is_number_integer())
        return member.get<std::int64_t>();
    if (member.is_number_float()) {
        const double number = member.get<double>();
        if (std::abs(number) < 9e15)
            return static_cast<std::int64_t>(number);
    }
    return fallback;
}

bool get_bool(const Json& object, const char* key, bool fallback) {
    const Json& member = get_member(object, key);
    return member.is_boolean() ? member.get<bool>() : fallback;
}

} // namespace kf
