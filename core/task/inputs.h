// SPDX-License-Identifier: GPL-3.0-or-later
// Input generation: one counter-based generator (Philox 4x32-10; key = seed, counter = tensor, index, regime), so that
// every process makes its own inputs, bit-identical on CPU and (later) CUDA, and only checksums travel.
//
// Element i takes word i % 4 of block i / 4, so any slice can be made alone. Normal values come from an inverse normal
// distribution function built on + - * / sqrt in a fixed order (exact_math.h; no libm, no contraction), in double, and
// are rounded once into the tensor's type; finite values stay within half of the type's range.
//
// Float fills by regime (m mean, d deviation of `normal`; row scales multiply everything but `integers`):
//   normal    m + d·z
//   spiky     as normal; one element in 1024, and at least one, is ±d·(16 … 128)
//   cancel    as normal, plus ±d·32·(1 + |z'|) where elements k and k + 32 of every 64 along the last axis (halves of a
//             shorter rest) get opposite signs: sums cancel, low-precision accumulation is seen. Weights of two or more
//             axes instead get pairs that are equal up to d·z/32, so that the dot products with such rows cancel, too;
//             weights of one axis are as normal: nothing is summed along them
//   integers  -2 … 3 with mean 1/16; weights of two or more axes: mostly 0, some 1, few -1, so that dot products stay
//             small and exact
//   mixed     as normal, times 2^(-7 … 2) for each tile of 8 rows × 32 columns
//   specials  as normal; one element in 64, and at least one, is NaN, ±Inf, -0, ±smallest subnormal or ±largest value
// The range of `uniform` is a promise that no regime breaks: there spiky gives ends of the range, cancel mirrors pairs
// about the middle, integers are whole numbers inside (where there are any), mixed shrinks tiles towards the middle.
//
// Integer fills by regime (index, zipf, bytes, and uniform of an integer type):
//   spiky     15 of 16 elements hold the one hot value of their 4096-element tile
//   mixed     runs of 32 equal values
//   integers  sorted, rising evenly over the range (zipf and bytes as well)
//   others    drawn independently; zipf scatters its ranks over the range by a permutation
// permutation: every row (last axis) holds distinct values from [0, bound), bound = row length unless given; integers:
// 0, 1, 2, …; spiky: falling. offsets: every row is sorted from 0 to the bound; segments differ widely and some are
// empty; spiky: one segment holds everything; integers: as even as can be.
#pragma once

#include "core/task/task.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kf {

// Philox 4x32-10 (Salmon et al., SC'11).
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// Fills `out` (exactly the input's bytes for these symbols) with input number `input` of the task. Errors: "task-input"
// (no such input, wrong number of bytes), "task-regime" (specials where the task does not allow them), "task-range" (a
// bound that the dtype cannot hold), and those of shape_of.
Status generate_input(const Task& task, std::size_t input, const Symbols& symbols, Regime regime, std::uint64_t seed,
                      std::span<std::byte> out);

// The same for elements first … first + out.size() / element size of the input: equal to that slice of the whole.
Status generate_input_slice(const Task& task, std::size_t input, const Symbols& symbols, Regime regime,
                            std::uint64_t seed, std::int64_t first, std::span<std::byte> out);

// checksum64 of every input, in order: what travels between processes instead of the data.
Result<std::vector<std::uint64_t>> input_checksums(const Task& task, const Symbols& symbols, Regime regime,
                                                   std::uint64_t seed);

} // namespace kf
