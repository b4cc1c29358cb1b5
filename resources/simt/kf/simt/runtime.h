// SPDX-License-Identifier: GPL-3.0-or-later
// Qualifiers of CUDA C++ and the functions that kf-cpu offers to candidates (kf_rt_*).
#pragma once

#include <stddef.h>
#include <stdint.h>

#define KF_SIMT 1
#define __CUDACC__ 1
#define __CUDA_ARCH__ 800
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
// CUDA's compilers take `__shared__ alignas(16) float s[64]`, g++ refuses a standard attribute in that place.
#define alignas(...) __attribute__((aligned(__VA_ARGS__)))
#define __managed__ _Pragma("GCC error \"__managed__ memory does not exist here: use a tensor or scratch of the plan\"")

// Thread-local, so that the runner can save and restore the shared memory of each live block through PT_TLS. Under
// AddressSanitizer plain static objects, because only those get red zones.
#ifdef __SANITIZE_ADDRESS__
#define __shared__ static
#else
#define __shared__ static thread_local
#endif

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

extern "C" {
// What the running thread is. The runner rewrites it at each switch; a thread sees its own values only, hence const.
struct KfSelf {
    uint3 thread_index, block_index;
    dim3 block_dim, grid_dim;
    unsigned int linear_thread; // x fastest
};
extern const struct KfSelf kf_rt_self;
// Yield points left until the thread really yields, and the count of events that another thread may be waiting for.
extern int kf_rt_ticks;
extern unsigned long long kf_rt_progress;

enum KfBarrier { KF_BARRIER_PLAIN, KF_BARRIER_COUNT, KF_BARRIER_AND, KF_BARRIER_OR };
enum KfWarpOp {
    KF_WARP_SYNC,
    KF_WARP_EXCHANGE, // argument: source lane
    KF_WARP_BALLOT,
    KF_WARP_MATCH_ANY,
    KF_WARP_MATCH_ALL,
    KF_WARP_ADD,
    KF_WARP_MIN_SIGNED,
    KF_WARP_MAX_SIGNED,
    KF_WARP_MIN_UNSIGNED,
    KF_WARP_MAX_UNSIGNED,
    KF_WARP_AND,
    KF_WARP_OR,
    KF_WARP_XOR
};

int kf_rt_barrier(int kind, int predicate, int line);
unsigned long long kf_rt_warp(int op, unsigned int mask, unsigned long long value, unsigned int argument, int line);
unsigned int kf_rt_active_mask(int line);
void kf_rt_grid_sync(int line);
void kf_rt_yield(void);
void kf_rt_fence(void);
void kf_rt_atomic(const volatile void* address, int changed); // after an atomic, in ThreadSanitizer builds
void* kf_rt_dynamic_shared(void);
unsigned int kf_rt_dynamic_shared_bytes(void);
unsigned long long kf_rt_nanoseconds(void);
int kf_rt_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
void kf_rt_trap(int line) __attribute__((noreturn));
void kf_rt_assert_failed(const char* expression, const char* file, int line, const char* function)
    __attribute__((noreturn));
void kf_rt_misaligned(const volatile void* address, unsigned int alignment, const char* what, int line)
    __attribute__((noreturn));
}

namespace kf_simt {
inline void* dynamic_shared() {
    return kf_rt_dynamic_shared();
}

// A namespace-scope `extern __shared__ T name[]`.
template<class T> struct DynamicShared {
    operator T*() const { return static_cast<T*>(kf_rt_dynamic_shared()); }
    template<class I> T& operator[](I i) const { return static_cast<T*>(kf_rt_dynamic_shared())[i]; }
};

inline void yield_point(bool changed) {
#ifdef __SANITIZE_THREAD__
    if (changed)
        __atomic_fetch_add(&kf_rt_progress, 1ull, __ATOMIC_RELAXED);
    kf_rt_yield();
#else
    kf_rt_progress += changed;
    if (--kf_rt_ticks <= 0)
        kf_rt_yield();
#endif
}
} // namespace kf_simt

#define threadIdx (::kf_rt_self.thread_index)
#define blockIdx (::kf_rt_self.block_index)
#define blockDim (::kf_rt_self.block_dim)
#define gridDim (::kf_rt_self.grid_dim)
static constexpr int warpSize = 32;

inline void __trap(int line = __builtin_LINE()) {
    kf_rt_trap(line);
}
inline void __brkpt(int line = __builtin_LINE()) {
    kf_rt_trap(line);
}
#define printf(...) kf_rt_printf(__VA_ARGS__)
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : kf_rt_assert_failed(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif
