// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cpu_session.h"

#include "core/base/sha256.h"
#include "core/protocol/handshake.h"
#include "core/task/inputs.h"

#include <algorithm>
#include <cstring>

namespace kf {
namespace {

std::string join(const std::array<std::int64_t, 3>& triple) {
    return std::to_string(triple[0]) + "," + std::to_string(triple[1]) + "," + std::to_string(triple[2]);
}

InfrastructureFault fault(const std::string& what, const Error& error) {
    return {what + ": " + to_string(error), true};
}

FailureClass class_of(const CpuRunStatus& status) {
    switch (status.kind) {
    case CpuRunStatus::Kind::sandbox:
        return FailureClass::sandbox;
    case CpuRunStatus::Kind::crash:
        return FailureClass::crash;
    case CpuRunStatus::Kind::exited:
        return FailureClass::exit;
    case CpuRunStatus::Kind::timeout:
        return FailureClass::timeout;
    case CpuRunStatus::Kind::flood:
        return FailureClass::flood;
    case CpuRunStatus::Kind::memory:
        return FailureClass::memory;
    case CpuRunStatus::Kind::sanitizer:
        return FailureClass::out_of_bounds;
    default:
        break;
    }
    if (status.status == "barrier")
        return FailureClass::barrier;
    if (status.status == "no-progress")
        return FailureClass::no_progress;
    if (status.status == "misaligned")
        return FailureClass::misaligned;
    if (status.status == "limits")
        return FailureClass::limits;
    if (status.status == "crash" || status.status == "trap" || status.status == "assert" ||
        status.status == "stack-overflow")
        return FailureClass::crash;
    return FailureClass::launch;
}

} // namespace

Json CpuBinaryHandle::figures() const {
    return Json{{"compiler", m_binary.compiler},     {"seconds", m_binary.seconds},
                {"from_cache", m_binary.from_cache}, {"flags", m_binary.flags},
                {"bytes", m_binary.object.size()},   {"volatile_yields", m_binary.volatile_yields},
                {"mode", to_string(m_binary.mode)}};
}

CpuDeviceSession::CpuDeviceSession(std::unique_ptr<CpuSession> process, std::vector<CpuKernel> kernels,
                                   std::shared_ptr<const CpuBinaryHandle> binary, StopSignal& stop,
                                   std::shared_ptr<InputCache> inputs, bool poison_guards_for_asan)
    : m_process(std::move(process)), m_kernels(std::move(kernels)), m_binary(std::move(binary)), m_stop(stop),
      m_inputs(std::move(inputs)), m_asan(poison_guards_for_asan) {}

Result<std::shared_ptr<const InputCache::Inputs>> InputCache::get(const Task& task, const TaskCase& task_case,
                                                                  std::uint64_t seed) {
    const std::string key = task.hash + "|" + to_string(task_case.symbols) + "|" +
                            std::string(to_string(task_case.regime)) + "|" + std::to_string(seed);
    const std::lock_guard lock(m_mutex);
    if (m_inputs && m_key == key)
        return m_inputs;
    m_inputs.reset(); // two cases at once could be too much memory
    auto made = std::make_shared<Inputs>();
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
        auto bytes = bytes_of(task.inputs[i], task_case.symbols);
        if (!bytes)
            return bytes.error();
        made->bytes.emplace_back(static_cast<std::size_t>(*bytes));
        if (auto status = generate_input(task, i, task_case.symbols, task_case.regime, seed, made->bytes.back());
            !status)
            return status.error();
        made->checksums.push_back(checksum64(made->bytes.back()));
    }
    m_key = key;
    m_inputs = std::move(made);
    return m_inputs;
}

std::span<std::byte> CpuDeviceSession::bytes_of(int buffer) const {
    const ArenaSlot& slot = m_layout.slots[static_cast<std::size_t>(buffer)];
    return m_process->arena().subspan(static_cast<std::size_t>(slot.offset), static_cast<std::size_t>(slot.bytes));
}

int CpuDeviceSession::output_buffer(std::size_t output) const {
    return m_job.plan->find_buffer(m_job.task->outputs[output].name);
}

Halt CpuDeviceSession::halt_of(const CpuRunStatus& status) const {
    if (status.kind == CpuRunStatus::Kind::cancelled)
        return Cancelled{"cancelled on request"};
    if (m_stop.cancelled())
        return Cancelled{"cancelled on request"};
    if (status.kind == CpuRunStatus::Kind::lost)
        return InfrastructureFault{"kf-cpu: " + status.message, true};
    Failure failure = make_failure(Stage::verify, class_of(status), "", status.message);
    if (status.kind == CpuRunStatus::Kind::protocol) {
        // A candidate shares its process with the runner: what breaks the protocol there is the candidate's doing.
        failure.failure = FailureClass::crash;
        failure.message = "the candidate's process broke off: " + status.message;
    }
    std::string kernel;
    if (status.kernel >= 0 && status.kernel < static_cast<int>(m_kernels.size()))
        kernel = m_kernels[static_cast<std::size_t>(status.kernel)].expression;
    if (status.kind == CpuRunStatus::Kind::sandbox)
        failure.place = status.syscall;
    else if (status.line > 0)
        failure.place = "line:" + std::to_string(status.line);
    else
        failure.place = kernel.substr(0, kernel.find('<'));
    if (failure.message.empty())
        failure.message = std::string("the candidate ended with ") + to_string(status.kind);
    // The runner shares its process with the candidate, which may have written this text: it is kept short and said
    // whose it is.
    if (status.kind == CpuRunStatus::Kind::failed)
        failure.message = "its process reports: " + printable(failure.message, 240);
    if (!kernel.empty())
        failure.message += " [kernel " + kernel + (status.block ? ", block " + join(*status.block) : "") +
                           (status.thread ? ", thread " + join(*status.thread) : "") + "]";
    if (status.line > 0 && m_job.candidate)
        failure.source = Place{m_job.candidate->file_name, status.line, 0};
    failure.evidence =
        status.error_tail.size() > 4096 ? status.error_tail.substr(status.error_tail.size() - 4096) : status.error_tail;
    return failure;
}

std::optional<Halt> CpuDeviceSession::make_steps(const std::vector<ResolvedStep>& steps,
                                                 std::vector<CpuStep>& made) const {
    const auto offset_of = [&](int buffer) {
        return static_cast<std::uint64_t>(m_layout.slots[static_cast<std::size_t>(buffer)].offset);
    };
    const auto matrix = [&](int buffer, bool transposed) {
        CpuMatrix operand;
        operand.offset = offset_of(buffer);
        operand.dtype = std::string(to_string(m_job.plan->buffers[static_cast<std::size_t>(buffer)].dtype));
        operand.transposed = transposed;
        return operand;
    };
    for (const ResolvedStep& step : steps) {
        if (const auto* launch = std::get_if<ResolvedLaunch>(&step)) {
            const auto kernel = std::find_if(m_kernels.begin(), m_kernels.end(),
                                             [&](const CpuKernel& k) { return k.expression == launch->expression; });
            if (kernel == m_kernels.end())
                return InfrastructureFault{"the compiled candidate lacks the kernel " + launch->expression, false};
            auto parameters = parse_signature(kernel->signature);
            if (!parameters)
                return failure_of_error(Stage::compile, parameters.error());
            auto bound = bind_arguments(*launch, *m_job.plan, m_job.candidate->plan, *parameters);
            if (!bound) {
                Failure failure = failure_of_error(Stage::compile, bound.error());
                if (failure.source.file.empty())
                    failure.source.file = m_job.candidate->file_name;
                return failure;
            }
            LaunchStep made_launch;
            made_launch.kernel = static_cast<std::uint32_t>(kernel - m_kernels.begin());
            for (std::size_t axis = 0; axis < 3; ++axis) {
                made_launch.grid[axis] = static_cast<std::uint32_t>(launch->grid[axis]);
                made_launch.block[axis] = static_cast<std::uint32_t>(launch->block[axis]);
            }
            made_launch.shared_bytes = static_cast<std::uint64_t>(launch->shared);
            made_launch.cooperative = launch->cooperative;
            for (const BoundArgument& argument : *bound) {
                CpuArgument value;
                value.is_pointer = argument.buffer >= 0;
                value.value = value.is_pointer
                                  ? offset_of(argument.buffer) + static_cast<std::uint64_t>(argument.byte_offset)
                                  : argument.bits;
                value.size = argument.size;
                made_launch.arguments.push_back(value);
            }
            made.emplace_back(std::move(made_launch));
        } else if (const auto* fill = std::get_if<ResolvedFill>(&step)) {
            const ResolvedBuffer& buffer = m_job.plan->buffers[static_cast<std::size_t>(fill->buffer)];
            made.emplace_back(FillStep{offset_of(fill->buffer), static_cast<std::uint64_t>(buffer.bytes), fill->pattern,
                                       static_cast<int>(size_of(buffer.dtype))});
        } else {
            const auto& gemm = std::get<ResolvedGemm>(step);
            GemmStep product;
            product.a = matrix(gemm.a, gemm.a_transposed);
            product.b = matrix(gemm.b, gemm.b_transposed);
            product.c = matrix(gemm.out, false);
            if (gemm.bias >= 0)
                product.bias = matrix(gemm.bias, false);
            product.m = static_cast<std::uint64_t>(gemm.m);
            product.n = static_cast<std::uint64_t>(gemm.n);
            product.k = static_cast<std::uint64_t>(gemm.k);
            product.batch = static_cast<std::uint64_t>(gemm.batch);
            product.epilogue = gemm.epilogue.empty() ? "none" : gemm.epilogue;
            made.emplace_back(std::move(product));
        }
    }
    return std::nullopt;
}

std::optional<Halt> CpuDeviceSession::open_case(const CaseJob& job) {
    m_job = job;
    m_task_checksums.clear();
    m_fixed.clear();
    m_pristine.clear();
    m_prepare.clear();
    m_steps.clear();
    m_prepare_seconds = 0;
    std::vector<ArenaBuffer> buffers;
    for (const ResolvedBuffer& buffer : job.plan->buffers)
        buffers.push_back(ArenaBuffer{buffer.name, buffer.bytes, buffer.align});
    auto layout = layout_arena(buffers, job.layout_seed);
    if (!layout)
        return InfrastructureFault{to_string(layout.error()), false};
    m_layout = std::move(*layout);
    if (auto sized = m_process->set_arena(static_cast<std::uint64_t>(m_layout.total_bytes)); !sized)
        return fault("the buffers cannot be had", sized.error());
    fill_guards(m_layout, job.layout_seed, m_process->arena());
    auto inputs = m_inputs->get(*job.task, *job.task_case, job.input_seed);
    if (!inputs)
        return fault("an input cannot be made", inputs.error());
    m_task_checksums = (*inputs)->checksums;
    for (std::size_t i = 0; i < job.task->inputs.size(); ++i) {
        const InputSpec& input = job.task->inputs[i];
        const int buffer = job.plan->find_buffer(input.name);
        const auto bytes = bytes_of(buffer);
        std::copy((*inputs)->bytes[i].begin(), (*inputs)->bytes[i].end(), bytes.begin());
        if (input.role == Role::inout)
            m_pristine.emplace_back(buffer, std::vector<std::byte>(bytes.begin(), bytes.end()));
        else
            m_fixed.emplace_back(buffer, m_task_checksums[i]);
    }
    if (auto halted = make_steps(job.plan->prepare, m_prepare))
        return halted;
    if (auto halted = make_steps(job.plan->steps, m_steps))
        return halted;
    if (m_asan) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        for (const GuardZone& guard : m_layout.guards)
            ranges.emplace_back(static_cast<std::uint64_t>(guard.offset), static_cast<std::uint64_t>(guard.bytes));
        if (auto set = m_process->set_poison(ranges); !set)
            return fault("the guards cannot be announced to the sanitizer", set.error());
    }
    reset_buffers(Poison::first);
    return prepare_weights(job.layout_seed, m_stop.within(30));
}

std::optional<Halt> CpuDeviceSession::set_plan(const std::vector<CpuStep>& steps) {
    if (auto set = m_process->set_plan(steps); !set)
        return fault("the plan was not taken", set.error());
    return std::nullopt;
}

std::optional<Halt> CpuDeviceSession::prepare_weights(std::uint64_t order_seed, Deadline deadline) {
    if (!m_prepare.empty()) {
        for (std::size_t i = 0; i < m_job.plan->buffers.size(); ++i)
            if (m_job.plan->buffers[i].in_prepare)
                fill_poison(bytes_of(static_cast<int>(i)), m_job.plan->buffers[i].dtype, Poison::first);
        if (auto halted = set_plan(m_prepare))
            return halted;
        if (auto halted = run_plan(order_seed, deadline, &m_prepare_seconds))
            return halted;
        // From here on prepared weights are read only: a later launch must not keep results in them.
        for (std::size_t i = 0; i < m_job.plan->buffers.size(); ++i)
            if (m_job.plan->buffers[i].in_prepare)
                m_fixed.emplace_back(static_cast<int>(i), checksum64(bytes_of(static_cast<int>(i))));
    }
    if (auto halted = set_plan(m_steps))
        return halted;
    return std::nullopt;
}

void CpuDeviceSession::reset_buffers(Poison poison) {
    for (const auto& [buffer, bytes] : m_pristine)
        std::copy(bytes.begin(), bytes.end(), bytes_of(buffer).begin());
    for (std::size_t i = 0; i < m_job.plan->buffers.size(); ++i) {
        const ResolvedBuffer& buffer = m_job.plan->buffers[i];
        if (buffer.kind == BufferKind::output || (buffer.kind == BufferKind::scratch && !buffer.in_prepare))
            fill_poison(bytes_of(static_cast<int>(i)), buffer.dtype, poison);
    }
}

std::optional<Halt> CpuDeviceSession::run_plan(std::uint64_t order_seed, Deadline deadline, double* seconds) {
    const CpuRunStatus status = m_process->run(order_seed, 1, deadline, [this] { return m_stop.cancelled(); });
    m_reports.insert(m_reports.end(), status.reports.begin(), status.reports.end());
    if (!status.error_tail.empty())
        m_error_tail = status.error_tail;
    if (seconds)
        *seconds = status.seconds;
    if (!status.ok())
        return halt_of(status);
    return std::nullopt;
}

std::optional<Halt> CpuDeviceSession::check_guards_and_inputs() {
    const auto damages = check_guards(m_layout, m_job.layout_seed, m_process->arena());
    if (!damages.empty()) {
        Failure failure = make_failure(Stage::verify, FailureClass::out_of_bounds, damages.front().place(),
                                       "the candidate " + to_string(damages.front()),
                                       "check the index against the buffer's size in every thread");
        for (std::size_t i = 1; i < damages.size() && i < 8; ++i)
            failure.evidence += to_string(damages[i]) + "\n";
        return failure;
    }
    for (const auto& [buffer, sum] : m_fixed)
        if (checksum64(bytes_of(buffer)) != sum) {
            const std::string& name = m_job.plan->buffers[static_cast<std::size_t>(buffer)].name;
            return make_failure(Stage::verify, FailureClass::input_written, name,
                                "the candidate changed its input `" + name + "`", "write only outputs and scratch");
        }
    return std::nullopt;
}

std::optional<Halt> CpuDeviceSession::run(int poison, std::uint64_t order_seed, Deadline deadline) {
    reset_buffers(poison == 0 ? Poison::first : Poison::second);
    if (auto halted = run_plan(order_seed, deadline, nullptr)) {
        // A wild write that also crashed: the guard says more than the signal, but the signal is what happened.
        return halted;
    }
    return check_guards_and_inputs();
}

std::optional<Halt> CpuDeviceSession::keep(int slot) {
    auto& kept = m_kept[slot];
    kept.resize(m_job.task->outputs.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto bytes = bytes_of(output_buffer(i));
        kept[i].assign(bytes.begin(), bytes.end());
    }
    return std::nullopt;
}

Attempt<int> CpuDeviceSession::first_difference(const std::vector<std::string>& unordered) {
    for (std::size_t i = 0; i < m_kept[0].size(); ++i) {
        if (std::find(unordered.begin(), unordered.end(), m_job.task->outputs[i].name) != unordered.end())
            continue;
        if (m_kept[0][i] != m_kept[1][i])
            return static_cast<int>(i);
    }
    return -1;
}

Attempt<std::optional<UnwrittenElements>> CpuDeviceSession::unwritten() {
    for (std::size_t i = 0; i < m_kept[0].size(); ++i) {
        if (m_job.plan->buffers[static_cast<std::size_t>(output_buffer(i))].kind != BufferKind::output)
            continue; // an inout buffer holds its input, not poison
        const Unwritten found = find_unwritten(m_kept[0][i], m_kept[1][i], m_job.task->outputs[i].dtype);
        if (found.any())
            return std::optional(UnwrittenElements{static_cast<int>(i), found.count,
                                                   found.ranges.empty() ? 0 : found.ranges.front().first});
    }
    return std::optional<UnwrittenElements>();
}

Attempt<std::vector<Comparison>> CpuDeviceSession::compare(int slot, const CaseGolden& golden) {
    std::vector<Comparison> comparisons;
    for (std::size_t i = 0; i < m_job.task->outputs.size(); ++i) {
        const OutputSpec& spec = m_job.task->outputs[i];
        std::vector<double> values;
        if (spec.compare == CompareKind::index_of)
            if (const int input = m_job.plan->find_buffer(spec.values); input >= 0) {
                const ResolvedBuffer& buffer = m_job.plan->buffers[static_cast<std::size_t>(input)];
                values.resize(static_cast<std::size_t>(element_count(buffer.shape)));
                load_elements(bytes_of(input), buffer.dtype, 0, values);
            }
        const CaseGolden::Output& expected = golden.outputs[i];
        comparisons.push_back(compare_output(
            spec, m_job.plan->buffers[static_cast<std::size_t>(output_buffer(i))].shape, m_job.task->tolerance,
            m_kept[slot][i], Golden{expected.golden, expected.integers, expected.trusted}, values));
    }
    return comparisons;
}

Attempt<double> CpuDeviceSession::time(std::uint64_t order_seed, Deadline deadline) {
    reset_buffers(order_seed & 1 ? Poison::first : Poison::second);
    double seconds = 0;
    if (auto halted = run_plan(order_seed, deadline, &seconds))
        return std::move(*halted);
    return seconds;
}

std::optional<Halt> CpuDeviceSession::check_after() {
    return check_guards_and_inputs();
}

Attempt<double> CpuDeviceSession::floor() {
    auto seconds = m_process->measure_floor();
    if (!seconds)
        return fault("the timer's floor cannot be measured", seconds.error());
    return *seconds;
}

} // namespace kf
