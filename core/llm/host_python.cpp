// SPDX-License-Identifier: GPL-3.0-or-later
// A Python module: Triton kernels and their helpers are kept, functions become trees, CUDA source in strings is noted.
#include "core/llm/host_expression.h"

#include <algorithm>

namespace kf::lift {
namespace {

class ModuleReader {
public:
    explicit ModuleReader(std::string_view text) : m_text(text), m_lines(python_lines(text)) {}

    Module read() {
        for (m_i = 0; m_i < m_lines.size();)
            item();
        return std::move(m_module);
    }

private:
    const PythonLine& line() const { return m_lines[m_i]; }
    bool starts(const PythonLine& line, std::string_view word) const {
        return !line.tokens.empty() && line.tokens[0].kind == Token::Kind::word && line.tokens[0].text == word;
    }
    std::size_t block_end(std::size_t i) const {
        const std::size_t indent = m_lines[i].indent;
        std::size_t end = i + 1;
        while (end < m_lines.size() && m_lines[end].indent > indent)
            ++end;
        return end;
    }

    void keep(std::size_t begin, std::size_t end) {
        m_module.device_code += m_text.substr(m_lines[begin].begin, m_lines[end - 1].stop - m_lines[begin].begin);
        if (!m_module.device_code.ends_with('\n'))
            m_module.device_code += '\n';
    }

    void item() {
        const std::size_t begin = m_i;
        std::size_t at = m_i;
        while (at < m_lines.size() && !m_lines[at].tokens.empty() && m_lines[at].tokens[0].text == "@")
            ++at;
        if (at >= m_lines.size()) {
            m_i = at;
            return;
        }
        if (starts(m_lines[at], "def")) {
            definition(begin, at, false);
            return;
        }
        if (starts(m_lines[at], "class")) {
            const std::size_t end = block_end(at);
            for (m_i = at + 1; m_i < end;) {
                std::size_t inner = m_i;
                while (inner < end && !m_lines[inner].tokens.empty() && m_lines[inner].tokens[0].text == "@")
                    ++inner;
                if (inner < end && starts(m_lines[inner], "def"))
                    definition(m_i, inner, true);
                else
                    m_i = std::max(block_end(m_i), inner);
            }
            m_i = end;
            return;
        }
        if (at > begin) { // decorators of nothing
            m_i = at;
            return;
        }
        if (starts(line(), "import") || starts(line(), "from")) {
            const std::string_view module = line().tokens.size() > 1 ? line().tokens[1].text : "";
            if (module == "triton")
                keep(m_i, m_i + 1);
            ++m_i;
            return;
        }
        if (starts(line(), "if") || starts(line(), "for") || starts(line(), "with") || starts(line(), "try") ||
            starts(line(), "while")) {
            m_i = block_end(m_i); // tests and demonstrations
            return;
        }
        constant();
        m_i = std::max(block_end(m_i), m_i + 1);
    }

    void constant() {
        const PythonLine& one = line();
        if (one.tokens.size() < 3 || one.tokens[0].kind != Token::Kind::word)
            return;
        for (const Token& token : one.tokens)
            if (token.kind == Token::Kind::text && token.text.find("__global__") != std::string_view::npos)
                m_module.cuda_texts.emplace_back(std::string(token.text), token.line);
        std::size_t equals = 1;
        if (one.tokens[1].text == ":") // NAME: tl.constexpr = 128
            while (equals < one.tokens.size() && one.tokens[equals].text != "=")
                ++equals;
        if (equals >= one.tokens.size() || one.tokens[equals].text != "=")
            return;
        Walker walker(one.tokens, equals + 1);
        Statement statement;
        statement.kind = Statement::Kind::assign;
        statement.targets = {std::string(one.tokens[0].text)};
        statement.line = one.line;
        statement.value = ExpressionParser(walker, m_text, true).parse();
        if (!walker.at_end() || statement.value.kind == Node::Kind::unknown || statement.value.kind == Node::Kind::text)
            return;
        // A number, or tl.constexpr(number), may be used by kernels.
        Node* value = &statement.value;
        if (value->kind == Node::Kind::call && value->kids.size() == 2 && value->kids[0].text == "constexpr")
            value = &value->kids[1];
        if (value->kind == Node::Kind::number)
            keep(m_i, m_i + 1);
        m_module.constants.push_back(std::move(statement));
    }

    // Decorators from `begin`, `def` at `at`.
    void definition(std::size_t begin, std::size_t at, bool method) {
        const std::size_t end = block_end(at);
        bool jit = false;
        Kernel kernel;
        for (std::size_t i = begin; i < at; ++i) {
            const std::vector<Token>& tokens = m_lines[i].tokens;
            bool tuned = false;
            for (const Token& token : tokens) {
                jit = jit || (token.kind == Token::Kind::word && token.text == "jit");
                tuned = tuned || (token.kind == Token::Kind::word && token.text == "autotune");
                if (token.kind == Token::Kind::word && token.text == "heuristics" && m_module.problem.empty()) {
                    m_module.problem = "`@triton.heuristics`: give the values at the launch, or by `# kf define`";
                    m_module.problem_line = token.line;
                }
            }
            if (tuned)
                autotune(tokens, kernel);
        }
        Function function = signature(at);
        function.line = m_lines[at].line;
        if (jit && !method) {
            kernel.name = function.name;
            kernel.parameters = std::move(function.parameters);
            for (std::size_t i = begin; i < at; ++i)
                if (std::any_of(m_lines[i].tokens.begin(), m_lines[i].tokens.end(),
                                [](const Token& token) { return token.text == "jit"; }))
                    keep(i, i + 1);
            keep(at, end);
            m_module.device_code += "\n";
            m_module.kernels[kernel.name] = std::move(kernel);
        } else {
            m_i = at;
            function.body = suite(end, 0);
            function.python = true;
            m_module.functions.push_back(std::move(function));
        }
        m_i = end;
    }

    // triton.Config({'BLOCK': 128, …}, num_warps=4, num_stages=2), …
    void autotune(const std::vector<Token>& tokens, Kernel& kernel) {
        const auto add = [&kernel](std::string name, std::string value) {
            auto known = std::find_if(kernel.tuned.begin(), kernel.tuned.end(),
                                      [&](const auto& entry) { return entry.first == name; });
            if (known == kernel.tuned.end())
                known = kernel.tuned.insert(kernel.tuned.end(), {std::move(name), {}});
            if (std::find(known->second.begin(), known->second.end(), value) == known->second.end())
                known->second.push_back(std::move(value));
        };
        int configs = 0;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i].text != "Config" || i + 1 >= tokens.size())
                continue;
            ++configs;
            const std::size_t close = Walker(tokens).closing(i + 1);
            for (std::size_t k = i + 1; k + 2 < close + 1 && k + 2 < tokens.size(); ++k) {
                const bool entry = tokens[k].kind == Token::Kind::text && tokens[k + 1].text == ":";
                const bool keyword = tokens[k].kind == Token::Kind::word && tokens[k + 1].text == "=";
                if ((entry || keyword) && tokens[k + 2].kind == Token::Kind::number)
                    add(std::string(tokens[k].text), std::string(tokens[k + 2].text));
            }
        }
        const bool made = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
            return token.kind == Token::Kind::word && token.text == "for";
        });
        if ((configs == 0 || made) && m_module.problem.empty()) {
            m_module.problem =
                "`@triton.autotune` whose configurations are not listed: list them, or write `# kf tune`";
            m_module.problem_line = tokens.front().line;
        }
    }

    Function signature(std::size_t at) {
        Function function;
        const std::vector<Token>& tokens = m_lines[at].tokens;
        if (tokens.size() < 3)
            return function;
        function.name = tokens[1].text;
        const std::size_t close = Walker(tokens).closing(2);
        for (std::size_t i = 3; i < close;) {
            Parameter parameter;
            std::size_t stop = i, depth = 0, equals = close;
            while (stop < close) {
                const std::string_view text = tokens[stop].kind == Token::Kind::mark ? tokens[stop].text : "";
                depth += text == "[" || text == "(" || text == "{" ? 1 : 0;
                depth -= (text == "]" || text == ")" || text == "}") && depth > 0 ? 1 : 0;
                if (text == "," && depth == 0)
                    break;
                if (text == "=" && depth == 0 && equals == close)
                    equals = stop;
                ++stop;
            }
            if (tokens[i].kind == Token::Kind::word) {
                parameter.name = tokens[i].text;
                for (std::size_t k = i + 1; k < std::min(stop, equals); ++k)
                    if (tokens[k].text != ":")
                        parameter.type += tokens[k].text;
                parameter.constexpr_value = parameter.type.find("constexpr") != std::string::npos;
                if (equals < stop) {
                    Walker walker(tokens, equals + 1, stop);
                    parameter.fallback = ExpressionParser(walker, m_text, true).parse();
                }
                if (parameter.name != "self" && parameter.name != "ctx")
                    function.parameters.push_back(std::move(parameter));
            }
            i = stop + 1;
        }
        return function;
    }

    // The statements of the block behind the line at m_i (a header); moves behind it.
    std::vector<Statement> suite(std::size_t end, int depth) {
        std::vector<Statement> list;
        const PythonLine& header = line();
        // `if x: y` on one line.
        std::size_t colon = header.tokens.size(), brackets = 0;
        for (std::size_t k = 0; k < header.tokens.size() && colon == header.tokens.size(); ++k) {
            const Token& token = header.tokens[k];
            if (token.kind != Token::Kind::mark)
                continue;
            brackets += token.text == "(" || token.text == "[" || token.text == "{" ? 1 : 0;
            brackets -= (token.text == ")" || token.text == "]" || token.text == "}") && brackets > 0 ? 1 : 0;
            if (token.text == ":" && brackets == 0)
                colon = k;
        }
        const std::size_t header_at = m_i;
        ++m_i;
        if (colon + 1 < header.tokens.size()) {
            PythonLine rest = header;
            rest.tokens.erase(rest.tokens.begin(), rest.tokens.begin() + static_cast<std::ptrdiff_t>(colon) + 1);
            simple(rest, list);
            return list;
        }
        const std::size_t stop = std::min(block_end(header_at), end);
        while (m_i < stop)
            statement(stop, depth + 1, list);
        m_i = stop;
        return list;
    }

    void statement(std::size_t end, int depth, std::vector<Statement>& list) {
        const PythonLine& here = line();
        const auto unknown = [&](std::string what) {
            Statement statement;
            statement.line = here.line;
            statement.what = std::move(what);
            const std::size_t stop = block_end(m_i);
            for (std::size_t i = m_i; i < stop; ++i)
                for (std::size_t k = 0; k + 1 < m_lines[i].tokens.size(); ++k)
                    statement.launches = statement.launches ||
                                         (m_lines[i].tokens[k].text == "]" && m_lines[i].tokens[k + 1].text == "(");
            list.push_back(std::move(statement));
            m_i = stop;
        };
        if (here.tokens.empty() || depth > max_depth) {
            unknown("text nested too deep");
            return;
        }
        const std::string word(here.tokens[0].kind == Token::Kind::word ? here.tokens[0].text : std::string_view());
        if (word == "if" || word == "elif") {
            Statement branch;
            branch.kind = Statement::Kind::branch;
            branch.line = here.line;
            Walker walker(here.tokens, 1);
            branch.value = ExpressionParser(walker, m_text, true).parse();
            if (!walker.at(":"))
                branch.value = Node{};
            branch.first = suite(end, depth);
            if (m_i < end && starts(line(), "elif"))
                statement(end, depth + 1, branch.second);
            else if (m_i < end && starts(line(), "else"))
                branch.second = suite(end, depth);
            list.push_back(std::move(branch));
            return;
        }
        if (word == "with") {
            Statement inner;
            inner.kind = Statement::Kind::block;
            inner.line = here.line;
            inner.first = suite(end, depth);
            list.push_back(std::move(inner));
            return;
        }
        if (word == "for" || word == "while" || word == "try" || word == "def" || word == "class" || word == "@") {
            if (word == "def" && named_grid(list))
                return;
            unknown("`" + word + "` in host code");
            return;
        }
        simple(here, list);
        m_i = std::max(m_i + 1, block_end(m_i));
    }

    // def grid(meta): return (…,)
    bool named_grid(std::vector<Statement>& list) {
        const std::size_t at = m_i, end = block_end(at);
        const Function inner = signature(at);
        if (inner.parameters.size() != 1 || end != at + 2 || !starts(m_lines[at + 1], "return"))
            return false;
        Walker walker(m_lines[at + 1].tokens, 1);
        Statement statement;
        statement.kind = Statement::Kind::assign;
        statement.line = m_lines[at].line;
        statement.targets = {inner.name};
        statement.value.kind = Node::Kind::lambda;
        statement.value.line = statement.line;
        statement.value.names = {inner.parameters[0].name};
        statement.value.kids.push_back(ExpressionParser(walker, m_text, true).parse_list());
        list.push_back(std::move(statement));
        m_i = end;
        return true;
    }

    void simple(const PythonLine& here, std::vector<Statement>& list) {
        Statement statement;
        statement.line = here.line;
        const std::string_view word = here.tokens[0].kind == Token::Kind::word ? here.tokens[0].text : "";
        if (word == "pass" || word == "assert" || word == "import" || word == "from" || word == "del" ||
            word == "global" || (here.tokens.size() == 1 && here.tokens[0].kind == Token::Kind::text)) {
            statement.kind = Statement::Kind::block;
            list.push_back(std::move(statement));
            return;
        }
        if (word == "raise") {
            statement.kind = Statement::Kind::fail;
            list.push_back(std::move(statement));
            return;
        }
        if (word == "return") {
            statement.kind = Statement::Kind::give_back;
            Walker walker(here.tokens, 1);
            if (walker.at_end())
                statement.value.kind = Node::Kind::list;
            else
                statement.value = ExpressionParser(walker, m_text, true).parse_list();
            finish(walker, std::move(statement), list);
            return;
        }
        Walker walker(here.tokens);
        Node left = ExpressionParser(walker, m_text, true).parse_list();
        if (left.kind == Node::Kind::name && walker.accept(":")) // an annotation
            while (!walker.at_end() && !walker.at("="))
                walker.take();
        static const std::vector<std::string> compound = {"+=", "-=", "*=", "/="};
        if (walker.at("=")) {
            statement.kind = Statement::Kind::assign;
            std::vector<Node> targets;
            targets.push_back(std::move(left));
            while (walker.accept("="))
                targets.push_back(ExpressionParser(walker, m_text, true).parse_list());
            statement.value = std::move(targets.back());
            targets.pop_back();
            if (targets.size() != 1) {
                statement.kind = Statement::Kind::unknown;
                statement.what = "several `=` in one statement";
            } else if (targets[0].kind == Node::Kind::name) {
                statement.targets = {targets[0].text};
            } else if (targets[0].kind == Node::Kind::list) {
                for (const Node& kid : targets[0].kids)
                    statement.targets.push_back(kid.kind == Node::Kind::name ? kid.text : "?");
            } else {
                statement.kind = Statement::Kind::unknown;
                statement.what = "an assignment to something else than a name";
            }
        } else if (left.kind == Node::Kind::name &&
                   std::find(compound.begin(), compound.end(), walker.peek().text) != compound.end()) {
            statement.kind = Statement::Kind::assign;
            statement.targets = {left.text};
            statement.value.kind = Node::Kind::binary;
            statement.value.line = statement.line;
            statement.value.text = walker.take().text.substr(0, 1);
            Node right = ExpressionParser(walker, m_text, true).parse();
            if (right.kind == Node::Kind::unknown)
                statement.value = std::move(right);
            else
                statement.value.kids = {std::move(left), std::move(right)};
        } else {
            statement.kind = Statement::Kind::expression;
            statement.value = std::move(left);
        }
        finish(walker, std::move(statement), list);
    }

    static void finish(Walker& walker, Statement statement, std::vector<Statement>& list) {
        if (!walker.at_end() && !walker.at(";") && statement.kind != Statement::Kind::unknown &&
            statement.value.kind != Node::Kind::unknown) {
            statement.kind = Statement::Kind::unknown;
            statement.what = "`" + std::string(walker.peek().text.substr(0, 40)) + "` in a statement";
        }
        list.push_back(std::move(statement));
    }

    std::string_view m_text;
    std::vector<PythonLine> m_lines;
    std::size_t m_i = 0;
    Module m_module;
};

} // namespace

Module read_python(std::string_view text) {
    return ModuleReader(text).read();
}

} // namespace kf::lift
