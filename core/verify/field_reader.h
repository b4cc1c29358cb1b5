// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the fields of one JSON object and keeps the first thing that is wrong: missing fields take their default,
// unknown fields are passed over, a field of the wrong type is an error that names it by its path.
#pragma once

#include "core/verify/verdict.h"

#include <limits>
#include <utility>

namespace kf {

class FieldReader {
public:
    // `path` names the object in errors: "failure.case".
    FieldReader(const Json& object, std::string path) : m_object(object), m_path(std::move(path)) {
        if (!object.is_object())
            fail_here("is not an object");
    }

    bool ok() const { return !m_error.has_value(); }
    const Error& error() const { return *m_error; }
    std::string path(const char* key) const { return m_path + "." + key; }
    // Keeps the first error only.
    void fail(Error error) {
        if (!m_error)
            m_error = std::move(error);
    }
    void fail(const char* key, const std::string& what, const std::string& remedy = {}) {
        fail(make_error("verdict-invalid", path(key) + " " + what, remedy));
    }

    // The member, or nullptr when it is missing or null.
    const Json* find(const char* key) const {
        if (!m_object.is_object())
            return nullptr;
        const auto it = m_object.find(key);
        return it == m_object.end() || it->is_null() ? nullptr : &*it;
    }

    void read(const char* key, std::string& out) {
        if (const Json* value = find(key)) {
            if (value->is_string())
                out = value->get<std::string>();
            else
                fail(key, "is not a text");
        }
    }
    void read(const char* key, bool& out) {
        if (const Json* value = find(key)) {
            if (value->is_boolean())
                out = value->get<bool>();
            else
                fail(key, "is neither true nor false");
        }
    }
    void read(const char* key, double& out) {
        if (const Json* value = find(key)) {
            auto number = number_from_json(*value, path(key));
            if (number)
                out = *number;
            else
                fail(number.error());
        }
    }
    void read(const char* key, std::int64_t& out) {
        if (const Json* value = find(key)) {
            const bool fits = value->is_number_integer() &&
                              (!value->is_number_unsigned() ||
                               value->get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
            if (fits)
                out = value->get<std::int64_t>();
            else
                fail(key, "is not a whole number of 64 bits");
        }
    }
    void read(const char* key, int& out) {
        std::int64_t wide = out;
        read(key, wide);
        if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
            fail(key, "is out of range");
        else
            out = static_cast<int>(wide);
    }
    void read(const char* key, std::uint64_t& out) {
        if (const Json* value = find(key)) {
            if (value->is_number_unsigned() || (value->is_number_integer() && value->get<std::int64_t>() >= 0))
                out = value->get<std::uint64_t>();
            else
                fail(key, "is not a whole number from 0 to 2^64-1");
        }
    }
    // An enumeration by its name. `required`: a missing one is an error too.
    template<class Enum, class Parse> void read_enum(const char* key, Enum& out, Parse parse, bool required) {
        const Json* value = find(key);
        if (!value) {
            if (required)
                fail(key, "is missing");
            return;
        }
        const auto parsed = value->is_string() ? parse(value->get_ref<const std::string&>()) : std::nullopt;
        if (parsed)
            out = *parsed;
        else
            fail(key, "holds an unknown name: " + dump_line(*value));
    }
    // An array, each element through `from_json(element, path)`, at most `limit` elements.
    template<class T, class From>
    void read_list(const char* key, std::vector<T>& out, From from_json, std::size_t limit = 1u << 20) {
        const Json* value = find(key);
        if (!value)
            return;
        if (!value->is_array())
            return fail(key, "is not an array");
        if (value->size() > limit)
            return fail(key, "holds " + std::to_string(value->size()) + " elements, at most " + std::to_string(limit));
        out.clear();
        for (const Json& element : *value) {
            auto parsed = from_json(element);
            if (!parsed)
                return fail(parsed.error());
            out.push_back(std::move(*parsed));
        }
    }
    template<class T, class From> void read_optional(const char* key, std::optional<T>& out, From from_json) {
        if (const Json* value = find(key)) {
            auto parsed = from_json(*value);
            if (parsed)
                out = std::move(*parsed);
            else
                fail(parsed.error());
        }
    }
    void read_texts(const char* key, std::vector<std::string>& out) {
        read_list(key, out, [&](const Json& element) -> Result<std::string> {
            if (!element.is_string())
                return make_error("verdict-invalid", path(key) + " holds something that is not a text");
            return element.get<std::string>();
        });
    }

private:
    void fail_here(const std::string& what) { fail(make_error("verdict-invalid", m_path + " " + what)); }

    const Json& m_object;
    std::string m_path;
    std::optional<Error> m_error;
};

} // namespace kf
