// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/memory.h"

#include <cassert>

namespace kf::cuda {

Result<DeviceMemory> DeviceMemory::allocate(const Driver& driver, std::uint64_t bytes) {
    DeviceMemory memory;
    memory.m_driver = &driver;
    if (const int code = driver.allocate(&memory.m_pointer, bytes > 0 ? bytes : 1); code != success) {
        std::size_t free = 0, total = 0;
        memory.m_pointer = 0;
        (void)driver.memory_info(&free, &total);
        return make_error(code == error_out_of_memory ? "cuda-memory" : "cuda-failed",
                          std::to_string(bytes >> 20) + " MiB of GPU memory cannot be had (" +
                              std::to_string(free >> 20) + " MiB of " + std::to_string(total >> 20) +
                              " are free): " + driver.describe(code),
                          "use a smaller size, or free memory of the GPU");
    }
    memory.m_bytes = bytes;
    return memory;
}

DeviceMemory::~DeviceMemory() {
    if (m_pointer)
        (void)m_driver->free(m_pointer); // fails in a context that a candidate broke: the process goes then anyway
}

Status DeviceMemory::upload(std::uint64_t offset, std::span<const std::byte> from) const {
    assert(offset + from.size() <= m_bytes);
    if (from.empty())
        return {};
    return m_driver->check(m_driver->to_device(m_pointer + offset, from.data(), from.size()), "cuMemcpyHtoD");
}

Status DeviceMemory::download(std::uint64_t offset, std::span<std::byte> to) const {
    assert(offset + to.size() <= m_bytes);
    if (to.empty())
        return {};
    return m_driver->check(m_driver->to_host(to.data(), m_pointer + offset, to.size()), "cuMemcpyDtoH");
}

} // namespace kf::cuda
