// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace kf::cuda {
namespace {

constexpr int minimum_version = 12040; // cuFuncGetParamInfo

} // namespace

Driver::~Driver() {
    if (m_handle)
        dlclose(m_handle);
}

Status Driver::resolve(const std::string& library) {
    std::string missing;
    const auto find = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(m_handle, name));
        if (!function)
            missing += (missing.empty() ? "" : ", ") + std::string(name);
    };
    find("cuGetErrorName", error_name);
    find("cuGetErrorString", error_string);
    find("cuDeviceGetCount", device_count);
    find("cuDeviceGet", device_get);
    find("cuDeviceGetName", device_name);
    find("cuDeviceGetUuid_v2", device_uuid);
    find("cuDeviceGetAttribute", device_attribute);
    find("cuDeviceTotalMem_v2", device_memory);
    find("cuDeviceGetPCIBusId", device_bus_id);
    find("cuDevicePrimaryCtxRetain", primary_retain);
    find("cuDevicePrimaryCtxRelease_v2", primary_release);
    find("cuCtxSetCurrent", context_set);
    find("cuCtxSynchronize", context_synchronize);
    find("cuCtxSetLimit", context_limit);
    find("cuMemGetInfo_v2", memory_info);
    find("cuMemAlloc_v2", allocate);
    find("cuMemFree_v2", free);
    find("cuMemcpyHtoD_v2", to_device);
    find("cuMemcpyDtoH_v2", to_host);
    find("cuMemcpyDtoD_v2", copy);
    find("cuMemsetD8_v2", set_bytes);
    find("cuMemHostRegister_v2", host_register);
    find("cuMemHostUnregister", host_unregister);
    find("cuModuleLoadData", module_load);
    find("cuModuleUnload", module_unload);
    find("cuModuleGetFunction", module_function);
    find("cuFuncGetAttribute", function_attribute);
    find("cuFuncSetAttribute", function_set);
    find("cuFuncGetParamInfo", function_parameter);
    find("cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy);
    find("cuLaunchKernelEx", launch);
    find("cuStreamCreate", stream_create);
    find("cuStreamDestroy_v2", stream_destroy);
    find("cuStreamSynchronize", stream_synchronize);
    find("cuEventCreate", event_create);
    find("cuEventDestroy_v2", event_destroy);
    find("cuEventRecord", event_record);
    find("cuEventSynchronize", event_synchronize);
    find("cuEventElapsedTime", event_milliseconds);
    find("cuTensorMapEncodeTiled", encode_tensor_map);
    if (!missing.empty())
        return make_error("cuda-unusable", library + " lacks " + missing, "install a driver of CUDA 12.4 or newer");
    return {};
}

Result<std::unique_ptr<Driver>> Driver::open(const std::string& setting) {
    std::string library = setting;
    if (const char* set = std::getenv("KERNELFORGE_LIBCUDA"); library.empty() && set)
        library = set;
    if (library.empty())
        library = "libcuda.so.1";
    std::unique_ptr<Driver> driver(new Driver());
    driver->m_handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!driver->m_handle) {
        const char* reason = dlerror();
        return make_error("cuda-missing",
                          "NVIDIA's driver library cannot be opened: " + std::string(reason ? reason : library),
                          "install NVIDIA's driver, or use the CPU device");
    }
    const auto version = reinterpret_cast<int (*)(int*)>(dlsym(driver->m_handle, "cuDriverGetVersion"));
    const auto init = reinterpret_cast<int (*)(unsigned int)>(dlsym(driver->m_handle, "cuInit"));
    if (!version || !init || version(&driver->m_version) != success || driver->m_version < minimum_version)
        return make_error("cuda-unusable",
                          "the driver supports CUDA " + std::to_string(driver->m_version / 1000) + "." +
                              std::to_string(driver->m_version % 1000 / 10) + ", 12.4 or newer is needed",
                          "install a newer driver");
    if (auto resolved = driver->resolve(library); !resolved)
        return resolved.error();
    if (Dl_info info{}; dladdr(reinterpret_cast<void*>(init), &info) != 0 && info.dli_fname) {
        std::error_code ignored;
        driver->m_path = std::filesystem::weakly_canonical(info.dli_fname, ignored).string();
    }
    if (const int code = init(0); code != success)
        return make_error("cuda-unusable", "the driver does not start: " + driver->describe(code),
                          code == error_no_device ? "there is no GPU that this process may use; look at "
                                                    "CUDA_VISIBLE_DEVICES and the device nodes"
                                                  : "look at nvidia-smi");
    return driver;
}

std::string Driver::describe(int code) const {
    const char* name = nullptr;
    const char* text = nullptr;
    if (error_name(code, &name) != success || !name)
        return "error " + std::to_string(code);
    error_string(code, &text);
    return std::string(name) + (text ? std::string(": ") + text : std::string());
}

Status Driver::check(int code, const char* call) const {
    if (code == success)
        return {};
    return make_error("cuda-failed", std::string(call) + ": " + describe(code));
}

} // namespace kf::cuda
