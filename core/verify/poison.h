// SPDX-License-Identifier: GPL-3.0-or-later
// Poison: what outputs and scratch hold before a run, so that nothing stale and nothing unwritten can pass. Two
// patterns a dtype: the plan runs once over each. Floats get quiet NaNs with payloads that arithmetic does not make;
// integers get values that differ in every byte; bool gets bytes that are neither 0 nor 1.
#pragma once

#include "core/task/dtype.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kf {

enum class Poison { first, second };

// Bits of one poisoned element, in the low size_of(dtype) bytes.
std::uint64_t poison_bits(DType dtype, Poison poison);

// Fills a buffer of whole elements.
void fill_poison(std::span<std::byte> buffer, DType dtype, Poison poison);

struct ElementRange {
    std::int64_t first = 0, count = 0;
    bool operator==(const ElementRange&) const = default;
};

struct Unwritten {
    std::int64_t elements = 0;        // in the buffer
    std::int64_t count = 0;           // of them still poison
    std::vector<ElementRange> ranges; // the first 16 runs, ascending
    int more_ranges = 0;              // runs beyond those
    bool any() const { return count > 0; }
};

// Elements that hold their poison after both runs: `after_first` was filled with Poison::first, `after_second` with
// Poison::second. Sure for every dtype: no computed value is equal to both.
Unwritten find_unwritten(std::span<const std::byte> after_first, std::span<const std::byte> after_second, DType dtype);

// After one run only. For floats and bool as good as sure (a kernel would have to copy poison out of scratch, which is
// a failure too); an integer that is equal to the poison by chance is reported as well, so confirm with the other
// poison.
Unwritten find_unwritten(std::span<const std::byte> after, DType dtype, Poison poison);

// "87 of 343 elements were never written: 256–342".
std::string to_string(const Unwritten& unwritten);

} // namespace kf
