// SPDX-License-Identifier: GPL-3.0-or-later
// What kf-cpu does in one run: launches, fills and matrix products on ranges of the arena. Offsets and sizes are bytes.
#pragma once

#include "core/base/json.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kf {

// A kernel's argument: a pointer into the arena, or the bits of a scalar of 1, 2, 4 or 8 bytes.
struct CpuArgument {
    bool is_pointer = false;
    std::uint64_t value = 0; // arena offset, or the bits
    int size = 8;
};

struct LaunchStep {
    std::uint32_t kernel = 0; // index into the compile request's expressions
    std::array<std::uint32_t, 3> grid = {1, 1, 1};
    std::array<std::uint32_t, 3> block = {1, 1, 1};
    std::uint64_t shared_bytes = 0;
    bool cooperative = false;
    std::vector<CpuArgument> arguments;
};

struct FillStep {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t pattern = 0; // bits of one element
    int element_bytes = 4;     // 1, 2, 4 or 8
};

// Row-major unless transposed; `ld` is the distance of rows in elements as stored, `stride` that of batches; 0: dense.
struct CpuMatrix {
    std::uint64_t offset = 0;
    std::string dtype = "f32"; // "f16", "bf16", "f32", "f64"
    bool transposed = false;
    std::uint64_t ld = 0;
    std::uint64_t stride = 0;
};

// c[batch, m, n] = a[batch, m, k] · b[batch, k, n] (+ bias[n]), accumulated in float32 (float64 for f64).
struct GemmStep {
    CpuMatrix a, b, c;
    std::optional<CpuMatrix> bias;
    std::uint64_t m = 0, n = 0, k = 0, batch = 1;
    std::string epilogue = "none"; // "none", "relu", "gelu_tanh"
};

using CpuStep = std::variant<LaunchStep, FillStep, GemmStep>;

// The form of the "plan" operation's steps.
Json to_json(const CpuStep& step);
Json to_json(const std::vector<CpuStep>& steps);

} // namespace kf
