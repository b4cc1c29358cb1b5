// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/task.h"

#include "core/base/files.h"
#include "core/task/task_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kf {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::pair<Regime, std::string_view>, 6> regimes = {{{Regime::normal, "normal"},
                                                                         {Regime::spiky, "spiky"},
                                                                         {Regime::cancel, "cancel"},
                                                                         {Regime::integers, "integers"},
                                                                         {Regime::mixed, "mixed"},
                                                                         {Regime::specials, "specials"}}};
constexpr std::int64_t max_elements = std::int64_t{1} << 40;

SymbolTable table_of(const Symbols& symbols) {
    SymbolTable table;
    for (const auto& [name, value] : symbols)
        table.set(name, value);
    return table;
}

} // namespace

std::int64_t element_count(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t axis : shape)
        count *= axis;
    return count;
}

std::string to_string(const Symbols& symbols) {
    std::string text;
    for (const auto& [name, value] : symbols)
        text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
    return text;
}

std::string_view to_string(Regime regime) {
    for (const auto& [value, name] : regimes)
        if (value == regime)
            return name;
    return "normal";
}

std::optional<Regime> parse_regime(std::string_view name) {
    for (const auto& [value, text] : regimes)
        if (text == name)
            return value;
    return std::nullopt;
}

std::string TaskCase::label() const {
    const std::string sizes = to_string(symbols);
    return (sizes.empty() ? "" : sizes + " · ") + std::string(to_string(regime));
}

const InputSpec* Task::find_input(std::string_view input_name) const {
    for (const InputSpec& input : inputs)
        if (input.name == input_name)
            return &input;
    return nullptr;
}

const OutputSpec* Task::find_output(std::string_view output_name) const {
    for (const OutputSpec& output : outputs)
        if (output.name == output_name)
            return &output;
    return nullptr;
}

std::vector<std::string> Task::symbol_names() const {
    std::vector<std::string> names;
    if (!sizes.empty())
        for (const auto& [symbol, ignored] : sizes.begin()->second)
            names.push_back(symbol);
    return names;
}

Result<Task> load_task(const fs::path& folder) {
    const fs::path json_file = folder / "task.json";
    const Result<std::string> json = read_file(json_file, std::size_t{1} << 20);
    if (!json)
        return json.error();
    const Result<std::string> reference = read_file(folder / "reference.py", std::size_t{256} << 10);
    if (!reference)
        return reference.error();
    Result<Task> task = parse_task(*json, *reference, json_file.string());
    if (task)
        task->folder = folder;
    return task;
}

std::vector<fs::path> list_task_folders(const fs::path& root) {
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const auto& stage : fs::directory_iterator(root, ignored)) {
        std::error_code inner;
        for (const auto& folder : fs::directory_iterator(stage.path(), inner))
            if (fs::is_regular_file(folder.path() / "task.json", inner))
                folders.push_back(folder.path());
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

Result<Task> find_task(const std::string& name_or_path, const fs::path& root) {
    std::error_code ignored;
    fs::path as_path(name_or_path);
    if (as_path.filename() == "task.json")
        as_path = as_path.parent_path().empty() ? fs::path(".") : as_path.parent_path();
    if (!name_or_path.empty() && fs::is_regular_file(as_path / "task.json", ignored))
        return load_task(as_path);
    std::vector<std::string> names;
    for (const fs::path& folder : list_task_folders(root)) {
        const std::string name = folder.filename().string();
        if (name_or_path == name || name_or_path == folder.parent_path().filename().string() + "/" + name)
            return load_task(folder);
        names.push_back(name);
    }
    const std::string close = nearest(name_or_path, names);
    std::string remedy = names.empty() ? "no tasks below " + root.string() : "known: " + joined(names);
    if (!close.empty())
        remedy = "did you mean '" + close + "'? " + remedy;
    return make_error("task-unknown", "there is no task '" + name_or_path.substr(0, 200) + "'", std::move(remedy));
}

Result<Shape> shape_of(const std::vector<Expression>& shape, const Symbols& symbols) {
    const SymbolTable table = table_of(symbols);
    Shape sizes;
    std::int64_t count = 1;
    for (const Expression& axis : shape) {
        const Result<std::int64_t> size = axis.integer(table);
        if (!size)
            return size.error();
        if (*size < 1)
            return make_error("task-shape", "the axis '" + axis.print() + "' has size " + std::to_string(*size),
                              "every axis has at least one element", axis.place());
        if (__builtin_mul_overflow(count, *size, &count) || count > max_elements)
            return make_error("task-shape", "the tensor has more than 2^40 elements", "use smaller sizes",
                              axis.place());
        sizes.push_back(*size);
    }
    return sizes;
}

Result<std::int64_t> bytes_of(const InputSpec& input, const Symbols& symbols) {
    const Result<Shape> shape = shape_of(input.shape, symbols);
    if (!shape)
        return shape.error();
    return element_count(*shape) * static_cast<std::int64_t>(size_of(input.dtype));
}

std::vector<TaskCase> cases_for(const Task& task, const std::string& size_name, bool include_held_out) {
    std::vector<TaskCase> cases;
    const auto add = [&](TaskCase task_case) {
        const bool known = std::any_of(cases.begin(), cases.end(), [&](const TaskCase& other) {
            return other.symbols == task_case.symbols && other.regime == task_case.regime;
        });
        if (!known)
            cases.push_back(std::move(task_case));
    };
    const auto add_size = [&](const std::string& name, Regime regime, bool held_out) {
        if (const auto size = task.sizes.find(name); size != task.sizes.end())
            add(TaskCase{size->second, name, regime, held_out});
    };
    const auto add_listed = [&](bool held_out) {
        for (const TaskCase& task_case : task.cases) {
            if (task_case.held_out != held_out)
                continue;
            if (task_case.size.empty())
                add(task_case);
            else
                add_size(size_name, task_case.regime, held_out);
        }
    };
    add_listed(false);
    const bool is_timed = std::any_of(task.timed.begin(), task.timed.end(),
                                      [&](const TimedSize& timed) { return timed.size == size_name; });
    add_size(size_name, Regime::normal, false);
    if (is_timed)
        for (const TimedSize& timed : task.timed)
            add_size(timed.size, Regime::normal, false);
    if (include_held_out)
        add_listed(true);
    return cases;
}

Json task_to_wire(const Task& task) {
    return {{"json", task.json_text}, {"reference", task.reference}};
}

Result<Task> task_from_wire(const Json& wire) {
    const Json& json = get_member(wire, "json");
    const Json& reference = get_member(wire, "reference");
    if (!json.is_string() || !reference.is_string())
        return make_error("task-wire", "a task on the wire has the strings 'json' and 'reference'",
                          "send what task_to_wire gives");
    return parse_task(json.get_ref<const std::string&>(), reference.get_ref<const std::string&>(), "task.json");
}

} // namespace kf
