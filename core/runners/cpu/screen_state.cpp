// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/screen_state.h"

#include <algorithm>
#include <array>

namespace kf {
namespace {

template<std::size_t N> bool holds(const std::array<std::string_view, N>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool makes_constant(const Token& token) {
    static constexpr auto list =
        std::to_array<std::string_view>({"const", "constexpr", "consteval", "__constant__", "__shared__"});
    return token.is_identifier() && holds(list, token.text);
}

// A statement that starts or goes on with one of these declares no variable that we recognise here.
bool declares_something_else(const Token& token) {
    static constexpr auto list = std::to_array<std::string_view>(
        {"using", "typedef", "struct", "class", "union", "enum", "template", "namespace", "static_assert", "extern",
         "friend", "concept", "operator", "requires", "public", "private", "protected", "asm", "__asm__"});
    return token.is_identifier() && holds(list, token.text);
}

// Words in front of parentheses that are not a function's parameter list.
bool takes_parentheses(const Token& token) {
    static constexpr auto list = std::to_array<std::string_view>(
        {"__align__", "alignas", "__attribute__", "decltype", "__launch_bounds__", "sizeof", "__declspec"});
    return token.is_identifier() && holds(list, token.text);
}

std::size_t behind_parentheses(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    std::size_t i = open;
    for (; i < tokens.size(); ++i) {
        if (tokens[i].is("("))
            ++depth;
        if (tokens[i].is(")") && --depth == 0)
            return i + 1;
    }
    return i;
}

ScreenFinding finding(const Token& token, const std::string& file, const char* where) {
    return {ScreenClass::state, "the variable '" + token.text + "' " + where + " keeps state between launches",
            "make it const or constexpr, or use a scratch buffer of the plan", Place{file, token.line, token.column}};
}

// The declarator's name when tokens [i, …) declare a non-const variable at namespace scope; -1 otherwise.
std::ptrdiff_t declared_variable(const std::vector<Token>& tokens, std::size_t i) {
    std::ptrdiff_t name = -1;
    int words = 0;
    int angles = 0;
    while (i < tokens.size()) {
        const Token& token = tokens[i];
        if (token.directive != 0) {
            ++i;
            continue;
        }
        if (makes_constant(token) || declares_something_else(token))
            return -1;
        if (takes_parentheses(token) && i + 1 < tokens.size() && tokens[i + 1].is("(")) {
            i = behind_parentheses(tokens, i + 1);
            continue;
        }
        if (token.is("<"))
            ++angles;
        else if (token.is(">"))
            --angles;
        else if (angles > 0) {
            // template arguments
        } else if (token.is(";") || token.is("=") || token.is("{") || token.is("[")) {
            return words >= 2 ? name : -1;
        } else if (token.is("(") || token.is("}")) {
            return -1; // a function, or the end of a namespace
        } else if (token.is_identifier()) {
            ++words;
            name = static_cast<std::ptrdiff_t>(i);
        }
        ++i;
    }
    return -1;
}

} // namespace

std::vector<bool> at_namespace_scope(const std::vector<Token>& tokens) {
    std::vector<bool> result(tokens.size());
    std::vector<bool> braces; // true: a namespace's
    std::size_t statement = 0;
    bool outside = true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        result[i] = outside;
        if (token.directive != 0) {
            if (i + 1 >= tokens.size() || tokens[i + 1].directive != token.directive)
                statement = std::max(statement, i + 1);
            continue;
        }
        if (token.is("{")) {
            bool is_namespace = false;
            for (std::size_t k = statement; outside && k < i; ++k) {
                if (tokens[k].directive != 0)
                    continue;
                is_namespace |= tokens[k].is("namespace") ||
                                (tokens[k].is("extern") && tokens[k + 1].kind == Token::Kind::string && k + 2 == i);
            }
            braces.push_back(is_namespace);
            outside = outside && is_namespace;
            statement = i + 1;
        } else if (token.is("}")) {
            if (!braces.empty())
                braces.pop_back();
            outside = std::find(braces.begin(), braces.end(), false) == braces.end();
            result[i] = outside;
            statement = i + 1;
        } else if (token.is(";")) {
            statement = i + 1;
        }
    }
    return result;
}

std::vector<ScreenFinding> find_state(const std::vector<Token>& tokens, const std::string& file_name) {
    std::vector<ScreenFinding> findings;
    const std::vector<bool> outside = at_namespace_scope(tokens);
    bool statement_start = true;
    int parentheses = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.directive != 0)
            continue;
        if (token.is("("))
            ++parentheses;
        if (token.is(")"))
            --parentheses;
        if (outside[i] && statement_start && parentheses == 0 && token.is_identifier())
            if (const std::ptrdiff_t name = declared_variable(tokens, i); name >= 0)
                findings.push_back(finding(tokens[static_cast<std::size_t>(name)], file_name, "at namespace scope"));
        if (!outside[i] && token.is("static"))
            // A static member function has "(" first; a static member variable of a class is caught by the symbols.
            if (const std::ptrdiff_t name = declared_variable(tokens, i + 1); name >= 0)
                findings.push_back(finding(tokens[static_cast<std::size_t>(name)], file_name, "(static)"));
        statement_start = token.is(";") || token.is("{") || token.is("}");
    }
    return findings;
}

} // namespace kf
