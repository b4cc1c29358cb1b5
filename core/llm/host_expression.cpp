// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/host_expression.h"

#include <array>

namespace kf::lift {
namespace {

constexpr int levels = 8;

bool is_type_word(std::string_view word) {
    static constexpr std::array<std::string_view, 26> words = {
        "int",     "unsigned", "long",     "short",    "float",     "double",    "char",  "bool",         "size_t",
        "int64_t", "int32_t",  "uint32_t", "uint64_t", "const",     "void",      "half",  "__half",       "scalar_t",
        "std",     "at",       "c10",      "Half",     "ptrdiff_t", "uintptr_t", "half2", "__nv_bfloat16"};
    for (const std::string_view known : words)
        if (word == known)
            return true;
    return false;
}

} // namespace

Node ExpressionParser::make(Node::Kind kind, std::string text) const {
    Node node;
    node.kind = kind;
    node.text = std::move(text);
    node.line = m_w.peek().line;
    return node;
}

// The operator that stands here, if it binds at this level (0 the loosest).
std::string ExpressionParser::operator_at(int level) const {
    const Token& token = m_w.peek();
    const std::string text(token.text);
    if (token.kind == Token::Kind::word) {
        if (!m_python)
            return {};
        return (level == 0 && text == "or") ? "||" : (level == 1 && text == "and") ? "&&" : "";
    }
    if (token.kind != Token::Kind::mark)
        return {};
    const Token& next = m_w.peek(1);
    const bool joined = next.kind == Token::Kind::mark && next.begin == token.stop;
    const Token& third = m_w.peek(2);
    if (text == ">" && joined && next.text == ">" && third.text == ">" && third.begin == next.stop)
        return {}; // of a launch
    if (text == ">" && joined && next.text == "=")
        return level == 4 ? ">=" : "";
    if (text == ">" && joined && next.text == ">")
        return level == 5 ? ">>" : "";
    if (text == "<" && joined && next.text == "<")
        return level == 5 ? "<<" : "";
    static const std::array<std::vector<std::string>, levels> table = {
        {{"||"}, {"&&"}, {"&"}, {"==", "!="}, {"<", ">", "<="}, {}, {"+", "-"}, {"*", "/", "%", "//", "@"}}};
    for (const std::string& known : table[static_cast<std::size_t>(level)])
        if (text == known)
            return known;
    return {};
}

Node ExpressionParser::choice(int depth) {
    if (depth > max_depth)
        return unknown("text nested too deep");
    Node first = binary(0, depth);
    if (m_python && m_w.at("if")) {
        Node node = make(Node::Kind::choice);
        m_w.take();
        Node condition = binary(0, depth + 1);
        if (!m_w.accept("else"))
            return unknown("a comprehension");
        Node other = choice(depth + 1);
        node.kids = {std::move(condition), std::move(first), std::move(other)};
        return node;
    }
    if (!m_python && m_w.at("?")) {
        Node node = make(Node::Kind::choice);
        m_w.take();
        Node yes = choice(depth + 1);
        if (!m_w.accept(":"))
            return unknown("an unfinished `?:`");
        Node no = choice(depth + 1);
        node.kids = {std::move(first), std::move(yes), std::move(no)};
        return node;
    }
    return first;
}

Node ExpressionParser::binary(int level, int depth) {
    if (level >= levels)
        return unary(depth);
    Node left = binary(level + 1, depth);
    while (left.kind != Node::Kind::unknown) {
        const std::string op = operator_at(level);
        if (op.empty())
            break;
        Node node = make(Node::Kind::binary, op);
        m_w.take();
        if (op == ">=" || op == ">>" || op == "<<")
            m_w.take();
        Node right = binary(level + 1, depth + 1);
        if (right.kind == Node::Kind::unknown)
            return right;
        node.kids = {std::move(left), std::move(right)};
        left = std::move(node);
    }
    return left;
}

Node ExpressionParser::unary(int depth) {
    if (depth > max_depth)
        return unknown("text nested too deep");
    const Token& token = m_w.peek();
    const bool not_word = m_python && token.kind == Token::Kind::word && token.text == "not";
    const bool mark = token.kind == Token::Kind::mark && (token.text == "-" || token.text == "+" || token.text == "!" ||
                                                          (!m_python && (token.text == "&" || token.text == "*")));
    if (not_word || mark) {
        Node node = make(Node::Kind::unary, not_word ? "!" : std::string(token.text));
        m_w.take();
        Node kid = unary(depth + 1);
        if (kid.kind == Node::Kind::unknown)
            return kid;
        node.kids.push_back(std::move(kid));
        return node;
    }
    if (const auto close = m_python ? std::nullopt : cast_end()) {
        Node node = make(Node::Kind::call);
        const std::size_t open = m_w.position();
        node.kids.push_back(make(Node::Kind::name, "static_cast"));
        const std::vector<Token>& tokens = m_w.tokens();
        node.kids.front().templates = m_text.substr(tokens[open].stop, tokens[*close].begin - tokens[open].stop);
        m_w.move_to(*close + 1);
        Node kid = unary(depth + 1);
        if (kid.kind == Node::Kind::unknown)
            return kid;
        node.kids.push_back(std::move(kid));
        node.names = {""};
        return node;
    }
    Node base = postfix(depth);
    if (m_python && m_w.at("**")) {
        Node node = make(Node::Kind::binary, "**");
        m_w.take();
        Node power = unary(depth + 1);
        node.kids = {std::move(base), std::move(power)};
        return node;
    }
    return base;
}

// `(int)`, `(const float*)`: the position of the closing bracket.
std::optional<std::size_t> ExpressionParser::cast_end() const {
    if (!m_w.at("("))
        return std::nullopt;
    std::size_t i = 1;
    bool typed = false;
    for (; i < 12; ++i) {
        const Token& token = m_w.peek(i);
        if (token.kind == Token::Kind::word && is_type_word(token.text))
            typed = true;
        else if (!(token.text == "*" || token.text == "::") || !typed)
            break;
    }
    const Token& after = m_w.peek(i + 1);
    const bool operand = after.kind == Token::Kind::word || after.kind == Token::Kind::number || after.text == "(" ||
                         after.text == "-" || after.text == "&";
    if (typed && m_w.at(")", i) && operand)
        return m_w.position() + i;
    return std::nullopt;
}

// Behind a name, at `<`: the position of the `>` when this is a template argument list.
std::optional<std::size_t> ExpressionParser::template_end() const {
    int depth = 0, brackets = 0;
    const std::vector<Token>& tokens = m_w.tokens();
    for (std::size_t i = m_w.position(); i < m_w.end() && i < m_w.position() + 200; ++i) {
        const Token& token = tokens[i];
        if (token.text == "<" && brackets == 0) {
            ++depth;
        } else if (token.text == ">" && brackets == 0) {
            if (--depth == 0) {
                const std::string_view next = i + 1 < m_w.end() ? tokens[i + 1].text : std::string_view();
                return next == "(" || next == "<<<" || next == "::" || next == "{" ? std::optional(i) : std::nullopt;
            }
        } else if (token.text == "(") {
            ++brackets;
        } else if (token.text == ")") {
            if (--brackets < 0)
                return std::nullopt;
        } else if (token.kind == Token::Kind::mark && token.text != "," && token.text != "::" && token.text != "*" &&
                   token.text != "&" && token.text != "+" && token.text != "-" && token.text != "/") {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

Node ExpressionParser::launch(Node kernel, int depth) {
    Node node = make(Node::Kind::launch);
    m_w.take();
    node.kids.push_back(std::move(kernel));
    while (!m_w.at_end()) {
        Node extent = choice(depth + 1);
        if (extent.kind == Node::Kind::unknown)
            return extent;
        node.kids.push_back(std::move(extent));
        ++node.config;
        if (!m_w.accept(","))
            break;
    }
    if (!(m_w.accept(">") && m_w.accept(">") && m_w.accept(">")) || !m_w.accept("("))
        return unknown("a launch without `>>>(`");
    arguments(node, ")", depth + 1);
    return node;
}

void ExpressionParser::arguments(Node& call, std::string_view close, int depth) {
    while (!m_w.at_end() && !m_w.accept(close)) {
        std::string name;
        if (m_python && m_w.peek().kind == Token::Kind::word && m_w.at("=", 1)) {
            name = m_w.take().text;
            m_w.take();
        } else if (m_python && (m_w.at("*") || m_w.at("**"))) {
            call = unknown("an argument list `*…`");
            return;
        }
        Node value = choice(depth + 1);
        if (value.kind == Node::Kind::unknown) {
            call = std::move(value);
            return;
        }
        call.kids.push_back(std::move(value));
        call.names.push_back(std::move(name));
        if (!m_w.at(close) && !m_w.accept(",")) {
            const std::string found(m_w.peek().text);
            call = m_python && found == "for" ? unknown("a comprehension") : unknown("`" + found + "` in an argument");
            return;
        }
    }
}

Node ExpressionParser::postfix(int depth) {
    Node node = atom(depth);
    for (int links = 0; node.kind != Node::Kind::unknown && links < 256; ++links) {
        if (m_w.at("(")) {
            Node call = make(Node::Kind::call);
            m_w.take();
            call.kids.push_back(std::move(node));
            arguments(call, ")", depth + 1);
            node = std::move(call);
        } else if (m_w.at("[")) {
            Node index = make(Node::Kind::index);
            m_w.take();
            index.kids.push_back(std::move(node));
            arguments(index, "]", depth + 1);
            node = std::move(index);
        } else if (m_w.at(".") || (!m_python && m_w.at("->"))) {
            m_w.take();
            m_w.accept("template");
            Node member = make(Node::Kind::member, std::string(m_w.take().text));
            member.kids.push_back(std::move(node));
            node = std::move(member);
        } else if (!m_python && m_w.at("::")) {
            // The last name is what counts: torch::empty, std::min.
            m_w.take();
            Node name = make(Node::Kind::name, std::string(m_w.take().text));
            name.scope = node.scope + node.text + "::";
            node = std::move(name);
        } else if (!m_python && m_w.at("<<<")) {
            node = launch(std::move(node), depth);
        } else if (!m_python && m_w.at("{") && node.kind == Node::Kind::name) {
            Node call = make(Node::Kind::call);
            m_w.take();
            call.kids.push_back(std::move(node));
            arguments(call, "}", depth + 1);
            node = std::move(call);
        } else if (!m_python && m_w.at("<")) {
            const auto end = template_end();
            if (!end)
                break;
            const std::vector<Token>& tokens = m_w.tokens();
            const std::size_t begin = tokens[m_w.position()].stop;
            node.templates = m_text.substr(begin, tokens[*end].begin - begin);
            m_w.move_to(*end + 1);
        } else {
            break;
        }
    }
    return node;
}

Node ExpressionParser::bracketed(std::string_view close, Node list, int depth) {
    bool comma = close != ")";
    while (!m_w.at_end() && !m_w.accept(close)) {
        Node value = choice(depth + 1);
        if (value.kind == Node::Kind::unknown)
            return value;
        list.kids.push_back(std::move(value));
        if (m_w.accept(",")) {
            comma = true;
        } else if (!m_w.at(close)) {
            return unknown(m_w.at("for") ? "a comprehension" : "`" + std::string(m_w.peek().text) + "` in brackets");
        }
    }
    if (!comma && list.kids.size() == 1)
        return std::move(list.kids.front());
    return list;
}

Node ExpressionParser::atom(int depth) {
    if (depth > max_depth)
        return unknown("text nested too deep");
    const Token& token = m_w.peek();
    switch (token.kind) {
    case Token::Kind::number: {
        Node node = make(Node::Kind::number, std::string(token.text));
        m_w.take();
        return node;
    }
    case Token::Kind::text: {
        Node node = make(Node::Kind::text, std::string(token.text));
        m_w.take();
        while (m_w.peek().kind == Token::Kind::text)
            m_w.take();
        return node;
    }
    case Token::Kind::word:
        if (m_python && token.text == "lambda") {
            Node node = make(Node::Kind::lambda);
            m_w.take();
            while (!m_w.at_end() && !m_w.accept(":")) {
                node.names.emplace_back(m_w.take().text);
                m_w.accept(",");
            }
            node.kids.push_back(choice(depth + 1));
            return node.kids.front().kind == Node::Kind::unknown ? node.kids.front() : node;
        } else {
            Node node = make(Node::Kind::name, std::string(token.text));
            m_w.take();
            if (node.text == "sizeof" && !m_python && m_w.at("(")) { // of a type, which is no expression
                const std::size_t open = m_w.position(), close = m_w.closing(open);
                const std::vector<Token>& tokens = m_w.tokens();
                if (close >= m_w.end())
                    return unknown("an unfinished `sizeof`");
                node.templates = m_text.substr(tokens[open].stop, tokens[close].begin - tokens[open].stop);
                m_w.move_to(close + 1);
            }
            return node;
        }
    case Token::Kind::mark:
        if (token.text == "::" && !m_python) {
            m_w.take();
            return atom(depth + 1);
        }
        if (token.text == "(" || (m_python && token.text == "[") || (!m_python && token.text == "{")) {
            Node list = make(Node::Kind::list);
            const std::string_view close = token.text == "(" ? ")" : token.text == "[" ? "]" : "}";
            m_w.take();
            return bracketed(close, std::move(list), depth + 1);
        }
        if (token.text == "[")
            return unknown("a lambda");
        if (token.text == "{")
            return unknown("a dictionary");
        break;
    case Token::Kind::end:
        return unknown("an unfinished expression");
    }
    return unknown("`" + std::string(token.text.substr(0, 40)) + "`");
}

Node ExpressionParser::parse_list() {
    Node first = parse();
    if (first.kind == Node::Kind::unknown || !m_w.at(","))
        return first;
    Node list = make(Node::Kind::list);
    list.kids.push_back(std::move(first));
    while (m_w.accept(",") && !m_w.at_end()) {
        Node next = parse();
        if (next.kind == Node::Kind::unknown)
            return next;
        list.kids.push_back(std::move(next));
    }
    return list;
}

} // namespace kf::lift
