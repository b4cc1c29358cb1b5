// SPDX-License-Identifier: GPL-3.0-or-later
// Atomics with relaxed order, as in CUDA. One OS thread runs all threads, so plain accesses are atomic; where the code
// is instrumented for race detection the compiler's atomics are used, so that an atomic is seen as one. Each atomic is
// a yield point and, when it changes memory, progress that another thread may be waiting for.
#pragma once

#include "kf/simt/runtime.h"

namespace kf_simt {
template<unsigned long N> struct Bits;
template<> struct Bits<1> { using Type = unsigned char; };
template<> struct Bits<2> { using Type = unsigned short; };
template<> struct Bits<4> { using Type = unsigned int; };
template<> struct Bits<8> { using Type = unsigned long long; };

// Replaces *p by f(*p) and returns the old value.
template<class T, class F> inline T update(T* p, F f) {
    using B = typename Bits<sizeof(T)>::Type;
    T old, next;
    B before, after;
#ifdef __SANITIZE_THREAD__
    before = __atomic_load_n(reinterpret_cast<B*>(p), __ATOMIC_RELAXED);
    do {
        __builtin_memcpy(&old, &before, sizeof(T));
        next = f(old);
        __builtin_memcpy(&after, &next, sizeof(T));
    } while (!__atomic_compare_exchange_n(reinterpret_cast<B*>(p), &before, after, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    kf_rt_atomic(p, before != after);
#else
    old = *p;
    next = f(old);
    *p = next;
    __builtin_memcpy(&before, &old, sizeof(T));
    __builtin_memcpy(&after, &next, sizeof(T));
    yield_point(before != after);
#endif
    return old;
}
} // namespace kf_simt

// One atomic in its device, block and system forms.
#define KF_ATOMIC2(NAME, T, EXPRESSION)                                                                                \
    inline T NAME(T* address, T v) {                                                                                   \
        return kf_simt::update(address, [v](T old) -> T { return EXPRESSION; });                                       \
    }                                                                                                                  \
    inline T NAME##_block(T* address, T v) {                                                                           \
        return NAME(address, v);                                                                                       \
    }                                                                                                                  \
    inline T NAME##_system(T* address, T v) {                                                                          \
        return NAME(address, v);                                                                                       \
    }

#define KF_ATOMIC_INTEGER(T)                                                                                           \
    KF_ATOMIC2(atomicAdd, T, static_cast<T>(old + v))                                                                  \
    KF_ATOMIC2(atomicSub, T, static_cast<T>(old - v))                                                                  \
    KF_ATOMIC2(atomicExch, T, ((void)old, v))                                                                          \
    KF_ATOMIC2(atomicMin, T, v < old ? v : old)                                                                        \
    KF_ATOMIC2(atomicMax, T, old < v ? v : old)                                                                        \
    KF_ATOMIC2(atomicAnd, T, old& v)                                                                                   \
    KF_ATOMIC2(atomicOr, T, old | v)                                                                                   \
    KF_ATOMIC2(atomicXor, T, old ^ v)
KF_ATOMIC_INTEGER(int)
KF_ATOMIC_INTEGER(unsigned int)
KF_ATOMIC_INTEGER(long long)
KF_ATOMIC_INTEGER(unsigned long long)
KF_ATOMIC_INTEGER(unsigned long)
#undef KF_ATOMIC_INTEGER
KF_ATOMIC2(atomicInc, unsigned int, old >= v ? 0u : old + 1u)
KF_ATOMIC2(atomicDec, unsigned int, old == 0u || old > v ? v : old - 1u)
KF_ATOMIC2(atomicAdd, float, old + v)
KF_ATOMIC2(atomicAdd, double, old + v)
KF_ATOMIC2(atomicExch, float, ((void)old, v))
KF_ATOMIC2(atomicExch, double, ((void)old, v))

#define KF_ATOMIC_CAS(T)                                                                                               \
    inline T atomicCAS(T* address, T expected, T v) {                                                                  \
        return kf_simt::update(address, [expected, v](T old) -> T { return old == expected ? v : old; });              \
    }                                                                                                                  \
    inline T atomicCAS_block(T* address, T expected, T v) {                                                            \
        return atomicCAS(address, expected, v);                                                                        \
    }                                                                                                                  \
    inline T atomicCAS_system(T* address, T expected, T v) {                                                           \
        return atomicCAS(address, expected, v);                                                                        \
    }
KF_ATOMIC_CAS(int)
KF_ATOMIC_CAS(unsigned int)
KF_ATOMIC_CAS(long long)
KF_ATOMIC_CAS(unsigned long long)
KF_ATOMIC_CAS(unsigned long)
KF_ATOMIC_CAS(unsigned short)
#undef KF_ATOMIC_CAS
