// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a launch plan as kf-cpu receives them, checked against the loaded kernels and the arena.
#pragma once

#include "app/kf-cpu/gemm.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/runners/cpu/runtime/launch.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace kf::cpu {

struct Argument {
    bool pointer = false;
    std::uint64_t bits = 0; // the value, or the offset in the arena
};

struct LaunchStep {
    unsigned int kernel = 0;
    Index3 grid{}, block{};
    std::uint64_t shared_bytes = 0;
    bool cooperative = false;
    std::vector<Argument> arguments;
};

struct FillStep {
    std::uint64_t offset = 0, bytes = 0, pattern = 0;
    unsigned int element_bytes = 1;
};

using Step = std::variant<LaunchStep, FillStep, Gemm>;

// Error: "plan" with the step's number and what is wrong with it.
Result<std::vector<Step>> parse_plan(const Json& steps);
// Everything that needs the module and the arena; before the first step runs. Error: "plan".
Status check_plan(const std::vector<Step>& steps, const std::vector<KfKernel>& kernels, std::uint64_t arena_bytes);

} // namespace kf::cpu
