// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/lift_run.h"

#include "core/candidate/plan.h"
#include "core/candidate/spelling.h"

#include <algorithm>

namespace kf::lift {
namespace {

constexpr int max_steps = 20000;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

bool is_tensor_type(const Parameter& parameter, bool python) {
    if (python)
        return parameter.type.empty() || parameter.type.find("Tensor") != std::string::npos;
    return parameter.type.find("Tensor") != std::string::npos || parameter.type.find('*') != std::string::npos;
}

} // namespace

std::string canonical(const std::string& expression) {
    const auto parsed = Expression::parse(expression, {});
    return parsed ? parsed->print() : expression;
}

std::string product_of(const std::vector<std::string>& sizes) {
    std::string text;
    for (const std::string& size : sizes)
        text += (text.empty() ? "(" : " * (") + size + ")";
    return text.empty() ? "1" : canonical(text);
}

std::optional<DType> dtype_of_name(std::string_view name) {
    std::string word = lower(name);
    for (const std::string_view noise :
         {"const ", "torch::", "at::", "c10::", "torch.", "tl.", " ", "*", "&", "__restrict__"})
        for (std::size_t at = word.find(noise); at != std::string::npos; at = word.find(noise))
            word.erase(at, noise.size());
    if (word.size() > 1 && word[0] == 'k' && word != "kernel")
        word.erase(0, 1);
    static const std::map<std::string, DType, std::less<>> names = {
        {"float", DType::f32},        {"float32", DType::f32},   {"half", DType::f16},
        {"__half", DType::f16},       {"float16", DType::f16},   {"double", DType::f64},
        {"float64", DType::f64},      {"bfloat16", DType::bf16}, {"__nv_bfloat16", DType::bf16},
        {"nv_bfloat16", DType::bf16}, {"int", DType::i32},       {"int32", DType::i32},
        {"int32_t", DType::i32},      {"long", DType::i64},      {"int64", DType::i64},
        {"int64_t", DType::i64},      {"longlong", DType::i64},  {"char", DType::i8},
        {"int8", DType::i8},          {"int8_t", DType::i8},     {"uint8", DType::u8},
        {"uint8_t", DType::u8},       {"byte", DType::u8},       {"unsignedchar", DType::u8},
        {"bool", DType::boolean}};
    const auto found = names.find(word);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::string_view cuda_type(DType dtype) {
    switch (dtype) {
    case DType::f64:
        return "double";
    case DType::f32:
        return "float";
    case DType::f16:
        return "__half";
    case DType::bf16:
        return "__nv_bfloat16";
    case DType::i64:
        return "long long";
    case DType::i32:
        return "int";
    case DType::i8:
        return "signed char";
    case DType::e4m3:
    case DType::e5m2:
    case DType::u8:
        return "unsigned char";
    case DType::boolean:
        return "bool";
    }
    return "void";
}

Runner::Runner(const Module& outer, const Module& inner, const Task& task)
    : m_outer(outer), m_inner(inner), m_task(task) {
    for (const Module* module : {&inner, &outer})
        for (const Function& function : module->functions)
            m_functions.emplace(function.name, &function);
    for (const InputSpec& input : task.inputs) {
        Tensor tensor;
        tensor.kind = Tensor::Kind::input;
        tensor.name = input.name;
        tensor.dtype = input.dtype;
        tensor.weight = input.role == Role::weight;
        for (const Expression& size : input.shape)
            tensor.sizes.push_back(size.print());
        m_out.tensors.push_back(std::move(tensor));
    }
    for (const OutputSpec& output : task.outputs) {
        if (task.find_input(output.name))
            continue; // inout
        Tensor tensor;
        tensor.kind = Tensor::Kind::output;
        tensor.name = output.name;
        tensor.dtype = output.dtype;
        for (const Expression& size : output.shape)
            tensor.sizes.push_back(size.print());
        m_out.tensors.push_back(std::move(tensor));
    }
}

Value Runner::refuse(int line, std::string what, std::string remedy) {
    if (!m_out.refusal)
        m_out.refusal = Refusal{line, std::move(what), std::move(remedy)};
    return {};
}

Value Runner::unknown_node(const Node& node) {
    return refuse(
        node.line, "cannot follow " + node.text,
        "host code may compute sizes, allocate, launch and return; the rest belongs into kernels or plan lines");
}

bool Runner::step(int line) {
    if (++m_steps > max_steps)
        refuse(line, "the host code is too long to follow", "write the plan lines yourself");
    return !failed();
}

Value Runner::scalar(std::string text, bool real) const {
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = std::move(text);
    value.real = real;
    return value;
}

Value Runner::tensor_value(int tensor) const {
    Value value;
    value.kind = Value::Kind::tensor;
    value.tensor = tensor;
    value.sizes = m_out.tensors[static_cast<std::size_t>(tensor)].sizes;
    value.dtype = m_out.tensors[static_cast<std::size_t>(tensor)].dtype;
    return value;
}

int Runner::new_tensor(DType dtype, std::vector<std::string> sizes, int line) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.sizes = std::move(sizes);
    tensor.line = line;
    m_out.tensors.push_back(std::move(tensor));
    return static_cast<int>(m_out.tensors.size()) - 1;
}

std::string Runner::reference(int tensor) const {
    return "\x01" + std::to_string(tensor) + "\x02";
}

void Runner::emit(std::string text, int line, int gemm) {
    m_out.emitted.push_back({std::move(text), m_conditions, line, gemm});
}

std::optional<std::int64_t> Runner::constant(const Value& value) const {
    if (value.kind != Value::Kind::scalar)
        return std::nullopt;
    const auto parsed = Expression::parse(value.text, {});
    if (!parsed || !parsed->names().empty())
        return std::nullopt;
    const auto number = parsed->integer(SymbolTable());
    return number ? std::optional(*number) : std::nullopt;
}

bool Runner::same(const std::string& a, const std::string& b) const {
    if (a == b)
        return true;
    const auto x = Expression::parse(a, {}), y = Expression::parse(b, {});
    if (!x || !y)
        return false;
    for (const TaskCase& one : m_task.cases) {
        SymbolTable scope;
        for (const auto& [symbol, value] : one.symbols)
            scope.set(symbol, value);
        const auto p = x->integer(scope), q = y->integer(scope);
        if (!p || !q || *p != *q)
            return false;
    }
    return true;
}

Outcome Runner::run(const Function& entry) {
    Frame frame;
    frame.python = entry.python;
    for (const Module* module : {&m_outer, &m_inner})
        for (const Statement& one : module->constants) {
            Frame globals;
            globals.python = module == &m_outer && m_outer.functions.empty() ? false : entry.python;
            globals.names = m_globals;
            Outcome saved = m_out;
            statement(one, globals);
            if (failed())
                m_out = std::move(saved); // a constant of no use to us
            else
                m_globals = std::move(globals.names);
        }
    bind_entry(entry, frame);
    if (!failed()) {
        m_stack.push_back(&entry);
        statements(entry.body, frame);
        check_early(frame, entry.line);
    }
    if (frame.result.kind == Value::Kind::list)
        m_out.returned = frame.result.items;
    else if (frame.result.kind != Value::Kind::nothing)
        m_out.returned = {frame.result};
    return std::move(m_out);
}

void Runner::bind_entry(const Function& entry, Frame& frame) {
    std::vector<const Parameter*> tensors;
    for (const Parameter& parameter : entry.parameters) {
        const bool named = std::any_of(m_out.tensors.begin(), m_out.tensors.end(),
                                       [&](const Tensor& tensor) { return tensor.name == parameter.name; });
        if (parameter.fallback && !named) {
            frame.names[parameter.name] = evaluate(*parameter.fallback, frame);
            continue;
        }
        if (named || is_tensor_type(parameter, entry.python)) {
            tensors.push_back(&parameter);
            continue;
        }
        const std::vector<std::string> symbols = m_task.symbol_names();
        if (std::find(symbols.begin(), symbols.end(), parameter.name) != symbols.end()) {
            frame.names[parameter.name] = scalar(parameter.name);
        } else if (parameter.type.find("Stream") == std::string::npos &&
                   parameter.type.find("stream") == std::string::npos) {
            refuse(entry.line,
                   "the parameter `" + parameter.name + "` of `" + entry.name +
                       "` is neither a tensor nor a symbol of the task",
                   "symbols: " + detail::list_of(symbols) + "; compute it from them, or give it a default");
        }
    }
    bind_tensors(entry, tensors, frame);
}

// By name where names are the task's; the rest in order where no two of them could be exchanged.
void Runner::bind_tensors(const Function& entry, const std::vector<const Parameter*>& parameters, Frame& frame) {
    std::vector<const Parameter*> open;
    std::set<int> taken;
    for (const Parameter* parameter : parameters) {
        const auto tensor = std::find_if(m_out.tensors.begin(), m_out.tensors.end(),
                                         [&](const Tensor& each) { return each.name == parameter->name; });
        if (tensor == m_out.tensors.end()) {
            open.push_back(parameter);
            continue;
        }
        const int index = static_cast<int>(tensor - m_out.tensors.begin());
        taken.insert(index);
        frame.names[parameter->name] = tensor_value(index);
    }
    if (open.empty())
        return;
    std::vector<int> inputs, all;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_out.tensors.size(); ++i)
        if (!taken.contains(static_cast<int>(i))) {
            if (m_out.tensors[i].kind == Tensor::Kind::input)
                inputs.push_back(static_cast<int>(i));
            all.push_back(static_cast<int>(i));
            names.push_back(m_out.tensors[i].name);
        }
    const std::vector<int>* targets = open.size() == inputs.size() ? &inputs
                                      : open.size() == all.size()  ? &all
                                                                   : nullptr;
    const std::string remedy = "name the parameters as the task names its tensors: " + detail::list_of(names);
    if (!targets) {
        refuse(entry.line,
               "`" + entry.name + "` takes the tensor `" + open.front()->name +
                   "`, which the task does not name, and " + std::to_string(open.size()) +
                   " such parameters do not match its " + std::to_string(inputs.size()) + " inputs",
               remedy);
        return;
    }
    for (std::size_t i = 0; i < targets->size(); ++i)
        for (std::size_t j = i + 1; j < targets->size(); ++j) {
            const Tensor& a = m_out.tensors[static_cast<std::size_t>((*targets)[i])];
            const Tensor& b = m_out.tensors[static_cast<std::size_t>((*targets)[j])];
            if (a.kind == b.kind && a.dtype == b.dtype && a.sizes == b.sizes) {
                refuse(entry.line,
                       "which parameter of `" + entry.name + "` is `" + a.name + "` and which is `" + b.name +
                           "` cannot be told: both are alike",
                       remedy);
                return;
            }
        }
    for (std::size_t i = 0; i < open.size(); ++i) {
        const int index = (*targets)[i];
        const Tensor& tensor = m_out.tensors[static_cast<std::size_t>(index)];
        // A pointer's own type must agree.
        if (open[i]->type.find('*') != std::string::npos)
            if (const auto dtype = dtype_of_name(open[i]->type); dtype && *dtype != tensor.dtype) {
                refuse(entry.line,
                       "the parameter `" + open[i]->name + "` points to " + std::string(to_string(*dtype)) + ", but `" +
                           tensor.name + "` is " + std::string(to_string(tensor.dtype)),
                       remedy);
                return;
            }
        frame.names[open[i]->name] = tensor_value(index);
    }
}

void Runner::statements(const std::vector<Statement>& list, Frame& frame) {
    for (const Statement& one : list) {
        if (failed() || frame.returned)
            return;
        statement(one, frame);
    }
}

void Runner::statement(const Statement& one, Frame& frame) {
    if (!step(one.line))
        return;
    switch (one.kind) {
    case Statement::Kind::assign:
        assign(one, frame);
        return;
    case Statement::Kind::expression:
        evaluate(one.value, frame);
        return;
    case Statement::Kind::give_back:
        frame.result = evaluate(one.value, frame);
        frame.returned = true;
        return;
    case Statement::Kind::branch:
        branch(one, frame);
        return;
    case Statement::Kind::block:
        statements(one.first, frame);
        return;
    case Statement::Kind::dispatch: {
        const Value type = evaluate(one.value, frame);
        if (failed())
            return;
        if (!type.dtype) {
            refuse(one.line, "cannot tell the type that is dispatched on", "write the kernel for the task's dtype");
            return;
        }
        const auto before = m_scalar_t;
        m_scalar_t = type.dtype;
        statements(one.first, frame);
        m_scalar_t = before;
        return;
    }
    case Statement::Kind::fail:
        return; // the cases of a task are valid
    case Statement::Kind::unknown:
        refuse(one.line, "cannot follow " + one.what,
               "host code may compute sizes, allocate, launch, branch with `if` and return");
        return;
    }
}

void Runner::assign(const Statement& one, Frame& frame) {
    if (one.value.kind == Node::Kind::text) {
        for (const std::string& target : one.targets)
            frame.names.erase(target);
        return;
    }
    Value value = evaluate(one.value, frame);
    if (failed())
        return;
    if (one.targets.size() == 1) {
        const std::string& target = one.targets.front();
        if (const std::size_t dot = target.find('.'); dot != std::string::npos) {
            Value& dims = frame.names[target.substr(0, dot)];
            const std::size_t axis = target.size() > dot + 1 ? static_cast<std::size_t>(target[dot + 1] - 'x') : 9;
            if (dims.kind != Value::Kind::dims || axis > 2 || value.kind != Value::Kind::scalar) {
                refuse(one.line, "cannot follow the assignment to `" + target + "`", "write dim3 name(x, y, z)");
                return;
            }
            while (dims.items.size() <= axis)
                dims.items.push_back(scalar("1"));
            dims.items[axis] = std::move(value);
            return;
        }
        if (value.kind == Value::Kind::tensor) {
            Tensor& tensor = m_out.tensors[static_cast<std::size_t>(value.tensor)];
            if (tensor.kind == Tensor::Kind::made && tensor.wish.empty())
                tensor.wish = target;
        }
        frame.names[target] = std::move(value);
        return;
    }
    if (value.items.size() != one.targets.size()) {
        refuse(one.line,
               std::to_string(one.targets.size()) + " names for " + std::to_string(value.items.size()) + " values",
               "give each value its name");
        return;
    }
    for (std::size_t i = 0; i < one.targets.size(); ++i) {
        if (value.items[i].kind == Value::Kind::tensor) {
            Tensor& tensor = m_out.tensors[static_cast<std::size_t>(value.items[i].tensor)];
            if (tensor.kind == Tensor::Kind::made && tensor.wish.empty())
                tensor.wish = one.targets[i];
        }
        frame.names[one.targets[i]] = value.items[i];
    }
}

bool Runner::only_fails(const std::vector<Statement>& list) const {
    return std::any_of(list.begin(), list.end(), [this](const Statement& one) {
        return one.kind == Statement::Kind::fail || (one.kind == Statement::Kind::block && only_fails(one.first));
    });
}

void Runner::branch(const Statement& one, Frame& frame) {
    if (only_fails(one.first)) {
        statements(one.second, frame);
        return;
    }
    const Value condition = evaluate(one.value, frame);
    if (failed())
        return;
    if (condition.kind != Value::Kind::scalar || condition.real) {
        refuse(one.line, "cannot follow this condition", "conditions may compare sizes");
        return;
    }
    if (const auto known = constant(condition)) {
        statements(*known ? one.first : one.second, frame);
        return;
    }
    // An early end for empty tensors: no case of a task has any.
    const Node& test = one.value;
    const bool empty = test.kind == Node::Kind::binary && test.text == "==" &&
                       test.kids[1].kind == Node::Kind::number && test.kids[1].text == "0";
    if (empty && one.second.empty() && !one.first.empty() && one.first.back().kind == Statement::Kind::give_back)
        return;
    const std::string yes = canonical(condition.text), no = canonical("!(" + condition.text + ")");
    const std::size_t depth = m_conditions.size();
    Frame first = frame;
    m_conditions.push_back(yes);
    statements(one.first, first);
    m_conditions.resize(depth);
    Frame second = frame;
    m_conditions.push_back(no);
    statements(one.second, second);
    m_conditions.resize(depth);
    if (failed())
        return;
    if (first.returned && second.returned) {
        if (first.result.tensor != second.result.tensor || first.result.kind != second.result.kind)
            refuse(one.line, "the two branches return different tensors", "return one tensor that both of them fill");
        frame = std::move(first);
        return;
    }
    if (first.returned || second.returned) {
        // The rest runs only for the other branch, and what was returned must be what the rest returns.
        Frame& rest = first.returned ? second : first;
        const Value early = first.returned ? first.result : second.result;
        m_conditions.push_back(first.returned ? no : yes);
        frame = rest;
        frame.returned = false;
        // The caller goes on with this frame; the condition stays until the function ends.
        frame.names["\x03" + std::to_string(one.line)] = early;
        return;
    }
    for (auto& [key, value] : first.names) {
        const auto other = second.names.find(key);
        if (other == second.names.end() ||
            (value.kind == Value::Kind::tensor && value.tensor != other->second.tensor) ||
            value.kind != other->second.kind) {
            const auto before = frame.names.find(key);
            if (before != frame.names.end() && value.kind == Value::Kind::tensor) {
                refuse(one.line, "`" + key + "` is another tensor in each branch", "allocate before the branch");
                return;
            }
            continue; // local to the branch
        }
        if (value.kind == Value::Kind::scalar && value.text != other->second.text)
            value = scalar("((" + condition.text + ") ? (" + value.text + ") : (" + other->second.text + "))",
                           value.real || other->second.real);
        frame.names[key] = value;
    }
}

} // namespace kf::lift
