// SPDX-License-Identifier: GPL-3.0-or-later
// What the calls of PyTorch, CUDA and Triton that wrappers are made of mean for the plan.
#include "core/llm/lift_run.h"

#include "core/candidate/plan.h"
#include "core/candidate/spelling.h"

#include <algorithm>
#include <array>

namespace kf::lift {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr const char* in_a_kernel = "compute it in a kernel; plan lines know launch, gemm and fill";

} // namespace

std::vector<Value> Runner::positional(const Node& node, Frame& frame) {
    std::vector<Value> values;
    for (std::size_t i = 1; i < node.kids.size(); ++i)
        if (node.names[i - 1].empty())
            values.push_back(evaluate(node.kids[i], frame));
    return values;
}

const Node* Runner::keyword(const Node& node, std::string_view name) const {
    for (std::size_t i = 1; i < node.kids.size(); ++i)
        if (node.names[i - 1] == name)
            return &node.kids[i];
    return nullptr;
}

Value Runner::call(const Node& node, Frame& frame) {
    const Node& callee = node.kids[0];
    if (callee.kind == Node::Kind::index)
        return triton_launch(node, callee, frame);
    if (callee.kind == Node::Kind::name) {
        if (const auto found = m_functions.find(callee.text); found != m_functions.end())
            return call_function(*found->second, node, 1, frame);
        if (const auto macro = m_inner.macros.find(callee.text);
            macro != m_inner.macros.end() && !macro->second.first.empty())
            return call_macro(callee.text, node, frame);
        if (const auto value = free_function(callee.text, node, frame))
            return *value;
        return refuse(node.line, "cannot follow the call of `" + callee.text + "`", in_a_kernel);
    }
    if (callee.kind != Node::Kind::member)
        return refuse(node.line, "cannot follow this call", in_a_kernel);
    // torch.empty, triton.cdiv, math.ceil, module.function, tensor.method.
    const Node& object = callee.kids[0];
    const bool plain = object.kind == Node::Kind::name && !frame.names.contains(object.text);
    const bool dotted = object.kind == Node::Kind::member; // torch.nn.functional, self.ext
    if (plain || dotted) {
        const auto found = m_functions.find(callee.text);
        if (found != m_functions.end() && object.text != "torch" && object.text != "F" && object.text != "functional")
            return call_function(*found->second, node, 1, frame);
        if (plain ? is_one_of(object.text, {"torch", "F", "triton", "math", "np", "tl"})
                  : is_one_of(object.text, {"functional", "cuda"})) {
            if (const auto value = free_function(callee.text, node, frame))
                return *value;
            return refuse(node.line, "`" + object.text + "." + callee.text + "` runs in PyTorch", in_a_kernel);
        }
        if (plain && object.text == "self" && callee.text == "apply")
            return refuse(node.line, "autograd functions are not followed", "call the wrapper itself");
    }
    const Value self = evaluate(object, frame);
    if (failed())
        return {};
    if (const auto value = method(callee.text, self, node, frame))
        return *value;
    return refuse(node.line, "cannot follow `." + callee.text + "()`", in_a_kernel);
}

std::optional<Value> Runner::free_function(const std::string& name, const Node& node, Frame& frame) {
    if (is_one_of(name, {"empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like",
                         "empty_strided", "rand", "randn"}))
        return allocate(name, node, frame);
    if (is_one_of(name, {"getCurrentCUDAStream", "getDefaultCUDAStream", "current_stream", "get_device", "device_of",
                         "getCurrentCUDABlasHandle", "synchronize", "device", "set_device"}))
        return Value{};
    if (is_one_of(name, {"getCurrentDeviceProperties", "getDeviceProperties", "get_device_properties"})) {
        Value value;
        value.kind = Value::Kind::device;
        return value;
    }
    if (name == "TensorOptions" || name == "dtype") {
        Value value;
        value.kind = Value::Kind::options;
        for (const Value& argument : positional(node, frame))
            if (argument.dtype)
                value.dtype = argument.dtype;
        return value;
    }
    if (name == "sizeof")
        return std::nullopt;
    const std::vector<Value> values = positional(node, frame);
    if (failed())
        return Value{};
    const auto all_scalars =
        std::all_of(values.begin(), values.end(), [](const Value& value) { return value.kind == Value::Kind::scalar; });
    if (name == "dim3") {
        Value value;
        value.kind = Value::Kind::dims;
        value.items = values;
        if (!all_scalars || values.size() > 3)
            return refuse(node.line, "cannot follow this dim3", "write dim3 name(x, y, z) with sizes");
        return value;
    }
    if (is_one_of(name, {"static_cast", "reinterpret_cast", "const_cast", "int", "long", "unsigned", "int64_t",
                         "uint32_t", "size_t", "int32_t", "float", "double"}) &&
        values.size() == 1) {
        Value value = values[0];
        const std::string type = name.ends_with("_cast") ? node.kids[0].templates : name;
        if (value.kind == Value::Kind::tensor) {
            if (type.find('*') != std::string::npos)
                return value;
            if (type.find("intptr") != std::string::npos || type.find("size_t") != std::string::npos)
                return scalar(value.offset.empty() ? "0" : "(" + value.offset + ")"); // buffers are aligned
            return refuse(node.line, "cannot follow this cast of a pointer", "pass the tensor");
        }
        const bool floating = type.find("float") != std::string::npos || type.find("double") != std::string::npos;
        if (value.kind == Value::Kind::scalar && floating && !value.real)
            return scalar("(1.0 * (" + value.text + "))", true);
        if (value.kind == Value::Kind::scalar && !floating && value.real)
            return refuse(node.line, "a real value becomes an integer here",
                          "compute the size with integers: cdiv(a, b)");
        return value;
    }
    if ((name == "min" || name == "max") && values.size() == 2 && all_scalars)
        return scalar(name + "(" + values[0].text + ", " + values[1].text + ")", values[0].real || values[1].real);
    if (is_one_of(name, {"cdiv", "ceil_div", "ceildiv", "div_up", "divup", "divUp", "CeilDiv"}) && values.size() == 2 &&
        all_scalars)
        return scalar("cdiv(" + values[0].text + ", " + values[1].text + ")");
    if (name == "next_power_of_2" && values.size() == 1 && all_scalars)
        return scalar("next_pow2(" + values[0].text + ")");
    if (is_one_of(name, {"sqrt", "sqrtf", "rsqrt", "rsqrtf"}) && values.size() == 1 && all_scalars)
        return scalar((name[0] == 'r' ? "(1.0 / sqrt(" : "sqrt(") + values[0].text + (name[0] == 'r' ? "))" : ")"),
                      true);
    if (is_one_of(name, {"ceil", "ceilf"}) && node.kids.size() == 2) {
        const Node* inner = &node.kids[1];
        if (inner->kind == Node::Kind::binary && inner->text == "/") {
            const auto bare = [&](const Node& kid) {
                const bool cast = kid.kind == Node::Kind::call && kid.kids.size() == 2 &&
                                  is_one_of(kid.kids[0].text, {"static_cast", "float", "double"});
                return evaluate(cast ? kid.kids[1] : kid, frame);
            };
            const Value a = bare(inner->kids[0]), b = bare(inner->kids[1]);
            if (a.kind == Value::Kind::scalar && b.kind == Value::Kind::scalar && !a.real && !b.real)
                return scalar("cdiv(" + a.text + ", " + b.text + ")");
        }
        return refuse(node.line, "cannot follow this rounding", "write (a + b - 1) / b");
    }
    if (name == "len" && values.size() == 1 && !values[0].items.empty())
        return scalar(std::to_string(values[0].items.size()));
    if (name == "make_tuple" || name == "vector" || name == "tuple" || name == "IntArrayRef" || name == "Size") {
        Value value;
        value.kind = Value::Kind::list;
        value.items = values.size() == 1 && values[0].kind == Value::Kind::list ? values[0].items : values;
        return value;
    }
    if (is_one_of(name, {"mm", "matmul", "bmm"}) && values.size() == 2)
        return product(node, values[0], values[1], nullptr);
    if (name == "addmm" && values.size() == 3)
        return product(node, values[1], values[2], &values[0]);
    if (name == "linear" && values.size() >= 2) {
        const auto transposed = method("t", values[1], node, frame);
        if (failed() || !transposed)
            return Value{};
        return product(node, values[0], *transposed,
                       values.size() > 2 && values[2].kind == Value::Kind::tensor ? &values[2] : nullptr);
    }
    if ((name == "relu" || name == "gelu") && !values.empty() && values[0].kind == Value::Kind::tensor) {
        const Node* approximate = keyword(node, "approximate");
        const bool tanh = approximate && approximate->kind == Node::Kind::text && approximate->text == "tanh";
        const bool fresh = !m_out.emitted.empty() && m_out.emitted.back().gemm == values[0].tensor &&
                           !m_out.emitted.back().text.ends_with("relu") && !m_out.emitted.back().text.ends_with("tanh");
        if (fresh && (name == "relu" || tanh)) {
            m_out.emitted.back().text += name == "relu" ? " relu" : " gelu_tanh";
            return values[0];
        }
        return refuse(node.line, "`" + name + "` runs in PyTorch", in_a_kernel);
    }
    if (name == "cudaMemsetAsync" || name == "cudaMemset") {
        if (!values.empty() && values[0].kind == Value::Kind::tensor && values.size() > 1 && constant(values[1]) == 0) {
            fill(values[0].tensor, scalar("0"), node.line);
            return Value{};
        }
        return refuse(node.line, "cannot follow this memset", "write `fill NAME = 0`");
    }
    if (name == "isinstance")
        return scalar("1");
    return std::nullopt;
}

Value Runner::allocate(const std::string& name, const Node& node, Frame& frame) {
    const std::vector<Value> values = positional(node, frame);
    if (failed())
        return {};
    if (name == "rand" || name == "randn" || name == "empty_strided")
        return refuse(node.line, "`" + name + "` has no plan line", "use empty or zeros");
    std::optional<DType> dtype;
    std::vector<std::string> sizes;
    const bool like = name.ends_with("_like");
    std::size_t used = 1;
    if (like) {
        if (values.empty() || values[0].kind != Value::Kind::tensor)
            return refuse(node.line, "`" + name + "` of something that is no tensor", "give it a tensor");
        sizes = values[0].sizes;
        dtype = values[0].dtype;
    } else {
        std::vector<Value> items;
        if (!values.empty() && values[0].kind != Value::Kind::scalar) {
            items = values[0].items;
        } else {
            for (const Value& value : values)
                if (value.kind == Value::Kind::scalar)
                    items.push_back(value);
            used = items.size();
        }
        for (const Value& item : items) {
            if (item.kind != Value::Kind::scalar || item.real)
                return refuse(node.line, "cannot follow the shape of this tensor", "give sizes");
            sizes.push_back(item.text);
        }
        if (sizes.empty())
            return refuse(node.line, "cannot follow the shape of this tensor", "give its sizes");
        dtype = DType::f32; // PyTorch's default
    }
    for (std::size_t i = used; i < values.size(); ++i)
        if (values[i].dtype && values[i].kind != Value::Kind::tensor)
            dtype = values[i].dtype;
    if (const Node* given = keyword(node, "dtype")) {
        const Value value = evaluate(*given, frame);
        if (failed())
            return {};
        if (!value.dtype)
            return refuse(node.line, "cannot tell this tensor's dtype", "write torch.float16 or the like");
        dtype = value.dtype;
    }
    const int tensor = new_tensor(*dtype, std::move(sizes), node.line);
    if (name.starts_with("zeros"))
        fill(tensor, scalar("0"), node.line);
    if (name.starts_with("ones"))
        fill(tensor, scalar("1"), node.line);
    if (name.starts_with("full")) {
        const Node* given = keyword(node, "fill_value");
        const Value value = given ? evaluate(*given, frame) : values.size() > 1 ? values[1] : Value{};
        if (failed())
            return {};
        if (value.kind != Value::Kind::scalar)
            return refuse(node.line, "cannot follow the value of `" + name + "`", "give a number");
        fill(tensor, value, node.line);
    }
    return tensor_value(tensor);
}

void Runner::fill(int tensor, const Value& value, int line) {
    emit("fill " + reference(tensor) + " = " + canonical(value.text), line);
}

Value Runner::product(const Node& node, const Value& a, const Value& b, const Value* bias) {
    if (a.kind != Value::Kind::tensor || b.kind != Value::Kind::tensor || (bias && bias->kind != Value::Kind::tensor))
        return refuse(node.line, "cannot follow this product", "write `gemm h = x @ w.T`");
    if (std::find(m_task.library.begin(), m_task.library.end(), "gemm") == m_task.library.end())
        return refuse(node.line, "this task allows no library product", "multiply in a kernel");
    if (!a.offset.empty() || !b.offset.empty() || a.sizes.size() < 2 || b.sizes.size() < 2)
        return refuse(node.line, "cannot follow this product", "operands have two axes and no offset");
    if (!same(a.sizes.back(), b.sizes[b.sizes.size() - 2]))
        return refuse(node.line,
                      "the inner sizes " + canonical(a.sizes.back()) + " and " +
                          canonical(b.sizes[b.sizes.size() - 2]) + " of this product differ",
                      "check which operand is transposed");
    std::vector<std::string> sizes = a.sizes;
    sizes.back() = b.sizes.back();
    const int out = new_tensor(a.dtype.value_or(DType::f32), std::move(sizes), node.line);
    emit("gemm " + reference(out) + " = " + reference(a.tensor) + (a.transposed ? ".T" : "") + " @ " +
             reference(b.tensor) + (b.transposed ? ".T" : "") + (bias ? " + " + reference(bias->tensor) : ""),
         node.line, out);
    return tensor_value(out);
}

Value Runner::reshaped(const Node& node, Value tensor, const std::vector<Value>& arguments) {
    if (tensor.transposed)
        return refuse(node.line, "cannot reshape a transposed tensor without copying it", in_a_kernel);
    std::vector<Value> items = arguments;
    if (items.size() == 1 && (items[0].kind == Value::Kind::list || items[0].kind == Value::Kind::shape))
        items = std::vector<Value>(items[0].items);
    std::vector<std::string> sizes, known;
    std::size_t open = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].kind != Value::Kind::scalar)
            return refuse(node.line, "cannot follow this shape", "give sizes");
        if (constant(items[i]) == -1)
            open = i;
        else
            known.push_back(items[i].text);
        sizes.push_back(items[i].text);
    }
    if (open < items.size()) {
        // Sizes that stand on both sides cancel.
        std::vector<std::string> rest = tensor.sizes, divisor;
        for (const std::string& size : known) {
            const auto match =
                std::find_if(rest.begin(), rest.end(), [&](const std::string& one) { return same(one, size); });
            if (match != rest.end())
                rest.erase(match);
            else
                divisor.push_back(size);
        }
        sizes[open] = product_of(rest);
        if (!divisor.empty())
            sizes[open] = canonical("(" + sizes[open] + ") / (" + product_of(divisor) + ")");
    }
    tensor.sizes = std::move(sizes);
    return tensor;
}

std::optional<Value> Runner::method(const std::string& name, const Value& self, const Node& node, Frame& frame) {
    const bool called = node.kind == Node::Kind::call;
    if (self.kind == Value::Kind::lambda && name == "__call__")
        return std::nullopt;
    if (self.kind == Value::Kind::options ||
        (self.kind == Value::Kind::nothing && is_one_of(name, {"dtype", "device"}))) {
        Value value = self;
        value.kind = Value::Kind::options;
        for (const Value& argument : positional(node, frame))
            if (argument.dtype)
                value.dtype = argument.dtype;
        return value;
    }
    if (self.kind == Value::Kind::nothing && is_one_of(name, {"stream", "synchronize", "device", "index"}))
        return Value{};
    if (self.kind == Value::Kind::shape && (name == "size" || name == "numel")) {
        std::vector<std::string> sizes;
        for (const Value& item : self.items)
            sizes.push_back(item.text);
        return name == "size" ? scalar(std::to_string(sizes.size())) : scalar(product_of(sizes));
    }
    if (self.kind != Value::Kind::tensor)
        return std::nullopt;
    const std::vector<Value> values = called && name != "t" ? positional(node, frame) : std::vector<Value>();
    if (failed())
        return Value{};
    const auto axis = [&](const Value& value) -> std::optional<std::size_t> {
        const auto position = constant(value);
        const auto count = static_cast<std::int64_t>(self.sizes.size());
        if (!position || *position < -count || *position >= count)
            return std::nullopt;
        return static_cast<std::size_t>(*position < 0 ? *position + count : *position);
    };
    if (name == "size" || name == "sizes" || name == "stride" || name == "strides") {
        std::vector<Value> items;
        for (std::size_t i = 0; i < self.sizes.size(); ++i)
            items.push_back(
                scalar(name.starts_with("size")
                           ? self.sizes[i]
                           : product_of({self.sizes.begin() + static_cast<std::ptrdiff_t>(i) + 1, self.sizes.end()})));
        if (name.starts_with("stride") && self.transposed)
            std::swap(items.back(), items[items.size() - 2]);
        if (name.starts_with("stride") && self.transposed) {
            // Of the tensor before it was transposed: rows are the last axis now.
            items[items.size() - 2] = scalar("1");
            items.back() = scalar(self.sizes[self.sizes.size() - 2]);
        }
        if (values.empty()) {
            Value value;
            value.kind = Value::Kind::shape;
            value.items = std::move(items);
            return value;
        }
        if (const auto at = axis(values[0]))
            return items[*at];
        return refuse(node.line, "`" + name + "` asks for an axis that the tensor does not have",
                      "its shape is [" + detail::list_of(self.sizes) + "]");
    }
    if (name == "numel")
        return scalar(product_of(self.sizes));
    if (name == "dim" || name == "ndimension")
        return scalar(std::to_string(self.sizes.size()));
    if (name == "element_size" || name == "itemsize")
        return scalar(std::to_string(size_of(self.dtype.value_or(DType::f32))));
    if (name == "data_ptr" || name == "const_data_ptr" || name == "mutable_data_ptr" || name == "packed_accessor32") {
        if (name == "packed_accessor32")
            return refuse(node.line, "accessors are PyTorch's", "give the kernel plain pointers and sizes");
        const std::string& type = called ? node.kids[0].templates : std::string();
        const auto dtype = type == "scalar_t" ? m_scalar_t : dtype_of_name(type);
        if (dtype && self.dtype && *dtype != *self.dtype)
            return refuse(node.line,
                          "`data_ptr<" + type + ">` of a tensor that is " + std::string(to_string(*self.dtype)),
                          "use the task's dtype, in the kernel too");
        return self;
    }
    if (is_one_of(name, {"contiguous", "cuda", "detach", "requires_grad_", "clone"})) {
        if (self.transposed || name == "clone")
            return refuse(node.line, "this copies the tensor in PyTorch",
                          "read it where it is, or copy it in a kernel");
        return self;
    }
    if (is_one_of(name, {"is_cuda", "is_contiguous", "defined"}))
        return scalar("1");
    if (is_one_of(name, {"scalar_type", "dtype", "type", "type_as"})) {
        Value value;
        value.kind = Value::Kind::dtype;
        value.dtype = self.dtype;
        return value;
    }
    if (name == "options" || name == "device" || name == "get_device") {
        Value value;
        value.kind = name == "options" ? Value::Kind::options : Value::Kind::nothing;
        if (name == "options")
            value.dtype = self.dtype;
        return value;
    }
    if (is_one_of(name, {"half", "float", "double", "bfloat16", "to"})) {
        const auto dtype = name == "to" ? values.empty() ? std::nullopt : values[0].dtype : dtype_of_name(name);
        const Node* given = called ? keyword(node, "dtype") : nullptr;
        const auto wanted = given ? evaluate(*given, frame).dtype : dtype;
        if (failed() || !wanted || *wanted == self.dtype)
            return self;
        return refuse(node.line, "this converts the tensor to " + std::string(to_string(*wanted)) + " in PyTorch",
                      "convert it in a kernel");
    }
    if (is_one_of(name, {"t", "transpose"})) {
        const bool last_two = name == "t" || (values.size() == 2 && axis(values[0]) && axis(values[1]) &&
                                              *axis(values[0]) != *axis(values[1]) &&
                                              std::min(*axis(values[0]), *axis(values[1])) + 2 == self.sizes.size());
        if (self.sizes.size() < 2 || !last_two)
            return refuse(node.line, "cannot follow this transposition",
                          "the last two axes may be exchanged for a gemm");
        Value value = self;
        value.transposed = !self.transposed;
        std::swap(value.sizes.back(), value.sizes[value.sizes.size() - 2]);
        return value;
    }
    if (is_one_of(name, {"view", "reshape"}))
        return reshaped(node, self, values);
    if (name == "flatten" && values.empty())
        return reshaped(node, self, {scalar("-1")});
    if (name == "view_as" || name == "reshape_as") {
        Value shape;
        shape.kind = Value::Kind::list;
        for (const std::string& size : values.empty() ? self.sizes : values[0].sizes)
            shape.items.push_back(scalar(size));
        return reshaped(node, self, {shape});
    }
    if (name == "zero_") {
        fill(self.tensor, scalar("0"), node.line);
        return self;
    }
    if (name == "fill_" && values.size() == 1 && values[0].kind == Value::Kind::scalar) {
        fill(self.tensor, values[0], node.line);
        return self;
    }
    if (is_one_of(name, {"mm", "matmul", "bmm"}) && values.size() == 1)
        return product(node, self, values[0], nullptr);
    if (is_one_of(name, {"new_empty", "new_zeros"}) && !values.empty()) {
        std::vector<std::string> sizes;
        for (const Value& item : values[0].kind == Value::Kind::scalar ? values : values[0].items)
            sizes.push_back(item.text);
        const int tensor = new_tensor(self.dtype.value_or(DType::f32), std::move(sizes), node.line);
        if (name == "new_zeros")
            fill(tensor, scalar("0"), node.line);
        return tensor_value(tensor);
    }
    return std::nullopt;
}

} // namespace kf::lift
