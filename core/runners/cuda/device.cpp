// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/device.h"

#include <cstdio>
#include <utility>

namespace kf::cuda {
namespace {

std::string architecture_of(int major, int minor) {
    std::string name = "sm_" + std::to_string(major) + std::to_string(minor);
    // The architecture-specific set where there is one: wgmma, setmaxnreg and TMA reductions need it.
    if (major == 9 || major == 10 || major == 12)
        name += "a";
    return name;
}

std::string uuid_text(const unsigned char* bytes) {
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", bytes[i]);
        text += two;
        if (i == 3 || i == 5 || i == 7 || i == 9)
            text += '-';
    }
    return text;
}

} // namespace

Result<DeviceFacts> device_facts(const Driver& driver, int ordinal) {
    int count = 0;
    if (auto status = driver.check(driver.device_count(&count), "cuDeviceGetCount"); !status)
        return status.error();
    if (ordinal < 0 || ordinal >= count)
        return make_error("cuda-device",
                          "there is no GPU number " + std::to_string(ordinal) + ", this process sees " +
                              std::to_string(count),
                          count > 0 ? "cuda:0 … cuda:" + std::to_string(count - 1) : "look at CUDA_VISIBLE_DEVICES");
    DeviceFacts facts;
    facts.ordinal = ordinal;
    facts.driver_version = driver.version();
    char name[256] = {}, bus[32] = {};
    unsigned char uuid[16] = {};
    std::size_t memory = 0;
    for (const auto& [code, call] : {std::pair{driver.device_name(name, sizeof name, ordinal), "cuDeviceGetName"},
                                     std::pair{driver.device_uuid(uuid, ordinal), "cuDeviceGetUuid"},
                                     std::pair{driver.device_memory(&memory, ordinal), "cuDeviceTotalMem"},
                                     std::pair{driver.device_bus_id(bus, sizeof bus, ordinal), "cuDeviceGetPCIBusId"}})
        if (auto status = driver.check(code, call); !status)
            return status.error();
    facts.name = name;
    facts.bus_id = bus;
    facts.uuid = uuid_text(uuid);
    facts.memory = memory;
    Status failed;
    const auto ask = [&](DeviceAttribute attribute) -> std::int64_t {
        int value = 0;
        if (auto status = driver.check(driver.device_attribute(&value, attribute, ordinal), "cuDeviceGetAttribute");
            !status && failed)
            failed = status;
        return value;
    };
    DeviceLimits& limits = facts.limits;
    limits.kind = "cuda";
    limits.architecture = architecture_of(static_cast<int>(ask(compute_major)), static_cast<int>(ask(compute_minor)));
    limits.sm_count = static_cast<int>(ask(multiprocessors));
    limits.warp_size = static_cast<int>(ask(warp_size));
    limits.max_threads_per_block = ask(max_threads_per_block);
    limits.max_block = {ask(max_block_x), ask(max_block_y), ask(max_block_z)};
    limits.max_grid = {ask(max_grid_x), ask(max_grid_y), ask(max_grid_z)};
    limits.max_shared = ask(max_shared_optin);
    limits.max_threads_per_sm = static_cast<int>(ask(max_threads_per_multiprocessor));
    // Of kernels that fill a multiprocessor with one block; the occupancy of the very kernel is checked before a
    // launch.
    limits.max_cooperative_blocks = std::int64_t{limits.sm_count} * (limits.max_threads_per_sm / 32);
    limits.max_cluster_blocks = limits.architecture >= "sm_90" ? 8 : 1;
    facts.l2_bytes = ask(l2_bytes);
    facts.clock_khz = static_cast<int>(ask(clock_khz));
    facts.memory_clock_khz = static_cast<int>(ask(memory_clock_khz));
    limits.memory = static_cast<std::int64_t>(memory / 10 * 9);
    if (!failed)
        return failed.error();
    return facts;
}

Json to_json(const DeviceFacts& facts) {
    return Json{{"kind", "cuda"},
                {"name", facts.name},
                {"ordinal", facts.ordinal},
                {"uuid", facts.uuid},
                {"bus_id", facts.bus_id},
                {"memory", facts.memory},
                {"driver", facts.driver_version},
                {"l2_bytes", facts.l2_bytes},
                {"clock_khz", facts.clock_khz},
                {"memory_clock_khz", facts.memory_clock_khz},
                {"limits", to_json(facts.limits)}};
}

Result<std::unique_ptr<DeviceContext>> DeviceContext::open(std::unique_ptr<Driver> driver, int ordinal) {
    auto facts = device_facts(*driver, ordinal);
    if (!facts)
        return facts.error();
    std::unique_ptr<DeviceContext> device(new DeviceContext(std::move(driver), std::move(*facts)));
    if (auto status = device->m_driver->check(device->m_driver->primary_retain(&device->m_context, ordinal),
                                              "cuDevicePrimaryCtxRetain");
        !status) {
        device->m_context = nullptr;
        return status.error();
    }
    if (auto status = device->make_current(); !status)
        return status.error();
    return device;
}

DeviceContext::~DeviceContext() {
    if (m_context)
        (void)m_driver->primary_release(m_facts.ordinal);
}

std::uint64_t DeviceContext::free_memory() const {
    std::size_t free = 0, total = 0;
    return m_driver->memory_info(&free, &total) == success ? free : 0;
}

Result<LoadedModule> LoadedModule::load(const DeviceContext& device, const std::string& cubin) {
    LoadedModule module;
    module.m_device = &device;
    if (const int code = device.driver().module_load(&module.m_module, cubin.data()); code != success) {
        module.m_module = nullptr;
        return make_error("cuda-module", "the compiled code cannot be loaded: " + device.driver().describe(code));
    }
    return module;
}

LoadedModule::LoadedModule(LoadedModule&& other) noexcept
    : m_device(other.m_device), m_module(std::exchange(other.m_module, nullptr)) {}

LoadedModule& LoadedModule::operator=(LoadedModule&& other) noexcept {
    std::swap(m_device, other.m_device);
    std::swap(m_module, other.m_module);
    return *this;
}

LoadedModule::~LoadedModule() {
    if (m_module)
        (void)m_device->driver().module_unload(m_module);
}

Result<KernelInfo> LoadedModule::kernel(const std::string& lowered_name) const {
    const Driver& driver = m_device->driver();
    KernelInfo info;
    if (const int code = driver.module_function(&info.function, m_module, lowered_name.c_str()); code != success)
        return make_error("cuda-kernel",
                          "the compiled code has no kernel " + lowered_name + ": " + driver.describe(code));
    const std::pair<FunctionAttribute, int*> wanted[] = {{function_registers, &info.registers},
                                                         {function_local, &info.local_bytes},
                                                         {function_shared, &info.shared_bytes},
                                                         {function_max_threads, &info.max_threads}};
    for (const auto& [attribute, value] : wanted)
        if (auto status =
                driver.check(driver.function_attribute(value, attribute, info.function), "cuFuncGetAttribute");
            !status)
            return status.error();
    for (std::size_t i = 0;; ++i) {
        std::size_t offset = 0, size = 0;
        if (driver.function_parameter(info.function, i, &offset, &size) != success)
            break;
        info.parameter_bytes.push_back(size);
    }
    return info;
}

Result<std::int64_t> LoadedModule::resident(const KernelInfo& kernel, std::int64_t block, std::int64_t shared) const {
    int blocks = 0;
    const Driver& driver = m_device->driver();
    if (shared > 48 * 1024)
        if (auto status = driver.check(
                driver.function_set(kernel.function, function_max_dynamic_shared, static_cast<int>(shared)),
                "cuFuncSetAttribute");
            !status)
            return status.error();
    if (auto status = driver.check(
            driver.occupancy(&blocks, kernel.function, static_cast<int>(block), static_cast<std::size_t>(shared)),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor");
        !status)
        return status.error();
    return blocks;
}

} // namespace kf::cuda
