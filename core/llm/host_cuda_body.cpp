// SPDX-License-Identifier: GPL-3.0-or-later
// The body of a host function in C++ as a tree.
#include "core/llm/host_cuda.h"
#include "core/llm/host_expression.h"

#include <algorithm>
#include <array>

namespace kf::lift {
namespace {

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

} // namespace

bool has_word(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
              std::initializer_list<std::string_view> words) {
    for (std::size_t i = begin; i < end; ++i)
        if (tokens[i].kind == Token::Kind::word && std::find(words.begin(), words.end(), tokens[i].text) != words.end())
            return true;
    return false;
}

std::vector<Statement> cuda_statements(const Walker& walker, std::string_view text) {
    return FunctionParser(walker, text).block();
}

} // namespace kf::lift
