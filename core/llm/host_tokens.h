// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/llm/host_code.h"

namespace kf::lift {

// Comments are dropped, directives of C++ are passed over. Always ends with a token of kind end.
std::vector<Token> cuda_tokens(std::string_view text, int first_line);
// One logical line of Python: tokens without line ends inside brackets.
struct PythonLine {
    std::size_t indent = 0;
    std::vector<Token> tokens;       // without the end
    std::size_t begin = 0, stop = 0; // bytes of the text, whole lines
    int line = 1;
};
std::vector<PythonLine> python_lines(std::string_view text);

// Walks over tokens; stays at the end once it is there.
class Walker {
public:
    explicit Walker(const std::vector<Token>& tokens, std::size_t begin = 0, std::size_t end = std::string::npos)
        : m_tokens(tokens), m_i(begin), m_end(std::min(end, tokens.size())) {}
    const Token& peek(std::size_t ahead = 0) const {
        static const Token none;
        return m_i + ahead < m_end ? m_tokens[m_i + ahead] : none;
    }
    bool at_end() const { return m_i >= m_end || m_tokens[m_i].kind == Token::Kind::end; }
    bool at(std::string_view text, std::size_t ahead = 0) const {
        const Token& token = peek(ahead);
        return token.kind != Token::Kind::text && token.text == text;
    }
    bool accept(std::string_view text) {
        if (!at(text))
            return false;
        ++m_i;
        return true;
    }
    const Token& take() {
        const Token& token = peek();
        if (!at_end())
            ++m_i;
        return token;
    }
    std::size_t position() const { return m_i; }
    void move_to(std::size_t position) { m_i = position; }
    std::size_t end() const { return m_end; }
    // The position of the bracket that closes the one at `open`; end() when none does.
    std::size_t closing(std::size_t open) const;
    const std::vector<Token>& tokens() const { return m_tokens; }

private:
    const std::vector<Token>& m_tokens;
    std::size_t m_i, m_end;
};

} // namespace kf::lift
