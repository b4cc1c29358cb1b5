// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of C++ text as GCC sees them before macros are expanded: comments gone, lines spliced, digraphs resolved, raw
// strings kept whole. What this lexer takes for a comment or a string must be one for the compiler too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

struct Token {
    enum class Kind { identifier, number, string, character, header, punctuator };
    Kind kind = Kind::punctuator;
    std::string text; // splices removed, digraphs as their primary form
    int line = 1;
    int column = 1;        // in bytes
    std::size_t begin = 0; // offsets into the source
    std::size_t end = 0;
    int directive = 0;  // 0, or the number (from 1) of the preprocessor directive it belongs to
    bool first = false; // first token of its logical line

    bool is(std::string_view what) const {
        return text == what && (kind == Kind::punctuator || kind == Kind::identifier);
    }
    bool is_identifier() const { return kind == Kind::identifier; }
};

// Something in the text that could make compiler and lexer disagree.
struct LexProblem {
    std::string what;
    int line = 1;
    int column = 1;
};

struct TokenStream {
    std::vector<Token> tokens;
    std::vector<LexProblem> problems; // NUL bytes, lone carriage returns, universal character names, unterminated texts
};

TokenStream tokenize(std::string_view source);

} // namespace kf
