// SPDX-License-Identifier: GPL-3.0-or-later
// Primitives of asynchronous copies. Here each copy happens at once, so waiting has nothing to wait for; code that
// reads before it waits is wrong on a GPU and is not found here.
#pragma once
#include "kf/simt.h"

inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zero_fill = 0,
                                    int line = __builtin_LINE()) {
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_fill > bytes)
        kf_rt_trap(line);
    if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) & (bytes - 1))
        kf_rt_misaligned((reinterpret_cast<uintptr_t>(to) & (bytes - 1)) != 0 ? to : from,
                         static_cast<unsigned int>(bytes), "__pipeline_memcpy_async", line);
    __builtin_memcpy(to, from, bytes - zero_fill);
    __builtin_memset(static_cast<char*>(to) + (bytes - zero_fill), 0, zero_fill);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(size_t) {}
