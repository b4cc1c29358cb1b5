// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/scanner.h"

#include <optional>

namespace kf::detail {

namespace {

struct Token {
    std::string_view text; // an identifier, or one byte
    std::size_t index = 0;
    bool word() const { return is_identifier_start(text.front()); }
};

class KernelFinder {
public:
    KernelFinder(std::string_view code, const std::vector<std::uint32_t>& offsets, const LineTable& lines)
        : m_code(code), m_offsets(offsets), m_lines(lines) {}

    std::vector<Kernel> find() {
        while (m_kernels.size() < max_kernels) {
            const std::optional<Token> token = next();
            if (!token)
                break;
            if (token->text == "{") {
                m_scopes.push_back(open_scope());
                clear();
            } else if (token->text == "}") {
                if (!m_scopes.empty())
                    m_scopes.pop_back();
                clear();
            } else if (token->text == ";") {
                clear();
            } else if (token->text == "(") {
                open_parenthesis();
            } else {
                declare(*token);
            }
        }
        return std::move(m_kernels);
    }

private:
    struct ScopeEntry {
        std::string name; // of a namespace
        bool extern_c = false;
    };

    std::optional<Token> next() {
        while (m_i < m_code.size() && (is_blank(m_code[m_i]) || m_code[m_i] == '\n'))
            ++m_i;
        if (m_i >= m_code.size())
            return std::nullopt;
        const std::size_t begin = m_i++;
        if (is_identifier_start(m_code[begin]) || is_digit(m_code[begin]))
            while (m_i < m_code.size() && is_identifier_char(m_code[m_i]))
                ++m_i;
        return Token{m_code.substr(begin, m_i - begin), begin};
    }

    void clear() {
        m_words.clear();
        m_global = m_template = m_extern = m_extern_word = m_namespace = m_declared = false;
    }

    void declare(const Token& token) {
        if (token.text == "__global__")
            m_global = true;
        else if (token.text == "template")
            m_template = true;
        else if (token.text == "extern")
            m_extern_word = true;
        else if (token.text == "\"")
            m_extern = m_extern || m_extern_word;
        else if (token.text == "namespace")
            m_namespace = true;
        else if (token.word())
            m_words.push_back(token);
        else if (token.text == ":" && m_namespace)
            m_words.push_back(token);
    }

    ScopeEntry open_scope() const {
        ScopeEntry entry;
        if (m_namespace)
            for (const Token& token : m_words)
                entry.name += token.text;
        // `extern "C" {`: of the string only its quote is left.
        entry.extern_c = m_extern && m_words.empty();
        return entry;
    }

    void skip_parentheses() {
        int depth = 1;
        while (depth > 0) {
            const std::optional<Token> token = next();
            if (!token)
                return;
            depth += token->text == "(" ? 1 : token->text == ")" ? -1 : 0;
        }
    }

    // The name of a function is the word before its parameters; attributes take parentheses of their own.
    void open_parenthesis() {
        const std::string_view before = m_words.empty() ? std::string_view() : m_words.back().text;
        if (m_global && !m_declared && !before.empty() && before != "__launch_bounds__" && before != "__attribute__" &&
            before != "__cluster_dims__" && before != "__maxnreg__" && before != "__align__" && before != "alignas" &&
            before != "void") {
            Kernel kernel;
            kernel.name = before;
            kernel.is_template = m_template;
            kernel.extern_c = m_extern;
            for (const ScopeEntry& scope : m_scopes) {
                if (!scope.name.empty())
                    kernel.scope += (kernel.scope.empty() ? "" : "::") + scope.name;
                kernel.extern_c = kernel.extern_c || scope.extern_c;
            }
            kernel.place = m_lines.place(m_offsets[m_words.back().index]);
            m_kernels.push_back(std::move(kernel));
            m_declared = true;
        }
        skip_parentheses();
    }

    std::string_view m_code;
    const std::vector<std::uint32_t>& m_offsets;
    const LineTable& m_lines;
    std::size_t m_i = 0;
    std::vector<Token> m_words; // of the declaration so far
    bool m_global = false, m_template = false, m_extern = false, m_extern_word = false;
    bool m_namespace = false, m_declared = false;
    std::vector<ScopeEntry> m_scopes;
    std::vector<Kernel> m_kernels;
};

} // namespace

std::vector<Kernel> find_cuda_kernels(std::string_view code, const std::vector<std::uint32_t>& offsets,
                                      const LineTable& lines) {
    return KernelFinder(code, offsets, lines).find();
}

} // namespace kf::detail
