// SPDX-License-Identifier: GPL-3.0-or-later
// A reader over one statement. The first failure sticks: later reads do nothing, so that parsing code needs no check
// after every step.
#pragma once

#include "core/candidate/plan.h"
#include "core/candidate/scanner.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kf::detail {

class Cursor {
public:
    struct Slice {
        std::size_t begin = 0, end = 0; // trimmed
        bool empty() const { return begin >= end; }
    };

    explicit Cursor(const StatementText& text) : m_source(text), m_text(text.text), m_end(text.text.size()) {}

    bool failed() const { return m_error.has_value(); }
    const Error& error() const { return *m_error; }
    void fail(std::string code, std::string message, std::string remedy, std::size_t at);
    void fail(std::string code, std::string message, std::string remedy) {
        fail(std::move(code), std::move(message), std::move(remedy), m_i);
    }
    // "found `x` where WHAT was expected".
    void expected(std::string_view what, std::string_view form);

    bool at_end();
    bool next_is(std::string_view token); // after blanks; a word must end where the token ends
    bool accept(std::string_view token);
    void require(std::string_view token, std::string_view form);
    std::string identifier(std::string_view what, std::string_view form);
    std::int64_t whole_number(std::string_view what, std::string_view form, std::int64_t low, std::int64_t high);
    // A run of letters, digits and underscores, "" when there is none.
    std::string peek_word();

    // From here to the first of `stops` outside ( ) and [ ]; the end of the statement when there is none.
    Slice until(std::string_view stops);
    // Just behind an opening bracket: up to its partner, which is consumed.
    Slice inside(char open, char close, std::string_view form);
    std::vector<Slice> split(const Slice& slice, char separator) const;
    std::string_view text_of(const Slice& slice) const { return m_text.substr(slice.begin, slice.end - slice.begin); }
    Slice trim(std::size_t begin, std::size_t end) const;

    Expression expression(const Slice& slice, std::string_view what);
    std::vector<Expression> expressions(const Slice& slice, std::string_view what);
    // EXPR or (x, y, z).
    Extents extents(const Slice& slice, std::string_view what);

    // Where a word stands outside all brackets, or npos; `limit_to` hides everything from there on.
    std::size_t find_word(std::string_view word) const;
    void limit_to(std::size_t end) { m_end = end; }
    void move_to(std::size_t index) { m_i = index; }
    std::size_t position() const { return m_i; }
    std::size_t end() const { return m_end; }
    std::string_view text() const { return m_text.substr(0, m_end); }
    Place place(std::size_t index) const { return m_source.place(index); }
    Place place() const { return m_source.place(m_i); }
    std::string found_at(std::size_t index) const; // "`x`" or "the end of the statement"

private:
    void skip();

    const StatementText& m_source;
    std::string_view m_text;
    std::size_t m_i = 0;
    std::size_t m_end;
    std::optional<Error> m_error;
};

} // namespace kf::detail
