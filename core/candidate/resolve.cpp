// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/resolver.h"
#include "core/candidate/spelling.h"

#include <algorithm>
#include <charconv>

namespace kf {

std::int64_t ResolvedPlan::total_bytes() const {
    std::int64_t total = 0;
    for (const ResolvedBuffer& buffer : buffers)
        total += buffer.bytes + guard_bytes_per_buffer;
    return total;
}

int ResolvedPlan::find_buffer(std::string_view name) const {
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (buffers[i].name == name)
            return static_cast<int>(i);
    return -1;
}

Result<ResolvedPlan> resolve_plan(const Candidate& candidate, const Task& task, const TaskCase& task_case,
                                  const TunableValues& tunables, const DeviceLimits& limits,
                                  const ResidentFunction& resident) {
    return detail::Resolver(candidate, task, task_case, limits, resident).run(tunables);
}

namespace detail {

std::pair<int, char> architecture_number(std::string_view architecture) {
    if (!architecture.starts_with("sm_"))
        return {0, '\0'};
    int number = 0;
    const char* const end = architecture.data() + architecture.size();
    const auto [stop, problem] = std::from_chars(architecture.data() + 3, end, number);
    if (problem != std::errc() || end - stop > 1)
        return {0, '\0'};
    return {number, stop == end ? '\0' : *stop};
}

std::string shape_text(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

Resolver::Resolver(const Candidate& candidate, const Task& task, const TaskCase& task_case, const DeviceLimits& limits,
                   const ResidentFunction& resident)
    : m_candidate(candidate), m_task(task), m_case(task_case), m_limits(limits),
      m_device(limits, task_case.symbols, resident), m_scope(&m_device) {}

Result<ResolvedPlan> Resolver::run(const TunableValues& chosen) {
    for (const Status& status : {add_task_buffers(), check_names()})
        if (!status)
            return status.error();
    if (const Status status = add_tunables(chosen); !status)
        return status.error();
    for (std::size_t i = 0; i < m_candidate.plan.statements.size(); ++i)
        if (const Status status = visit(static_cast<int>(i), m_candidate.plan.statements[i]); !status)
            return status.error();
    m_statement = nullptr;
    const bool runs = std::any_of(m_plan.steps.begin(), m_plan.steps.end(),
                                  [](const ResolvedStep& step) { return !std::holds_alternative<ResolvedFill>(step); });
    if (!runs)
        return make_error("plan-nothing-to-run", "no launch and no gemm remains for " + m_case.label(),
                          m_plan.skipped.empty() ? "a plan needs one outside `prepare`"
                                                 : "add a general path; skipped: " + list_of(m_plan.skipped, 3),
                          Place{m_candidate.file_name});
    if (m_plan.steps.size() + m_plan.prepare.size() > 2 * max_launches)
        return make_error("limits-launches",
                          "the plan has " + std::to_string(m_plan.steps.size() + m_plan.prepare.size()) + " steps",
                          "at most " + std::to_string(2 * max_launches) + " launches, products and fills are accepted",
                          Place{m_candidate.file_name});
    for (const Status& status : {check_outputs(), check_memory()})
        if (!status)
            return status.error();
    return std::move(m_plan);
}

Error Resolver::refuse(std::string code, std::string message, std::string remedy) const {
    return make_error(std::move(code), std::move(message), std::move(remedy),
                      m_statement ? m_statement->place : Place{m_candidate.file_name});
}

Error Resolver::needs_gpu(const std::string& what) const {
    return refuse("plan-needs-gpu", what + " needs a GPU",
                  "this is the CPU device: choose a GPU, or leave it out here");
}

Result<std::int64_t> Resolver::evaluate(const Expression& expression, std::string_view what) const {
    Result<std::int64_t> value = expression.integer(m_scope);
    if (value)
        return value;
    Error error = value.error();
    if (!error.code.starts_with("plan-"))
        error.code = "plan-expression";
    error.message = std::string(what) + ": " + error.message;
    if (error.place.line == 0)
        error.place = m_statement ? m_statement->place : Place{m_candidate.file_name};
    return error;
}

Result<Shape> Resolver::evaluate_shape(const std::vector<Expression>& shape, std::string_view what) const {
    Shape values;
    for (const Expression& expression : shape) {
        const Result<std::int64_t> value = evaluate(expression, what);
        if (!value)
            return value.error();
        values.push_back(*value);
    }
    return values;
}

Result<std::array<std::int64_t, 3>> Resolver::evaluate(const Extents& extents, std::string_view what) const {
    std::array<std::int64_t, 3> values{};
    for (std::size_t i = 0; i < 3; ++i) {
        const Result<std::int64_t> value = evaluate(extents[i], what);
        if (!value)
            return value.error();
        values[i] = *value;
    }
    return values;
}

std::vector<std::string> Resolver::buffer_names() const {
    std::vector<std::string> names;
    for (const ResolvedBuffer& each : m_plan.buffers)
        names.push_back(each.name);
    return names;
}

Result<int> Resolver::buffer(const std::string& name, Access access) const {
    const int index = m_plan.find_buffer(name);
    if (index < 0)
        return refuse("plan-tensor", "unknown tensor `" + name + "`", suggestion(name, buffer_names(), "tensors"));
    if (const Status status = check_access(index, access); !status)
        return status.error();
    return index;
}

Status Resolver::check_access(int index, Access access) const {
    const ResolvedBuffer& target = m_plan.buffers[static_cast<std::size_t>(index)];
    if (m_statement->in_prepare) {
        if (!target.in_prepare &&
            !(access == Access::read && target.kind == BufferKind::input && target.role == Role::weight))
            return refuse("plan-prepare", "`prepare` uses `" + target.name + "`",
                          access == Access::read
                              ? "it may read only inputs of role weight and scratch declared inside it"
                              : "it may write only scratch declared inside it");
        return {};
    }
    if (access == Access::read)
        return {};
    if (target.in_prepare)
        return refuse("plan-prepare", "`" + target.name + "` is written outside `prepare`",
                      "scratch declared inside `prepare` is only read outside it");
    if (target.kind == BufferKind::input && target.role != Role::inout)
        return refuse("plan-write-input", "the input `" + target.name + "` is written",
                      "write an output or scratch; only inputs of role inout may be written");
    return {};
}

void Resolver::add_step(ResolvedStep step) {
    (m_statement->in_prepare ? m_plan.prepare : m_plan.steps).push_back(std::move(step));
}

Status Resolver::add_task_buffers() {
    for (const InputSpec& input : m_task.inputs) {
        Result<Shape> shape = shape_of(input.shape, m_case.symbols);
        if (!shape)
            return shape.error();
        ResolvedBuffer entry{input.name, BufferKind::input, input.dtype, std::move(shape).value(),
                             0,          input.align,       input.role,  false};
        entry.bytes = element_count(entry.shape) * static_cast<std::int64_t>(size_of(entry.dtype));
        m_plan.buffers.push_back(std::move(entry));
    }
    for (const OutputSpec& output : m_task.outputs) {
        if (m_plan.find_buffer(output.name) >= 0)
            continue; // the inout input of the same name
        Result<Shape> shape = shape_of(output.shape, m_case.symbols);
        if (!shape)
            return shape.error();
        ResolvedBuffer entry{output.name, BufferKind::output, output.dtype, std::move(shape).value()};
        entry.bytes = element_count(entry.shape) * static_cast<std::int64_t>(size_of(entry.dtype));
        m_plan.buffers.push_back(std::move(entry));
    }
    return {};
}

// Names that the plan gives must not hide the task's.
Status Resolver::check_names() const {
    for (const Statement& statement : m_candidate.plan.statements) {
        std::string name;
        if (const auto* tune = std::get_if<TuneStatement>(&statement.body))
            name = tune->name;
        else if (const auto* define = std::get_if<DefineStatement>(&statement.body))
            name = define->name;
        else if (const auto* scratch = std::get_if<ScratchStatement>(&statement.body))
            name = scratch->name;
        else if (const auto* map = std::get_if<TensormapStatement>(&statement.body))
            name = map->name;
        else
            continue;
        const bool symbol = m_case.symbols.contains(name);
        if (symbol || m_task.find_input(name) || m_task.find_output(name))
            return make_error("plan-name",
                              "the name `" + name + "` is a " + (symbol ? "symbol" : "tensor") + " of the task",
                              "choose another name", statement.place);
    }
    return {};
}

Status Resolver::add_tunables(const TunableValues& chosen) {
    const Result<TunableValues> values = complete_tunables(m_candidate.plan, chosen);
    if (!values)
        return values.error();
    for (const TuneStatement* tune : m_candidate.plan.tunables()) {
        m_scope.set(tune->name, values->at(tune->name));
        m_plan.defines.emplace_back(tune->name, values->at(tune->name));
    }
    // A `where` over tunables alone holds or fails for every case; one with symbols narrows what the tuner tries.
    for (const Statement& statement : m_candidate.plan.statements) {
        const auto* tune = std::get_if<TuneStatement>(&statement.body);
        if (!tune || !tune->where)
            continue;
        const std::vector<std::string> names = tune->where->names();
        if (!std::all_of(names.begin(), names.end(), [&](const std::string& name) { return values->contains(name); }))
            continue;
        m_statement = &statement;
        const Result<std::int64_t> holds = evaluate(*tune->where, "the condition of `where`");
        if (!holds)
            return holds.error();
        if (*holds == 0)
            return refuse("plan-tunable", "`where " + tune->where->print() + "` is false for " + to_string(*values),
                          "choose values that satisfy it, and defaults (first values) that do");
    }
    return {};
}

Status Resolver::visit(int index, const Statement& statement) {
    m_statement = &statement;
    m_index = index;
    if (statement.when) {
        const Result<std::int64_t> holds = evaluate(*statement.when, "the condition of `when`");
        if (!holds)
            return holds.error();
        if (*holds == 0) {
            m_plan.skipped.push_back("line " + std::to_string(statement.place.line) + ": " + label_of(statement));
            return {};
        }
    }
    return std::visit([this](const auto& body) { return apply(body); }, statement.body);
}

Status Resolver::apply(const DefineStatement& define) {
    if (m_scope.contains(define.name))
        return refuse("plan-duplicate", "`" + define.name + "` is defined twice for this case",
                      "at most one of the `when` conditions may hold");
    const Result<std::int64_t> value = evaluate(define.value, "the value of `" + define.name + "`");
    if (!value)
        return value.error();
    m_scope.set(define.name, *value);
    m_plan.defines.emplace_back(define.name, *value);
    return {};
}

Status Resolver::apply(const OptionStatement& option) {
    if (option.maxreg && m_plan.maxreg)
        return refuse("plan-duplicate", "`maxreg` is given twice for this case", "keep one");
    m_plan.fast_math = m_plan.fast_math || option.fast_math;
    if (option.maxreg)
        m_plan.maxreg = option.maxreg;
    return {};
}

Status Resolver::apply(const RequiresStatement& required) {
    if (on_cpu())
        return needs_gpu("`requires " + required.architecture + "`");
    const auto [needed, suffix] = architecture_number(required.architecture);
    const auto [present, ignored] = architecture_number(m_limits.architecture);
    // "a" code runs on exactly its architecture, "f" code within the family, other code on anything newer.
    const bool enough = suffix == 'a'   ? present == needed
                        : suffix == 'f' ? present >= needed && present / 10 == needed / 10
                                        : present >= needed;
    if (!enough)
        return refuse("plan-architecture",
                      "the candidate requires " + required.architecture + ", the device is " +
                          (m_limits.architecture.empty() ? "unknown" : m_limits.architecture),
                      "run it on a device that has it");
    return {};
}

Status Resolver::apply(const UnorderedStatement& unordered) {
    for (const std::string& name : unordered.outputs) {
        if (!m_task.find_output(name)) {
            std::vector<std::string> names;
            for (const OutputSpec& output : m_task.outputs)
                names.push_back(output.name);
            return refuse("plan-tensor", "`" + name + "` is no output of the task", suggestion(name, names, "outputs"));
        }
        if (std::find(m_plan.unordered.begin(), m_plan.unordered.end(), name) == m_plan.unordered.end())
            m_plan.unordered.push_back(name);
    }
    return {};
}

Status Resolver::check_outputs() const {
    for (const OutputSpec& output : m_task.outputs)
        if (!m_touched.contains(m_plan.find_buffer(output.name)))
            return make_error("plan-output", "nothing writes the output `" + output.name + "` for " + m_case.label(),
                              "pass it to a launch, or write it with gemm or fill", Place{m_candidate.file_name});
    return {};
}

Status Resolver::check_memory() const {
    const std::int64_t total = m_plan.total_bytes();
    if (m_limits.memory <= 0 || total <= m_limits.memory)
        return {};
    std::int64_t sums[3] = {0, 0, 0};
    for (const ResolvedBuffer& each : m_plan.buffers)
        sums[static_cast<int>(each.kind)] += each.bytes;
    const Place* place = nullptr;
    for (const Statement& statement : m_candidate.plan.statements)
        if (!place && sums[2] > 0 && std::holds_alternative<ScratchStatement>(statement.body))
            place = &statement.place;
    return make_error("limits-memory",
                      "the plan needs " + std::to_string(total) + " bytes for " + m_case.label() + ": inputs " +
                          std::to_string(sums[0]) + ", outputs " + std::to_string(sums[1]) + ", scratch " +
                          std::to_string(sums[2]) + ", guards " + std::to_string(total - sums[0] - sums[1] - sums[2]),
                      std::to_string(m_limits.memory) + " bytes are available: use less scratch or a smaller size",
                      place ? *place : Place{m_candidate.file_name});
}

} // namespace detail
} // namespace kf
