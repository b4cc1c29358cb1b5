// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/cursor.h"

#include <charconv>

namespace kf::detail {

namespace {

bool is_space(char c) {
    return is_blank(c) || c == '\n';
}

} // namespace

void Cursor::fail(std::string code, std::string message, std::string remedy, std::size_t at) {
    if (!m_error)
        m_error = make_error(std::move(code), std::move(message), std::move(remedy), place(at));
}

std::string Cursor::found_at(std::size_t index) const {
    while (index < m_end && is_space(m_text[index]))
        ++index;
    if (index >= m_end)
        return "the end of the statement";
    std::size_t length = 1;
    const char c = m_text[index];
    if (is_identifier_char(c)) {
        while (index + length < m_end && length < 40 && is_identifier_char(m_text[index + length]))
            ++length;
    } else if (c == '<' || c == '>') {
        while (index + length < m_end && length < 3 && m_text[index + length] == c)
            ++length;
    } else if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) {
        static constexpr char digits[] = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        return std::string("the byte 0x") + digits[byte >> 4] + digits[byte & 15];
    }
    return "`" + std::string(m_text.substr(index, length)) + "`";
}

void Cursor::expected(std::string_view what, std::string_view form) {
    skip();
    fail("parse-syntax", "expected " + std::string(what) + ", found " + found_at(m_i), "write " + std::string(form));
}

void Cursor::skip() {
    while (m_i < m_end && is_space(m_text[m_i]))
        ++m_i;
}

bool Cursor::at_end() {
    skip();
    return m_i >= m_end;
}

bool Cursor::next_is(std::string_view token) {
    skip();
    if (failed() || m_end - m_i < token.size() || m_text.substr(m_i, token.size()) != token)
        return false;
    const std::size_t after = m_i + token.size();
    return !(is_identifier_char(token.back()) && after < m_end && is_identifier_char(m_text[after]));
}

bool Cursor::accept(std::string_view token) {
    if (!next_is(token))
        return false;
    m_i += token.size();
    return true;
}

void Cursor::require(std::string_view token, std::string_view form) {
    if (!failed() && !accept(token))
        expected("`" + std::string(token) + "`", form);
}

std::string Cursor::peek_word() {
    skip();
    std::size_t end = m_i;
    while (end < m_end && is_identifier_char(m_text[end]))
        ++end;
    return std::string(m_text.substr(m_i, end - m_i));
}

std::string Cursor::identifier(std::string_view what, std::string_view form) {
    if (failed())
        return {};
    const std::string word = peek_word();
    if (word.empty() || is_digit(word.front())) {
        expected(what, form);
        return {};
    }
    m_i += word.size();
    return word;
}

std::int64_t Cursor::whole_number(std::string_view what, std::string_view form, std::int64_t low, std::int64_t high) {
    if (failed())
        return low;
    skip();
    const std::size_t begin = m_i;
    std::size_t end = begin + (begin < m_end && m_text[begin] == '-' ? 1 : 0);
    while (end < m_end && is_identifier_char(m_text[end]))
        ++end;
    std::int64_t value = 0;
    const auto [stop, problem] = std::from_chars(m_text.data() + begin, m_text.data() + end, value);
    const bool digits_only = stop == m_text.data() + end && end > begin;
    if (problem == std::errc::result_out_of_range && digits_only) {
        fail("parse-value", std::string(what) + " does not fit 64 bits", "write a smaller number", begin);
        return low;
    }
    if (problem != std::errc() || !digits_only) {
        expected(what, form);
        return low;
    }
    if (value < low || value > high) {
        fail("parse-value", std::string(what) + " is " + std::to_string(value),
             "accepted: " + std::to_string(low) + " to " + std::to_string(high), begin);
        return low;
    }
    m_i = end;
    return value;
}

Cursor::Slice Cursor::trim(std::size_t begin, std::size_t end) const {
    while (begin < end && is_space(m_text[begin]))
        ++begin;
    while (end > begin && is_space(m_text[end - 1]))
        --end;
    return {begin, end};
}

Cursor::Slice Cursor::until(std::string_view stops) {
    const std::size_t begin = m_i;
    int depth = 0;
    while (m_i < m_end) {
        const char c = m_text[m_i];
        if (depth == 0 && stops.find(c) != std::string_view::npos)
            break;
        depth += c == '(' || c == '[' ? 1 : (c == ')' || c == ']') && depth > 0 ? -1 : 0;
        ++m_i;
    }
    return trim(begin, m_i);
}

Cursor::Slice Cursor::inside(char open, char close, std::string_view form) {
    const std::size_t begin = m_i;
    int depth = 1;
    while (m_i < m_end && depth > 0) {
        depth += m_text[m_i] == open ? 1 : m_text[m_i] == close ? -1 : 0;
        ++m_i;
    }
    if (depth > 0) {
        if (!failed())
            expected(std::string("`") + close + "`", form);
        return {begin, begin};
    }
    return trim(begin, m_i - 1);
}

std::vector<Cursor::Slice> Cursor::split(const Slice& slice, char separator) const {
    std::vector<Slice> parts;
    std::size_t begin = slice.begin;
    int depth = 0;
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
        const char c = m_text[i];
        depth += c == '(' || c == '[' ? 1 : (c == ')' || c == ']') && depth > 0 ? -1 : 0;
        if (c == separator && depth == 0) {
            parts.push_back(trim(begin, i));
            begin = i + 1;
        }
    }
    parts.push_back(trim(begin, slice.end));
    return parts;
}

Expression Cursor::expression(const Slice& slice, std::string_view what) {
    if (failed())
        return Expression::constant(0);
    if (slice.empty()) {
        fail("parse-syntax", "expected " + std::string(what) + ", found " + found_at(slice.begin),
             "write an expression such as `cdiv(N, BLOCK)`", slice.begin);
        return Expression::constant(0);
    }
    Result<Expression> result = Expression::parse(text_of(slice), place(slice.begin));
    if (!result) {
        Error error = result.error();
        error.code = "parse-expression";
        error.message = std::string(what) + ": " + error.message;
        m_error = std::move(error);
        return Expression::constant(0);
    }
    return std::move(result).value();
}

std::vector<Expression> Cursor::expressions(const Slice& slice, std::string_view what) {
    std::vector<Expression> values;
    for (const Slice& part : split(slice, ','))
        values.push_back(expression(part, what));
    return values;
}

Extents Cursor::extents(const Slice& slice, std::string_view what) {
    Extents extents = unit_extents();
    std::vector<Slice> parts = {slice};
    if (!slice.empty() && m_text[slice.begin] == '(') {
        int depth = 0;
        std::size_t close = slice.begin;
        for (; close < slice.end; ++close) {
            depth += m_text[close] == '(' ? 1 : m_text[close] == ')' ? -1 : 0;
            if (depth == 0)
                break;
        }
        if (close + 1 == slice.end)
            parts = split({slice.begin + 1, close}, ',');
    }
    if (parts.size() > 3) {
        fail("parse-syntax", std::string(what) + " has " + std::to_string(parts.size()) + " axes",
             "write EXPR, (x, y) or (x, y, z)", parts[3].begin);
        return extents;
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        extents[i] = expression(parts[i], what);
    return extents;
}

std::size_t Cursor::find_word(std::string_view word) const {
    int depth = 0;
    for (std::size_t i = 0; i < m_end; ++i) {
        const char c = m_text[i];
        if (is_identifier_char(c)) {
            std::size_t end = i;
            while (end < m_end && is_identifier_char(m_text[end]))
                ++end;
            if (depth == 0 && m_text.substr(i, end - i) == word)
                return i;
            i = end - 1;
        }
        depth += c == '(' || c == '[' ? 1 : (c == ')' || c == ']') && depth > 0 ? -1 : 0;
    }
    return std::string_view::npos;
}

} // namespace kf::detail
