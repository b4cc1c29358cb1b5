// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA C++ with host code: its top-level items are told apart, device code is kept, host functions become trees.
#include "core/llm/host_expression.h"

#include <algorithm>
#include <array>

namespace kf::lift {
namespace {

bool has_word(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
              std::initializer_list<std::string_view> words) {
    for (std::size_t i = begin; i < end; ++i)
        if (tokens[i].kind == Token::Kind::word && std::find(words.begin(), words.end(), tokens[i].text) != words.end())
            return true;
    return false;
}

bool is_check(std::string_view word) {
    for (const std::string_view known :
         {"TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "AT_ASSERT", "AT_ASSERTM", "AT_CHECK", "C10_CUDA_KERNEL_LAUNCH_CHECK",
          "assert", "printf", "fprintf", "TORCH_WARN", "cudaDeviceSynchronize", "cudaGetLastError",
          "cudaStreamSynchronize", "cudaPeekAtLastError", "cudaFuncSetAttribute", "static_assert"})
        if (word == known)
            return true;
    return word.starts_with("CHECK_") || word.starts_with("TORCH_CHECK_");
}

// Types whose variables only guard or name things of the host.
bool is_guard(std::string_view word) {
    return word == "CUDAGuard" || word == "OptionalCUDAGuard" || word == "DeviceGuard" || word == "CUDAStreamGuard" ||
           word == "cudaError_t" || word == "cudaDeviceProp";
}

class FunctionParser {
public:
    FunctionParser(Walker walker, std::string_view text) : m_w(walker), m_text(text) {}

    std::vector<Statement> block(int depth = 0) {
        std::vector<Statement> list;
        while (!m_w.at_end() && !m_w.at("}")) {
            const std::size_t before = m_w.position();
            list.push_back(statement(depth));
            if (m_w.position() == before)
                m_w.take(); // never stand still on hostile text
        }
        return list;
    }

private:
    Statement make(Statement::Kind kind) const {
        Statement statement;
        statement.kind = kind;
        statement.line = m_w.peek().line;
        return statement;
    }
    Statement unknown(std::string what) {
        Statement statement = make(Statement::Kind::unknown);
        statement.what = std::move(what);
        return statement;
    }
    Node expression() { return ExpressionParser(m_w, m_text, false).parse(); }

    void skip_statement() {
        while (!m_w.at_end() && !m_w.at(";")) {
            if (m_w.at("(") || m_w.at("[")) {
                m_w.move_to(m_w.closing(m_w.position()));
                m_w.take();
            } else if (m_w.at("{")) {
                m_w.move_to(m_w.closing(m_w.position()));
                m_w.take();
                return;
            } else if (m_w.at("}")) {
                return;
            } else {
                m_w.take();
            }
        }
        m_w.accept(";");
    }

    std::vector<Statement> body(int depth) {
        if (m_w.accept("{")) {
            auto list = block(depth + 1);
            m_w.accept("}");
            return list;
        }
        std::vector<Statement> one;
        one.push_back(statement(depth + 1));
        return one;
    }

    Statement statement(int depth) {
        if (depth > max_depth) {
            Statement deep = unknown("text nested too deep");
            skip_statement();
            return deep;
        }
        if (m_w.accept(";"))
            return make(Statement::Kind::block);
        const std::string word(m_w.peek().kind == Token::Kind::word ? m_w.peek().text : std::string_view());
        if (m_w.at("{")) {
            Statement inner = make(Statement::Kind::block);
            inner.first = body(depth);
            return inner;
        }
        if (word == "if")
            return branch(depth);
        if (word == "return") {
            Statement back = make(Statement::Kind::give_back);
            m_w.take();
            if (!m_w.at(";"))
                back.value = expression();
            else
                back.value.kind = Node::Kind::list;
            return ended(std::move(back));
        }
        if (word == "for" || word == "while" || word == "do" || word == "switch" || word == "try" || word == "goto") {
            Statement loop = unknown("`" + word + "` in host code");
            const std::size_t begin = m_w.position();
            skip_statement();
            for (std::size_t i = begin; i < m_w.position(); ++i)
                loop.launches = loop.launches || m_w.tokens()[i].text == "<<<";
            return loop;
        }
        if (word == "throw") {
            Statement fail = make(Statement::Kind::fail);
            skip_statement();
            return fail;
        }
        if (is_check(word)) {
            Statement nothing = make(Statement::Kind::block);
            skip_statement();
            return nothing;
        }
        if (word == "using" || word == "typedef") {
            Statement nothing = make(Statement::Kind::block);
            skip_statement();
            return nothing;
        }
        if (word.find("DISPATCH") != std::string::npos && m_w.at("(", 1))
            return dispatch(depth);
        // An error check around a call that matters: CUDA_CHECK(cudaMemsetAsync(…)).
        if (word.size() > 4 && word.find("CHECK") != std::string::npos && m_w.at("(", 1)) {
            m_w.take();
            m_w.take();
            Statement inner = make(Statement::Kind::expression);
            if (is_check(m_w.peek().text))
                inner.kind = Statement::Kind::block;
            else
                inner.value = expression();
            skip_to_semicolon();
            return inner;
        }
        return declaration_or_expression();
    }

    void skip_to_semicolon() {
        while (!m_w.at_end() && !m_w.at(";") && !m_w.at("}"))
            m_w.take();
        m_w.accept(";");
    }

    Statement branch(int depth) {
        Statement statement = make(Statement::Kind::branch);
        m_w.take();
        m_w.accept("constexpr");
        if (!m_w.accept("("))
            return unknown("an unfinished `if`");
        const std::size_t close = m_w.closing(m_w.position() - 1);
        statement.value = expression();
        if (!m_w.at(")"))
            statement.value = Node{};
        m_w.move_to(close);
        m_w.accept(")");
        statement.first = body(depth);
        if (m_w.accept("else"))
            statement.second = body(depth);
        return statement;
    }

    // AT_DISPATCH_…(x.scalar_type(), "name", ([&] { … }));
    Statement dispatch(int depth) {
        Statement statement = make(Statement::Kind::dispatch);
        m_w.take();
        const std::size_t close = m_w.closing(m_w.position());
        m_w.take();
        // Further types may come first: AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), …).
        std::vector<Node> before;
        while (m_w.position() < close && m_w.peek().kind != Token::Kind::text) {
            before.push_back(expression());
            if (before.back().kind == Node::Kind::unknown || !m_w.accept(","))
                break;
        }
        if (!before.empty())
            statement.value = std::move(before.back());
        while (m_w.position() < close && !m_w.at("{"))
            m_w.take();
        if (m_w.at("{"))
            statement.first = body(depth);
        m_w.move_to(close);
        m_w.accept(")");
        m_w.accept(";");
        return statement;
    }

    Statement ended(Statement statement) {
        if (statement.value.kind != Node::Kind::unknown && !m_w.at(";") && !m_w.at("}")) {
            statement.kind = Statement::Kind::unknown;
            statement.what = "`" + std::string(m_w.peek().text.substr(0, 40)) + "` in a statement";
        }
        skip_statement();
        return statement;
    }

    // Where a declaration's name stands: behind a type of words, `::`, template arguments, `*` and `&`.
    std::optional<std::size_t> declared_name() const {
        Walker w = m_w;
        std::size_t words = 0;
        std::size_t name = 0;
        for (int i = 0; i < 64; ++i) {
            const Token& token = w.peek();
            if (token.kind == Token::Kind::word) {
                name = w.position();
                ++words;
                w.take();
                if (w.at("::")) {
                    w.take();
                    --words;
                    continue;
                }
                if (w.at("<")) {
                    int depth = 0;
                    const std::size_t begin = w.position();
                    while (!w.at_end() && w.position() < begin + 64 && !w.at(";")) {
                        depth += w.at("<") ? 1 : w.at(">") ? -1 : 0;
                        w.take();
                        if (depth == 0)
                            break;
                    }
                    if (depth != 0)
                        return std::nullopt;
                    if (w.accept("::"))
                        --words;
                    else if (w.peek().kind != Token::Kind::word && !w.at("*") && !w.at("&"))
                        return std::nullopt;
                }
                continue;
            }
            if (words > 0 && (token.text == "*" || token.text == "&")) {
                w.take();
                continue;
            }
            if (token.text == "::" && words == 0) {
                w.take();
                continue;
            }
            break;
        }
        if (words < 2 || w.position() != name + 1)
            return std::nullopt;
        for (const std::string_view next : {"=", ";", "(", "{", ",", "["})
            if (w.at(next))
                return name;
        return std::nullopt;
    }

    Statement declaration_or_expression() {
        // auto [a, b] = …
        if ((m_w.at("auto") && m_w.at("[", 1)) || (m_w.at("auto") && m_w.at("&", 1) && m_w.at("[", 2))) {
            Statement statement = make(Statement::Kind::assign);
            m_w.take();
            m_w.accept("&");
            m_w.take();
            while (!m_w.at_end() && !m_w.accept("]")) {
                statement.targets.emplace_back(m_w.take().text);
                m_w.accept(",");
            }
            m_w.accept("=");
            statement.value = expression();
            return ended(std::move(statement));
        }
        if (const auto name = declared_name()) {
            const std::vector<Token>& tokens = m_w.tokens();
            bool guard = false, is_dim = false;
            for (std::size_t i = m_w.position(); i < *name; ++i) {
                guard = guard || is_guard(tokens[i].text);
                is_dim = is_dim || tokens[i].text == "dim3";
            }
            if (guard || has_word(tokens, m_w.position(), *name, {"cudaStream_t", "CUDAStream"})) {
                Statement nothing = make(Statement::Kind::block);
                skip_statement();
                return nothing;
            }
            Statement group = make(Statement::Kind::block);
            m_w.move_to(*name);
            while (!m_w.at_end()) {
                Statement one = make(Statement::Kind::assign);
                one.targets = {std::string(m_w.take().text)};
                if (m_w.accept("=")) {
                    one.value = expression();
                } else if (m_w.at("(") || m_w.at("{")) {
                    // int n(x.size(0)); dim3 grid(a, b); dim3 grid{a, b};
                    one.value = expression();
                } else if (m_w.at("[")) {
                    one = unknown("an array in host code");
                } else {
                    one.value.kind = Node::Kind::text; // declared without a value
                }
                if (is_dim && one.kind == Statement::Kind::assign &&
                    !(one.value.kind == Node::Kind::call && one.value.kids[0].text == "dim3")) {
                    Node dim;
                    dim.kind = Node::Kind::call;
                    dim.line = one.line;
                    Node callee;
                    callee.kind = Node::Kind::name;
                    callee.text = "dim3";
                    dim.kids.push_back(std::move(callee));
                    if (one.value.kind == Node::Kind::list)
                        for (Node& kid : one.value.kids)
                            dim.kids.push_back(std::move(kid));
                    else if (one.value.kind != Node::Kind::text)
                        dim.kids.push_back(std::move(one.value));
                    dim.names.assign(dim.kids.size() - 1, "");
                    one.value = std::move(dim);
                }
                const bool failed = one.kind == Statement::Kind::unknown || one.value.kind == Node::Kind::unknown;
                group.first.push_back(std::move(one));
                if (failed || !m_w.accept(","))
                    break;
                while (m_w.at("*") || m_w.at("&"))
                    m_w.take();
            }
            if (!group.first.empty() && group.first.back().kind == Statement::Kind::assign)
                group.first.back() = ended(std::move(group.first.back()));
            else
                skip_statement();
            return group;
        }
        Statement statement = make(Statement::Kind::expression);
        statement.value = expression();
        static constexpr std::array<std::string_view, 4> compound = {"+=", "-=", "*=", "/="};
        if (statement.value.kind == Node::Kind::name && m_w.at("=")) {
            statement.kind = Statement::Kind::assign;
            statement.targets = {statement.value.text};
            m_w.take();
            statement.value = expression();
        } else if (statement.value.kind == Node::Kind::member && m_w.at("=")) {
            // grid.x = …
            statement.kind = Statement::Kind::assign;
            statement.targets = {statement.value.kids[0].text + "." + statement.value.text};
            m_w.take();
            statement.value = expression();
        } else if (statement.value.kind == Node::Kind::name &&
                   std::find(compound.begin(), compound.end(), m_w.peek().text) != compound.end()) {
            statement.kind = Statement::Kind::assign;
            statement.targets = {statement.value.text};
            Node operation;
            operation.kind = Node::Kind::binary;
            operation.text = m_w.take().text.substr(0, 1);
            operation.line = statement.line;
            operation.kids = {std::move(statement.value), expression()};
            if (operation.kids[1].kind == Node::Kind::unknown)
                operation = operation.kids[1];
            statement.value = std::move(operation);
        }
        return ended(std::move(statement));
    }

    Walker m_w;
    std::string_view m_text;
};

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
            const auto list = FunctionParser(Walker(m_tokens, begin, last + 1), m_text).block();
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
        function.body = FunctionParser(Walker(m_tokens, brace + 1, last), m_text).block();
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
