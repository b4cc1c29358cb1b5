// SPDX-License-Identifier: GPL-3.0-or-later
// The launch plan as data: one struct a statement, in file order. candidate.md is the grammar.
#pragma once

#include "core/task/dtype.h"
#include "core/task/expression.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kf {

enum class Language { cuda, triton };

struct TuneStatement {
    std::string name;
    std::vector<std::int64_t> values; // the first is the default
    std::optional<Expression> where;
};
struct DefineStatement {
    std::string name;
    Expression value;
};
struct OptionStatement {
    bool fast_math = false;
    std::optional<int> maxreg;
    std::vector<std::string> texts; // each option as written
};
struct RequiresStatement {
    std::string architecture; // "sm_90a"
};
struct ScratchStatement {
    std::string name;
    DType dtype = DType::f32;
    std::vector<Expression> shape;
};
struct FillStatement {
    std::string buffer;
    Expression value; // integer or real
};
// What an argument means is known only with the task: `x` may be a tensor, a tensormap or a symbol. Parsing keeps both
// readings, resolve.h chooses.
struct LaunchArgument {
    std::string buffer; // the leading name of `NAME` or `NAME + EXPR`; "" when the argument has another form
    std::optional<Expression> offset; // elements, of `NAME + EXPR`
    Expression value;                 // the whole argument read as a scalar
    Place place;
};
// Expressions over three axes; axes that were not given are 1.
using Extents = std::array<Expression, 3>;
Extents unit_extents();

struct LaunchStatement {
    std::string kernel; // name expression as written: "swiglu<BLOCK, half>"
    Extents grid = unit_extents();
    Extents block = unit_extents(); // Triton: unused (32 × warps)
    std::optional<Expression> shared;
    std::vector<LaunchArgument> arguments;
    std::optional<Extents> cluster;
    bool cooperative = false;
    bool overlap = false;
    std::optional<Expression> warps, stages, ctas; // Triton

    std::string kernel_name() const; // without template arguments and namespaces: "swiglu"
};
struct GemmOperand {
    std::string buffer;
    bool transposed = false;
};
struct GemmStatement {
    std::string out;
    GemmOperand a, b;
    std::string bias;     // "" none
    std::string epilogue; // "", "relu", "gelu_tanh"
    int tune = 1;
};
// Axes are in the order of shapes: the last one is contiguous.
struct TensormapStatement {
    std::string name, buffer;
    std::vector<Expression> view, box;
    std::vector<Expression> strides; // element strides of all axes but the last; empty: contiguous
    std::string swizzle = "none";    // none, 32B, 64B, 128B
    std::string fill = "zero";       // zero, nan
};
struct PrepareBegin {};
struct PrepareEnd {};
struct UnorderedStatement {
    std::vector<std::string> outputs;
};

using StatementBody =
    std::variant<TuneStatement, DefineStatement, OptionStatement, RequiresStatement, ScratchStatement, FillStatement,
                 LaunchStatement, GemmStatement, TensormapStatement, PrepareBegin, PrepareEnd, UnorderedStatement>;

struct Statement {
    StatementBody body;
    std::optional<Expression> when;
    Place place;      // of the statement's first word
    std::string text; // the statement as written, without its marker and comments
    bool in_prepare = false;
};
// "launch swiglu<BLOCK>", "gemm h", "fill out": what a statement is called in messages.
std::string label_of(const Statement& statement);
// The statement's canonical text, without a marker.
std::string print_statement(const Statement& statement, Language language);

struct Plan {
    std::vector<Statement> statements;

    std::vector<const TuneStatement*> tunables() const;
    // Printed back, one line a statement with the language's marker; parsing the text gives an equal plan.
    std::string print(Language language) const;
};
// Same statements with the same meaning; places and spacing do not matter.
bool equal(const Plan& a, const Plan& b);

// Names of tunables and defines: [A-Z][A-Z0-9_]{2,} and not a macro that CUDA or C headers use; the reason, or "".
std::string macro_name_problem(std::string_view name);

} // namespace kf
