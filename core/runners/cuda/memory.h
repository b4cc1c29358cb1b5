// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the GPU that goes with its owner.
#pragma once

#include "core/runners/cuda/driver.h"

#include <span>
#include <utility>

namespace kf::cuda {

class DeviceMemory {
public:
    DeviceMemory() = default;
    // Error "cuda-memory" with figures.
    static Result<DeviceMemory> allocate(const Driver& driver, std::uint64_t bytes);
    DeviceMemory(DeviceMemory&& other) noexcept
        : m_driver(other.m_driver), m_pointer(std::exchange(other.m_pointer, 0)),
          m_bytes(std::exchange(other.m_bytes, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(m_driver, other.m_driver);
        std::swap(m_pointer, other.m_pointer);
        std::swap(m_bytes, other.m_bytes);
        return *this;
    }
    ~DeviceMemory();

    DevicePointer get() const { return m_pointer; }
    std::uint64_t bytes() const { return m_bytes; }
    explicit operator bool() const { return m_pointer != 0; }

    Status upload(std::uint64_t offset, std::span<const std::byte> from) const;
    Status download(std::uint64_t offset, std::span<std::byte> to) const;

private:
    const Driver* m_driver = nullptr;
    DevicePointer m_pointer = 0;
    std::uint64_t m_bytes = 0;
};

} // namespace kf::cuda
