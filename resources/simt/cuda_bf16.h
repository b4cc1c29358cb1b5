// SPDX-License-Identifier: GPL-3.0-or-later
// bfloat16 for device code on the CPU, with the names of CUDA's cuda_bf16.h. Each operation rounds once to nearest
// even, as the hardware does; mathematical functions are computed in float and rounded.
#pragma once

#include "kf/simt.h"
#include "kf/simt/float_bits.h"

struct __nv_bfloat16_raw {
    unsigned short x;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __nv_bfloat16(float f) : __x(kf_simt::bfloat_from_float(f)) {}
    __nv_bfloat16(double f) : __x(kf_simt::bfloat_from_float(kf_simt::odd_float(f))) {}
    __nv_bfloat16(int i) : __nv_bfloat16(static_cast<double>(i)) {}
    __nv_bfloat16(unsigned int i) : __nv_bfloat16(static_cast<double>(i)) {}
    __nv_bfloat16(short i) : __nv_bfloat16(static_cast<float>(i)) {}
    __nv_bfloat16(unsigned short i) : __nv_bfloat16(static_cast<float>(i)) {}
    __nv_bfloat16(long i) : __nv_bfloat16(kf_simt::odd_double(i)) {}
    __nv_bfloat16(unsigned long i) : __nv_bfloat16(kf_simt::odd_double(i)) {}
    __nv_bfloat16(long long i) : __nv_bfloat16(kf_simt::odd_double(i)) {}
    __nv_bfloat16(unsigned long long i) : __nv_bfloat16(kf_simt::odd_double(i)) {}
    __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
    operator float() const { return kf_simt::bfloat_to_float(__x); }
    operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    __nv_bfloat16& operator=(float f) { return *this = __nv_bfloat16(f); }
    __nv_bfloat16& operator=(double f) { return *this = __nv_bfloat16(f); }
    __nv_bfloat16& operator=(int i) { return *this = __nv_bfloat16(i); }
    __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) { return *this = __nv_bfloat16(raw); }
    __nv_bfloat16& operator=(const __nv_bfloat16&) = default;
    __nv_bfloat16(const __nv_bfloat16&) = default;
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

// Conversions.
inline __nv_bfloat16 __float2bfloat16(float f) {
    return __nv_bfloat16_raw{kf_simt::bfloat_from_float(f, kf_simt::Round::Nearest)};
}
inline __nv_bfloat16 __float2bfloat16_rn(float f) {
    return __nv_bfloat16_raw{kf_simt::bfloat_from_float(f, kf_simt::Round::Nearest)};
}
inline __nv_bfloat16 __float2bfloat16_rz(float f) {
    return __nv_bfloat16_raw{kf_simt::bfloat_from_float(f, kf_simt::Round::Zero)};
}
inline __nv_bfloat16 __float2bfloat16_rd(float f) {
    return __nv_bfloat16_raw{kf_simt::bfloat_from_float(f, kf_simt::Round::Down)};
}
inline __nv_bfloat16 __float2bfloat16_ru(float f) {
    return __nv_bfloat16_raw{kf_simt::bfloat_from_float(f, kf_simt::Round::Up)};
}
inline __nv_bfloat16 __double2bfloat16(double f) {
    return __nv_bfloat16(f);
}
inline float __bfloat162float(__nv_bfloat16 a) {
    return a;
}
inline __nv_bfloat16 __int2bfloat16_rn(int i) {
    return __nv_bfloat16(i);
}
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned int i) {
    return __nv_bfloat16(i);
}
inline __nv_bfloat16 __short2bfloat16_rn(short i) {
    return __nv_bfloat16(i);
}
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short i) {
    return __nv_bfloat16(i);
}
inline __nv_bfloat16 __ll2bfloat16_rn(long long i) {
    return __nv_bfloat16(i);
}
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long i) {
    return __nv_bfloat16(i);
}
inline int __bfloat162int_rn(__nv_bfloat16 a) {
    return kf_simt::saturate<int>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), -2147483648.0,
                                  2147483647.0, -2147483647 - 1, 2147483647);
}
inline int __bfloat162int_rz(__nv_bfloat16 a) {
    return kf_simt::saturate<int>((static_cast<double>(static_cast<float>(a))), -2147483648.0, 2147483647.0,
                                  -2147483647 - 1, 2147483647);
}
inline int __bfloat162int_rd(__nv_bfloat16 a) {
    return kf_simt::saturate<int>(__builtin_floor(static_cast<double>(static_cast<float>(a))), -2147483648.0,
                                  2147483647.0, -2147483647 - 1, 2147483647);
}
inline int __bfloat162int_ru(__nv_bfloat16 a) {
    return kf_simt::saturate<int>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), -2147483648.0,
                                  2147483647.0, -2147483647 - 1, 2147483647);
}
inline unsigned int __bfloat162uint_rn(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned int>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), 0.0,
                                           4294967295.0, 0u, 4294967295u);
}
inline unsigned int __bfloat162uint_rz(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned int>((static_cast<double>(static_cast<float>(a))), 0.0, 4294967295.0, 0u,
                                           4294967295u);
}
inline unsigned int __bfloat162uint_rd(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned int>(__builtin_floor(static_cast<double>(static_cast<float>(a))), 0.0,
                                           4294967295.0, 0u, 4294967295u);
}
inline unsigned int __bfloat162uint_ru(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned int>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), 0.0,
                                           4294967295.0, 0u, 4294967295u);
}
inline short __bfloat162short_rn(__nv_bfloat16 a) {
    return kf_simt::saturate<short>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline short __bfloat162short_rz(__nv_bfloat16 a) {
    return kf_simt::saturate<short>((static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline short __bfloat162short_rd(__nv_bfloat16 a) {
    return kf_simt::saturate<short>(__builtin_floor(static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline short __bfloat162short_ru(__nv_bfloat16 a) {
    return kf_simt::saturate<short>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned short>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), 0.0,
                                             65535.0, static_cast<unsigned short>(0),
                                             static_cast<unsigned short>(65535));
}
inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned short>((static_cast<double>(static_cast<float>(a))), 0.0, 65535.0,
                                             static_cast<unsigned short>(0), static_cast<unsigned short>(65535));
}
inline unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned short>(__builtin_floor(static_cast<double>(static_cast<float>(a))), 0.0, 65535.0,
                                             static_cast<unsigned short>(0), static_cast<unsigned short>(65535));
}
inline unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned short>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), 0.0, 65535.0,
                                             static_cast<unsigned short>(0), static_cast<unsigned short>(65535));
}
inline long long __bfloat162ll_rn(__nv_bfloat16 a) {
    return kf_simt::saturate<long long>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), -0x1p63,
                                        0x1p63, -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline long long __bfloat162ll_rz(__nv_bfloat16 a) {
    return kf_simt::saturate<long long>((static_cast<double>(static_cast<float>(a))), -0x1p63, 0x1p63,
                                        -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline long long __bfloat162ll_rd(__nv_bfloat16 a) {
    return kf_simt::saturate<long long>(__builtin_floor(static_cast<double>(static_cast<float>(a))), -0x1p63, 0x1p63,
                                        -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline long long __bfloat162ll_ru(__nv_bfloat16 a) {
    return kf_simt::saturate<long long>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), -0x1p63, 0x1p63,
                                        -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned long long>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), 0.0,
                                                 0x1p64, 0ull, ~0ull);
}
inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned long long>((static_cast<double>(static_cast<float>(a))), 0.0, 0x1p64, 0ull,
                                                 ~0ull);
}
inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned long long>(__builtin_floor(static_cast<double>(static_cast<float>(a))), 0.0,
                                                 0x1p64, 0ull, ~0ull);
}
inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) {
    return kf_simt::saturate<unsigned long long>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), 0.0,
                                                 0x1p64, 0ull, ~0ull);
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
    return static_cast<unsigned short>(a.__x);
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(a)};
}
inline short __bfloat16_as_short(__nv_bfloat16 a) {
    return static_cast<short>(a.__x);
}
inline __nv_bfloat16 __short_as_bfloat16(short a) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(a)};
}

// Arithmetic. Float holds every sum, difference, product and quotient with bits enough that rounding again is exact.
inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(static_cast<float>(a) + static_cast<float>(b));
}
inline __nv_bfloat16 operator+(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return __hadd(a, b);
}
inline __nv_bfloat16& operator+=(__nv_bfloat16& a, const __nv_bfloat16& b) {
    return a = __hadd(a, b);
}
inline __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __hadd(a, b);
}
inline __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(__saturatef(__hadd(a, b)));
}
inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(static_cast<float>(a) - static_cast<float>(b));
}
inline __nv_bfloat16 operator-(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return __hsub(a, b);
}
inline __nv_bfloat16& operator-=(__nv_bfloat16& a, const __nv_bfloat16& b) {
    return a = __hsub(a, b);
}
inline __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __hsub(a, b);
}
inline __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(__saturatef(__hsub(a, b)));
}
inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(static_cast<float>(a) * static_cast<float>(b));
}
inline __nv_bfloat16 operator*(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return __hmul(a, b);
}
inline __nv_bfloat16& operator*=(__nv_bfloat16& a, const __nv_bfloat16& b) {
    return a = __hmul(a, b);
}
inline __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __hmul(a, b);
}
inline __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(__saturatef(__hmul(a, b)));
}
inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(static_cast<float>(a) / static_cast<float>(b));
}
inline __nv_bfloat16 operator/(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return __hdiv(a, b);
}
inline __nv_bfloat16& operator/=(__nv_bfloat16& a, const __nv_bfloat16& b) {
    return a = __hdiv(a, b);
}
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __nv_bfloat16(kf_simt::fused(a, b, c));
}
inline __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __nv_bfloat16(__saturatef(__hfma(a, b, c)));
}
inline __nv_bfloat16 __hneg(__nv_bfloat16 a) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(a.__x ^ 0x8000u)};
}
inline __nv_bfloat16 __habs(__nv_bfloat16 a) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(a.__x & 0x7fffu)};
}
inline __nv_bfloat16 operator-(const __nv_bfloat16& a) {
    return __hneg(a);
}
inline __nv_bfloat16 operator+(const __nv_bfloat16& a) {
    return a;
}
inline __nv_bfloat16& operator++(__nv_bfloat16& a) {
    return a = a + __nv_bfloat16(1.0f);
}
inline __nv_bfloat16 operator++(__nv_bfloat16& a, int) {
    const __nv_bfloat16 old = a;
    a = a + __nv_bfloat16(1.0f);
    return old;
}
inline __nv_bfloat16& operator--(__nv_bfloat16& a) {
    return a = a - __nv_bfloat16(1.0f);
}
inline __nv_bfloat16 operator--(__nv_bfloat16& a, int) {
    const __nv_bfloat16 old = a;
    a = a - __nv_bfloat16(1.0f);
    return old;
}

// Comparisons; the forms with u are true for unordered operands.
inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) {
    return static_cast<float>(a) == static_cast<float>(b);
}
inline bool operator==(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return static_cast<float>(a) == static_cast<float>(b);
}
inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) {
    return static_cast<float>(a) < static_cast<float>(b) || static_cast<float>(a) > static_cast<float>(b);
}
inline bool operator!=(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return static_cast<float>(a) != static_cast<float>(b);
}
inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) {
    return static_cast<float>(a) < static_cast<float>(b);
}
inline bool operator<(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return static_cast<float>(a) < static_cast<float>(b);
}
inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) {
    return static_cast<float>(a) <= static_cast<float>(b);
}
inline bool operator<=(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return static_cast<float>(a) <= static_cast<float>(b);
}
inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) {
    return static_cast<float>(a) > static_cast<float>(b);
}
inline bool operator>(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return static_cast<float>(a) > static_cast<float>(b);
}
inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) {
    return static_cast<float>(a) >= static_cast<float>(b);
}
inline bool operator>=(const __nv_bfloat16& a, const __nv_bfloat16& b) {
    return static_cast<float>(a) >= static_cast<float>(b);
}
inline bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) {
    return !__hne(a, b);
}
inline bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) {
    return !__heq(a, b);
}
inline bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) {
    return !__hge(a, b);
}
inline bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) {
    return !__hgt(a, b);
}
inline bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) {
    return !__hle(a, b);
}
inline bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) {
    return !__hlt(a, b);
}
inline bool __hisnan(__nv_bfloat16 a) {
    return (a.__x & 0x7fffu) > 0x7f80u;
}
inline int __hisinf(__nv_bfloat16 a) {
    return (a.__x & 0x7fffu) != 0x7f80u ? 0 : (a.__x & 0x8000u) != 0 ? -1 : 1;
}
inline bool isnan(__nv_bfloat16 a) {
    return __hisnan(a);
}
// The number when one operand is NaN; -0 is smaller than +0.
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
    if (__hisnan(a))
        return __hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : b;
    if (__hisnan(b))
        return a;
    const float x = a, y = b;
    return x > y || (x == y && (a.__x & 0x8000u) == 0) ? a : b;
}
inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
    if (__hisnan(a))
        return __hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : b;
    if (__hisnan(b))
        return a;
    const float x = a, y = b;
    return x < y || (x == y && (a.__x & 0x8000u) != 0) ? a : b;
}
inline __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __hisnan(a) || __hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : __hmax(a, b);
}
inline __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __hisnan(a) || __hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : __hmin(a, b);
}
inline __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    const __nv_bfloat16 r = __hfma(a, b, c);
    return __hisnan(r) ? r : __hmax(r, __nv_bfloat16(0.0f));
}

// Mathematical functions.
inline __nv_bfloat16 hexp(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_expf(x));
}
inline __nv_bfloat162 h2exp(__nv_bfloat162 a) {
    return __nv_bfloat162(hexp(a.x), hexp(a.y));
}
inline __nv_bfloat16 hexp2(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_exp2f(x));
}
inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) {
    return __nv_bfloat162(hexp2(a.x), hexp2(a.y));
}
inline __nv_bfloat16 hexp10(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(::exp10f(x));
}
inline __nv_bfloat162 h2exp10(__nv_bfloat162 a) {
    return __nv_bfloat162(hexp10(a.x), hexp10(a.y));
}
inline __nv_bfloat16 hlog(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_logf(x));
}
inline __nv_bfloat162 h2log(__nv_bfloat162 a) {
    return __nv_bfloat162(hlog(a.x), hlog(a.y));
}
inline __nv_bfloat16 hlog2(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_log2f(x));
}
inline __nv_bfloat162 h2log2(__nv_bfloat162 a) {
    return __nv_bfloat162(hlog2(a.x), hlog2(a.y));
}
inline __nv_bfloat16 hlog10(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_log10f(x));
}
inline __nv_bfloat162 h2log10(__nv_bfloat162 a) {
    return __nv_bfloat162(hlog10(a.x), hlog10(a.y));
}
inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_sqrtf(x));
}
inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) {
    return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y));
}
inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(1.0f / __builtin_sqrtf(x));
}
inline __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) {
    return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y));
}
inline __nv_bfloat16 hrcp(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(1.0f / x);
}
inline __nv_bfloat162 h2rcp(__nv_bfloat162 a) {
    return __nv_bfloat162(hrcp(a.x), hrcp(a.y));
}
inline __nv_bfloat16 hsin(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_sinf(x));
}
inline __nv_bfloat162 h2sin(__nv_bfloat162 a) {
    return __nv_bfloat162(hsin(a.x), hsin(a.y));
}
inline __nv_bfloat16 hcos(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_cosf(x));
}
inline __nv_bfloat162 h2cos(__nv_bfloat162 a) {
    return __nv_bfloat162(hcos(a.x), hcos(a.y));
}
inline __nv_bfloat16 htanh(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_tanhf(x));
}
inline __nv_bfloat162 h2tanh(__nv_bfloat162 a) {
    return __nv_bfloat162(htanh(a.x), htanh(a.y));
}
inline __nv_bfloat16 hceil(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_ceilf(x));
}
inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) {
    return __nv_bfloat162(hceil(a.x), hceil(a.y));
}
inline __nv_bfloat16 hfloor(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_floorf(x));
}
inline __nv_bfloat162 h2floor(__nv_bfloat162 a) {
    return __nv_bfloat162(hfloor(a.x), hfloor(a.y));
}
inline __nv_bfloat16 htrunc(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_truncf(x));
}
inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) {
    return __nv_bfloat162(htrunc(a.x), htrunc(a.y));
}
inline __nv_bfloat16 hrint(__nv_bfloat16 a) {
    const float x = a;
    return __nv_bfloat16(__builtin_nearbyintf(x));
}
inline __nv_bfloat162 h2rint(__nv_bfloat162 a) {
    return __nv_bfloat162(hrint(a.x), hrint(a.y));
}
inline __nv_bfloat16 htanh_approx(__nv_bfloat16 a) {
    return htanh(a);
}

#include "kf/simt/bf16_pair.h"
