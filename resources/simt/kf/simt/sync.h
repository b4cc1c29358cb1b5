// SPDX-License-Identifier: GPL-3.0-or-later
// Barriers, fences, warp votes, shuffles, matches and reductions. Each call knows its source line, so that a deadlock
// can be reported as "who waits where".
#pragma once

#include "kf/simt/runtime.h"

#define KF_LINE int line = __builtin_LINE()

inline void __syncthreads(KF_LINE) {
    kf_rt_barrier(KF_BARRIER_PLAIN, 0, line);
}
inline int __syncthreads_count(int p, KF_LINE) {
    return kf_rt_barrier(KF_BARRIER_COUNT, p, line);
}
inline int __syncthreads_and(int p, KF_LINE) {
    return kf_rt_barrier(KF_BARRIER_AND, p, line);
}
inline int __syncthreads_or(int p, KF_LINE) {
    return kf_rt_barrier(KF_BARRIER_OR, p, line);
}
inline void __syncwarp(unsigned int mask = 0xffffffffu, KF_LINE) {
    kf_rt_warp(KF_WARP_SYNC, mask, 0, 0, line);
}

inline void __threadfence() {
    kf_rt_fence();
}
inline void __threadfence_block() {
    kf_rt_fence();
}
inline void __threadfence_system() {
    kf_rt_fence();
}
inline void __nanosleep(unsigned int) {
    kf_rt_ticks = 0;
    kf_rt_yield();
}

inline unsigned int __activemask(KF_LINE) {
    return kf_rt_active_mask(line);
}
inline unsigned int __ballot_sync(unsigned int mask, int p, KF_LINE) {
    return static_cast<unsigned int>(kf_rt_warp(KF_WARP_BALLOT, mask, p != 0, 0, line));
}
inline int __any_sync(unsigned int mask, int p, KF_LINE) {
    return kf_rt_warp(KF_WARP_BALLOT, mask, p != 0, 0, line) != 0;
}
inline int __all_sync(unsigned int mask, int p, KF_LINE) {
    return kf_rt_warp(KF_WARP_BALLOT, mask, p == 0, 0, line) == 0;
}
inline int __uni_sync(unsigned int mask, int p, KF_LINE) {
    return kf_rt_warp(KF_WARP_MATCH_ALL, mask, p != 0, 0, line) != 0;
}

namespace kf_simt {
// Any trivially copyable value as 8-byte pieces.
template<class T> inline T exchange(unsigned int mask, const T& value, unsigned int source, int line) {
    static_assert(__is_trivially_copyable(T), "only trivially copyable values can be exchanged between lanes");
    constexpr unsigned int pieces = (sizeof(T) + 7) / 8;
    unsigned long long in[pieces] = {}, out[pieces];
    __builtin_memcpy(in, &value, sizeof(T));
    for (unsigned int i = 0; i < pieces; ++i)
        out[i] = kf_rt_warp(KF_WARP_EXCHANGE, mask, in[i], source, line);
    T result;
    __builtin_memcpy(&result, out, sizeof(T));
    return result;
}

inline unsigned int lane() {
    return kf_rt_self.linear_thread & 31u;
}

// Source lanes as the PTX manual's shfl gives them: outside the segment a lane reads itself.
inline unsigned int source_index(int from, int width) {
    unsigned int w = static_cast<unsigned int>(width);
    return (lane() & ~(w - 1)) | (static_cast<unsigned int>(from) & (w - 1));
}
inline unsigned int source_up(unsigned int delta, int width) {
    unsigned int first = lane() & ~(static_cast<unsigned int>(width) - 1);
    return lane() < first + delta ? lane() : lane() - delta;
}
inline unsigned int source_down(unsigned int delta, int width) {
    unsigned int last = lane() | (static_cast<unsigned int>(width) - 1);
    return delta > 31 || lane() + delta > last ? lane() : lane() + delta;
}
inline unsigned int source_xor(int bits, int width) {
    unsigned int from = lane() ^ static_cast<unsigned int>(bits);
    return from > (lane() | (static_cast<unsigned int>(width) - 1)) ? lane() : from;
}
template<class T> inline unsigned long long bits_of(T value) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}
} // namespace kf_simt

template<class T> inline T __shfl_sync(unsigned int mask, T v, int from, int width = 32, KF_LINE) {
    return kf_simt::exchange(mask, v, kf_simt::source_index(from, width), line);
}
template<class T> inline T __shfl_up_sync(unsigned int mask, T v, unsigned int delta, int width = 32, KF_LINE) {
    return kf_simt::exchange(mask, v, kf_simt::source_up(delta, width), line);
}
template<class T> inline T __shfl_down_sync(unsigned int mask, T v, unsigned int delta, int width = 32, KF_LINE) {
    return kf_simt::exchange(mask, v, kf_simt::source_down(delta, width), line);
}
template<class T> inline T __shfl_xor_sync(unsigned int mask, T v, int bits, int width = 32, KF_LINE) {
    return kf_simt::exchange(mask, v, kf_simt::source_xor(bits, width), line);
}

template<class T> inline unsigned int __match_any_sync(unsigned int mask, T value, KF_LINE) {
    return static_cast<unsigned int>(kf_rt_warp(KF_WARP_MATCH_ANY, mask, kf_simt::bits_of(value), 0, line));
}
template<class T> inline unsigned int __match_all_sync(unsigned int mask, T value, int* pred, KF_LINE) {
    unsigned long long all = kf_rt_warp(KF_WARP_MATCH_ALL, mask, kf_simt::bits_of(value), 0, line);
    *pred = all != 0;
    return static_cast<unsigned int>(all);
}

#define KF_REDUCE(NAME, OP_SIGNED, OP_UNSIGNED)                                                                        \
    inline unsigned int NAME(unsigned int mask, unsigned int v, KF_LINE) {                                             \
        return static_cast<unsigned int>(kf_rt_warp(OP_UNSIGNED, mask, v, 0, line));                                   \
    }                                                                                                                  \
    inline int NAME(unsigned int mask, int v, KF_LINE) {                                                               \
        return static_cast<int>(                                                                                       \
            kf_rt_warp(OP_SIGNED, mask, static_cast<unsigned long long>(static_cast<long long>(v)), 0, line));         \
    }
KF_REDUCE(__reduce_add_sync, KF_WARP_ADD, KF_WARP_ADD)
KF_REDUCE(__reduce_min_sync, KF_WARP_MIN_SIGNED, KF_WARP_MIN_UNSIGNED)
KF_REDUCE(__reduce_max_sync, KF_WARP_MAX_SIGNED, KF_WARP_MAX_UNSIGNED)
#undef KF_REDUCE
inline unsigned int __reduce_and_sync(unsigned int mask, unsigned int v, KF_LINE) {
    return static_cast<unsigned int>(kf_rt_warp(KF_WARP_AND, mask, v, 0, line));
}
inline unsigned int __reduce_or_sync(unsigned int mask, unsigned int v, KF_LINE) {
    return static_cast<unsigned int>(kf_rt_warp(KF_WARP_OR, mask, v, 0, line));
}
inline unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v, KF_LINE) {
    return static_cast<unsigned int>(kf_rt_warp(KF_WARP_XOR, mask, v, 0, line));
}
#undef KF_LINE

// Time. The clock counts the host's time-stamp ticks, the global timer nanoseconds.
inline long long clock64() {
    return static_cast<long long>(__builtin_ia32_rdtsc());
}
inline long clock() {
    return static_cast<long>(__builtin_ia32_rdtsc());
}
inline unsigned long long __globaltimer() {
    return kf_rt_nanoseconds();
}

// Load and store hints are ordinary accesses.
#define KF_LOAD(NAME)                                                                                                  \
    template<class T> inline T NAME(const T* p) {                                                                      \
        return *p;                                                                                                     \
    }
KF_LOAD(__ldg)
KF_LOAD(__ldca)
KF_LOAD(__ldcg)
KF_LOAD(__ldcs)
KF_LOAD(__ldlu)
#undef KF_LOAD
template<class T> inline T __ldcv(const T* p) {
    kf_simt::yield_point(false);
    return *p;
}
namespace kf_simt {
template<class T> struct Same { using Type = T; };
} // namespace kf_simt
#define KF_STORE(NAME)                                                                                                 \
    template<class T> inline void NAME(T* p, typename kf_simt::Same<T>::Type v) {                                      \
        *p = v;                                                                                                        \
    }
KF_STORE(__stwb)
KF_STORE(__stcg)
KF_STORE(__stcs)
KF_STORE(__stwt)
#undef KF_STORE
