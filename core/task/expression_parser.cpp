// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/expression_node.h"

#include <array>
#include <charconv>
#include <cmath>

namespace kf {
namespace expression_detail {
namespace {

constexpr std::array builtins = {
    Builtin{"cdiv", 2, false, true},     Builtin{"min", 2, false, false},      Builtin{"max", 2, false, false},
    Builtin{"round_up", 2, false, true}, Builtin{"next_pow2", 1, false, true}, Builtin{"log2", 1, false, true},
    Builtin{"abs", 1, false, false},     Builtin{"sqrt", 1, true, false},      Builtin{"exp", 1, true, false}};

} // namespace

const Builtin* find_builtin(std::string_view name) {
    for (const Builtin& builtin : builtins)
        if (builtin.name == name)
            return &builtin;
    return nullptr;
}

std::string builtin_list() {
    std::string text;
    for (const Builtin& builtin : builtins) {
        text += text.empty() ? "" : ", ";
        text += builtin.name;
        text += builtin.arguments == 1 ? "(a)" : "(a, b)";
    }
    return text;
}

int precedence(Operation operation) {
    switch (operation) {
    case Operation::conditional:
        return 1;
    case Operation::logical_or:
        return 2;
    case Operation::logical_and:
        return 3;
    case Operation::equal:
    case Operation::not_equal:
        return 4;
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
        return 5;
    case Operation::add:
    case Operation::subtract:
        return 6;
    case Operation::multiply:
    case Operation::divide:
    case Operation::remainder:
        return 7;
    case Operation::negate:
    case Operation::logical_not:
        return 8;
    default:
        return 0;
    }
}

std::string_view spelling(Operation operation) {
    switch (operation) {
    case Operation::logical_or:
        return "||";
    case Operation::logical_and:
        return "&&";
    case Operation::equal:
        return "==";
    case Operation::not_equal:
        return "!=";
    case Operation::less_equal:
        return "<=";
    case Operation::greater_equal:
        return ">=";
    case Operation::less:
        return "<";
    case Operation::greater:
        return ">";
    case Operation::add:
        return "+";
    case Operation::subtract:
    case Operation::negate:
        return "-";
    case Operation::multiply:
        return "*";
    case Operation::divide:
        return "/";
    case Operation::remainder:
        return "%";
    case Operation::logical_not:
        return "!";
    default:
        return "";
    }
}

} // namespace expression_detail

namespace {

using expression_detail::find_builtin;
using Node = Expression::Node;
using NodePointer = std::shared_ptr<const Node>;

constexpr std::size_t max_text = 4096;
constexpr int max_depth = 256; // grammar rules in progress: about 60 nested parentheses

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Recursive descent by precedence. The first error stays; every function returns null once there is one.
class Parser {
public:
    Parser(std::string_view text, const Place& start) : m_text(text), m_start(start) {}

    NodePointer parse() {
        NodePointer node = conditional(0);
        if (node && m_at > max_text)
            return fail(0, "the expression is longer than " + std::to_string(max_text) + " characters",
                        "split it into several defines");
        return node;
    }
    std::size_t end() const { return m_end; }
    Place place(std::size_t at) const {
        Place place = m_start;
        for (std::size_t i = 0; i < at && i < m_text.size(); ++i) {
            if (m_text[i] == '\n') {
                place.line += place.line > 0 ? 1 : 0;
                place.column = place.column > 0 ? 1 : 0;
            } else if (place.column > 0 && (m_text[i] & 0xc0) != 0x80) { // a UTF-8 sequence is one column
                ++place.column;
            }
        }
        return place;
    }
    std::optional<Error>& error() { return m_error; }
    NodePointer fail(std::size_t at, std::string message, std::string remedy, const char* code = "expression-syntax") {
        if (!m_error)
            m_error = make_error(code, std::move(message), std::move(remedy), place(at));
        return nullptr;
    }
    // What stands at `at`, for messages: a word, one visible character or the end.
    std::string found(std::size_t at) const {
        if (at >= m_text.size())
            return "the end of the expression";
        std::size_t length = 0;
        while (at + length < m_text.size() && length < 24 &&
               (is_letter(m_text[at + length]) || is_digit(m_text[at + length])))
            ++length;
        const unsigned char c = static_cast<unsigned char>(m_text[at]);
        if (length == 0 && (c < 32 || c > 126)) {
            static constexpr char digits[] = "0123456789abcdef";
            return std::string("the byte 0x") + digits[c >> 4] + digits[c & 15];
        }
        return "'" + std::string(m_text.substr(at, length == 0 ? 1 : length)) + "'";
    }
    void skip_blanks() {
        while (m_at < m_text.size() && is_blank(m_text[m_at]))
            ++m_at;
    }

private:
    bool too_deep(int depth) {
        if (depth > max_depth) {
            fail(m_at, "the expression nests deeper than " + std::to_string(max_depth) + " levels",
                 "split it into several defines");
            return true;
        }
        return false;
    }
    bool too_long() {
        if (m_at > max_text)
            fail(0, "the expression is longer than " + std::to_string(max_text) + " characters",
                 "split it into several defines");
        return m_at > max_text;
    }

    NodePointer finish(std::shared_ptr<Node> node) {
        for (const NodePointer& child : node->children)
            node->height = std::max(node->height, child->height + 1);
        // A chain such as 1+1+1+… nests in the tree without nesting in the text.
        if (node->height > max_depth)
            return fail(m_at, "the expression has more than " + std::to_string(max_depth) + " operations in a row",
                        "split it into several defines");
        return node;
    }

    // The binary operator at the current place, if its precedence is at least `least`.
    std::optional<Operation> peek_binary(int least) {
        using enum Operation;
        static constexpr std::array candidates = {logical_or,    logical_and, equal,    not_equal, less_equal,
                                                  greater_equal, less,        greater,  add,       subtract,
                                                  multiply,      divide,      remainder};
        const std::string_view rest = m_text.substr(std::min(m_at, m_text.size()));
        // Launch brackets end an expression; they are never shifts.
        if (rest.starts_with("<<") || rest.starts_with(">>"))
            return std::nullopt;
        for (const Operation operation : candidates)
            if (rest.starts_with(expression_detail::spelling(operation)))
                return expression_detail::precedence(operation) >= least ? std::optional(operation) : std::nullopt;
        return std::nullopt;
    }

    NodePointer conditional(int depth) {
        if (too_deep(depth))
            return nullptr;
        NodePointer condition = binary(depth + 1, 2);
        if (!condition)
            return nullptr;
        skip_blanks();
        if (m_at >= m_text.size() || m_text[m_at] != '?')
            return condition;
        auto node = std::make_shared<Node>();
        node->operation = Operation::conditional;
        node->place = place(m_at++);
        NodePointer yes = conditional(depth + 1);
        if (!yes)
            return nullptr;
        skip_blanks();
        if (m_at >= m_text.size() || m_text[m_at] != ':')
            return fail(m_at, "expected ':' of a conditional, found " + found(m_at), "write CONDITION ? A : B");
        ++m_at;
        NodePointer no = conditional(depth + 1);
        if (!no)
            return nullptr;
        node->is_real = yes->is_real || no->is_real;
        node->children = {std::move(condition), std::move(yes), std::move(no)};
        return finish(std::move(node));
    }

    NodePointer binary(int depth, int least) {
        if (too_deep(depth))
            return nullptr;
        NodePointer left = unary(depth + 1);
        while (left) {
            if (too_long())
                return nullptr;
            skip_blanks();
            const std::optional<Operation> operation = peek_binary(least);
            if (!operation)
                return left;
            auto node = std::make_shared<Node>();
            node->operation = *operation;
            node->place = place(m_at);
            m_at += expression_detail::spelling(*operation).size();
            NodePointer right = binary(depth + 1, expression_detail::precedence(*operation) + 1);
            if (!right)
                return nullptr;
            const int level = expression_detail::precedence(*operation);
            const bool arithmetic = level >= expression_detail::precedence(Operation::add);
            node->is_real = arithmetic && (left->is_real || right->is_real);
            if (*operation == Operation::remainder && node->is_real)
                return fail_at(node->place, "'%' takes integers, one side here is real", "use integers on both sides");
            node->children = {std::move(left), std::move(right)};
            left = finish(std::move(node));
        }
        return nullptr;
    }

    NodePointer unary(int depth) {
        if (too_deep(depth))
            return nullptr;
        skip_blanks();
        const char c = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (c == '+') {
            ++m_at;
            return unary(depth + 1);
        }
        if (c != '-' && c != '!')
            return primary(depth + 1);
        auto node = std::make_shared<Node>();
        node->operation = c == '-' ? Operation::negate : Operation::logical_not;
        node->place = place(m_at++);
        NodePointer operand = unary(depth + 1);
        if (!operand)
            return nullptr;
        node->is_real = c == '-' && operand->is_real;
        node->children = {std::move(operand)};
        return finish(std::move(node));
    }

    NodePointer primary(int depth) {
        const std::size_t begin = m_at;
        const char c = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (c == '(') {
            ++m_at;
            NodePointer inner = conditional(depth + 1);
            if (!inner || !expect_close(begin))
                return nullptr;
            return inner;
        }
        if (is_digit(c) || (c == '.' && m_at + 1 < m_text.size() && is_digit(m_text[m_at + 1])))
            return number();
        if (!is_letter(c))
            return fail(m_at, "expected a number, a name or '(', found " + found(m_at), "complete the expression here");
        const std::string_view name = word();
        std::size_t after = m_at;
        while (after < m_text.size() && is_blank(m_text[after]))
            ++after;
        if (after < m_text.size() && m_text[after] == '(') {
            m_at = after + 1;
            return call(name, begin, depth);
        }
        auto node = std::make_shared<Node>();
        node->operation = Operation::symbol;
        node->name = name;
        node->place = place(begin);
        m_end = m_at;
        return node;
    }

    std::string_view word() {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (is_letter(m_text[m_at]) || is_digit(m_text[m_at])))
            ++m_at;
        return m_text.substr(begin, m_at - begin);
    }

    bool expect_close(std::size_t opened) {
        skip_blanks();
        if (m_at >= m_text.size() || m_text[m_at] != ')') {
            const int column = place(opened).column;
            fail(m_at, "expected ')', found " + found(m_at),
                 column > 0 ? "close what was opened at column " + std::to_string(column) : "close the parenthesis");
            return false;
        }
        m_end = ++m_at;
        return true;
    }

    NodePointer number() {
        const std::size_t begin = m_at;
        bool real = false;
        while (m_at < m_text.size() && is_digit(m_text[m_at]))
            ++m_at;
        if (m_at < m_text.size() && m_text[m_at] == '.') {
            real = true;
            ++m_at;
            while (m_at < m_text.size() && is_digit(m_text[m_at]))
                ++m_at;
        }
        if (m_at < m_text.size() && (m_text[m_at] == 'e' || m_text[m_at] == 'E')) {
            std::size_t at = m_at + 1;
            if (at < m_text.size() && (m_text[at] == '+' || m_text[at] == '-'))
                ++at;
            if (at < m_text.size() && is_digit(m_text[at])) {
                real = true;
                m_at = at;
                while (m_at < m_text.size() && is_digit(m_text[m_at]))
                    ++m_at;
            }
        }
        const std::string_view digits = m_text.substr(begin, m_at - begin);
        if (m_at < m_text.size() && (is_letter(m_text[m_at]) || m_text[m_at] == '.'))
            return fail(begin, "'" + std::string(digits.substr(0, 40)) + "' is followed by " + found(m_at),
                        "numbers are decimal and carry no suffix");
        if (!real && digits.size() > 1 && digits[0] == '0')
            return fail(begin, "a number starts with 0", "numbers are decimal: drop the leading zero");
        auto node = std::make_shared<Node>();
        node->place = place(begin);
        node->is_real = real;
        const char* first = digits.data();
        const char* last = first + digits.size();
        if (real) {
            node->operation = Operation::real_literal;
            const auto result = std::from_chars(first, last, node->real);
            if (result.ec != std::errc{} || !std::isfinite(node->real))
                return fail(begin, "the number does not fit a double", "", "expression-range");
        } else {
            const auto result = std::from_chars(first, last, node->integer);
            if (result.ec != std::errc{})
                return fail(begin, "the number does not fit 64 bits", "at most 9223372036854775807",
                            "expression-range");
        }
        m_end = m_at;
        return node;
    }

    // A kernel's name as first argument of a device function: `k`, `ns::k` or `k<BLOCK, half>`, followed by ',' or ')'.
    std::string_view kernel_name() {
        const std::size_t begin = m_at;
        std::size_t at = m_at;
        while (at < m_text.size() && (is_letter(m_text[at]) || is_digit(m_text[at]) || m_text.substr(at, 2) == "::"))
            at += m_text[at] == ':' ? 2 : 1;
        if (at == begin || !is_letter(m_text[begin]))
            return {};
        const std::size_t limit = std::min(m_text.size(), begin + max_text);
        std::size_t end = at;
        if (at < limit && m_text[at] == '<') {
            int open = 0;
            for (; at < limit && m_text[at] != '(' && m_text[at] != ')' && m_text[at] != '\n'; ++at) {
                open += m_text[at] == '<' ? 1 : m_text[at] == '>' ? -1 : 0;
                if (open == 0)
                    break;
            }
            if (open != 0 || at >= limit)
                return {};
            end = ++at;
        }
        while (at < limit && is_blank(m_text[at]))
            ++at;
        if (at >= m_text.size() || (m_text[at] != ',' && m_text[at] != ')'))
            return {};
        m_at = at;
        return m_text.substr(begin, end - begin);
    }

    NodePointer call(std::string_view name, std::size_t begin, int depth) {
        const expression_detail::Builtin* builtin = find_builtin(name);
        auto node = std::make_shared<Node>();
        node->operation = builtin ? Operation::builtin : Operation::device_call;
        node->name = name;
        node->place = place(begin);
        skip_blanks();
        bool more = m_at >= m_text.size() || m_text[m_at] != ')';
        if (more && !builtin) {
            node->kernel = kernel_name();
            if (!node->kernel.empty() && m_text[m_at] == ',')
                ++m_at;
            else if (!node->kernel.empty())
                more = false;
        }
        while (more) {
            NodePointer argument = conditional(depth + 1);
            if (!argument)
                return nullptr;
            if (argument->is_real && (!builtin || builtin->integers_only))
                return fail_at(argument->place, "'" + std::string(name) + "' takes integers, this argument is real",
                               "use integers");
            node->is_real = node->is_real || argument->is_real;
            node->children.push_back(std::move(argument));
            skip_blanks();
            more = m_at < m_text.size() && m_text[m_at] == ',';
            m_at += more ? 1 : 0;
        }
        if (!expect_close(begin))
            return nullptr;
        if (builtin && static_cast<int>(node->children.size()) != builtin->arguments)
            return fail_at(node->place,
                           "'" + std::string(name) + "' takes " + std::to_string(builtin->arguments) +
                               " argument(s), found " + std::to_string(node->children.size()),
                           "known functions: " + expression_detail::builtin_list());
        node->is_real = node->is_real || (builtin && builtin->always_real);
        return finish(std::move(node));
    }

    NodePointer fail_at(const Place& where, std::string message, std::string remedy) {
        if (!m_error)
            m_error = make_error("expression-syntax", std::move(message), std::move(remedy), where);
        return nullptr;
    }

    std::string_view m_text;
    Place m_start;
    std::size_t m_at = 0;
    std::size_t m_end = 0; // behind the last token taken
    std::optional<Error> m_error;
};

Place first_character(const Parser& parser, std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && is_blank(text[at]))
        ++at;
    return parser.place(at);
}

} // namespace

Result<Expression> Expression::parse(std::string_view text, const Place& start) {
    Parser parser(text, start);
    if (text.size() > max_text)
        return make_error("expression-syntax",
                          "the expression has " + std::to_string(text.size()) + " characters, at most " +
                              std::to_string(max_text) + " are accepted",
                          "split it into several defines", start);
    NodePointer root = parser.parse();
    if (root) {
        parser.skip_blanks();
        const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
        if (parser.end() < end) {
            std::size_t at = parser.end();
            while (is_blank(text[at]))
                ++at;
            parser.fail(at, "unexpected " + parser.found(at) + " after the expression",
                        "operators are + - * / % == != < <= > >= && || ! ?:");
        }
    }
    if (parser.error())
        return std::move(*parser.error());
    return Expression(std::move(root), first_character(parser, text));
}

Result<Expression> Expression::parse_prefix(std::string_view text, const Place& start, std::size_t& consumed) {
    consumed = 0;
    Parser parser(text, start);
    NodePointer root = parser.parse();
    if (parser.error())
        return std::move(*parser.error());
    consumed = parser.end();
    return Expression(std::move(root), first_character(parser, text));
}

} // namespace kf
