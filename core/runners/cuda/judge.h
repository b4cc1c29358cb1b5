// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own kernels (resources/cuda/judge) on one device: inputs, poison, checksums, and the comparison over
// every element. A comparison that is not accepted here is made again by core/verify on the host, which also describes
// it.
#pragma once

#include "core/runners/cuda/device.h"
#include "core/runners/cuda/judge_abi.h"
#include "core/runners/cuda/memory.h"
#include "core/task/task.h"
#include "core/verify/poison.h"
#include "core/verify/verdict.h"

#include <map>

namespace kf::cuda {

struct FoundElements {
    std::uint64_t count = 0, first = 0;
};

class Judge {
public:
    // `cubin`: resources/cuda/judge compiled for this device. Errors: "cuda-module", "judge-mismatch" (its arguments
    // are not those of this program).
    static Result<std::unique_ptr<Judge>> load(const DeviceContext& device, const std::string& cubin);

    // Input number `input` of the task; `bytes` at `out` are exactly the input's.
    Status fill_input(const Task& task, std::size_t input, const Symbols& symbols, Regime regime, std::uint64_t seed,
                      DevicePointer out, std::uint64_t bytes) const;
    Status fill_pattern(DevicePointer out, std::uint64_t elements, int element_bytes, std::uint64_t bits) const;
    Status fill_poison(DevicePointer out, std::uint64_t bytes, DType dtype, Poison poison) const;
    Result<std::uint64_t> checksum(DevicePointer data, std::uint64_t bytes) const;
    Result<FoundElements> difference(DevicePointer a, DevicePointer b, std::uint64_t elements, int element_bytes) const;
    Result<FoundElements> unwritten(DevicePointer first, DevicePointer second, std::uint64_t elements,
                                    DType dtype) const;
    // The rules close, exact and codes (not index_of). `golden`: f64, or i64 with `integers`; `trusted` may be 0.
    Result<Comparison> compare(const OutputSpec& spec, const Shape& shape, const Tolerance& tolerance,
                               DevicePointer got, DevicePointer golden, bool integers, DevicePointer trusted) const;
    Status wipe(DevicePointer data, std::uint64_t bytes) const;
    // Fills the shared memory of every multiprocessor with NaN.
    Status poison_shared(Poison poison) const;

private:
    explicit Judge(const DeviceContext& device) : m_device(device) {}
    // `items`: threads that have something to do.
    Status launch(const char* kernel, std::uint64_t items, std::initializer_list<void*> arguments) const;
    Result<FoundElements> found(const char* kernel, std::uint64_t elements, std::initializer_list<void*> arguments,
                                const DeviceMemory& memory) const;
    Result<Comparison> compare_close(Comparison comparison, const OutputSpec& spec, const Shape& shape,
                                     const Tolerance& tolerance, JudgeCloseArguments arguments) const;

    const DeviceContext& m_device;
    LoadedModule m_module;
    std::map<std::string, KernelInfo> m_kernels;
    DeviceMemory m_sink;
};

} // namespace kf::cuda
