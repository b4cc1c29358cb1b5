// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/expression.h"

#include "core/task/expression_node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace kf {
namespace {

using Node = Expression::Node;
constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();

Error overflow(const Node& node, const std::string& what) {
    return make_error("expression-overflow", what + " does not fit 64 bits", "use smaller values", node.place);
}
Error division_by_zero(const Node& node) {
    return make_error("expression-division-by-zero", "division by zero", "guard it with a condition", node.place);
}

Result<std::int64_t> integer_of(const Node& node, const Scope& scope);
Result<double> real_of(const Node& node, const Scope& scope);

Error unknown_name(const Node& node, const Scope& scope) {
    std::string known;
    for (const std::string& name : scope.names())
        known += (known.empty() ? "" : ", ") + name;
    return make_error("expression-unknown-name", "unknown name '" + node.name + "'",
                      known.empty() ? "no names are known here" : "known here: " + known, node.place);
}

// Rounded towards +infinity; b is not 0.
std::optional<std::int64_t> ceiling_division(std::int64_t a, std::int64_t b) {
    if (a == int_min && b == -1)
        return std::nullopt;
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

Result<std::int64_t> integer_builtin(const Node& node, const std::array<std::int64_t, 2>& x) {
    const auto [a, b] = x;
    if (node.name == "min")
        return std::min(a, b);
    if (node.name == "max")
        return std::max(a, b);
    if (node.name == "abs") {
        if (a == int_min)
            return overflow(node, "the absolute value");
        return a < 0 ? -a : a;
    }
    if (node.name == "cdiv" || node.name == "round_up") {
        if (b == 0)
            return division_by_zero(node);
        std::optional<std::int64_t> result = ceiling_division(a, b);
        if (result && node.name == "round_up") {
            std::int64_t product = 0;
            result = __builtin_mul_overflow(*result, b, &product) ? std::nullopt : std::optional(product);
        }
        if (!result)
            return overflow(node, "the result of " + node.name);
        return *result;
    }
    if (a <= 0)
        return make_error("expression-domain", node.name + " of " + std::to_string(a), "the argument must be positive",
                          node.place);
    const auto bits = static_cast<std::uint64_t>(a);
    if (node.name == "log2")
        return static_cast<std::int64_t>(std::bit_width(bits) - 1);
    if (bits > std::uint64_t{1} << 62)
        return overflow(node, "the next power of two");
    return static_cast<std::int64_t>(std::bit_ceil(bits)); // next_pow2
}

Result<std::int64_t> integer_arithmetic(const Node& node, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    switch (node.operation) {
    case Operation::add:
        if (__builtin_add_overflow(a, b, &result))
            return overflow(node, "the sum");
        return result;
    case Operation::subtract:
        if (__builtin_sub_overflow(a, b, &result))
            return overflow(node, "the difference");
        return result;
    case Operation::multiply:
        if (__builtin_mul_overflow(a, b, &result))
            return overflow(node, "the product");
        return result;
    default: // divide, remainder
        if (b == 0)
            return division_by_zero(node);
        if (a == int_min && b == -1)
            return overflow(node, "the quotient");
        return node.operation == Operation::divide ? a / b : a % b;
    }
}

template<class T> bool holds(Operation operation, T a, T b) {
    switch (operation) {
    case Operation::less:
        return a < b;
    case Operation::less_equal:
        return a <= b;
    case Operation::greater:
        return a > b;
    case Operation::greater_equal:
        return a >= b;
    case Operation::equal:
        return a == b;
    default:
        return a != b;
    }
}

Result<bool> truth_of(const Node& node, const Scope& scope) {
    if (node.is_real) {
        const Result<double> value = real_of(node, scope);
        return value ? Result<bool>(*value != 0) : value.error();
    }
    const Result<std::int64_t> value = integer_of(node, scope);
    return value ? Result<bool>(*value != 0) : value.error();
}

Result<std::int64_t> compare(const Node& node, const Scope& scope) {
    const Node& left = *node.children[0];
    const Node& right = *node.children[1];
    if (left.is_real || right.is_real) {
        const Result<double> a = real_of(left, scope);
        if (!a)
            return a.error();
        const Result<double> b = real_of(right, scope);
        if (!b)
            return b.error();
        return holds(node.operation, *a, *b) ? 1 : 0;
    }
    const Result<std::int64_t> a = integer_of(left, scope);
    if (!a)
        return a;
    const Result<std::int64_t> b = integer_of(right, scope);
    if (!b)
        return b;
    return holds(node.operation, *a, *b) ? 1 : 0;
}

Result<std::int64_t> device_call(const Node& node, const Scope& scope) {
    std::vector<std::int64_t> arguments;
    for (const auto& child : node.children) {
        const Result<std::int64_t> value = integer_of(*child, scope);
        if (!value)
            return value;
        arguments.push_back(*value);
    }
    std::optional<Result<std::int64_t>> result = scope.call(node.name, node.kernel, arguments);
    if (!result)
        return make_error("expression-unknown-function", "unknown function '" + node.name + "'",
                          "known functions: " + expression_detail::builtin_list(), node.place);
    if (!result->ok()) {
        Error error = result->error();
        if (error.place == Place{})
            error.place = node.place;
        return error;
    }
    return std::move(*result);
}

// Value of a node that is not real by form.
Result<std::int64_t> integer_of(const Node& node, const Scope& scope) {
    switch (node.operation) {
    case Operation::integer_literal:
        return node.integer;
    case Operation::symbol: {
        const std::optional<std::int64_t> value = scope.value(node.name);
        if (!value)
            return unknown_name(node, scope);
        return *value;
    }
    case Operation::negate: {
        const Result<std::int64_t> value = integer_of(*node.children[0], scope);
        if (!value)
            return value;
        if (*value == int_min)
            return overflow(node, "the negated value");
        return -*value;
    }
    case Operation::logical_not: {
        const Result<bool> value = truth_of(*node.children[0], scope);
        return value ? Result<std::int64_t>(*value ? 0 : 1) : value.error();
    }
    case Operation::logical_and:
    case Operation::logical_or: {
        const Result<bool> left = truth_of(*node.children[0], scope);
        if (!left)
            return left.error();
        if (*left == (node.operation == Operation::logical_or))
            return *left ? 1 : 0;
        const Result<bool> right = truth_of(*node.children[1], scope);
        return right ? Result<std::int64_t>(*right ? 1 : 0) : right.error();
    }
    case Operation::conditional: {
        const Result<bool> condition = truth_of(*node.children[0], scope);
        if (!condition)
            return condition.error();
        return integer_of(*node.children[*condition ? 1 : 2], scope);
    }
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::not_equal:
        return compare(node, scope);
    case Operation::builtin: {
        std::array<std::int64_t, 2> values{};
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            const Result<std::int64_t> value = integer_of(*node.children[i], scope);
            if (!value)
                return value;
            values[i] = *value;
        }
        return integer_builtin(node, values);
    }
    case Operation::device_call:
        return device_call(node, scope);
    default: {
        const Result<std::int64_t> a = integer_of(*node.children[0], scope);
        if (!a)
            return a;
        const Result<std::int64_t> b = integer_of(*node.children[1], scope);
        if (!b)
            return b;
        return integer_arithmetic(node, *a, *b);
    }
    }
}

Result<double> finite(const Node& node, double value) {
    if (!std::isfinite(value))
        return make_error("expression-overflow", "the value does not fit a double", "use smaller values", node.place);
    return value;
}

Result<double> real_builtin(const Node& node, double a, double b) {
    if (node.name == "min")
        return std::min(a, b);
    if (node.name == "max")
        return std::max(a, b);
    if (node.name == "abs")
        return std::fabs(a);
    if (node.name == "exp")
        return finite(node, std::exp(a));
    if (a < 0)
        return make_error("expression-domain", "sqrt of a negative value", "the argument must not be negative",
                          node.place);
    return std::sqrt(a);
}

// Value of any node as a double. A node that is an integer by form but stands inside a real expression divides really:
// sums and products with a real side are real as a whole.
Result<double> real_of(const Node& node, const Scope& scope) {
    const bool arithmetic =
        expression_detail::precedence(node.operation) >= expression_detail::precedence(Operation::add);
    if (node.operation == Operation::real_literal)
        return node.real;
    if (node.operation == Operation::conditional) {
        const Result<bool> condition = truth_of(*node.children[0], scope);
        if (!condition)
            return condition.error();
        return real_of(*node.children[*condition ? 1 : 2], scope);
    }
    const bool real_function =
        node.operation == Operation::builtin && !expression_detail::find_builtin(node.name)->integers_only;
    if (!(arithmetic && node.operation != Operation::remainder && node.operation != Operation::logical_not) &&
        !real_function) {
        const Result<std::int64_t> value = integer_of(node, scope);
        if (!value)
            return value.error();
        const auto converted = static_cast<double>(*value);
        if (std::fabs(converted) > 0x1p53)
            return make_error("expression-overflow", std::to_string(*value) + " has no exact double",
                              "real expressions take integers up to 2^53", node.place);
        return converted;
    }
    double values[2] = {0, 0};
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const Result<double> value = real_of(*node.children[i], scope);
        if (!value)
            return value;
        values[i] = *value;
    }
    const auto [a, b] = values;
    switch (node.operation) {
    case Operation::negate:
        return -a;
    case Operation::add:
        return finite(node, a + b);
    case Operation::subtract:
        return finite(node, a - b);
    case Operation::multiply:
        return finite(node, a * b);
    case Operation::divide:
        if (b == 0)
            return division_by_zero(node);
        return finite(node, a / b);
    default:
        return real_builtin(node, a, b);
    }
}

void collect_names(const Node& node, std::vector<std::string>& names) {
    if (node.operation == Operation::symbol && std::find(names.begin(), names.end(), node.name) == names.end())
        names.push_back(node.name);
    for (const auto& child : node.children)
        collect_names(*child, names);
}

std::string real_text(double value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void print_node(const Node& node, int least, std::string& text) {
    using expression_detail::spelling;
    const int own = expression_detail::precedence(node.operation);
    const bool parentheses = own != 0 && own < least;
    text += parentheses ? "(" : "";
    switch (node.operation) {
    case Operation::integer_literal:
        text += std::to_string(node.integer);
        break;
    case Operation::real_literal:
        text += real_text(node.real);
        break;
    case Operation::symbol:
        text += node.name;
        break;
    case Operation::negate:
    case Operation::logical_not:
        text += spelling(node.operation);
        print_node(*node.children[0], own, text);
        break;
    case Operation::conditional:
        print_node(*node.children[0], own + 1, text);
        text += " ? ";
        print_node(*node.children[1], own, text);
        text += " : ";
        print_node(*node.children[2], own, text);
        break;
    case Operation::builtin:
    case Operation::device_call: {
        text += node.name + "(" + node.kernel;
        bool first = node.kernel.empty();
        for (const auto& child : node.children) {
            text += first ? "" : ", ";
            first = false;
            print_node(*child, 0, text);
        }
        text += ")";
        break;
    }
    default:
        print_node(*node.children[0], own, text);
        text += " ";
        text += spelling(node.operation);
        text += " ";
        print_node(*node.children[1], own + 1, text);
    }
    text += parentheses ? ")" : "";
}

} // namespace

bool is_builtin_function(std::string_view name) {
    return expression_detail::find_builtin(name) != nullptr;
}

std::optional<Result<std::int64_t>> Scope::call(std::string_view, std::string_view,
                                                const std::vector<std::int64_t>&) const {
    return std::nullopt;
}

void SymbolTable::set(std::string name, std::int64_t value) {
    for (auto& [key, old] : m_entries) {
        if (key == name) {
            old = value;
            return;
        }
    }
    m_entries.emplace_back(std::move(name), value);
}

bool SymbolTable::contains(std::string_view name) const {
    return std::any_of(m_entries.begin(), m_entries.end(), [&](const auto& entry) { return entry.first == name; });
}

std::optional<std::int64_t> SymbolTable::value(std::string_view name) const {
    for (const auto& [key, number] : m_entries)
        if (key == name)
            return number;
    return m_outer ? m_outer->value(name) : std::nullopt;
}

std::vector<std::string> SymbolTable::names() const {
    std::vector<std::string> names;
    for (const auto& entry : m_entries)
        names.push_back(entry.first);
    if (m_outer)
        for (std::string& name : m_outer->names())
            if (!contains(name))
                names.push_back(std::move(name));
    return names;
}

std::optional<Result<std::int64_t>> SymbolTable::call(std::string_view function, std::string_view kernel,
                                                      const std::vector<std::int64_t>& arguments) const {
    return m_outer ? m_outer->call(function, kernel, arguments) : std::nullopt;
}

Expression Expression::constant(std::int64_t value) {
    // The tree that parsing the printed text would give: a literal is never negative, and -2^63 is no literal at all.
    const auto literal = [](std::int64_t number) {
        auto node = std::make_shared<Node>();
        node->integer = number;
        return node;
    };
    if (value >= 0)
        return Expression(literal(value), {});
    auto negated = std::make_shared<Node>();
    negated->operation = Operation::negate;
    negated->children = {literal(value == int_min ? std::numeric_limits<std::int64_t>::max() : -value)};
    negated->height = 2;
    if (value != int_min)
        return Expression(std::move(negated), {});
    auto difference = std::make_shared<Node>();
    difference->operation = Operation::subtract;
    difference->children = {std::move(negated), literal(1)};
    difference->height = 3;
    return Expression(std::move(difference), {});
}

Result<std::int64_t> Expression::integer(const Scope& scope) const {
    if (!m_root->is_real)
        return integer_of(*m_root, scope);
    const Result<double> value = real_of(*m_root, scope);
    if (!value)
        return value.error();
    if (*value != std::floor(*value) || std::fabs(*value) > 0x1p53)
        return make_error("expression-real", "'" + print() + "' is " + real_text(*value) + ", not a whole number",
                          "an integer is needed here", m_place);
    return static_cast<std::int64_t>(*value);
}

Result<double> Expression::real(const Scope& scope) const {
    if (m_root->is_real)
        return real_of(*m_root, scope);
    const Result<std::int64_t> value = integer_of(*m_root, scope);
    if (!value)
        return value.error();
    return static_cast<double>(*value);
}

bool Expression::is_real() const {
    return m_root->is_real;
}

std::vector<std::string> Expression::names() const {
    std::vector<std::string> names;
    collect_names(*m_root, names);
    return names;
}

std::string Expression::print() const {
    std::string text;
    print_node(*m_root, 0, text);
    return text;
}

const Place& Expression::place() const {
    return m_place;
}

} // namespace kf
