// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/host_tokens.h"

#include "core/candidate/scanner.h"

#include <algorithm>
#include <array>

namespace kf::lift {
namespace {

using detail::is_digit;
using detail::is_identifier_char;
using detail::is_identifier_start;

constexpr std::array<std::string_view, 22> marks = {"<<<", "::", "->", "==", "!=", "<=", "&&", "||", "+=", "-=", "*=",
                                                    "/=",  "**", "//", "++", "--", ":=", "|=", "&=", "%=", "->", "..."};

std::size_t number_end(std::string_view text, std::size_t i) {
    while (i < text.size()) {
        const char c = text[i], before = text[i - 1];
        const bool exponent = (c == '+' || c == '-') && (before == 'e' || before == 'E');
        if (!is_identifier_char(c) && c != '.' && !exponent &&
            !(c == '\'' && i + 1 < text.size() && is_digit(text[i + 1])))
            break;
        ++i;
    }
    return i;
}

Token mark_at(std::string_view text, std::size_t i, int line, bool python) {
    for (const std::string_view mark : marks) {
        if ((mark == "<<<" && python) || (mark == "//" && !python) || (mark == "**" && !python))
            continue;
        if (text.compare(i, mark.size(), mark) == 0)
            return {Token::Kind::mark, text.substr(i, mark.size()), i, i + mark.size(), line};
    }
    return {Token::Kind::mark, text.substr(i, 1), i, i + 1, line};
}

} // namespace

std::size_t Walker::closing(std::size_t open) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < m_end; ++i) {
        const Token& token = m_tokens[i];
        if (token.kind != Token::Kind::mark || token.text.size() != 1)
            continue;
        const char c = token.text.front();
        if (c == '(' || c == '[' || c == '{')
            ++depth;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i;
    }
    return m_end;
}

std::vector<Token> cuda_tokens(std::string_view text, int first_line) {
    std::vector<Token> tokens;
    int line = first_line;
    bool line_start = true;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            line_start = true;
            ++i;
        } else if (static_cast<unsigned char>(c) <= ' ' || c == '\\') {
            ++i;
        } else if (c == '#' && line_start) {
            while (i < text.size() && text[i] != '\n') {
                if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
                    ++line;
                    ++i;
                }
                ++i;
            }
        } else if (text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
        } else if (text.compare(i, 2, "/*") == 0) {
            const std::size_t end = text.find("*/", i + 2);
            const std::size_t stop = end == std::string_view::npos ? text.size() : end + 2;
            line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                text.begin() + static_cast<std::ptrdiff_t>(stop), '\n'));
            i = stop;
        } else if (c == '"' || c == '\'') {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != c && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            end = std::min(end, text.size());
            tokens.push_back(
                {Token::Kind::text, text.substr(i + 1, end - i - 1), i, std::min(end + 1, text.size()), line});
            i = end < text.size() && text[end] == c ? end + 1 : end;
            line_start = false;
        } else if (is_identifier_start(c)) {
            const std::size_t begin = i;
            while (i < text.size() && is_identifier_char(text[i]))
                ++i;
            tokens.push_back({Token::Kind::word, text.substr(begin, i - begin), begin, i, line});
            line_start = false;
        } else if (is_digit(c) || (c == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) {
            const std::size_t begin = i;
            i = number_end(text, i + 1);
            tokens.push_back({Token::Kind::number, text.substr(begin, i - begin), begin, i, line});
            line_start = false;
        } else {
            tokens.push_back(mark_at(text, i, line, false));
            i = tokens.back().stop;
            line_start = false;
        }
    }
    tokens.push_back({Token::Kind::end, {}, text.size(), text.size(), line});
    return tokens;
}

std::vector<PythonLine> python_lines(std::string_view text) {
    std::vector<PythonLine> lines;
    PythonLine current;
    bool started = false;
    int depth = 0, line = 1;
    std::size_t line_begin = 0, indent = 0;
    const auto finish = [&](std::size_t stop) {
        if (started) {
            current.stop = stop;
            lines.push_back(std::move(current));
        }
        current = {};
        started = false;
        depth = 0;
    };
    bool fresh = true; // only blanks so far on this physical line
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            ++i;
            if (depth <= 0)
                finish(i);
            if (!started)
                line_begin = i;
            indent = 0;
            fresh = true;
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            indent += fresh ? (c == '\t' ? 8 - indent % 8 : c == ' ' ? 1 : 0) : 0;
            ++i;
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (c == '\\' && i + 1 < text.size() && (text[i + 1] == '\n' || text[i + 1] == '\r')) {
            i = std::min(text.find('\n', i), text.size() - 1) + 1;
            ++line;
            continue;
        }
        if (!started) {
            started = true;
            current.indent = indent;
            current.begin = line_begin;
            current.line = line;
        }
        fresh = false;
        std::size_t quote = i;
        while (quote < text.size() && quote - i < 2 && is_identifier_start(text[quote]))
            ++quote;
        const bool prefixed = quote > i && quote < text.size() && (text[quote] == '"' || text[quote] == '\'') &&
                              std::string_view("rRbBfFuU").find(text[i]) != std::string_view::npos;
        if (c == '"' || c == '\'' || prefixed) {
            const std::size_t q = prefixed ? quote : i;
            const char mark = text[q];
            const bool triple = text.compare(q, 3, std::string(3, mark)) == 0;
            const std::size_t begin = q + (triple ? 3 : 1);
            std::size_t end = begin;
            const int start_line = line;
            while (end < text.size()) {
                if (text[end] == '\\') {
                    line += end + 1 < text.size() && text[end + 1] == '\n';
                    end += 2;
                } else if (triple ? text.compare(end, 3, std::string(3, mark)) == 0
                                  : text[end] == mark || text[end] == '\n') {
                    break;
                } else {
                    line += text[end] == '\n';
                    ++end;
                }
            }
            end = std::min(end, text.size());
            current.tokens.push_back({Token::Kind::text, text.substr(begin, end - begin), i, end, start_line});
            i = std::min(end + (triple ? 3 : end < text.size() && text[end] == mark ? 1 : 0), text.size());
        } else if (is_identifier_start(c)) {
            const std::size_t begin = i;
            while (i < text.size() && is_identifier_char(text[i]))
                ++i;
            current.tokens.push_back({Token::Kind::word, text.substr(begin, i - begin), begin, i, line});
        } else if (is_digit(c) || (c == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) {
            const std::size_t begin = i;
            i = number_end(text, i + 1);
            current.tokens.push_back({Token::Kind::number, text.substr(begin, i - begin), begin, i, line});
        } else {
            current.tokens.push_back(mark_at(text, i, line, true));
            const std::string_view mark = current.tokens.back().text;
            depth += mark == "(" || mark == "[" || mark == "{" ? 1 : mark == ")" || mark == "]" || mark == "}" ? -1 : 0;
            i = current.tokens.back().stop;
        }
    }
    finish(text.size());
    return lines;
}

} // namespace kf::lift
