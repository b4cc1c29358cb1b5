// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the driver API that kf-cuda uses, on the host. Beside the library a file <library>.control tells it how
// to misbehave, one word: "hang" (nothing launched ever ends), "grow" (a launch takes 512 MiB of the host's memory and
// never ends), "crash" (launches end with an illegal address), "full" (no device memory), "no-device".
#include "core/runners/cuda/judge_abi.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace kf::cuda;

namespace {

std::string control() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&control), &info) == 0)
        return "";
    const int file = open((std::string(info.dli_fname) + ".control").c_str(), O_RDONLY | O_CLOEXEC);
    char text[64] = {};
    const ssize_t n = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    return std::string(text, static_cast<std::size_t>(n < 0 ? 0 : n));
}

// Parameter sizes of the judge's kernels; a candidate's are not asked for.
const std::map<std::string, std::vector<std::size_t>>& parameters() {
    static const std::map<std::string, std::vector<std::size_t>> sizes = {
        {"kf_fill_floats", {sizeof(JudgeFloatFill), 8}},
        {"kf_fill_integers", {sizeof(JudgeIntegerFill), 8}},
        {"kf_fill_pattern", {8, 8, 4, 8}},
        {"kf_checksum_chunks", {8, 8, 8}},
        {"kf_difference", {8, 8, 8, 4, 8}},
        {"kf_unwritten", {8, 8, 8, 4, 8, 8, 8}},
        {"kf_close", {sizeof(JudgeCloseArguments), 8, 8}},
        {"kf_exact", {8, 8, 8, 4, 4, 4, 8, 8}},
        {"kf_wipe", {8, 8, 8}},
        {"kf_poison_shared", {4, 4, 8}},
    };
    return sizes;
}

std::string current; // a word that the next wait acts on

} // namespace

extern "C" {

int cuInit(unsigned int) {
    return control() == "no-device" ? error_no_device : success;
}
int cuDriverGetVersion(int* version) {
    *version = 13000;
    return success;
}
int cuGetErrorName(int code, const char** name) {
    *name = code == error_illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_A_FAKE";
    return success;
}
int cuGetErrorString(int, const char** text) {
    *text = "told by the fake driver";
    return success;
}
int cuDeviceGetCount(int* count) {
    *count = 1;
    return success;
}
int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return success;
}
int cuDeviceGetName(char* name, int bytes, int) {
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(bytes));
    return success;
}
int cuDeviceGetUuid_v2(unsigned char* uuid, int) {
    for (int i = 0; i < 16; ++i)
        uuid[i] = static_cast<unsigned char>(0xf0 + i);
    return success;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
    case max_threads_per_block:
    case max_block_x:
    case max_block_y:
        *value = 1024;
        break;
    case max_block_z:
        *value = 64;
        break;
    case max_grid_x:
        *value = 2147483647;
        break;
    case max_grid_y:
    case max_grid_z:
        *value = 65535;
        break;
    case warp_size:
        *value = 32;
        break;
    case multiprocessors:
        *value = 132;
        break;
    case max_threads_per_multiprocessor:
        *value = 2048;
        break;
    case compute_major:
        *value = 9;
        break;
    case max_shared_optin:
    case max_shared_per_multiprocessor:
        *value = 232448;
        break;
    case l2_bytes:
        *value = 50 << 20;
        break;
    default:
        *value = 0;
    }
    return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = std::size_t{8} << 30;
    return success;
}
int cuDeviceGetPCIBusId(char* text, int bytes, int) {
    std::strncpy(text, "0000:99:00.0", static_cast<std::size_t>(bytes));
    return success;
}
int cuDevicePrimaryCtxRetain(Context* context, int) {
    *context = reinterpret_cast<Context>(&current);
    return success;
}
int cuDevicePrimaryCtxRelease_v2(int) {
    return success;
}
int cuCtxSetCurrent(Context) {
    return success;
}
int cuCtxSynchronize() {
    if (current == "hang")
        for (;;)
            pause();
    return std::exchange(current, "") == "crash" ? error_illegal_address : success;
}
int cuCtxSetLimit(int, std::size_t) {
    return success;
}
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
    *free_bytes = *total = std::size_t{8} << 30;
    return success;
}
int cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
    if (control() == "full")
        return error_out_of_memory;
    const std::size_t whole = (bytes + 4095) / 4096 * 4096;
    void* memory = std::aligned_alloc(4096, whole);
    if (!memory)
        return error_out_of_memory;
    std::memset(memory, 0, whole); // so that sums that no kernel writes are the same every time
    *pointer = reinterpret_cast<DevicePointer>(memory);
    return success;
}
int cuMemFree_v2(DevicePointer pointer) {
    std::free(reinterpret_cast<void*>(pointer));
    return success;
}
int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return success;
}
int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return success;
}
int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return success;
}
int cuMemsetD8_v2(DevicePointer to, unsigned char value, std::size_t bytes) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return success;
}
int cuMemHostRegister_v2(void*, std::size_t, unsigned int) {
    return success;
}
int cuMemHostUnregister(void*) {
    return success;
}
int cuModuleLoadData(Module* module, const void*) {
    *module = reinterpret_cast<Module>(&current);
    return success;
}
int cuModuleUnload(Module) {
    return success;
}
int cuModuleGetFunction(Function* function, Module, const char* name) {
    *function = reinterpret_cast<Function>(new std::string(name)); // a few a process
    return success;
}
int cuFuncGetAttribute(int* value, int attribute, Function) {
    *value = attribute == function_max_threads ? 1024 : attribute == function_registers ? 32 : 0;
    return success;
}
int cuFuncSetAttribute(Function, int, int) {
    return success;
}
int cuFuncGetParamInfo(Function function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    const auto known = parameters().find(*reinterpret_cast<std::string*>(function));
    if (known == parameters().end() || index >= known->second.size())
        return error_invalid_value;
    *offset = 0;
    *bytes = known->second[index];
    return success;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int, std::size_t) {
    *blocks = 2;
    return success;
}
int cuLaunchKernelEx(const LaunchConfig*, Function function, void**, void**) {
    if (parameters().count(*reinterpret_cast<std::string*>(function)) != 0)
        return success; // the judge's own are never at fault
    current = control();
    if (current == "grow") {
        const std::size_t bytes = std::size_t{512} << 20;
        auto* taken = static_cast<volatile char*>(std::malloc(bytes));
        for (std::size_t i = 0; taken && i < bytes; i += 4096)
            taken[i] = 1;
        for (;;)
            pause();
    }
    return success;
}
int cuStreamCreate(Stream*, unsigned int) {
    return success;
}
int cuStreamDestroy_v2(Stream) {
    return success;
}
int cuStreamSynchronize(Stream) {
    return success;
}
int cuEventCreate(Event* event, unsigned int) {
    *event = reinterpret_cast<Event>(&current);
    return success;
}
int cuEventDestroy_v2(Event) {
    return success;
}
int cuEventRecord(Event, Stream) {
    return success;
}
int cuEventSynchronize(Event) {
    return cuCtxSynchronize();
}
int cuEventElapsedTime(float* milliseconds, Event, Event) {
    *milliseconds = 1;
    return success;
}
int cuTensorMapEncodeTiled(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                           const std::uint32_t*, const std::uint32_t*, int, int, int, int) {
    return success;
}

} // extern "C"
