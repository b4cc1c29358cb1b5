// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/prompt_task.h"

#include "core/llm/templates.h"

#include <cstdio>
#include <set>

namespace kf {
namespace {

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string shape_text(const std::vector<Expression>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + shape[i].print();
    return text + "]";
}

std::string compare_text(const OutputSpec& output) {
    switch (output.compare) {
    case CompareKind::exact:
        return "every element must be exactly the reference's";
    case CompareKind::codes:
        return "quantised codes: off by one in at most 0.1 % of the elements";
    case CompareKind::index_of:
        return "indices into `" + output.values + "`: unique, and the values they pick equal the reference's";
    case CompareKind::close:
        break;
    }
    return "close: element by element within the tolerance, and per row not much less exact than a plain float32 "
           "implementation";
}

void add_leaves(const Json& json, const std::string& path, std::string& text, int& left, int depth = 0) {
    if (left <= 0 || depth > 3)
        return;
    if (json.is_object()) {
        for (const auto& [name, value] : json.items())
            add_leaves(value, path.empty() ? name : path + "." + name, text, left, depth + 1);
        return;
    }
    if (!json.is_number() && !json.is_string())
        return;
    std::string value = json.is_string() ? json.get<std::string>() : dump_line(json);
    if (value.find('/') != std::string::npos || value.size() > 80)
        return; // paths and long texts help nobody
    value = harmless(value);
    for (char& c : value)
        c = c == '\n' || c == '`' ? ' ' : c;
    text += "- " + shortened(harmless(path), 60) + ": " + value + "\n";
    --left;
}

} // namespace

std::string device_kind(const Json& device) {
    const Json& limits = get_member(device, "limits");
    const std::string kind = get_string(limits, "kind", get_string(get_member(device, "facts"), "kind"));
    if (!kind.empty())
        return kind;
    return get_string(device, "id", "cpu").starts_with("cuda") ? "cuda" : "cpu";
}

std::string task_section(const Task& task, const std::string& kind) {
    std::string text = task.title + " (`" + task.name + "`). The reference; `acc` is the accumulation type:\n" +
                       fenced(task.reference, "python");
    text += "Inputs, row-major and contiguous:\n";
    for (const InputSpec& input : task.inputs) {
        text += "- " + input.name + ": " + std::string(to_string(input.dtype)) + shape_text(input.shape);
        text += input.role == Role::weight ? ", role weight" : input.role == Role::inout ? ", read and written" : "";
        if (input.align < 256)
            text += ", aligned to " + std::to_string(input.align) + " bytes only";
        text += "\n";
    }
    text += "Outputs:\n";
    for (const OutputSpec& output : task.outputs)
        text += "- " + output.name + ": " + std::string(to_string(output.dtype)) + shape_text(output.shape) + ", " +
                compare_text(output) + "\n";
    text += "Tolerance: |got - golden| <= " + number(task.tolerance.atol) + " + " + number(task.tolerance.rtol) +
            " * |golden|. Accumulate in float.\n";
    if (task.forbids_reduced_precision)
        text += "Reduced-precision arithmetic (TF32, half accumulation) is refused.\n";
    text += "Timed sizes, which decide the speed:\n";
    std::set<std::string> sizes;
    if (kind == "cpu")
        sizes.insert("cpu");
    else
        for (const TimedSize& timed : task.timed)
            sizes.insert(timed.size);
    for (const std::string& name : sizes)
        if (const auto size = task.sizes.find(name); size != task.sizes.end())
            text += "- " + to_string(size->second) + "\n";
    std::string shapes, regimes;
    std::set<std::string> seen;
    for (const TaskCase& one : task.cases) {
        if (one.held_out)
            continue;
        if (one.size.empty() && seen.insert(to_string(one.symbols)).second)
            shapes += (shapes.empty() ? "" : "; ") + to_string(one.symbols);
        if (one.regime != Regime::normal && seen.insert(std::string(to_string(one.regime))).second)
            regimes += (regimes.empty() ? "" : ", ") + std::string(to_string(one.regime));
    }
    if (!shapes.empty())
        text += "Also verified at: " + shapes + ", and at others.\n";
    if (!regimes.empty())
        text += "Input regimes beside the normal one: " + regimes + ".\n";
    text += "Least work of a call: " + task.work.flops.print() + " operations, " + task.work.read.print() +
            " bytes read, " + task.work.written.print() + " bytes written.\n";
    text += "Library statements: ";
    if (task.library.empty())
        text += "none allowed";
    for (std::size_t i = 0; i < task.library.size(); ++i)
        text += (i ? ", " : "") + task.library[i];
    return text + ".\n";
}

std::string device_section(const Json& device) {
    const std::string kind = device_kind(device);
    std::string text = prompt_template(kind == "cpu" ? "cpu.md" : "cuda.md");
    int left = 40;
    if (device.is_object())
        for (const char* key : {"name", "timer", "limits", "facts", "ceilings"})
            add_leaves(get_member(device, key), std::string(key) == "limits" || std::string(key) == "facts" ? "" : key,
                       text, left);
    return text;
}

} // namespace kf
