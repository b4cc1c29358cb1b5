// SPDX-License-Identifier: GPL-3.0-or-later
// The tree behind an Expression: shared by parser, evaluator and printer, private to core/task.
#pragma once

#include "core/task/expression.h"

namespace kf {

enum class Operation {
    integer_literal,
    real_literal,
    symbol,
    negate,
    logical_not,
    multiply,
    divide,
    remainder,
    add,
    subtract,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    conditional, // children: condition, then, else
    builtin,     // name and children
    device_call  // name, kernel text, children
};

struct Expression::Node {
    Operation operation = Operation::integer_literal;
    std::int64_t integer = 0;
    double real = 0;
    std::string name;   // symbol, builtin or device function
    std::string kernel; // device_call: the first argument as written when it is a kernel's name
    std::vector<std::shared_ptr<const Node>> children;
    Place place;          // of the operator or the first character
    bool is_real = false; // by form
    int height = 1;
};

namespace expression_detail {

struct Builtin {
    std::string_view name;
    int arguments;
    bool always_real;   // sqrt, exp
    bool integers_only; // arguments must be integers by form
};
const Builtin* find_builtin(std::string_view name);
std::string builtin_list();           // "cdiv(a,b), min(a,b), …" for remedies
int precedence(Operation operation);  // larger binds tighter; 0 for leaves and calls
std::string_view spelling(Operation); // "+", "<="; "" where there is none

} // namespace expression_detail
} // namespace kf
