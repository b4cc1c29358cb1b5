// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA C++ with host code: its top-level items are told apart, device code is kept, host functions become trees.
#include "core/llm/host_cuda.h"
#include "core/llm/host_expression.h"

#include <algorithm>

namespace kf::lift {
namespace {

class FileReader {
public:
    FileReader(std::string_view text, int first_line) : m_text(text), m_tokens(cuda_tokens(text, first_line)) {}

    Module read() {
        copy_directives();
        items(0, m_tokens.size() - 1, 0);
        copy_between(m_text.size());
        return std::move(m_module);
    }

private:
    // Lines of directives and comments between items are kept, unless they are the host's.
    void copy_between(std::size_t until) {
        while (m_copied < until) {
            const std::size_t end = std::min(std::min(m_text.find('\n', m_copied), m_text.size() - 1) + 1, until);
            const std::string_view line = m_text.substr(m_copied, end - m_copied);
            m_copied = end;
            if (!is_host_directive(line))
                m_module.device_code += line;
        }
    }

    static bool is_host_directive(std::string_view line) {
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos || line[begin] != '#')
            return false;
        if (line.find("include") != std::string_view::npos)
            for (const std::string_view header :
                 {"torch/",      "ATen/",      "c10/",       "pybind11",   "<vector>", "<iostream>",
                  "<cstdio>",    "<stdio.h>",  "<cstdlib>",  "<stdlib.h>", "<string>", "<stdexcept>",
                  "<algorithm>", "<Python.h>", "cublas",     "cudnn",      "<memory>", "<tuple>",
                  "<map>",       "<chrono>",   "<assert.h>", "<cassert>"})
                if (line.find(header) != std::string_view::npos)
                    return true;
        if (line.find("define") != std::string_view::npos)
            for (const std::string_view sign : {"TORCH_", "AT_ASSERT", "AT_CHECK", "cudaError", "cudaGetErrorString",
                                                "CHECK_CUDA", "CHECK_CONTIGUOUS"})
                if (line.find(sign) != std::string_view::npos)
                    return true;
        return false;
    }

    // `#define NAME text` and `#define F(a, b) text`, for the host's sizes.
    void copy_directives() {
        for (std::size_t at = m_text.find("#define"); at != std::string_view::npos;
             at = m_text.find("#define", at + 1)) {
            const std::size_t end = std::min(m_text.find('\n', at), m_text.size());
            std::string_view rest = m_text.substr(at + 7, end - at - 7);
            if (rest.ends_with('\r'))
                rest.remove_suffix(1);
            const std::vector<Token> tokens = cuda_tokens(rest, 1);
            if (tokens.size() < 2 || tokens[0].kind != Token::Kind::word || rest.ends_with('\\'))
                continue;
            std::vector<std::string> parameters;
            std::size_t body = tokens[0].stop;
            if (body < rest.size() && rest[body] == '(') {
                std::size_t i = 2;
                while (i < tokens.size() && tokens[i].text != ")") {
                    if (tokens[i].kind == Token::Kind::word)
                        parameters.emplace_back(tokens[i].text);
                    ++i;
                }
                if (i >= tokens.size())
                    continue;
                body = tokens[i].stop;
            }
            m_module.macros[std::string(tokens[0].text)] = {std::move(parameters), std::string(rest.substr(body))};
        }
    }

    // Everything up to this byte goes to the device code, or is dropped.
    void keep(std::size_t end_token) {
        const std::size_t stop = m_tokens[end_token].stop;
        copy_between(m_tokens[m_item].begin);
        m_module.device_code += m_text.substr(m_copied, stop - m_copied);
        m_copied = stop;
    }
    void drop(std::size_t end_token) {
        copy_between(line_begin(m_tokens[m_item].begin));
        m_copied = std::max(m_copied, m_tokens[end_token].stop);
        // The rest of a line that held nothing else.
        const std::size_t next = m_text.find_first_not_of(" \t\r", m_copied);
        if (next != std::string_view::npos && m_text[next] == '\n')
            m_copied = next + 1;
    }
    // Of the line, when only blanks stand before; else the place itself.
    std::size_t line_begin(std::size_t offset) const {
        std::size_t begin = offset;
        while (begin > 0 && (m_text[begin - 1] == ' ' || m_text[begin - 1] == '\t'))
            --begin;
        return begin == 0 || m_text[begin - 1] == '\n' ? begin : offset;
    }

    void items(std::size_t begin, std::size_t end, int depth) {
        for (std::size_t i = begin; i < end;) {
            m_item = i;
            // An item ends at `;`, or behind a brace when what it opened is no type's.
            std::size_t stop = i, brace = end;
            bool done = false;
            while (stop < end && !done) {
                const std::string_view text = m_tokens[stop].kind == Token::Kind::mark ? m_tokens[stop].text : "";
                if (text == ";") {
                    done = true;
                } else if (text == "(" || text == "[") {
                    stop = Walker(m_tokens, 0, end).closing(stop);
                    if (stop >= end)
                        break;
                    ++stop;
                } else if (text == "{") {
                    brace = stop;
                    stop = Walker(m_tokens, 0, end).closing(stop);
                    if (stop >= end)
                        break;
                    const bool type =
                        has_word(m_tokens, i, brace, {"struct", "class", "enum", "union"}) && !has_bracket(i, brace);
                    const bool initial = has_equals(i, brace);
                    if (!type && !initial)
                        done = true;
                    else
                        ++stop;
                } else {
                    ++stop;
                }
            }
            const std::size_t last = std::min(stop, end - 1);
            item(i, last, brace, depth);
            i = last + 1;
        }
    }

    bool has_bracket(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i)
            if (m_tokens[i].text == "(" && m_tokens[i].kind == Token::Kind::mark)
                return true;
        return false;
    }
    bool has_equals(std::size_t begin, std::size_t end) const {
        int depth = 0; // template arguments have defaults
        for (std::size_t i = begin; i < end; ++i) {
            if (m_tokens[i].kind != Token::Kind::mark)
                continue;
            depth += m_tokens[i].text == "<" ? 1 : m_tokens[i].text == ">" ? -1 : 0;
            if (m_tokens[i].text == "=" && depth == 0)
                return true;
        }
        return false;
    }

    void item(std::size_t begin, std::size_t last, std::size_t brace, int depth) {
        const bool braced = brace < last;
        const std::string_view first = m_tokens[begin].text;
        if (first == "namespace" ||
            (first == "extern" && m_tokens[begin + 1].kind == Token::Kind::text && braced && brace == begin + 2)) {
            if (braced && depth < 16) {
                keep(brace);
                items(brace + 1, last, depth + 1);
                m_item = last;
                keep(last);
                return;
            }
        }
        if (has_word(m_tokens, begin, braced ? brace : last, {"__global__", "__device__", "__constant__"})) {
            // Launches name kernels by their C++ names.
            if (first == "extern" && m_tokens[begin + 1].kind == Token::Kind::text) {
                copy_between(m_tokens[begin].begin);
                m_copied = m_tokens[begin + 2].begin;
            }
            keep(last);
            return;
        }
        if (first == "PYBIND11_MODULE" || first.starts_with("TORCH_LIBRARY")) {
            for (std::size_t i = begin; i + 2 < last; ++i)
                if (m_tokens[i].text == "&" && m_tokens[i + 1].kind == Token::Kind::word)
                    m_module.entry_names.emplace_back(m_tokens[i + 1].text);
            drop(last);
            return;
        }
        const bool host_types = has_word(m_tokens, begin, braced ? brace + 1 : last,
                                         {"torch", "at", "c10", "Tensor", "pybind11", "py", "cudaStream_t", "std"});
        const bool type = has_word(m_tokens, begin, braced ? brace : last, {"struct", "class", "enum", "union"});
        if (braced && !type && has_bracket(begin, brace)) {
            if (function(begin, brace, last))
                return;
        }
        if (!braced && !type && has_bracket(begin, last) && !has_equals(begin, last)) {
            drop(last); // a declaration
            return;
        }
        if (host_types && !type) {
            drop(last);
            return;
        }
        // A constant serves both sides.
        if (!braced && has_equals(begin, last) && m_tokens[begin].kind == Token::Kind::word &&
            has_word(m_tokens, begin, last, {"constexpr", "const"})) {
            const auto list = cuda_statements(Walker(m_tokens, begin, last + 1), m_text);
            for (const Statement& one : list)
                m_module.constants.push_back(one);
        }
        keep(last);
    }

    // A host function: read, and dropped unless it is constexpr (device code may use it).
    bool function(std::size_t begin, std::size_t brace, std::size_t last) {
        std::size_t open = begin;
        while (open < brace && !(m_tokens[open].text == "(" && m_tokens[open].kind == Token::Kind::mark))
            ++open;
        if (open == begin || m_tokens[open - 1].kind != Token::Kind::word)
            return false;
        Function function;
        function.name = m_tokens[open - 1].text;
        function.line = m_tokens[open - 1].line;
        const std::size_t close = Walker(m_tokens, 0, brace).closing(open);
        for (std::size_t i = open + 1; i < close;) {
            std::size_t stop = i, depth = 0, equals = close;
            while (stop < close) {
                const std::string_view text = m_tokens[stop].kind == Token::Kind::mark ? m_tokens[stop].text : "";
                depth += text == "<" || text == "(" || text == "{" ? 1 : 0;
                depth -= (text == ">" || text == ")" || text == "}") && depth > 0 ? 1 : 0;
                if (text == "," && depth == 0)
                    break;
                if (text == "=" && equals == close)
                    equals = stop;
                ++stop;
            }
            const std::size_t end = std::min(stop, equals);
            if (end > i && m_tokens[end - 1].kind == Token::Kind::word && end - i > 1) {
                Parameter parameter;
                parameter.name = m_tokens[end - 1].text;
                parameter.type = m_text.substr(m_tokens[i].begin, m_tokens[end - 2].stop - m_tokens[i].begin);
                if (equals < stop) {
                    Walker walker(m_tokens, equals + 1, stop);
                    parameter.fallback = ExpressionParser(walker, m_text, false).parse();
                }
                function.parameters.push_back(std::move(parameter));
            }
            i = stop + 1;
        }
        function.body = cuda_statements(Walker(m_tokens, brace + 1, last), m_text);
        m_module.functions.push_back(std::move(function));
        if (has_word(m_tokens, begin, open, {"constexpr"}))
            keep(last);
        else
            drop(last);
        return true;
    }

    std::string_view m_text;
    std::vector<Token> m_tokens;
    std::size_t m_item = 0;   // first token of the item at hand
    std::size_t m_copied = 0; // bytes that were kept or dropped
    Module m_module;
};

} // namespace

Module read_cuda(std::string_view text, int first_line) {
    return FileReader(text, first_line).read();
}

Node read_cuda_expression(std::string_view text, int line) {
    const std::vector<Token> tokens = cuda_tokens(text, line);
    Walker walker(tokens);
    Node node = ExpressionParser(walker, text, false).parse();
    if (!walker.at_end())
        node.kind = Node::Kind::unknown;
    return node;
}

} // namespace kf::lift
