// SPDX-License-Identifier: GPL-3.0-or-later
// The plan's library product on the CPU: Eigen, one thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>

namespace kf::cpu {

enum class Dtype { F16, BF16, F32, F64 };
std::uint64_t dtype_bytes(Dtype dtype);

// A row-major matrix (or a batch of them) in the arena. `transposed`: the stored matrix is the transpose of the one
// meant.
struct GemmOperand {
    std::uint64_t offset = 0; // bytes
    Dtype dtype = Dtype::F32;
    bool transposed = false;
    std::uint64_t ld = 0;     // elements from one stored row to the next
    std::uint64_t stride = 0; // elements from one matrix of the batch to the next
};

enum class Epilogue { None, Relu, GeluTanh };

// c[m, n] = epilogue(a[m, k] · b[k, n] + bias[n]). Accumulates in float32, in float64 when c or an input is float64.
struct Gemm {
    GemmOperand a, b, c;
    bool has_bias = false;
    std::uint64_t bias_offset = 0;
    Dtype bias_dtype = Dtype::F32;
    std::uint64_t m = 0, n = 0, k = 0, batch = 1;
    Epilogue epilogue = Epilogue::None;
};

// Every byte that the product touches lies in the arena and is aligned. Error: "gemm-range".
Status check_gemm(const Gemm& gemm, std::uint64_t arena_bytes);
void run_gemm(const Gemm& gemm, char* arena);

} // namespace kf::cpu
