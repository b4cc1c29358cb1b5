// SPDX-License-Identifier: GPL-3.0-or-later
// One GPU with its context in this process, and modules loaded into it.
#pragma once

#include "core/base/json.h"
#include "core/candidate/resolve.h"
#include "core/runners/cuda/driver.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace kf::cuda {

// What is known of a GPU without a context. Errors as Driver::check, "cuda-device" (no such number).
struct DeviceFacts {
    int ordinal = 0;
    std::string name, uuid, bus_id; // "GPU-…"
    std::uint64_t memory = 0;       // bytes
    int driver_version = 0;         // 13000
    std::int64_t l2_bytes = 0;
    int clock_khz = 0, memory_clock_khz = 0;
    DeviceLimits limits;
};
Result<DeviceFacts> device_facts(const Driver& driver, int ordinal);
Json to_json(const DeviceFacts& facts);

class DeviceContext {
public:
    static Result<std::unique_ptr<DeviceContext>> open(std::unique_ptr<Driver> driver, int ordinal);
    ~DeviceContext();
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    const Driver& driver() const { return *m_driver; }
    const DeviceFacts& facts() const { return m_facts; }
    // Bytes that may be allocated now.
    std::uint64_t free_memory() const;
    // For the calling thread: each method of a server may come on another one.
    Status make_current() const { return m_driver->check(m_driver->context_set(m_context), "cuCtxSetCurrent"); }
    // Waits for everything; the result code of what ran.
    int synchronize() const { return m_driver->context_synchronize(); }

private:
    DeviceContext(std::unique_ptr<Driver> driver, DeviceFacts facts)
        : m_driver(std::move(driver)), m_facts(std::move(facts)) {}
    std::unique_ptr<Driver> m_driver;
    DeviceFacts m_facts;
    Context m_context = nullptr; // retained
};

struct KernelInfo {
    Function function = nullptr;
    int registers = 0, local_bytes = 0, shared_bytes = 0, max_threads = 0;
    std::vector<std::size_t> parameter_bytes;
};

class LoadedModule {
public:
    // Errors: "cuda-module" (the driver's own words).
    static Result<LoadedModule> load(const DeviceContext& device, const std::string& cubin);
    LoadedModule() = default;
    LoadedModule(LoadedModule&& other) noexcept;
    LoadedModule& operator=(LoadedModule&& other) noexcept;
    ~LoadedModule();

    // Error "cuda-kernel": there is none by that name.
    Result<KernelInfo> kernel(const std::string& lowered_name) const;
    // Blocks of the kernel that fit on one multiprocessor.
    Result<std::int64_t> resident(const KernelInfo& kernel, std::int64_t block, std::int64_t shared) const;

private:
    const DeviceContext* m_device = nullptr;
    Module m_module = nullptr;
};

} // namespace kf::cuda
