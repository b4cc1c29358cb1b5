// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/lexer.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace kf {
namespace {

bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name(char c) {
    return is_name_start(c) || is_digit(c);
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

class Lexer {
public:
    explicit Lexer(std::string_view source) : m_source(source) {
        m_lines.push_back(0);
        for (std::size_t i = 0; i < source.size(); ++i)
            if (source[i] == '\n')
                m_lines.push_back(i + 1);
    }

    TokenStream run() {
        check_bytes();
        while (skip_blanks())
            token();
        return std::move(m_stream);
    }

private:
    // The character at the cursor after splices; '\0' at the end. GCC also takes "backslash, blanks, newline" as a
    // splice.
    std::size_t behind_splices(std::size_t at) const {
        while (at < m_source.size() && m_source[at] == '\\') {
            std::size_t next = at + 1;
            while (next < m_source.size() && is_space(m_source[next]))
                ++next;
            if (next >= m_source.size() || m_source[next] != '\n')
                break;
            at = next + 1;
        }
        return at;
    }
    char peek(std::size_t ahead = 0) const {
        std::size_t at = behind_splices(m_at);
        for (; ahead > 0 && at < m_source.size(); --ahead)
            at = behind_splices(at + 1);
        return at < m_source.size() ? m_source[at] : '\0';
    }
    bool at_end() const { return behind_splices(m_at) >= m_source.size(); }
    char get() {
        m_at = behind_splices(m_at);
        return m_at < m_source.size() ? m_source[m_at++] : '\0';
    }

    std::pair<int, int> place(std::size_t at) const {
        const auto line = std::upper_bound(m_lines.begin(), m_lines.end(), at) - m_lines.begin();
        return {static_cast<int>(line), static_cast<int>(at - m_lines[static_cast<std::size_t>(line) - 1]) + 1};
    }
    void problem(std::string what, std::size_t at) {
        const auto [line, column] = place(at);
        m_stream.problems.push_back({std::move(what), line, column});
    }

    void check_bytes() {
        for (std::size_t i = 0; i < m_source.size(); ++i) {
            if (m_source[i] == '\0')
                problem("a NUL byte", i);
            if (m_source[i] == '\r' && (i + 1 >= m_source.size() || m_source[i + 1] != '\n'))
                problem("a carriage return that ends no line", i);
        }
    }

    // Skips blanks and comments; false at the end of the text.
    bool skip_blanks() {
        for (;;) {
            if (at_end())
                return false;
            const char c = peek();
            if (c == '\n') {
                get();
                m_line_start = true;
                m_directive_open = false;
            } else if (is_space(c) || c == '\0') {
                get();
            } else if (c == '/' && peek(1) == '/') {
                while (!at_end() && peek() != '\n')
                    get();
            } else if (c == '/' && peek(1) == '*') {
                const std::size_t begin = m_at;
                get();
                get();
                while (!at_end() && !(peek() == '*' && peek(1) == '/'))
                    get();
                if (at_end())
                    problem("a comment without end", begin);
                get();
                get();
            } else {
                return true;
            }
        }
    }

    void token() {
        m_at = behind_splices(m_at);
        Token token;
        token.begin = m_at;
        std::tie(token.line, token.column) = place(m_at);
        token.first = m_line_start;
        m_line_start = false;
        const char c = peek();
        if (is_name_start(c) || (c == '\\' && (peek(1) == 'u' || peek(1) == 'U')))
            name(token);
        else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
            number(token);
        else if (c == '"')
            quoted(token, '"');
        else if (c == '\'')
            quoted(token, '\'');
        else if (c == '<' && expects_header())
            header(token);
        else
            punctuator(token);
        if (token.first && token.is("#")) {
            m_directive_open = true;
            ++m_directives;
        }
        token.directive = m_directive_open ? m_directives : 0;
        token.end = m_at;
        m_stream.tokens.push_back(std::move(token));
    }

    void name(Token& token) {
        token.kind = Token::Kind::identifier;
        const std::size_t begin = m_at;
        while (is_name(peek()) || (peek() == '\\' && (peek(1) == 'u' || peek(1) == 'U'))) {
            if (peek() == '\\')
                problem("a universal character name in an identifier", begin);
            token.text += get();
        }
        static constexpr std::array<std::string_view, 5> raw = {"R", "LR", "uR", "UR", "u8R"};
        static constexpr std::array<std::string_view, 4> encodings = {"L", "u", "U", "u8"};
        const auto is_one_of = [&](const auto& list) {
            return std::find(list.begin(), list.end(), token.text) != list.end();
        };
        if (peek() == '"' && is_one_of(raw))
            raw_string(token);
        else if ((peek() == '"' || peek() == '\'') && is_one_of(encodings))
            quoted(token, peek());
    }

    void number(Token& token) {
        token.kind = Token::Kind::number;
        for (;;) {
            const char c = peek();
            const char last = token.text.empty() ? '\0' : token.text.back();
            const bool sign = (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
            const bool separator = c == '\'' && is_name(peek(1));
            if (!is_name(c) && c != '.' && !sign && !separator)
                return;
            token.text += get();
        }
    }

    // A literal ends at its quote, or, as GCC does for the likes of "don't" in skipped text, at the end of the line.
    void quoted(Token& token, char quote) {
        token.kind = quote == '"' ? Token::Kind::string : Token::Kind::character;
        token.text.clear();
        get();
        while (!at_end()) {
            const char c = peek();
            if (c == '\n') {
                problem("a literal without end", token.begin);
                return;
            }
            get();
            if (c == quote)
                return;
            token.text += c;
            if (c == '\\' && peek() != '\n' && !at_end())
                token.text += get();
        }
        problem("a literal without end", token.begin);
    }

    void raw_string(Token& token) {
        token.kind = Token::Kind::string;
        token.text.clear();
        get(); // the quote; from here on splices are ordinary text
        const std::size_t open = m_source.find('(', m_at);
        if (open == std::string_view::npos || open - m_at > 16) {
            problem("a raw string without '('", token.begin);
            return;
        }
        const std::string close = ")" + std::string(m_source.substr(m_at, open - m_at)) + "\"";
        const std::size_t end = m_source.find(close, open + 1);
        if (end == std::string_view::npos) {
            problem("a raw string without end", token.begin);
            m_at = m_source.size();
            return;
        }
        token.text = m_source.substr(open + 1, end - open - 1);
        m_at = end + close.size();
    }

    // After # include, "<" starts a header name.
    bool expects_header() const {
        const std::vector<Token>& tokens = m_stream.tokens;
        if (!m_directive_open || tokens.size() < 2)
            return false;
        const Token& word = tokens.back();
        return tokens[tokens.size() - 2].is("#") && tokens[tokens.size() - 2].directive == m_directives &&
               (word.text == "include" || word.text == "include_next" || word.text == "import");
    }

    void header(Token& token) {
        token.kind = Token::Kind::header;
        get();
        while (!at_end() && peek() != '>' && peek() != '\n')
            token.text += get();
        if (peek() == '>')
            get();
    }

    void punctuator(Token& token) {
        const char c = get();
        const char next = peek();
        token.text = c;
        const auto take = [&](std::size_t count, const char* as) {
            for (; count > 0; --count)
                get();
            token.text = as;
        };
        if (c == '%' && next == ':')
            take(1, "#");
        else if (c == '<' && next == '%')
            take(1, "{");
        else if (c == '%' && next == '>')
            take(1, "}");
        else if (c == ':' && next == '>')
            take(1, "]");
        // "<::" is "<" "::" unless ":" or ">" follows
        else if (c == '<' && next == ':' && !(peek(1) == ':' && peek(2) != ':' && peek(2) != '>'))
            take(1, "[");
        else if (c == ':' && next == ':')
            take(1, "::");
        else if (c == '-' && next == '>')
            take(1, "->");
        else if (c == '?' && next == '?' && std::string_view("=/'()!<>-").find(peek(1)) != std::string_view::npos)
            problem("a trigraph", token.begin);
    }

    std::string_view m_source;
    std::vector<std::size_t> m_lines;
    std::size_t m_at = 0;
    bool m_line_start = true;
    bool m_directive_open = false;
    int m_directives = 0;
    TokenStream m_stream;
};

} // namespace

TokenStream tokenize(std::string_view source) {
    return Lexer(source).run();
}

} // namespace kf
