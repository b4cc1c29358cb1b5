// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/lift_run.h"

#include "core/candidate/plan.h"
#include "core/candidate/spelling.h"

#include <algorithm>

namespace kf::lift {

std::string Runner::extents(const Node& node, const Value& value) {
    if (value.kind == Value::Kind::scalar && !value.real)
        return canonical(value.text);
    if ((value.kind == Value::Kind::dims || value.kind == Value::Kind::list || value.kind == Value::Kind::shape) &&
        !value.items.empty() && value.items.size() <= 3) {
        std::vector<std::string> axes;
        for (const Value& item : value.items) {
            if (item.kind != Value::Kind::scalar || item.real)
                break;
            axes.push_back(canonical(item.text));
        }
        if (axes.size() == value.items.size()) {
            while (axes.size() > 1 && axes.back() == "1")
                axes.pop_back();
            if (axes.size() == 1)
                return axes.front();
            std::string text = "(";
            for (std::size_t i = 0; i < axes.size(); ++i)
                text += (i ? ", " : "") + axes[i];
            return text + ")";
        }
    }
    refuse(node.line, "cannot follow the extents of this launch", "grid and block are sizes, or (x, y, z) of sizes");
    return "1";
}

std::string Runner::launch_argument(const Node& node, const Value& value) {
    if (value.kind == Value::Kind::tensor) {
        if (value.offset.empty())
            return reference(value.tensor);
        return reference(value.tensor) + " + " + canonical("(" + value.offset + ")");
    }
    if (value.kind == Value::Kind::scalar)
        return canonical(value.text);
    refuse(node.line, "cannot follow an argument of this launch",
           "arguments are tensors, tensor + offset, sizes and numbers");
    return "0";
}

// Names of the wrapper's constants become their values; `scalar_t` the dispatched type.
std::string Runner::template_arguments(const Node& kernel, Frame& frame) {
    std::string out, word;
    const auto flush = [&] {
        if (word.empty())
            return;
        if (word == "scalar_t" && m_scalar_t) {
            out += cuda_type(*m_scalar_t);
        } else if (const auto found = frame.names.find(word);
                   found != frame.names.end() && found->second.kind == Value::Kind::scalar) {
            if (const auto value = constant(found->second))
                out += std::to_string(*value);
            else
                refuse(kernel.line, "the template argument `" + word + "` is not constant",
                       "write `define NAME = EXPR` and use NAME");
        } else if (word == "at" || word == "c10" || word == "torch") {
            refuse(kernel.line, "the kernel is instantiated with a type of PyTorch",
                   "use __half, __nv_bfloat16, float");
        } else {
            out += word;
        }
        word.clear();
    };
    for (const char c : kernel.templates) {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
            word += c;
        } else {
            flush();
            out += c == '\n' ? ' ' : c;
        }
    }
    flush();
    return out;
}

Value Runner::cuda_launch(const Node& node, Frame& frame) {
    const Node& kernel = node.kids[0];
    if (kernel.kind != Node::Kind::name)
        return refuse(node.line, "cannot follow which kernel is launched", "launch a kernel by its name");
    std::string name = kernel.scope + kernel.text;
    if (!kernel.templates.empty())
        name += "<" + template_arguments(kernel, frame) + ">";
    std::vector<std::string> config;
    for (std::size_t i = 0; i < node.config && i < 3; ++i) {
        const Node& extent = node.kids[1 + i];
        const Value value = evaluate(extent, frame);
        if (failed())
            return {};
        config.push_back(extents(extent, value));
    }
    if (config.size() == 3 && config.back() == "0")
        config.pop_back();
    std::string arguments;
    for (std::size_t i = 1 + node.config; i < node.kids.size(); ++i) {
        const Value value = evaluate(node.kids[i], frame);
        if (failed())
            return {};
        arguments += (arguments.empty() ? "" : ", ") + launch_argument(node.kids[i], value);
    }
    if (failed())
        return {};
    std::string text = "launch " + name + "<<<";
    for (std::size_t i = 0; i < config.size(); ++i)
        text += (i ? ", " : "") + config[i];
    emit(text + ">>>(" + arguments + ")", node.line);
    return {};
}

Value Runner::triton_launch(const Node& node, const Node& target, Frame& frame) {
    const Value kernel = evaluate(target.kids[0], frame);
    if (failed())
        return {};
    const auto found = m_outer.kernels.find(kernel.text);
    if (kernel.kind != Value::Kind::kernel || found == m_outer.kernels.end() || target.kids.size() != 2)
        return refuse(node.line, "cannot follow this call", "launch a @triton.jit function as kernel[grid](…)");
    const Kernel& known = found->second;

    // Arguments by the kernel's own parameters.
    std::map<std::string, Value> given;
    std::map<std::string, std::string> attributes; // num_warps → warps
    std::map<std::string, const Node*> nodes;
    std::size_t position = 0;
    for (std::size_t i = 1; i < node.kids.size(); ++i) {
        std::string name = node.names[i - 1];
        if (name.empty()) {
            if (position >= known.parameters.size())
                return refuse(node.line,
                              "`" + known.name + "` takes " + std::to_string(known.parameters.size()) + " arguments",
                              "check the call");
            name = known.parameters[position++].name;
        }
        const Value value = evaluate(node.kids[i], frame);
        if (failed())
            return {};
        if (name == "num_warps" || name == "num_stages" || name == "num_ctas") {
            attributes[name.substr(4)] = canonical(value.text);
            continue;
        }
        given[name] = value;
        nodes[name] = &node.kids[i];
    }
    const auto tune = [&](const std::string& name, const std::vector<std::string>& values, int line) {
        if (const std::string problem = macro_name_problem(name); !problem.empty()) {
            refuse(line, "the constexpr parameter `" + name + "` cannot be a tunable: " + problem,
                   "rename it in the kernel, for example to BLOCK_" + name);
            return;
        }
        for (const auto& [other, list] : m_out.tunes)
            if (other == name) {
                if (list != values)
                    refuse(line, "`" + name + "` has another value at an earlier launch", "give each its own name");
                return;
            }
        m_out.tunes.emplace_back(name, values);
        m_out.constexpr_lines[name] = line;
    };
    for (const auto& [name, values] : known.tuned) {
        if (name == "num_warps" || name == "num_stages" || name == "num_ctas") {
            if (values.size() == 1) {
                attributes[name.substr(4)] = values[0];
            } else {
                const std::string tunable = name == "num_warps"    ? "NUM_WARPS"
                                            : name == "num_stages" ? "NUM_STAGES"
                                                                   : "NUM_CTAS";
                tune(tunable, values, node.line);
                attributes[name.substr(4)] = tunable;
            }
        } else {
            tune(name, values, node.line);
        }
    }
    std::string arguments;
    for (const Parameter& parameter : known.parameters) {
        const auto value = given.find(parameter.name);
        const bool is_tuned = std::any_of(known.tuned.begin(), known.tuned.end(),
                                          [&](const auto& entry) { return entry.first == parameter.name; });
        if (parameter.constexpr_value) {
            if (is_tuned)
                continue;
            Value constant_value = value != given.end() ? value->second : Value{};
            if (value == given.end() && parameter.fallback)
                constant_value = evaluate(*parameter.fallback, frame);
            if (failed())
                return {};
            if (constant_value.kind != Value::Kind::scalar || constant_value.real)
                return refuse(node.line, "the constexpr parameter `" + parameter.name + "` has no whole number",
                              "give it a number or a size");
            if (const auto number = constant(constant_value)) {
                tune(parameter.name, {std::to_string(*number)}, node.line);
            } else if (const std::string problem = macro_name_problem(parameter.name); !problem.empty()) {
                refuse(node.line, "the constexpr parameter `" + parameter.name + "` cannot be defined: " + problem,
                       "rename it in the kernel");
            } else {
                const std::string text = canonical(constant_value.text);
                bool there = false;
                for (const auto& [name, expression] : m_out.defines)
                    if (name == parameter.name) {
                        there = true;
                        if (expression != text)
                            refuse(node.line, "`" + name + "` has another value at an earlier launch",
                                   "give each its own name");
                    }
                if (!there) {
                    m_out.defines.emplace_back(parameter.name, text);
                    m_out.constexpr_lines[parameter.name] = node.line;
                }
            }
            if (failed())
                return {};
            continue;
        }
        if (value == given.end())
            return refuse(node.line, "`" + known.name + "` lacks its argument `" + parameter.name + "`", "give it");
        arguments += (arguments.empty() ? "" : ", ") + launch_argument(*nodes[parameter.name], value->second);
    }
    Value grid = evaluate(target.kids[1], frame);
    if (grid.kind == Value::Kind::lambda && grid.node && !grid.node->names.empty()) {
        Frame inner;
        inner.python = true;
        inner.names = frame.names;
        Value meta;
        meta.kind = Value::Kind::meta;
        inner.names[grid.node->names.front()] = meta;
        grid = evaluate(grid.node->kids[0], inner);
    }
    if (failed())
        return {};
    std::string text = "launch " + known.name + "<<<" + extents(node, grid) + ">>>(" + arguments + ")";
    for (const char* attribute : {"warps", "stages", "ctas"})
        if (attributes.contains(attribute))
            text += std::string(" ") + attribute + "(" + attributes[attribute] + ")";
    if (!failed())
        emit(std::move(text), node.line);
    return {};
}

} // namespace kf::lift
