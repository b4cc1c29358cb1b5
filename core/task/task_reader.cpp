// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/task_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace kf {
namespace {

// "/inputs/0/shape/1" as a person writes it: inputs[0].shape[1].
std::string readable(const std::string& path) {
    std::string text;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t next = std::min(path.find('/', at + 1), path.size());
        const std::string part = path.substr(at + 1, next - at - 1);
        const bool index = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
        text += index ? "[" + part + "]" : (text.empty() ? "" : ".") + part;
        at = next;
    }
    return text.empty() ? "the task" : text;
}

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

const char* kind_of(const Json& value) {
    if (value.is_number_integer())
        return "an integer";
    if (value.is_number())
        return "a number";
    if (value.is_string())
        return "a string";
    if (value.is_array())
        return "a list";
    if (value.is_object())
        return "an object";
    return value.is_boolean() ? "true or false" : "null";
}

// Words that cannot be an argument of the reference or would read as something else in a plan.
constexpr std::array reserved = {
    "acc",      "and",       "as",        "assert",   "async",  "await", "auto",   "bool",     "break",    "case",
    "char",     "class",     "const",     "def",      "del",    "do",    "double", "elif",     "else",     "except",
    "false",    "False",     "fill",      "float",    "for",    "from",  "gemm",   "global",   "if",       "import",
    "in",       "int",       "is",        "lambda",   "launch", "long",  "None",   "nonlocal", "not",      "or",
    "pass",     "prepare",   "raise",     "resident", "return", "self",  "short",  "signed",   "sm_count", "static",
    "struct",   "switch",    "tensormap", "torch",    "true",   "True",  "try",    "unsigned", "view",     "void",
    "volatile", "warp_size", "when",      "where",    "while",  "with",  "yield"};

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    if (word.size() > 64)
        return best;
    for (const std::string& candidate : candidates) {
        std::vector<std::size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                const std::size_t replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = candidate;
        }
    }
    return best;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

void TaskReader::fail(const std::string& path, const char* code, std::string message, std::string remedy) {
    if (!m_error)
        m_error = make_error(code, readable(path) + ": " + std::move(message), std::move(remedy), m_places.value(path));
}

void TaskReader::fail_with(Error error) {
    if (!m_error)
        m_error = std::move(error);
}

const Json* TaskReader::find(const std::string& path) const {
    const Json* value = &m_root;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t next = std::min(path.find('/', at + 1), path.size());
        const std::string part = path.substr(at + 1, next - at - 1);
        if (value->is_object()) {
            const auto it = value->find(part);
            if (it == value->end())
                return nullptr;
            value = &*it;
        } else if (value->is_array()) {
            std::size_t index = 0;
            const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
            if (parsed.ec != std::errc{} || index >= value->size())
                return nullptr;
            value = &(*value)[index];
        } else {
            return nullptr;
        }
        at = next;
    }
    return value;
}

void TaskReader::only_keys(const std::string& path, std::initializer_list<std::string_view> known) {
    const Json* value = find(path);
    if (failed() || !value || !value->is_object())
        return;
    const std::vector<std::string> words(known.begin(), known.end());
    for (const auto& [key, ignored] : value->items()) {
        if (std::find(words.begin(), words.end(), key) != words.end())
            continue;
        const std::string close = nearest(key, words);
        m_error = make_error("task-unknown-key", readable(path) + ": unknown key '" + key.substr(0, 64) + "'",
                             close.empty() ? "known keys: " + joined(words) : "did you mean '" + close + "'?",
                             m_places.key(path + "/" + key));
        return;
    }
}

const Json* TaskReader::need(const std::string& path) {
    const Json* value = find(path);
    if (!value)
        fail(path.substr(0, path.rfind('/')), "task-missing", "'" + last_part(path) + "' is missing", "add it");
    return failed() ? nullptr : value;
}

void TaskReader::wrong_type(const std::string& path, const Json& found, const char* wanted) {
    fail(path, "task-type", std::string("expected ") + wanted + ", found " + kind_of(found));
}

const Json& TaskReader::object(const std::string& path) {
    static const Json empty = Json::object();
    const Json* value = need(path);
    if (value && !value->is_object())
        wrong_type(path, *value, "an object");
    return failed() ? empty : *value;
}

const Json& TaskReader::array(const std::string& path) {
    static const Json empty = Json::array();
    const Json* value = need(path);
    if (value && !value->is_array())
        wrong_type(path, *value, "a list");
    return failed() ? empty : *value;
}

std::string TaskReader::string(const std::string& path) {
    const Json* value = need(path);
    if (value && !value->is_string())
        wrong_type(path, *value, "a string");
    return failed() ? std::string() : value->get<std::string>();
}

std::int64_t TaskReader::integer(const std::string& path, std::int64_t least, std::int64_t most) {
    const Json* value = need(path);
    if (value && !value->is_number_integer())
        wrong_type(path, *value, "an integer");
    if (failed())
        return least;
    const bool too_large = value->is_number_unsigned() &&
                           value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0));
    if (too_large || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most) {
        fail(path, "task-range", value->dump() + " is out of range",
             "from " + std::to_string(least) + " to " + std::to_string(most));
        return least;
    }
    return value->get<std::int64_t>();
}

double TaskReader::number(const std::string& path) {
    const Json* value = need(path);
    if (value && !value->is_number())
        wrong_type(path, *value, "a number");
    if (failed())
        return 0;
    const double number = value->get<double>();
    if (!std::isfinite(number))
        fail(path, "task-range", "the number does not fit a double");
    return number;
}

bool TaskReader::flag(const std::string& path, bool fallback) {
    const Json* value = find(path);
    if (!value || failed())
        return fallback;
    if (!value->is_boolean())
        wrong_type(path, *value, "true or false");
    return value->is_boolean() ? value->get<bool>() : fallback;
}

std::array<double, 2> TaskReader::pair(const std::string& path) {
    const Json& list = array(path);
    if (!failed() && list.size() != 2)
        fail(path, "task-type", "expected a list of two numbers, found " + std::to_string(list.size()) + " elements");
    if (failed())
        return {0, 0};
    return {number(path + "/0"), number(path + "/1")};
}

Expression TaskReader::expression(const std::string& path) {
    const Json* value = need(path);
    if (value && value->is_number_integer()) {
        const std::int64_t number = integer(path, 0, std::numeric_limits<std::int64_t>::max());
        return Expression::constant(number);
    }
    if (value && !value->is_string())
        wrong_type(path, *value, "an expression as a string, or an integer");
    if (failed())
        return Expression::constant(0);
    Result<Expression> parsed = Expression::parse(value->get_ref<const std::string&>(), m_places.value(path));
    if (!parsed) {
        Error error = parsed.error();
        error.message = readable(path) + ": " + error.message;
        fail_with(std::move(error));
        return Expression::constant(0);
    }
    return std::move(parsed).value();
}

std::vector<Expression> TaskReader::shape(const std::string& path) {
    std::vector<Expression> shape;
    const Json& list = array(path);
    if (list.size() > 8)
        fail(path, "task-shape", "a tensor has at most 8 axes, found " + std::to_string(list.size()));
    for (std::size_t i = 0; i < list.size() && !failed(); ++i)
        shape.push_back(expression(path + "/" + std::to_string(i)));
    return shape;
}

std::string TaskReader::identifier(const std::string& path, const char* what) {
    const std::string name = string(path);
    if (failed())
        return name;
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (name.empty() || name.size() > 64 || (name[0] >= '0' && name[0] <= '9') ||
        !std::all_of(name.begin(), name.end(), allowed))
        fail(path, "task-name", "'" + name.substr(0, 64) + "' is no name for " + what,
             "letters, digits and _, not a digit first, at most 64");
    else if (is_builtin_function(name) || std::find(reserved.begin(), reserved.end(), name) != reserved.end())
        fail(path, "task-name", "'" + name + "' has a meaning of its own", "choose another name");
    return name;
}

} // namespace kf
