// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a wrapper function with symbolic sizes and notes what it does to tensors as plan statements.
#pragma once

#include "core/llm/host_code.h"
#include "core/task/task.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kf::lift {

struct Refusal {
    int line = 0;
    std::string what, remedy;
};

struct Value {
    enum class Kind {
        nothing, // None, streams, options
        tensor,
        scalar, // text is an EXPR
        dims,   // items: scalars
        list,   // items
        shape,  // items: a tensor's sizes
        dtype,
        text,
        options, // of an allocation; dtype
        kernel,  // text
        lambda,  // node
        meta,    // Triton's META: indexed by names of constexpr parameters
        device,  // its properties
    } kind = Kind::nothing;
    std::string text;
    bool real = false;
    int tensor = -1;
    bool transposed = false;
    std::string offset; // elements
    std::vector<std::string> sizes;
    std::vector<Value> items;
    std::optional<DType> dtype;
    const Node* node = nullptr;
};

struct Tensor {
    enum class Kind { input, output, made } kind = Kind::made;
    std::string name; // of the task; "" for made ones until the end
    std::string wish; // the variable's name in the wrapper
    DType dtype = DType::f32;
    std::vector<std::string> sizes;
    bool weight = false;
    int line = 0;
};

// A statement of the plan; tensors are written \x01number\x02 until their names are known.
struct Emitted {
    std::string text;
    std::vector<std::string> when;
    int line = 0;
    int gemm = -1; // the tensor that a gemm writes
};

struct Outcome {
    std::vector<Tensor> tensors;
    std::vector<Emitted> emitted;
    std::vector<std::pair<std::string, std::vector<std::string>>> tunes; // Triton's constexpr values
    std::vector<std::pair<std::string, std::string>> defines;
    std::map<std::string, int> constexpr_lines;
    std::vector<Value> returned;
    std::optional<Refusal> refusal;
};

// How a C++ type or a torch dtype's name reads: "half", "at::Half", "float16", "kFloat32".
std::optional<DType> dtype_of_name(std::string_view name);
std::string_view cuda_type(DType dtype);

class Runner {
public:
    // `outer` holds Python's functions, `inner` those of CUDA source in it (may be the same).
    Runner(const Module& outer, const Module& inner, const Task& task);
    Outcome run(const Function& entry);

private:
    using Scope = std::map<std::string, Value>;
    struct Frame {
        Scope names;
        bool python = false;
        bool returned = false;
        Value result;
    };

    bool failed() const { return m_out.refusal.has_value(); }
    Value refuse(int line, std::string what, std::string remedy);
    Value unknown_node(const Node& node);

    void bind_entry(const Function& entry, Frame& frame);
    void bind_tensors(const Function& entry, const std::vector<const Parameter*>& parameters, Frame& frame);
    void statements(const std::vector<Statement>& list, Frame& frame);
    void statement(const Statement& statement, Frame& frame);
    void assign(const Statement& statement, Frame& frame);
    void branch(const Statement& statement, Frame& frame);
    bool only_fails(const std::vector<Statement>& list) const;

    Value evaluate(const Node& node, Frame& frame);
    Value evaluate_node(const Node& node, Frame& frame);
    void check_early(const Frame& frame, int line);
    Value name(const Node& node, Frame& frame);
    Value number(const Node& node);
    Value member(const Node& node, Frame& frame);
    Value index(const Node& node, Frame& frame);
    Value binary(const Node& node, Frame& frame);
    Value unary(const Node& node, Frame& frame);
    Value choice(const Node& node, Frame& frame);
    Value list(const Node& node, Frame& frame);
    Value call(const Node& node, Frame& frame);
    Value call_function(const Function& function, const Node& node, std::size_t first, Frame& frame);
    Value call_macro(const std::string& macro, const Node& node, Frame& frame);
    Value cuda_launch(const Node& node, Frame& frame);
    Value triton_launch(const Node& node, const Node& kernel_and_grid, Frame& frame);
    std::string template_arguments(const Node& kernel, Frame& frame);
    std::string launch_argument(const Node& node, const Value& value);
    std::string extents(const Node& node, const Value& value);

    // lift_calls.cpp
    std::optional<Value> free_function(const std::string& name, const Node& node, Frame& frame);
    std::optional<Value> method(const std::string& name, const Value& self, const Node& node, Frame& frame);
    Value allocate(const std::string& name, const Node& node, Frame& frame);
    Value product(const Node& node, const Value& a, const Value& b, const Value* bias);
    Value reshaped(const Node& node, Value tensor, const std::vector<Value>& arguments);
    std::vector<Value> positional(const Node& node, Frame& frame);
    const Node* keyword(const Node& node, std::string_view name) const;
    void fill(int tensor, const Value& value, int line);
    void zero_memory(const Node& node, const Value& target);

    Value scalar(std::string text, bool real = false) const;
    Value tensor_value(int tensor) const;
    int new_tensor(DType dtype, std::vector<std::string> sizes, int line);
    std::string reference(int tensor) const;
    void emit(std::string text, int line, int gemm = -1);
    bool step(int line);
    std::optional<std::int64_t> constant(const Value& value) const;
    // The sizes agree for every case of the task.
    bool same(const std::string& a, const std::string& b) const;

    const Module& m_outer;
    const Module& m_inner;
    const Task& m_task;
    Outcome m_out;
    std::map<std::string, const Function*> m_functions;
    std::vector<std::string> m_conditions;
    std::vector<const Function*> m_stack;
    Scope m_globals;
    std::set<std::string> m_macros_open;
    std::optional<DType> m_scalar_t;
    int m_steps = 0, m_depth = 0;
};

// Canonical text of an EXPR, or the text itself when it is none.
std::string canonical(const std::string& expression);
std::string product_of(const std::vector<std::string>& sizes);

} // namespace kf::lift
