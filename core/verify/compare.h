// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of an output with the golden: every element, both tolerance rules of task.md, NaN and Inf counted, written
// `err <= tol`.
#pragma once

#include "core/task/task.h"
#include "core/verify/verdict.h"

#include <span>

namespace kf {

// The golden in float64 (or int64 for integer outputs) and the trusted implementation's answer in the output's dtype.
struct Golden {
    std::span<const std::byte> golden;  // f64 or i64 elements
    bool integers = false;              // golden holds i64
    std::span<const std::byte> trusted; // output's dtype; empty: E is taken as 0 and only the ulp floors count
};

// `got` has the output's dtype and exactly the shape's elements. `values`: for index_of, the float64 view of the input
// `values` names.
Comparison compare_output(const OutputSpec& spec, const Shape& shape, const Tolerance& tolerance,
                          std::span<const std::byte> got, const Golden& golden, std::span<const double> values = {});

} // namespace kf
