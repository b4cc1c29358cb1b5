// SPDX-License-Identifier: GPL-3.0-or-later
// `gemm` of a plan by cuBLASLt, opened at run time: row-major, float32 accumulation (float64 for f64), no split-K that
// adds atomically, 32 MiB of workspace. `tune(n)` tries the first n algorithms of the library's own list once for each
// shape; the one chosen serves verifying and timing alike.
#pragma once

#include "core/candidate/resolve.h"
#include "core/runners/cuda/device.h"
#include "core/runners/cuda/memory.h"

#include <map>
#include <memory>

namespace kf::cuda {

class Blas {
public:
    // Errors: "cublaslt-missing" (tried names, remedy), "cuda-memory".
    static Result<std::unique_ptr<Blas>> open(const DeviceContext& device);
    ~Blas();

    // Into the default stream. Errors: "cublaslt-failed".
    Status multiply(const ResolvedGemm& gemm, const ResolvedPlan& plan, const std::vector<DevicePointer>& addresses);
    // {library, choices: {shape: algorithm index of those tried}}.
    Json facts() const;

private:
    struct Functions;
    struct Call;
    explicit Blas(const DeviceContext& device);
    Status prepare(Call& call, const ResolvedGemm& gemm, const ResolvedPlan& plan,
                   const std::vector<DevicePointer>& addresses) const;
    Status check(int code, const char* what) const;

    const DeviceContext& m_device;
    std::unique_ptr<Functions> m_functions;
    void* m_library = nullptr;
    void* m_handle = nullptr;
    std::size_t m_version = 0;
    DeviceMemory m_workspace;
    std::map<std::string, int> m_choices;
};

} // namespace kf::cuda
