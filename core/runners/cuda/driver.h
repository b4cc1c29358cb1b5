// SPDX-License-Identifier: GPL-3.0-or-later
// libcuda opened at run time, with prototypes of our own: no toolkit is needed to build, and one build serves machines
// with and without a GPU. Names and structures are those of the driver API; only what kf-cuda uses is here.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kf::cuda {

using DevicePointer = std::uint64_t;
struct ContextHandle;
struct ModuleHandle;
struct FunctionHandle;
struct StreamHandle;
struct EventHandle;
using Context = ContextHandle*;
using Module = ModuleHandle*;
using Function = FunctionHandle*;
using Stream = StreamHandle*;
using Event = EventHandle*;

// CUtensorMap: 128 opaque bytes.
struct alignas(64) TensorMap {
    std::uint64_t opaque[16];
};

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
    unsigned int id = 0;
    char pad[4] = {};
    union {
        char bytes[64];
        int number;
        struct {
            unsigned int x, y, z;
        } dimensions;
    } value = {};
};
static_assert(sizeof(LaunchAttribute) == 72);
inline constexpr unsigned int launch_cooperative = 2, launch_cluster = 4, launch_overlap = 6;
struct LaunchConfig {
    unsigned int grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1, shared_bytes = 0;
    Stream stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned int attribute_count = 0;
};

// Values of CUdevice_attribute and CUfunction_attribute that are asked for.
enum DeviceAttribute {
    max_threads_per_block = 1,
    max_block_x = 2,
    max_block_y = 3,
    max_block_z = 4,
    max_grid_x = 5,
    max_grid_y = 6,
    max_grid_z = 7,
    warp_size = 10,
    clock_khz = 13,
    multiprocessors = 16,
    memory_clock_khz = 36,
    l2_bytes = 38,
    max_threads_per_multiprocessor = 39,
    compute_major = 75,
    compute_minor = 76,
    max_shared_per_multiprocessor = 81,
    cooperative_launch = 95,
    max_shared_optin = 97,
    persisting_l2_bytes = 108,
};
enum FunctionAttribute {
    function_max_threads = 0,
    function_shared = 1,
    function_local = 3,
    function_registers = 4,
    function_max_dynamic_shared = 8,
    function_nonportable_cluster = 13,
};

// CUresult values that are told apart.
enum ResultCode {
    success = 0,
    error_invalid_value = 1,
    error_out_of_memory = 2,
    error_no_device = 100,
    error_not_ready = 600,
    error_illegal_address = 700,
    error_launch_out_of_resources = 701,
    error_launch_timeout = 702,
    error_assert = 710,
    error_hardware_stack = 714,
    error_illegal_instruction = 715,
    error_misaligned_address = 716,
    error_invalid_address_space = 717,
    error_invalid_pc = 718,
    error_launch_failed = 719,
    error_cooperative_too_large = 720,
};

class Driver {
public:
    // `library`: empty for KERNELFORGE_LIBCUDA where that is set, else libcuda.so.1. Errors: "cuda-missing" (no driver
    // library), "cuda-unusable" (too old, or it does not initialise; says what it answered).
    static Result<std::unique_ptr<Driver>> open(const std::string& library = {});
    ~Driver();
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    int version() const { return m_version; }          // 13000
    const std::string& path() const { return m_path; } // the file that was opened, links followed; "" unknown
    // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
    std::string describe(int code) const;
    // Error "cuda-failed" naming the call, or nothing.
    Status check(int code, const char* call) const;

    int (*error_name)(int, const char**) = nullptr;
    int (*error_string)(int, const char**) = nullptr;
    int (*device_count)(int*) = nullptr;
    int (*device_get)(int*, int) = nullptr;
    int (*device_name)(char*, int, int) = nullptr;
    int (*device_uuid)(unsigned char*, int) = nullptr;
    int (*device_attribute)(int*, int, int) = nullptr;
    int (*device_memory)(std::size_t*, int) = nullptr;
    int (*device_bus_id)(char*, int, int) = nullptr;
    int (*primary_retain)(Context*, int) = nullptr;
    int (*primary_release)(int) = nullptr;
    int (*context_set)(Context) = nullptr;
    int (*context_synchronize)() = nullptr;
    int (*context_limit)(int, std::size_t) = nullptr;
    int (*memory_info)(std::size_t*, std::size_t*) = nullptr;
    int (*allocate)(DevicePointer*, std::size_t) = nullptr;
    int (*free)(DevicePointer) = nullptr;
    int (*to_device)(DevicePointer, const void*, std::size_t) = nullptr;
    int (*to_host)(void*, DevicePointer, std::size_t) = nullptr;
    int (*copy)(DevicePointer, DevicePointer, std::size_t) = nullptr;
    int (*set_bytes)(DevicePointer, unsigned char, std::size_t) = nullptr;
    int (*host_register)(void*, std::size_t, unsigned int) = nullptr;
    int (*host_unregister)(void*) = nullptr;
    int (*module_load)(Module*, const void*) = nullptr;
    int (*module_unload)(Module) = nullptr;
    int (*module_function)(Function*, Module, const char*) = nullptr;
    int (*function_attribute)(int*, int, Function) = nullptr;
    int (*function_set)(Function, int, int) = nullptr;
    int (*function_parameter)(Function, std::size_t, std::size_t*, std::size_t*) = nullptr;
    int (*occupancy)(int*, Function, int, std::size_t) = nullptr;
    int (*launch)(const LaunchConfig*, Function, void**, void**) = nullptr;
    int (*stream_create)(Stream*, unsigned int) = nullptr;
    int (*stream_destroy)(Stream) = nullptr;
    int (*stream_synchronize)(Stream) = nullptr;
    int (*event_create)(Event*, unsigned int) = nullptr;
    int (*event_destroy)(Event) = nullptr;
    int (*event_record)(Event, Stream) = nullptr;
    int (*event_synchronize)(Event) = nullptr;
    int (*event_milliseconds)(float*, Event, Event) = nullptr;
    int (*encode_tensor_map)(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                             const std::uint32_t*, const std::uint32_t*, int, int, int, int) = nullptr;

private:
    Driver() = default;
    Status resolve(const std::string& library);

    void* m_handle = nullptr;
    std::string m_path;
    int m_version = 0;
};

} // namespace kf::cuda
