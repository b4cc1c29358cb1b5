// SPDX-License-Identifier: GPL-3.0-or-later
// Integer, conversion and fast-math intrinsics. Fast-math forms compute the ordinary function: they are at least as
// exact.
#pragma once

#include "kf/simt/math.h"
#include "kf/simt/vector.h"

inline float __expf(float a) {
    return __builtin_expf(a);
}
inline float __exp10f(float a) {
    return ::exp10f(a);
}
inline float __logf(float a) {
    return __builtin_logf(a);
}
inline float __log2f(float a) {
    return __builtin_log2f(a);
}
inline float __log10f(float a) {
    return __builtin_log10f(a);
}
inline float __sinf(float a) {
    return __builtin_sinf(a);
}
inline float __cosf(float a) {
    return __builtin_cosf(a);
}
inline float __tanf(float a) {
    return __builtin_tanf(a);
}
inline float __tanhf(float a) {
    return __builtin_tanhf(a);
}
inline float __powf(float a, float b) {
    return __builtin_powf(a, b);
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __saturatef(float a) {
    return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f;
}
inline void __sincosf(float a, float* s, float* c) {
    sincosf(a, s, c);
}

// Rounding to nearest is the host's own mode. The directed forms are computed exactly in double and rounded by hand.
namespace kf_simt {
inline float round_down(double d) {
    float f = static_cast<float>(d);
    return static_cast<double>(f) > d ? __builtin_nextafterf(f, -__builtin_inff()) : f;
}
inline float round_up(double d) {
    float f = static_cast<float>(d);
    return static_cast<double>(f) < d ? __builtin_nextafterf(f, __builtin_inff()) : f;
}
inline float round_zero(double d) {
    return d < 0 ? round_up(d) : round_down(d);
}
// Saturating conversion with NaN as 0 (cvt.sat in PTX: float to integer always saturates).
template<class I> inline I saturate(double d, double low, double high, I lowest, I highest) {
    return d != d ? I(0) : d <= low ? lowest : d >= high ? highest : static_cast<I>(d);
}
inline int to_int(double d) {
    return saturate(d, -2147483648.0, 2147483647.0, -2147483647 - 1, 2147483647);
}
inline unsigned int to_uint(double d) {
    return saturate(d, 0.0, 4294967295.0, 0u, 4294967295u);
}
inline long long to_longlong(double d) {
    return saturate(d, -0x1p63, 0x1p63, -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline unsigned long long to_ulonglong(double d) {
    return saturate(d, 0.0, 0x1p64, 0ull, ~0ull);
}
} // namespace kf_simt

// Round-to-nearest forms are never fused (CUDA's promise); the barrier keeps the compiler from contracting them.
#define KF_ARITHMETIC(NAME, T, OP)                                                                                     \
    inline T NAME(T a, T b) {                                                                                          \
        volatile T r = a OP b;                                                                                         \
        return r;                                                                                                      \
    }
#ifdef __SANITIZE_THREAD__
#undef KF_ARITHMETIC
#define KF_ARITHMETIC(NAME, T, OP)                                                                                     \
    __attribute__((noinline)) inline T NAME(T a, T b) {                                                                \
        return a OP b;                                                                                                 \
    }
#endif
KF_ARITHMETIC(__fadd_rn, float, +)
KF_ARITHMETIC(__fsub_rn, float, -)
KF_ARITHMETIC(__fmul_rn, float, *)
KF_ARITHMETIC(__dadd_rn, double, +)
KF_ARITHMETIC(__dsub_rn, double, -)
KF_ARITHMETIC(__dmul_rn, double, *)
#undef KF_ARITHMETIC
inline float __fdiv_rn(float a, float b) {
    return a / b;
}
inline double __ddiv_rn(double a, double b) {
    return a / b;
}
inline float __frcp_rn(float a) {
    return 1.0f / a;
}
inline double __drcp_rn(double a) {
    return 1.0 / a;
}
inline float __fsqrt_rn(float a) {
    return __builtin_sqrtf(a);
}
inline double __dsqrt_rn(double a) {
    return __builtin_sqrt(a);
}
inline float __frsqrt_rn(float a) {
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)));
}
inline float __fmaf_rn(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
inline float __fmul_rd(float a, float b) {
    return kf_simt::round_down(static_cast<double>(a) * b);
}
inline float __fmul_ru(float a, float b) {
    return kf_simt::round_up(static_cast<double>(a) * b);
}
inline float __fmul_rz(float a, float b) {
    return kf_simt::round_zero(static_cast<double>(a) * b);
}

// Conversions.
inline int __float2int_rn(float a) {
    return kf_simt::to_int(__builtin_nearbyint(a));
}
inline int __float2int_rz(float a) {
    return kf_simt::to_int(a);
}
inline int __float2int_rd(float a) {
    return kf_simt::to_int(__builtin_floor(a));
}
inline int __float2int_ru(float a) {
    return kf_simt::to_int(__builtin_ceil(a));
}
inline unsigned int __float2uint_rn(float a) {
    return kf_simt::to_uint(__builtin_nearbyint(a));
}
inline unsigned int __float2uint_rz(float a) {
    return kf_simt::to_uint(a);
}
inline unsigned int __float2uint_rd(float a) {
    return kf_simt::to_uint(__builtin_floor(a));
}
inline unsigned int __float2uint_ru(float a) {
    return kf_simt::to_uint(__builtin_ceil(a));
}
inline long long __float2ll_rn(float a) {
    return kf_simt::to_longlong(__builtin_nearbyint(a));
}
inline long long __float2ll_rz(float a) {
    return kf_simt::to_longlong(a);
}
inline unsigned long long __float2ull_rn(float a) {
    return kf_simt::to_ulonglong(__builtin_nearbyint(a));
}
inline unsigned long long __float2ull_rz(float a) {
    return kf_simt::to_ulonglong(a);
}
inline int __double2int_rn(double a) {
    return kf_simt::to_int(__builtin_nearbyint(a));
}
inline int __double2int_rz(double a) {
    return kf_simt::to_int(a);
}
inline int __double2int_rd(double a) {
    return kf_simt::to_int(__builtin_floor(a));
}
inline int __double2int_ru(double a) {
    return kf_simt::to_int(__builtin_ceil(a));
}
inline unsigned int __double2uint_rn(double a) {
    return kf_simt::to_uint(__builtin_nearbyint(a));
}
inline unsigned int __double2uint_rz(double a) {
    return kf_simt::to_uint(a);
}
inline long long __double2ll_rn(double a) {
    return kf_simt::to_longlong(__builtin_nearbyint(a));
}
inline long long __double2ll_rz(double a) {
    return kf_simt::to_longlong(a);
}
inline float __double2float_rn(double a) {
    return static_cast<float>(a);
}
inline float __double2float_rz(double a) {
    return kf_simt::round_zero(a);
}
inline float __double2float_rd(double a) {
    return kf_simt::round_down(a);
}
inline float __double2float_ru(double a) {
    return kf_simt::round_up(a);
}
inline float __int2float_rn(int a) {
    return static_cast<float>(a);
}
inline float __int2float_rz(int a) {
    return kf_simt::round_zero(a);
}
inline float __uint2float_rn(unsigned int a) {
    return static_cast<float>(a);
}
inline float __ll2float_rn(long long a) {
    return static_cast<float>(a);
}
inline float __ull2float_rn(unsigned long long a) {
    return static_cast<float>(a);
}
inline double __int2double_rn(int a) {
    return a;
}
inline double __uint2double_rn(unsigned int a) {
    return a;
}
inline double __ll2double_rn(long long a) {
    return static_cast<double>(a);
}

#define KF_REINTERPRET(NAME, TO, FROM)                                                                                 \
    inline TO NAME(FROM a) {                                                                                           \
        TO r;                                                                                                          \
        __builtin_memcpy(&r, &a, sizeof r);                                                                            \
        return r;                                                                                                      \
    }
KF_REINTERPRET(__float_as_int, int, float)
KF_REINTERPRET(__float_as_uint, unsigned int, float)
KF_REINTERPRET(__int_as_float, float, int)
KF_REINTERPRET(__uint_as_float, float, unsigned int)
KF_REINTERPRET(__double_as_longlong, long long, double)
KF_REINTERPRET(__longlong_as_double, double, long long)
#undef KF_REINTERPRET
inline int __double2hiint(double a) {
    return static_cast<int>(__double_as_longlong(a) >> 32);
}
inline int __double2loint(double a) {
    return static_cast<int>(__double_as_longlong(a));
}
inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(
        static_cast<unsigned long long>(static_cast<unsigned int>(hi)) << 32 | static_cast<unsigned int>(lo)));
}

// Integers.
inline int __popc(unsigned int a) {
    return __builtin_popcount(a);
}
inline int __popcll(unsigned long long a) {
    return __builtin_popcountll(a);
}
inline int __clz(int a) {
    return a == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(a));
}
inline int __clzll(long long a) {
    return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}
inline int __ffs(int a) {
    return __builtin_ffs(a);
}
inline int __ffsll(long long a) {
    return __builtin_ffsll(a);
}
inline unsigned int __brev(unsigned int a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
inline unsigned long long __brevll(unsigned long long a) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(a))) << 32 |
           __brev(static_cast<unsigned int>(a >> 32));
}
// Byte permutation as PTX's prmt in its default mode: bit 3 of a selector replicates the sign bit.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
    unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
    unsigned int r = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned int selector = s >> (4 * i);
        unsigned int byte = static_cast<unsigned int>(both >> (8 * (selector & 7))) & 0xffu;
        if ((selector & 8) != 0)
            byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
        r |= byte << (8 * i);
    }
    return r;
}
inline int __mul24(int a, int b) {
    return ((a << 8) >> 8) * ((b << 8) >> 8);
}
inline unsigned int __umul24(unsigned int a, unsigned int b) {
    return (a & 0xffffffu) * (b & 0xffffffu);
}
inline int __mulhi(int a, int b) {
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __hadd(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned int __sad(int a, int b, unsigned int c) {
    return c + static_cast<unsigned int>(a < b ? static_cast<long long>(b) - a : static_cast<long long>(a) - b);
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a < b ? b - a : a - b);
}
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; ++i)
        c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
    return c;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    for (int i = 0; i < 4; ++i)
        c += (a >> (8 * i) & 0xffu) * (b >> (8 * i) & 0xffu);
    return c;
}
inline int __dp2a_lo(int a, int b, int c) {
    return c + static_cast<short>(a) * static_cast<signed char>(b) +
           static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
inline int __dp2a_hi(int a, int b, int c) {
    return __dp2a_lo(a, b >> 16, c);
}
inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int s) {
    return static_cast<unsigned int>(((static_cast<unsigned long long>(hi) << 32 | lo) << (s & 31)) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int s) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(hi) << 32 | lo) >> (s & 31));
}
inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int s) {
    return static_cast<unsigned int>(((static_cast<unsigned long long>(hi) << 32 | lo) << (s < 32 ? s : 32)) >> 32);
}
inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int s) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(hi) << 32 | lo) >> (s < 32 ? s : 32));
}

// Pointers: every address is generic here.
inline size_t __cvta_generic_to_shared(const void* p) {
    return reinterpret_cast<size_t>(p);
}
inline size_t __cvta_generic_to_global(const void* p) {
    return reinterpret_cast<size_t>(p);
}
