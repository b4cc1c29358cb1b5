// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/case_runner.h"

#include <algorithm>

namespace kf::cuda {
namespace {

RunOutcome fine() {
    return std::optional<RunFailure>();
}
RunOutcome failed(RunFailure failure) {
    return std::optional<RunFailure>(std::move(failure));
}

} // namespace

CaseRunner::~CaseRunner() {
    for (const Event event : {m_begin, m_end})
        if (event)
            (void)m_device.driver().event_destroy(event);
}

RunOutcome CaseRunner::load(Task task, CandidateText text) {
    m_task = std::move(task);
    m_text = std::move(text);
    for (Event* event : {&m_begin, &m_end})
        if (!*event)
            if (auto status = m_device.driver().check(m_device.driver().event_create(event, 0), "cuEventCreate");
                !status)
                return status.error();
    return reload();
}

RunOutcome CaseRunner::reload() {
    m_steps.clear();
    m_prepare.clear();
    m_candidate.reset();
    auto loaded = LoadedCandidate::load(m_device, m_text.cubin, m_text.lowered);
    if (!loaded) {
        if (loaded.error().code == "cuda-kernel" || loaded.error().code == "cuda-module")
            return failed({"launch", "", loaded.error().message, 0});
        return loaded.error();
    }
    m_candidate = std::make_unique<LoadedCandidate>(std::move(*loaded));
    return fine();
}

DevicePointer CaseRunner::address(int buffer) const {
    return m_addresses[static_cast<std::size_t>(buffer)];
}

int CaseRunner::output_buffer(std::size_t output) const {
    return m_plan.find_buffer(m_task.outputs[output].name);
}

RunOutcome CaseRunner::open(const CaseSpec& spec) {
    m_case = spec;
    m_checksums.clear();
    m_fixed.clear();
    m_pristine.clear();
    m_kept[0] = DeviceMemory();
    m_kept[1] = DeviceMemory();
    DeviceLimits limits = m_device.facts().limits;
    auto plan =
        resolve_plan(m_text.candidate, m_task, spec.task_case, m_text.tunables, limits, m_candidate->resident());
    if (!plan)
        return failed({plan.error().code == "plan-limits" ? "limits" : "plan", "", plan.error().message,
                       plan.error().place.line});
    m_plan = std::move(*plan);
    std::vector<ArenaBuffer> buffers;
    for (const ResolvedBuffer& buffer : m_plan.buffers)
        buffers.push_back({buffer.name, buffer.bytes, buffer.align});
    auto layout = layout_arena(buffers, spec.layout_seed);
    if (!layout)
        return layout.error();
    m_layout = std::move(*layout);
    // Guards before and behind catch what is near; a new allocation every case, so that addresses differ as well.
    m_arena = DeviceMemory();
    const auto align = static_cast<std::uint64_t>(m_layout.base_align);
    auto arena = DeviceMemory::allocate(m_device.driver(), static_cast<std::uint64_t>(m_layout.total_bytes) + align);
    if (!arena)
        return arena.error();
    m_arena = std::move(*arena);
    m_base = (align - m_arena.get() % align) % align;
    m_addresses.clear();
    for (const ArenaSlot& slot : m_layout.slots)
        m_addresses.push_back(m_arena.get() + m_base + static_cast<std::uint64_t>(slot.offset));
    if (auto status = write_guards(); !status)
        return status.error();
    if (auto made = make_inputs(spec); !made || *made)
        return made;
    for (const auto& [steps, bound] : {std::pair{&m_plan.prepare, &m_prepare}, std::pair{&m_plan.steps, &m_steps}}) {
        auto ready = m_candidate->bind(*steps, m_plan, m_text.candidate.plan, m_addresses);
        if (!ready)
            return ready.error();
        if (auto* failure = std::get_if<RunFailure>(&*ready))
            return failed(std::move(*failure));
        *bound = std::move(std::get<std::vector<BoundStep>>(*ready));
    }
    // Loading the library takes seconds the first time, and no candidate's.
    for (const auto* steps : {&m_prepare, &m_steps})
        for (const BoundStep& step : *steps)
            if (std::holds_alternative<ResolvedGemm>(step) && !m_blas) {
                auto blas = Blas::open(m_device);
                if (!blas)
                    return blas.error();
                m_blas = std::move(*blas);
            }
    if (auto status = reset(Poison::first); !status)
        return status.error();
    return prepare();
}

RunOutcome CaseRunner::make_inputs(const CaseSpec& spec) {
    for (std::size_t i = 0; i < m_task.inputs.size(); ++i) {
        const InputSpec& input = m_task.inputs[i];
        const int buffer = m_plan.find_buffer(input.name);
        const auto bytes = static_cast<std::uint64_t>(m_plan.buffers[static_cast<std::size_t>(buffer)].bytes);
        if (auto status = m_judge.fill_input(m_task, i, spec.task_case.symbols, spec.task_case.regime, spec.input_seed,
                                             address(buffer), bytes);
            !status)
            return status.error();
        auto sum = m_judge.checksum(address(buffer), bytes);
        if (!sum)
            return sum.error();
        m_checksums.push_back(*sum);
        if (input.role != Role::inout) {
            m_fixed.emplace_back(buffer, *sum);
            continue;
        }
        auto copy = DeviceMemory::allocate(m_device.driver(), bytes);
        if (!copy)
            return copy.error();
        if (auto status =
                m_device.driver().check(m_device.driver().copy(copy->get(), address(buffer), bytes), "cuMemcpyDtoD");
            !status)
            return status.error();
        m_pristine.emplace_back(buffer, std::move(*copy));
    }
    return fine();
}

RunOutcome CaseRunner::prepare() {
    m_prepare_seconds = 0;
    if (m_prepare.empty())
        return fine();
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i)
        if (m_plan.buffers[i].in_prepare)
            if (auto status = m_judge.fill_poison(m_addresses[i], static_cast<std::uint64_t>(m_plan.buffers[i].bytes),
                                                  m_plan.buffers[i].dtype, Poison::first);
                !status)
                return status.error();
    if (auto done = execute(m_prepare, &m_prepare_seconds); !done || *done)
        return done;
    // From here on prepared weights are read only: a later launch must not keep results in them.
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i)
        if (m_plan.buffers[i].in_prepare) {
            auto sum = m_judge.checksum(m_addresses[i], static_cast<std::uint64_t>(m_plan.buffers[i].bytes));
            if (!sum)
                return sum.error();
            m_fixed.emplace_back(static_cast<int>(i), *sum);
        }
    return fine();
}

Status CaseRunner::write_guards() const {
    for (const GuardZone& zone : m_layout.guards) {
        const std::vector<std::byte> bytes = guard_bytes(zone, m_case.layout_seed);
        if (auto status = m_arena.upload(m_base + static_cast<std::uint64_t>(zone.offset), bytes); !status)
            return status;
    }
    return {};
}

RunOutcome CaseRunner::check_guards() const {
    Status broken;
    const auto damages = check_guards_with(m_layout, m_case.layout_seed, [&](const GuardZone& zone) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(zone.bytes));
        if (auto status = m_arena.download(m_base + static_cast<std::uint64_t>(zone.offset), bytes); !status && broken)
            broken = status;
        return bytes;
    });
    if (!broken)
        return broken.error();
    if (damages.empty())
        return fine();
    return failed({"out-of-bounds", damages.front().place(), "the candidate " + to_string(damages.front()), 0});
}

RunOutcome CaseRunner::check_inputs() const {
    for (const auto& [buffer, expected] : m_fixed) {
        const ResolvedBuffer& input = m_plan.buffers[static_cast<std::size_t>(buffer)];
        auto sum = m_judge.checksum(address(buffer), static_cast<std::uint64_t>(input.bytes));
        if (!sum)
            return sum.error();
        if (*sum != expected)
            return failed({"input-written", input.name, "the candidate changed its input `" + input.name + "`", 0});
    }
    return fine();
}

RunOutcome CaseRunner::check() {
    if (auto guards = check_guards(); !guards || *guards)
        return guards;
    return check_inputs();
}

Status CaseRunner::reset(Poison poison) const {
    for (const auto& [buffer, copy] : m_pristine)
        if (auto status = m_device.driver().check(m_device.driver().copy(address(buffer), copy.get(), copy.bytes()),
                                                  "cuMemcpyDtoD");
            !status)
            return status;
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const ResolvedBuffer& buffer = m_plan.buffers[i];
        if (buffer.kind == BufferKind::output || (buffer.kind == BufferKind::scratch && !buffer.in_prepare))
            if (auto status =
                    m_judge.fill_poison(m_addresses[i], static_cast<std::uint64_t>(buffer.bytes), buffer.dtype, poison);
                !status)
                return status;
    }
    return m_judge.poison_shared(poison);
}

RunOutcome CaseRunner::launch(const std::vector<BoundStep>& steps) {
    const Driver& driver = m_device.driver();
    for (const BoundStep& step : steps) {
        if (const auto* one = std::get_if<BoundLaunch>(&step)) {
            std::vector<void*> arguments;
            for (const auto& bytes : one->arguments)
                arguments.push_back(const_cast<std::byte*>(bytes.data())); // the driver copies them
            std::vector<LaunchAttribute> attributes = one->attributes;
            LaunchConfig config = one->config;
            config.attributes = attributes.data();
            config.attribute_count = static_cast<unsigned int>(attributes.size());
            if (const int code = driver.launch(&config, one->function, arguments.data(), nullptr); code != success) {
                if (auto failure = failure_of_code(driver, code, one->kernel))
                    return failed(std::move(*failure));
                return driver.check(code, "cuLaunchKernelEx").error();
            }
        } else if (const auto* fill = std::get_if<BoundFill>(&step)) {
            if (auto status = m_judge.fill_pattern(fill->out, fill->elements, fill->element_bytes, fill->pattern);
                !status)
                return status.error();
        } else {
            if (auto status = m_blas->multiply(std::get<ResolvedGemm>(step), m_plan, m_addresses); !status)
                return status.error();
        }
    }
    return fine();
}

RunOutcome CaseRunner::execute(const std::vector<BoundStep>& steps, double* seconds) {
    const Driver& driver = m_device.driver();
    // Whatever we did before is over, so that what fails from here on is the candidate's.
    if (auto status = driver.check(m_device.synchronize(), "cuCtxSynchronize"); !status)
        return status.error();
    if (seconds)
        (void)driver.event_record(m_begin, nullptr);
    if (auto launched = launch(steps); !launched || *launched)
        return launched;
    if (seconds)
        (void)driver.event_record(m_end, nullptr);
    if (const int code = m_device.synchronize(); code != success) {
        std::string kernel;
        for (const BoundStep& step : steps)
            if (const auto* one = std::get_if<BoundLaunch>(&step))
                kernel = kernel.empty() ? one->kernel : kernel == one->kernel ? kernel : "one of the plan's kernels";
        if (auto failure = failure_of_code(driver, code, kernel))
            return failed(std::move(*failure));
        return driver.check(code, "cuCtxSynchronize").error();
    }
    if (seconds) {
        float milliseconds = 0;
        if (auto status = driver.check(driver.event_milliseconds(&milliseconds, m_begin, m_end), "cuEventElapsedTime");
            !status)
            return status.error();
        *seconds = static_cast<double>(milliseconds) * 1e-3;
    }
    return fine();
}

RunOutcome CaseRunner::run(Poison poison) {
    if (auto status = reset(poison); !status)
        return status.error();
    if (auto done = execute(m_steps, nullptr); !done || *done)
        return done;
    return check();
}

std::uint64_t CaseRunner::output_bytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < m_task.outputs.size(); ++i)
        bytes += (static_cast<std::uint64_t>(m_plan.buffers[static_cast<std::size_t>(output_buffer(i))].bytes) + 255) /
                 256 * 256;
    return bytes;
}

Status CaseRunner::keep(int slot) {
    if (m_kept[slot].bytes() != output_bytes()) {
        auto memory = DeviceMemory::allocate(m_device.driver(), output_bytes());
        if (!memory)
            return memory.error();
        m_kept[slot] = std::move(*memory);
    }
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < m_task.outputs.size(); ++i) {
        const int buffer = output_buffer(i);
        const auto bytes = static_cast<std::uint64_t>(m_plan.buffers[static_cast<std::size_t>(buffer)].bytes);
        if (bytes > 0)
            if (auto status = m_device.driver().check(
                    m_device.driver().copy(m_kept[slot].get() + at, address(buffer), bytes), "cuMemcpyDtoD");
                !status)
                return status;
        at += (bytes + 255) / 256 * 256;
    }
    return {};
}

} // namespace kf::cuda
