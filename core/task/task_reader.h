// SPDX-License-Identifier: GPL-3.0-or-later
// Typed, strict reading of one JSON document with places: the first error stays, later reads give fallbacks, so that
// code which reads a structure has one check at its end. Private to core/task.
#pragma once

#include "core/base/json.h"
#include "core/task/expression.h"
#include "core/task/json_places.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

class TaskReader {
public:
    TaskReader(const Json& root, std::string_view text, const std::string& file)
        : m_root(root), m_places(text, file), m_file(file) {}

    bool failed() const { return m_error.has_value(); }
    const Error& error() const { return *m_error; }
    void fail(const std::string& path, const char* code, std::string message, std::string remedy = {});
    void fail_with(Error error); // its place is kept when it has one

    const Json* find(const std::string& path) const; // null when there is none
    bool has(const std::string& path) const { return find(path) != nullptr; }
    // The object at `path` may hold only these keys; names the nearest one.
    void only_keys(const std::string& path, std::initializer_list<std::string_view> known);

    // Each fails with "task-missing" when the value is absent and "task-type" when it is of another type.
    const Json& object(const std::string& path);
    const Json& array(const std::string& path);
    std::string string(const std::string& path);
    std::int64_t integer(const std::string& path, std::int64_t least, std::int64_t most);
    double number(const std::string& path);
    bool flag(const std::string& path, bool fallback); // optional
    std::array<double, 2> pair(const std::string& path);
    Expression expression(const std::string& path); // a string or a whole number
    std::vector<Expression> shape(const std::string& path);
    std::string identifier(const std::string& path, const char* what);

    const JsonPlaces& places() const { return m_places; }

private:
    const Json* need(const std::string& path);
    void wrong_type(const std::string& path, const Json& found, const char* wanted);

    const Json& m_root;
    JsonPlaces m_places;
    std::string m_file;
    std::optional<Error> m_error;
};

// The candidate nearest to `word` by edit distance, or "" when none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
std::string joined(const std::vector<std::string>& words); // "a, b, c"

} // namespace kf
