// SPDX-License-Identifier: GPL-3.0-or-later
// The launch plan as data: one struct a statement, in file order. candidate.md is the grammar.
#pragma once

#include "core/task/dtype.h"
#include "core/task/expression.h"

#include <array>
#include <optional>
#include <string>
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
struct LaunchArgument {
    std::string buffer;              // a tensor's name, or "" for a scalar
    std::string tensormap;           // a tensormap's name
    std::optional<Expression> value; // scalar value, or element offset when buffer is set
    Place place;
};
struct LaunchStatement {
    std::string kernel; // name expression as written: "swiglu<BLOCK, half>"
    std::array<Expression, 3> grid;
    std::array<Expression, 3> block; // Triton: unused (32 × warps)
    std::optional<Expression> shared;
    std::vector<LaunchArgument> arguments;
    std::optional<std::array<Expression, 3>> cluster;
    bool cooperative = false;
    bool overlap = false;
    std::optional<Expression> warps, stages, ctas; // Triton
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
struct TensormapStatement {
    std::string name, buffer;
    std::vector<Expression> view, box;
    std::vector<Expression> strides; // element strides of the view's outer axes; empty: contiguous
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
    std::string text; // the statement as written, without its marker
    bool in_prepare = false;
};

struct Plan {
    std::vector<Statement> statements;

    std::vector<const TuneStatement*> tunables() const;
    // Printed back, one line a statement with the language's marker; parsing the text gives an equal plan.
    std::string print(Language language) const;
};

} // namespace kf
