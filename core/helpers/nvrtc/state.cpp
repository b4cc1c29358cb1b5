// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/state.h"

#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kf::nvrtc {
namespace {

bool is_word(std::string_view token) {
    return !token.empty() && (std::isalnum(static_cast<unsigned char>(token[0])) || token[0] == '_');
}

// Words and single punctuation characters; comments, literals and directives are left out.
std::vector<std::string_view> tokens_of(std::string_view text) {
    std::vector<std::string_view> out;
    bool line_start = true;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n') {
            line_start = true;
            ++i;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
        } else if (text.substr(i, 2) == "//" || (c == '#' && line_start)) {
            // Macro bodies stay unread: a variable that only a macro declares counts as mutable.
            while (i < text.size() && text[i] != '\n')
                i += text[i] == '\\' && i + 1 < text.size() ? 2 : 1;
        } else if (text.substr(i, 2) == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            i = end == std::string_view::npos ? text.size() : end + 2;
        } else if (c == '"' || (c == '\'' && !(i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1]))))) {
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
                if (text[i] == '\\')
                    ++i;
            ++i;
            line_start = false;
        } else {
            std::size_t end = i + 1;
            if (is_word(text.substr(i, 1)))
                while (end < text.size() && is_word(text.substr(end, 1)))
                    ++end;
            out.push_back(text.substr(i, end - i));
            i = end;
            line_start = false;
        }
    }
    return out;
}

// Whether the tokens before a name, since the statement began, can be the front of its declaration.
bool declares(const std::vector<std::string_view>& tokens, std::size_t begin, std::size_t at) {
    if (at == begin || at + 1 >= tokens.size())
        return false;
    constexpr std::array<std::string_view, 6> after = {";", "=", "[", "{", ",", "("};
    if (std::find(after.begin(), after.end(), tokens[at + 1]) == after.end())
        return false;
    constexpr std::array<std::string_view, 8> never = {"return", "goto", "if", "while", "else", "for", "switch", "do"};
    for (std::size_t i = begin; i < at; ++i)
        if (std::find(never.begin(), never.end(), tokens[i]) != never.end())
            return false;
    const std::string_view before = tokens[at - 1];
    return is_word(before) || before == "*" || before == "&" || before == ">" || before == "]" || before == ",";
}

// Namespaces of the headers that candidates may include.
constexpr std::array<std::string_view, 9> header_namespaces = {"std",    "cuda", "cub",  "thrust", "cooperative_groups",
                                                               "nvcuda", "nv",   "cute", "cutlass"};

// The outermost namespace of a name that belongs to a header: "std::is_same_v<int, int>" → "std"; "" otherwise.
// Internal linkage shows as a leading "_INTERNAL_…::" or "(anonymous namespace)::".
std::string_view header_namespace(std::string_view demangled) {
    if (demangled.starts_with("_INTERNAL_") || demangled.starts_with("(anonymous namespace)::"))
        if (const std::size_t colons = demangled.find("::"); colons != std::string_view::npos)
            demangled.remove_prefix(colons + 2);
    for (const std::string_view name : header_namespaces)
        if (demangled.starts_with(name) && demangled.substr(name.size()).starts_with("::"))
            return name;
    return {};
}

bool opens_namespace(const std::vector<std::string_view>& tokens, std::string_view name) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i] == "namespace" && tokens[i + 1] == name && (tokens[i + 2] == "{" || tokens[i + 2] == ":"))
            return true;
    return false;
}

} // namespace

Declared find_declarations(std::string_view source, std::string_view identifier) {
    Declared out;
    const auto tokens = tokens_of(source);
    std::size_t begin = 0; // of the statement
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view token = tokens[i];
        if (token == ";" || token == "{" || token == "}") {
            begin = i + 1;
            continue;
        }
        if (token != identifier)
            continue;
        out.occurs = true;
        if (!declares(tokens, begin, i))
            continue;
        bool constant = false, is_constexpr = false;
        for (std::size_t j = begin; j < i; ++j) {
            if (tokens[j] == "constexpr")
                is_constexpr = true;
            else if (tokens[j] == "const")
                constant = true;
            else if (tokens[j] == "*") // a pointer to const is itself a variable
                constant = false;
        }
        constant = constant || is_constexpr;
        (constant ? out.as_constant : out.as_variable) = true;
    }
    return out;
}

void judge_state(std::vector<StateSymbol>& symbols, std::string_view source,
                 const std::vector<std::filesystem::path>& headers) {
    std::vector<StateSymbol*> open;
    const auto source_tokens = tokens_of(source);
    for (StateSymbol& symbol : symbols) {
        const Declared declared = find_declarations(source, symbol.identifier);
        const std::string_view outer = header_namespace(symbol.demangled);
        if (!outer.empty() && !opens_namespace(source_tokens, outer)) {
            symbol.origin = "header";
        } else if (declared.as_constant || declared.as_variable) {
            symbol.origin = "candidate";
            symbol.constant = declared.as_constant && !declared.as_variable;
        } else if (!declared.occurs && symbol.identifier.starts_with("__unnamed_")) {
            symbol.origin = "compiler"; // the text of an assert, __func__
        } else {
            symbol.origin = declared.occurs ? "candidate" : "unknown";
            open.push_back(&symbol);
        }
    }
    for (const auto& path : headers) {
        if (open.empty())
            return;
        const auto text = read_file(path);
        if (!text)
            continue;
        auto words = tokens_of(*text);
        std::sort(words.begin(), words.end());
        std::erase_if(open, [&](StateSymbol* symbol) {
            const bool found = std::binary_search(words.begin(), words.end(), std::string_view(symbol->identifier));
            if (found)
                symbol->origin = "header";
            return found;
        });
    }
}

} // namespace kf::nvrtc
