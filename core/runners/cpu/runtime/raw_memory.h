// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and fills that no sanitizer sees: the scheduler moves whole shared memories, red zones included.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kf::cpu {

inline void raw_copy(void* to, const void* from, std::size_t bytes) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

// Repeats the two bytes of the pattern; an odd last byte is its low one.
inline void raw_fill(void* to, std::size_t bytes, std::uint16_t pattern) {
    const std::uint64_t wide = pattern * 0x0001000100010001ull;
    std::size_t words = bytes / 8;
    asm volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(wide) : "memory");
    char* tail = static_cast<char*>(to);
    for (std::size_t i = 0; i < bytes % 8; ++i)
        *const_cast<volatile char*>(tail + i) = static_cast<char>(pattern >> (8 * (i % 2)));
}

} // namespace kf::cpu
