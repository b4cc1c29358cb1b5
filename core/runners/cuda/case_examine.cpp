// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate wrote: looked at, compared, timed.
#include "core/runners/cuda/case_runner.h"

#include <algorithm>

namespace kf::cuda {

Result<CaseRunner::Difference> CaseRunner::first_difference(const std::vector<std::string>& unordered) const {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < m_task.outputs.size(); ++i) {
        const ResolvedBuffer& buffer = m_plan.buffers[static_cast<std::size_t>(output_buffer(i))];
        const auto bytes = static_cast<std::uint64_t>(buffer.bytes);
        if (std::find(unordered.begin(), unordered.end(), m_task.outputs[i].name) == unordered.end()) {
            const auto size = static_cast<int>(size_of(buffer.dtype));
            auto found = m_judge.difference(m_kept[0].get() + at, m_kept[1].get() + at,
                                            bytes / static_cast<std::uint64_t>(size), size);
            if (!found)
                return found.error();
            if (found->count > 0)
                return Difference{static_cast<int>(i), *found};
        }
        at += (bytes + 255) / 256 * 256;
    }
    return Difference{};
}

Result<CaseRunner::Difference> CaseRunner::unwritten() const {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < m_task.outputs.size(); ++i) {
        const ResolvedBuffer& buffer = m_plan.buffers[static_cast<std::size_t>(output_buffer(i))];
        const auto bytes = static_cast<std::uint64_t>(buffer.bytes);
        if (buffer.kind == BufferKind::output) { // an inout buffer holds its input, not poison
            auto found = m_judge.unwritten(m_kept[0].get() + at, m_kept[1].get() + at, bytes / size_of(buffer.dtype),
                                           buffer.dtype);
            if (!found)
                return found.error();
            if (found->count > 0)
                return Difference{static_cast<int>(i), *found};
        }
        at += (bytes + 255) / 256 * 256;
    }
    return Difference{};
}

Result<std::vector<Comparison>> CaseRunner::compare(int slot, const std::vector<GoldenBytes>& goldens) const {
    std::vector<Comparison> comparisons;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < m_task.outputs.size(); ++i) {
        const OutputSpec& output = m_task.outputs[i];
        const ResolvedBuffer& buffer = m_plan.buffers[static_cast<std::size_t>(output_buffer(i))];
        const GoldenBytes& golden = goldens[i];
        const std::uint64_t trusted_at = (golden.golden.size() + 255) / 256 * 256;
        auto memory = DeviceMemory::allocate(m_device.driver(), trusted_at + golden.trusted.size());
        if (!memory)
            return memory.error();
        if (auto status = memory->upload(0, golden.golden); !status)
            return status.error();
        if (auto status = memory->upload(trusted_at, golden.trusted); !status)
            return status.error();
        auto comparison =
            m_judge.compare(output, buffer.shape, m_task.tolerance, m_kept[slot].get() + at, memory->get(),
                            golden.integers, golden.trusted.empty() ? 0 : memory->get() + trusted_at);
        // The next launch of the candidate must find nothing of it.
        if (auto status = m_judge.wipe(memory->get(), memory->bytes()); !status)
            return status.error();
        if (auto status = m_device.driver().check(m_device.synchronize(), "cuCtxSynchronize"); !status)
            return status.error();
        if (!comparison)
            return comparison.error();
        comparisons.push_back(std::move(*comparison));
        at += (static_cast<std::uint64_t>(buffer.bytes) + 255) / 256 * 256;
    }
    return comparisons;
}

Result<std::vector<std::byte>> CaseRunner::fetch(int slot) const {
    std::vector<std::byte> bytes(m_kept[slot].bytes());
    if (auto status = m_kept[slot].download(0, bytes); !status)
        return status.error();
    return bytes;
}

Result<std::variant<double, RunFailure>> CaseRunner::time(Poison poison) {
    using Timed = std::variant<double, RunFailure>;
    if (auto status = reset(poison); !status)
        return status.error();
    double seconds = 0;
    auto done = execute(m_steps, &seconds);
    if (!done)
        return done.error();
    if (*done)
        return Timed(std::move(**done));
    return Timed(seconds);
}

Result<double> CaseRunner::floor() const {
    const Driver& driver = m_device.driver();
    double best = 0;
    for (int i = 0; i < 50; ++i) {
        float milliseconds = 0;
        if (auto status = driver.check(m_device.synchronize(), "cuCtxSynchronize"); !status)
            return status.error();
        (void)driver.event_record(m_begin, nullptr);
        (void)driver.event_record(m_end, nullptr);
        (void)m_device.synchronize();
        if (auto status = driver.check(driver.event_milliseconds(&milliseconds, m_begin, m_end), "cuEventElapsedTime");
            !status)
            return status.error();
        best = i == 0 ? milliseconds : std::min<double>(best, milliseconds);
    }
    return best * 1e-3;
}

} // namespace kf::cuda
