// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/lift_run.h"

#include "core/candidate/plan.h"
#include "core/candidate/spelling.h"

#include <algorithm>

namespace kf::lift {
namespace {

// "R*C" without "C" is "R"; "" when it is no such product.
std::string without_factor(const std::string& product, const std::string& factor) {
    std::vector<std::string> factors(1);
    for (const char c : product) {
        if (c == '*')
            factors.emplace_back();
        else if (c != ' ' && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
            factors.back() += c;
        else if (c != ' ')
            return {};
    }
    const auto found = std::find(factors.begin(), factors.end(), factor);
    if (found == factors.end() || factor == "0")
        return {};
    factors.erase(found);
    return product_of(factors);
}

} // namespace

Value Runner::evaluate(const Node& node, Frame& frame) {
    Value value = evaluate_node(node, frame);
    // Sizes that grow with every line would grow without end.
    if (value.text.size() > 2048 && value.kind == Value::Kind::scalar)
        return refuse(node.line, "a size's expression becomes too long to follow", "write the plan lines yourself");
    return value;
}

Value Runner::evaluate_node(const Node& node, Frame& frame) {
    if (failed() || !step(node.line))
        return {};
    if (m_depth > 200)
        return refuse(node.line, "cannot follow host code nested so deep", "write the plan lines yourself");
    struct Deeper {
        int& depth;
        explicit Deeper(int& d) : depth(d) { ++depth; }
        ~Deeper() { --depth; }
    } deeper(m_depth);
    switch (node.kind) {
    case Node::Kind::name:
        return name(node, frame);
    case Node::Kind::number:
        return number(node);
    case Node::Kind::text: {
        Value value;
        value.kind = Value::Kind::text;
        value.text = node.text;
        return value;
    }
    case Node::Kind::call:
        return call(node, frame);
    case Node::Kind::member:
        return member(node, frame);
    case Node::Kind::index:
        return index(node, frame);
    case Node::Kind::binary:
        return binary(node, frame);
    case Node::Kind::unary:
        return unary(node, frame);
    case Node::Kind::choice:
        return choice(node, frame);
    case Node::Kind::list:
        return list(node, frame);
    case Node::Kind::launch:
        return cuda_launch(node, frame);
    case Node::Kind::lambda: {
        Value value;
        value.kind = Value::Kind::lambda;
        value.node = &node;
        return value;
    }
    case Node::Kind::unknown:
        break;
    }
    return unknown_node(node);
}

Value Runner::name(const Node& node, Frame& frame) {
    if (const auto found = frame.names.find(node.text); found != frame.names.end())
        return found->second;
    if (const auto found = m_globals.find(node.text); found != m_globals.end())
        return found->second;
    if (node.text == "sizeof") {
        const auto dtype = node.templates == "scalar_t" ? m_scalar_t : dtype_of_name(node.templates);
        if (!dtype)
            return refuse(node.line, "the size of `" + node.templates + "` is not known here", "write it in bytes");
        return scalar(std::to_string(size_of(*dtype)));
    }
    if (node.text == "true" || node.text == "True")
        return scalar("1");
    if (node.text == "false" || node.text == "False")
        return scalar("0");
    if (node.text == "None" || node.text == "nullptr" || node.text == "NULL" || node.text == "nullopt")
        return {};
    if (const auto macro = m_inner.macros.find(node.text); macro != m_inner.macros.end() && macro->second.first.empty())
        return call_macro(node.text, node, frame);
    if (m_outer.kernels.contains(node.text)) {
        Value value;
        value.kind = Value::Kind::kernel;
        value.text = node.text;
        return value;
    }
    if (const auto dtype = dtype_of_name(node.text);
        dtype && (node.text.starts_with('k') || frame.python || node.scope.ends_with("ScalarType::"))) {
        Value value;
        value.kind = Value::Kind::dtype;
        value.dtype = dtype;
        return value;
    }
    if (node.text == "kCUDA" || node.text == "kCPU")
        return {};
    std::vector<std::string> known;
    for (const auto& [key, value] : frame.names)
        if (!key.starts_with('\x03'))
            known.push_back(key);
    return refuse(node.line, "`" + node.text + "` is not known here", detail::suggestion(node.text, known, "known"));
}

Value Runner::number(const Node& node) {
    std::string text;
    for (const char c : node.text)
        if (c != '\'' && c != '_')
            text += c;
    if (text.starts_with("0x") || text.starts_with("0X"))
        try {
            return scalar(std::to_string(std::stoll(text, nullptr, 16)));
        } catch (const std::exception&) {
            return refuse(node.line, "cannot read the number `" + node.text + "`", "write it in decimal");
        }
    const bool real = text.find_first_of(".eE") != std::string::npos || (text.find_first_of("fF") != std::string::npos);
    while (!text.empty() && std::string_view("fFuUlL").find(text.back()) != std::string_view::npos)
        text.pop_back();
    if (real) {
        if (text.starts_with('.'))
            text = "0" + text;
        if (text.find_first_of(".eE") == std::string::npos)
            text += ".0";
        else if (text.ends_with('.'))
            text += "0";
        else if (const std::size_t dot = text.find('.');
                 dot != std::string::npos && dot + 1 < text.size() && (text[dot + 1] == 'e' || text[dot + 1] == 'E'))
            text.insert(dot + 1, "0");
    }
    if (text.empty() || !Expression::parse(text, {}))
        return refuse(node.line, "cannot read the number `" + node.text + "`", "write it in decimal");
    return scalar(text, real);
}

Value Runner::list(const Node& node, Frame& frame) {
    Value value;
    value.kind = Value::Kind::list;
    for (const Node& kid : node.kids)
        value.items.push_back(evaluate(kid, frame));
    return value;
}

Value Runner::member(const Node& node, Frame& frame) {
    const Node& object = node.kids[0];
    // self.weight is the task's tensor of that name; torch.float16, tl.float32 are types.
    if (object.kind == Node::Kind::name && !frame.names.contains(object.text)) {
        if (object.text == "self") {
            for (std::size_t i = 0; i < m_out.tensors.size(); ++i)
                if (m_out.tensors[i].name == node.text)
                    return tensor_value(static_cast<int>(i));
            if (const auto found = m_globals.find(node.text); found != m_globals.end())
                return found->second;
            return refuse(node.line, "`self." + node.text + "` is no tensor of the task",
                          "write its value where it is used, or name it as the task does");
        }
        if (object.text == "torch" || object.text == "tl" || object.text == "np")
            if (const auto dtype = dtype_of_name(node.text)) {
                Value value;
                value.kind = Value::Kind::dtype;
                value.dtype = dtype;
                return value;
            }
        if (object.text == "math" && node.text == "pi")
            return scalar("3.141592653589793", true);
    }
    const Value self = evaluate(object, frame);
    if (failed())
        return {};
    if (self.kind == Value::Kind::tensor) {
        if (node.text == "shape") {
            Value value;
            value.kind = Value::Kind::shape;
            for (const std::string& size : self.sizes)
                value.items.push_back(scalar(size));
            return value;
        }
        if (node.text == "T" || node.text == "mT")
            if (const auto value = method("t", self, node, frame))
                return *value;
        if (node.text == "ndim")
            return scalar(std::to_string(self.sizes.size()));
        if (node.text == "dtype") {
            Value value;
            value.kind = Value::Kind::dtype;
            value.dtype = self.dtype;
            return value;
        }
        if (node.text == "device")
            return {};
        if (node.text == "is_cuda")
            return scalar("1");
        if (node.text == "data")
            return self;
    }
    if (self.kind == Value::Kind::dims && node.text.size() == 1 && node.text[0] >= 'x' && node.text[0] <= 'z') {
        const auto axis = static_cast<std::size_t>(node.text[0] - 'x');
        return axis < self.items.size() ? self.items[axis] : scalar("1");
    }
    if (self.kind == Value::Kind::device &&
        (node.text == "multiProcessorCount" || node.text == "multi_processor_count"))
        return scalar("sm_count");
    return refuse(node.line, "cannot follow `." + node.text + "`",
                  "known of tensors: shape, size(), numel(), stride(), dtype, data_ptr()");
}

Value Runner::index(const Node& node, Frame& frame) {
    const Value self = evaluate(node.kids[0], frame);
    if (failed())
        return {};
    if (node.kids.size() != 2)
        return refuse(node.line, "cannot follow this index", "kernels slice, host code does not");
    if (self.kind == Value::Kind::meta) {
        if (node.kids[1].kind == Node::Kind::text)
            return scalar(node.kids[1].text);
        return refuse(node.line, "cannot follow this index of META", "write META['NAME']");
    }
    const Value at = evaluate(node.kids[1], frame);
    if (failed())
        return {};
    const auto position = constant(at);
    if ((self.kind == Value::Kind::shape || self.kind == Value::Kind::list) && position) {
        const auto count = static_cast<std::int64_t>(self.items.size());
        const std::int64_t i = *position < 0 ? *position + count : *position;
        if (i >= 0 && i < count)
            return self.items[static_cast<std::size_t>(i)];
        return refuse(node.line,
                      "the index " + std::to_string(*position) + " is outside of " + std::to_string(count) + " axes",
                      "check the tensor's shape in the task");
    }
    return refuse(node.line, "cannot follow this index", "kernels slice, host code does not");
}

Value Runner::unary(const Node& node, Frame& frame) {
    const Value value = evaluate(node.kids[0], frame);
    if (failed() || value.kind == Value::Kind::tensor) // *tensor, &tensor: the same memory
        return value;
    if (value.kind != Value::Kind::scalar)
        return refuse(node.line, "cannot follow `" + node.text + "` here", "host code may compute sizes");
    if (node.text == "+" || node.text == "&" || node.text == "*")
        return value;
    return scalar("(" + node.text + "(" + value.text + "))", value.real && node.text == "-");
}

Value Runner::binary(const Node& node, Frame& frame) {
    const Value a = evaluate(node.kids[0], frame);
    const Value b = evaluate(node.kids[1], frame);
    if (failed())
        return {};
    const std::string& op = node.text;
    if (a.kind == Value::Kind::dtype || b.kind == Value::Kind::dtype) {
        if ((op == "==" || op == "!=") && a.dtype && b.dtype)
            return scalar((*a.dtype == *b.dtype) == (op == "==") ? "1" : "0");
        return refuse(node.line, "cannot follow `" + op + "` of types", "the task's dtypes are fixed");
    }
    if (a.kind == Value::Kind::tensor && op == "@" && b.kind == Value::Kind::tensor)
        return product(node, a, b, nullptr);
    if (a.kind == Value::Kind::tensor && op == "+" && b.kind == Value::Kind::scalar && !b.real) {
        Value moved = a; // pointer arithmetic
        moved.offset = a.offset.empty() ? b.text : "(" + a.offset + ") + (" + b.text + ")";
        if (!frame.python)
            return moved;
    }
    // x @ w.t() + b, right behind the product.
    if (op == "+" && a.kind == Value::Kind::tensor && b.kind == Value::Kind::tensor && !m_out.emitted.empty() &&
        m_out.emitted.back().gemm == a.tensor && b.sizes.size() == 1 && !a.transposed &&
        m_out.emitted.back().text.find(" + ") == std::string::npos) {
        m_out.emitted.back().text += " + " + reference(b.tensor);
        return a;
    }
    if (a.kind == Value::Kind::tensor || b.kind == Value::Kind::tensor)
        return refuse(node.line, "`" + op + "` of tensors runs in PyTorch",
                      "compute it in a kernel; plan lines know launch, gemm and fill");
    if ((a.kind == Value::Kind::shape || b.kind == Value::Kind::shape || a.kind == Value::Kind::list) &&
        (op == "==" || op == "!=") && a.items.size() == b.items.size())
        return scalar(op == "==" ? "1" : "0"); // shapes of a task agree as they must
    if (a.kind == Value::Kind::nothing || b.kind == Value::Kind::nothing)
        if (op == "==" || op == "!=")
            return scalar((a.kind == b.kind) == (op == "==") ? "1" : "0");
    if (a.kind != Value::Kind::scalar || b.kind != Value::Kind::scalar)
        return refuse(node.line, "cannot follow `" + op + "` here", "host code may compute sizes");
    const bool comparison =
        op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=" || op == "&&" || op == "||";
    const bool real = (a.real || b.real) && !comparison;
    if (op == "**") {
        const std::string& power = b.text;
        if (power == "0.5")
            return scalar("sqrt(" + a.text + ")", true);
        if (power == "(-(0.5))")
            return scalar("(1.0 / sqrt(" + a.text + "))", true);
        if (constant(b) == 2)
            return scalar("((" + a.text + ") * (" + a.text + "))", a.real);
        return refuse(node.line, "cannot follow this power", "powers of 2, 0.5 and -0.5 are known");
    }
    if (op == ">>" || op == "<<") {
        const auto bits = constant(b);
        if (!bits || *bits < 0 || *bits > 40)
            return refuse(node.line, "cannot follow a shift by this", "write a product or a quotient");
        return scalar("((" + a.text + (op == ">>" ? ") / " : ") * ") + std::to_string(std::int64_t{1} << *bits) + ")");
    }
    if (op == "&") {
        const auto mask = constant(b);
        if (mask && *mask > 0 && ((*mask + 1) & *mask) == 0)
            return scalar("((" + a.text + ") % " + std::to_string(*mask + 1) + ")");
        return refuse(node.line, "cannot follow `&` with this", "write `%`");
    }
    const std::string divide = op == "//" ? "/" : op;
    if (divide == "/" && !real) {
        if (const std::string quotient = without_factor(canonical(a.text), canonical(b.text)); !quotient.empty())
            return scalar(quotient);
        if (op == "/" && frame.python)
            return scalar("(1.0 * (" + a.text + ") / (" + b.text + "))", true);
        // (n + b - 1) / b and (n + 255) / 256 are cdiv.
        const Node& top = node.kids[0];
        if (top.kind == Node::Kind::binary && (top.text == "-" || top.text == "+")) {
            const auto divisor = constant(b);
            const Value last = evaluate(top.kids[1], frame);
            const auto added = constant(last);
            if (top.text == "+" && divisor && added && *added == *divisor - 1)
                return scalar("cdiv(" + evaluate(top.kids[0], frame).text + ", " + b.text + ")");
            const Node& inner = top.kids[0];
            if (top.text == "-" && added == 1 && inner.kind == Node::Kind::binary && inner.text == "+") {
                const Value second = evaluate(inner.kids[1], frame), first = evaluate(inner.kids[0], frame);
                if (second.text == b.text)
                    return scalar("cdiv(" + first.text + ", " + b.text + ")");
                if (first.text == b.text)
                    return scalar("cdiv(" + second.text + ", " + b.text + ")");
            }
            if (top.text == "+" && last.text == "((" + b.text + ") - (1))")
                return scalar("cdiv(" + evaluate(top.kids[0], frame).text + ", " + b.text + ")");
        }
    }
    return scalar("((" + a.text + ") " + divide + " (" + b.text + "))", real);
}

Value Runner::choice(const Node& node, Frame& frame) {
    const Value condition = evaluate(node.kids[0], frame);
    if (failed())
        return {};
    if (const auto known = constant(condition))
        return evaluate(node.kids[*known ? 1 : 2], frame);
    const Value yes = evaluate(node.kids[1], frame), no = evaluate(node.kids[2], frame);
    if (failed())
        return {};
    if (condition.kind != Value::Kind::scalar || yes.kind != Value::Kind::scalar || no.kind != Value::Kind::scalar)
        return refuse(node.line, "cannot follow this choice", "choose between sizes, or use `if`");
    return scalar("((" + condition.text + ") ? (" + yes.text + ") : (" + no.text + "))", yes.real || no.real);
}

Value Runner::call_macro(const std::string& macro, const Node& node, Frame& frame) {
    const auto& [parameters, text] = m_inner.macros.at(macro);
    if (!m_macros_open.insert(macro).second)
        return refuse(node.line, "the macro `" + macro + "` names itself", "write its value");
    Frame inner;
    inner.names = frame.names;
    if (node.kind == Node::Kind::call) {
        if (node.kids.size() != parameters.size() + 1) {
            m_macros_open.erase(macro);
            return refuse(node.line, "`" + macro + "` takes " + std::to_string(parameters.size()) + " arguments",
                          "check the call");
        }
        for (std::size_t i = 0; i < parameters.size(); ++i)
            inner.names[parameters[i]] = evaluate(node.kids[i + 1], frame);
    }
    const Node body = read_cuda_expression(text, node.line);
    Value value = body.kind == Node::Kind::unknown
                      ? refuse(node.line, "cannot follow the macro `" + macro + "`", "write its value")
                      : evaluate(body, inner);
    m_macros_open.erase(macro);
    return value;
}

Value Runner::call_function(const Function& function, const Node& node, std::size_t first, Frame& frame) {
    if (m_stack.size() > 16 || std::find(m_stack.begin(), m_stack.end(), &function) != m_stack.end())
        return refuse(node.line, "`" + function.name + "` calls itself", "write the launches one after another");
    Frame inner;
    inner.python = function.python;
    std::size_t position = 0;
    for (std::size_t i = first; i < node.kids.size(); ++i) {
        const std::string& keyword = node.names[i - 1];
        const Value value = evaluate(node.kids[i], frame);
        if (failed())
            return {};
        if (!keyword.empty()) {
            inner.names[keyword] = value;
        } else if (position < function.parameters.size()) {
            inner.names[function.parameters[position++].name] = value;
        } else {
            return refuse(node.line,
                          "`" + function.name + "` takes " + std::to_string(function.parameters.size()) + " arguments",
                          "check the call");
        }
    }
    for (const Parameter& parameter : function.parameters)
        if (!inner.names.contains(parameter.name)) {
            if (!parameter.fallback)
                return refuse(node.line, "`" + function.name + "` lacks its argument `" + parameter.name + "`",
                              "give it");
            inner.names[parameter.name] = evaluate(*parameter.fallback, inner);
        }
    const std::size_t conditions = m_conditions.size();
    m_stack.push_back(&function);
    statements(function.body, inner);
    m_stack.pop_back();
    m_conditions.resize(conditions);
    check_early(inner, node.line);
    return inner.result;
}

// What a branch returned early must be what the rest returns.
void Runner::check_early(const Frame& frame, int line) {
    for (const auto& [name, value] : frame.names)
        if (name.starts_with('\x03') && (value.kind != frame.result.kind || value.tensor != frame.result.tensor))
            refuse(line, "a branch returns another tensor than the rest", "return one tensor that all branches fill");
}

} // namespace kf::lift
