// SPDX-License-Identifier: GPL-3.0-or-later
// Host code as a small tree, the same for C++ and Python: enough for wrapper functions that allocate, launch and
// return. What the parsers do not know becomes a statement that says so; it is refused only if a lifted function
// reaches it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kf::lift {

struct Token {
    enum class Kind { word, number, text, mark, end } kind = Kind::end;
    std::string_view text; // of a string literal: its content
    std::size_t begin = 0, stop = 0;
    int line = 1;
};

struct Node {
    enum class Kind {
        name,    // text
        number,  // text, as written
        text,    // a string literal
        call,    // kids[0] called with the rest; names: of keyword arguments, "" for positional ones
        member,  // kids[0].text
        index,   // kids[0][rest]
        binary,  // text, two kids
        unary,   // text
        choice,  // kids[0] ? kids[1] : kids[2]
        list,    // (a, b), [a, b], {a, b}
        launch,  // kids[0] the kernel; then `config` extents, then arguments
        lambda,  // Python: names are parameters, kids[0] the body
        unknown, // text says what it is
    } kind = Kind::unknown;
    std::string text;
    std::string templates; // text between < and > behind a name
    std::string scope;     // of a C++ name: "ops::"
    std::vector<Node> kids;
    std::vector<std::string> names;
    std::size_t config = 0;
    int line = 0;
};

struct Statement {
    enum class Kind { assign, expression, give_back, branch, block, dispatch, fail, unknown } kind = Kind::unknown;
    std::vector<std::string> targets; // assign: one name, or several for a tuple
    Node value;                       // also a branch's condition, a dispatch's type
    std::vector<Statement> first, second;
    std::string what;      // unknown: what it is
    bool launches = false; // unknown: there is a launch somewhere in it
    int line = 0;
};

struct Parameter {
    std::string type, name; // type: C++ as written, Python's annotation
    std::optional<Node> fallback;
    bool constexpr_value = false; // Triton
};

struct Function {
    std::string name;
    std::vector<Parameter> parameters;
    std::vector<Statement> body;
    bool python = false;
    int line = 0;
};

// A value in one of autotune's configurations, in the order of the configurations.
using TunedValues = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct Kernel {
    std::string name;
    std::vector<Parameter> parameters; // Triton only
    TunedValues tuned;
};

// A file taken apart.
struct Module {
    std::vector<Function> functions;                                                // host functions, in order
    std::vector<std::string> entry_names;                                           // that bindings name
    std::vector<Statement> constants;                                               // NAME = value at file scope
    std::map<std::string, Kernel> kernels;                                          // Triton
    std::map<std::string, std::pair<std::vector<std::string>, std::string>> macros; // #define: parameters and text
    std::string device_code;
    // Python: string literals with CUDA source, and the line on which each begins.
    std::vector<std::pair<std::string, int>> cuda_texts;
    std::string problem; // why it could not be taken apart; "" else
    int problem_line = 0;
};

// `first_line`: of the text within its file.
Module read_cuda(std::string_view text, int first_line);
Module read_python(std::string_view text);
// An expression alone (a macro's text); kind unknown when it is none.
Node read_cuda_expression(std::string_view text, int line);

inline constexpr int max_depth = 64; // of nesting; deeper text is unknown

} // namespace kf::lift
