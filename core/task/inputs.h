// SPDX-License-Identifier: GPL-3.0-or-later
// Input generation: one counter-based generator (Philox 4x32-10; key = seed, counter = tensor, index, regime), so that
// every process makes its own inputs, bit-identical on CPU and (later) CUDA, and only checksums travel.
#pragma once

#include "core/task/task.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kf {

// Philox 4x32-10 (Salmon et al., SC'11).
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// Fills `out` (exactly the input's bytes for these symbols) with input number `input` of the task.
Status generate_input(const Task& task, std::size_t input, const Symbols& symbols, Regime regime, std::uint64_t seed,
                      std::span<std::byte> out);

// checksum64 of every input, in order: what travels between processes instead of the data.
Result<std::vector<std::uint64_t>> input_checksums(const Task& task, const Symbols& symbols, Regime regime,
                                                   std::uint64_t seed);

} // namespace kf
