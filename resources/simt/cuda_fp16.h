// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE half precision for device code on the CPU, with the names of CUDA's cuda_fp16.h. Each operation rounds once to
// nearest even, as the hardware does; mathematical functions are computed in float and rounded.
#pragma once

#include "kf/simt.h"
#include "kf/simt/float_bits.h"

struct __half_raw {
    unsigned short x;
};

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    __half(float f) : __x(kf_simt::half_from_float(f)) {}
    __half(double f) : __x(kf_simt::half_from_float(kf_simt::odd_float(f))) {}
    __half(int i) : __half(static_cast<double>(i)) {}
    __half(unsigned int i) : __half(static_cast<double>(i)) {}
    __half(short i) : __half(static_cast<float>(i)) {}
    __half(unsigned short i) : __half(static_cast<float>(i)) {}
    __half(long i) : __half(kf_simt::odd_double(i)) {}
    __half(unsigned long i) : __half(kf_simt::odd_double(i)) {}
    __half(long long i) : __half(kf_simt::odd_double(i)) {}
    __half(unsigned long long i) : __half(kf_simt::odd_double(i)) {}
    __half(const __half_raw& raw) : __x(raw.x) {}
    operator float() const { return kf_simt::half_to_float(__x); }
    operator __half_raw() const { return __half_raw{__x}; }
    __half& operator=(float f) { return *this = __half(f); }
    __half& operator=(double f) { return *this = __half(f); }
    __half& operator=(int i) { return *this = __half(i); }
    __half& operator=(const __half_raw& raw) { return *this = __half(raw); }
    __half& operator=(const __half&) = default;
    __half(const __half&) = default;
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b) {}
};
using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

// Conversions.
inline __half __float2half(float f) {
    return __half_raw{kf_simt::half_from_float(f, kf_simt::Round::Nearest)};
}
inline __half __float2half_rn(float f) {
    return __half_raw{kf_simt::half_from_float(f, kf_simt::Round::Nearest)};
}
inline __half __float2half_rz(float f) {
    return __half_raw{kf_simt::half_from_float(f, kf_simt::Round::Zero)};
}
inline __half __float2half_rd(float f) {
    return __half_raw{kf_simt::half_from_float(f, kf_simt::Round::Down)};
}
inline __half __float2half_ru(float f) {
    return __half_raw{kf_simt::half_from_float(f, kf_simt::Round::Up)};
}
inline __half __double2half(double f) {
    return __half(f);
}
inline float __half2float(__half a) {
    return a;
}
inline __half __int2half_rn(int i) {
    return __half(i);
}
inline __half __uint2half_rn(unsigned int i) {
    return __half(i);
}
inline __half __short2half_rn(short i) {
    return __half(i);
}
inline __half __ushort2half_rn(unsigned short i) {
    return __half(i);
}
inline __half __ll2half_rn(long long i) {
    return __half(i);
}
inline __half __ull2half_rn(unsigned long long i) {
    return __half(i);
}
inline int __half2int_rn(__half a) {
    return kf_simt::saturate<int>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), -2147483648.0,
                                  2147483647.0, -2147483647 - 1, 2147483647);
}
inline int __half2int_rz(__half a) {
    return kf_simt::saturate<int>((static_cast<double>(static_cast<float>(a))), -2147483648.0, 2147483647.0,
                                  -2147483647 - 1, 2147483647);
}
inline int __half2int_rd(__half a) {
    return kf_simt::saturate<int>(__builtin_floor(static_cast<double>(static_cast<float>(a))), -2147483648.0,
                                  2147483647.0, -2147483647 - 1, 2147483647);
}
inline int __half2int_ru(__half a) {
    return kf_simt::saturate<int>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), -2147483648.0,
                                  2147483647.0, -2147483647 - 1, 2147483647);
}
inline unsigned int __half2uint_rn(__half a) {
    return kf_simt::saturate<unsigned int>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), 0.0,
                                           4294967295.0, 0u, 4294967295u);
}
inline unsigned int __half2uint_rz(__half a) {
    return kf_simt::saturate<unsigned int>((static_cast<double>(static_cast<float>(a))), 0.0, 4294967295.0, 0u,
                                           4294967295u);
}
inline unsigned int __half2uint_rd(__half a) {
    return kf_simt::saturate<unsigned int>(__builtin_floor(static_cast<double>(static_cast<float>(a))), 0.0,
                                           4294967295.0, 0u, 4294967295u);
}
inline unsigned int __half2uint_ru(__half a) {
    return kf_simt::saturate<unsigned int>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), 0.0,
                                           4294967295.0, 0u, 4294967295u);
}
inline short __half2short_rn(__half a) {
    return kf_simt::saturate<short>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline short __half2short_rz(__half a) {
    return kf_simt::saturate<short>((static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline short __half2short_rd(__half a) {
    return kf_simt::saturate<short>(__builtin_floor(static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline short __half2short_ru(__half a) {
    return kf_simt::saturate<short>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), -32768.0, 32767.0,
                                    static_cast<short>(-32768), static_cast<short>(32767));
}
inline unsigned short __half2ushort_rn(__half a) {
    return kf_simt::saturate<unsigned short>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), 0.0,
                                             65535.0, static_cast<unsigned short>(0),
                                             static_cast<unsigned short>(65535));
}
inline unsigned short __half2ushort_rz(__half a) {
    return kf_simt::saturate<unsigned short>((static_cast<double>(static_cast<float>(a))), 0.0, 65535.0,
                                             static_cast<unsigned short>(0), static_cast<unsigned short>(65535));
}
inline unsigned short __half2ushort_rd(__half a) {
    return kf_simt::saturate<unsigned short>(__builtin_floor(static_cast<double>(static_cast<float>(a))), 0.0, 65535.0,
                                             static_cast<unsigned short>(0), static_cast<unsigned short>(65535));
}
inline unsigned short __half2ushort_ru(__half a) {
    return kf_simt::saturate<unsigned short>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), 0.0, 65535.0,
                                             static_cast<unsigned short>(0), static_cast<unsigned short>(65535));
}
inline long long __half2ll_rn(__half a) {
    return kf_simt::saturate<long long>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), -0x1p63,
                                        0x1p63, -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline long long __half2ll_rz(__half a) {
    return kf_simt::saturate<long long>((static_cast<double>(static_cast<float>(a))), -0x1p63, 0x1p63,
                                        -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline long long __half2ll_rd(__half a) {
    return kf_simt::saturate<long long>(__builtin_floor(static_cast<double>(static_cast<float>(a))), -0x1p63, 0x1p63,
                                        -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline long long __half2ll_ru(__half a) {
    return kf_simt::saturate<long long>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), -0x1p63, 0x1p63,
                                        -9223372036854775807ll - 1, 9223372036854775807ll);
}
inline unsigned long long __half2ull_rn(__half a) {
    return kf_simt::saturate<unsigned long long>(__builtin_nearbyint(static_cast<double>(static_cast<float>(a))), 0.0,
                                                 0x1p64, 0ull, ~0ull);
}
inline unsigned long long __half2ull_rz(__half a) {
    return kf_simt::saturate<unsigned long long>((static_cast<double>(static_cast<float>(a))), 0.0, 0x1p64, 0ull,
                                                 ~0ull);
}
inline unsigned long long __half2ull_rd(__half a) {
    return kf_simt::saturate<unsigned long long>(__builtin_floor(static_cast<double>(static_cast<float>(a))), 0.0,
                                                 0x1p64, 0ull, ~0ull);
}
inline unsigned long long __half2ull_ru(__half a) {
    return kf_simt::saturate<unsigned long long>(__builtin_ceil(static_cast<double>(static_cast<float>(a))), 0.0,
                                                 0x1p64, 0ull, ~0ull);
}
inline unsigned short __half_as_ushort(__half a) {
    return static_cast<unsigned short>(a.__x);
}
inline __half __ushort_as_half(unsigned short a) {
    return __half_raw{static_cast<unsigned short>(a)};
}
inline short __half_as_short(__half a) {
    return static_cast<short>(a.__x);
}
inline __half __short_as_half(short a) {
    return __half_raw{static_cast<unsigned short>(a)};
}

// Arithmetic. Float holds every sum, difference, product and quotient with bits enough that rounding again is exact.
inline __half __hadd(__half a, __half b) {
    return __half(static_cast<float>(a) + static_cast<float>(b));
}
inline __half operator+(const __half& a, const __half& b) {
    return __hadd(a, b);
}
inline __half& operator+=(__half& a, const __half& b) {
    return a = __hadd(a, b);
}
inline __half __hadd_rn(__half a, __half b) {
    return __hadd(a, b);
}
inline __half __hadd_sat(__half a, __half b) {
    return __half(__saturatef(__hadd(a, b)));
}
inline __half __hsub(__half a, __half b) {
    return __half(static_cast<float>(a) - static_cast<float>(b));
}
inline __half operator-(const __half& a, const __half& b) {
    return __hsub(a, b);
}
inline __half& operator-=(__half& a, const __half& b) {
    return a = __hsub(a, b);
}
inline __half __hsub_rn(__half a, __half b) {
    return __hsub(a, b);
}
inline __half __hsub_sat(__half a, __half b) {
    return __half(__saturatef(__hsub(a, b)));
}
inline __half __hmul(__half a, __half b) {
    return __half(static_cast<float>(a) * static_cast<float>(b));
}
inline __half operator*(const __half& a, const __half& b) {
    return __hmul(a, b);
}
inline __half& operator*=(__half& a, const __half& b) {
    return a = __hmul(a, b);
}
inline __half __hmul_rn(__half a, __half b) {
    return __hmul(a, b);
}
inline __half __hmul_sat(__half a, __half b) {
    return __half(__saturatef(__hmul(a, b)));
}
inline __half __hdiv(__half a, __half b) {
    return __half(static_cast<float>(a) / static_cast<float>(b));
}
inline __half operator/(const __half& a, const __half& b) {
    return __hdiv(a, b);
}
inline __half& operator/=(__half& a, const __half& b) {
    return a = __hdiv(a, b);
}
inline __half __hfma(__half a, __half b, __half c) {
    return __half(kf_simt::fused(a, b, c));
}
inline __half __hfma_sat(__half a, __half b, __half c) {
    return __half(__saturatef(__hfma(a, b, c)));
}
inline __half __hneg(__half a) {
    return __half_raw{static_cast<unsigned short>(a.__x ^ 0x8000u)};
}
inline __half __habs(__half a) {
    return __half_raw{static_cast<unsigned short>(a.__x & 0x7fffu)};
}
inline __half operator-(const __half& a) {
    return __hneg(a);
}
inline __half operator+(const __half& a) {
    return a;
}
inline __half& operator++(__half& a) {
    return a = a + __half(1.0f);
}
inline __half operator++(__half& a, int) {
    const __half old = a;
    a = a + __half(1.0f);
    return old;
}
inline __half& operator--(__half& a) {
    return a = a - __half(1.0f);
}
inline __half operator--(__half& a, int) {
    const __half old = a;
    a = a - __half(1.0f);
    return old;
}

// Comparisons; the forms with u are true for unordered operands.
inline bool __heq(__half a, __half b) {
    return static_cast<float>(a) == static_cast<float>(b);
}
inline bool operator==(const __half& a, const __half& b) {
    return static_cast<float>(a) == static_cast<float>(b);
}
inline bool __hne(__half a, __half b) {
    return static_cast<float>(a) < static_cast<float>(b) || static_cast<float>(a) > static_cast<float>(b);
}
inline bool operator!=(const __half& a, const __half& b) {
    return static_cast<float>(a) != static_cast<float>(b);
}
inline bool __hlt(__half a, __half b) {
    return static_cast<float>(a) < static_cast<float>(b);
}
inline bool operator<(const __half& a, const __half& b) {
    return static_cast<float>(a) < static_cast<float>(b);
}
inline bool __hle(__half a, __half b) {
    return static_cast<float>(a) <= static_cast<float>(b);
}
inline bool operator<=(const __half& a, const __half& b) {
    return static_cast<float>(a) <= static_cast<float>(b);
}
inline bool __hgt(__half a, __half b) {
    return static_cast<float>(a) > static_cast<float>(b);
}
inline bool operator>(const __half& a, const __half& b) {
    return static_cast<float>(a) > static_cast<float>(b);
}
inline bool __hge(__half a, __half b) {
    return static_cast<float>(a) >= static_cast<float>(b);
}
inline bool operator>=(const __half& a, const __half& b) {
    return static_cast<float>(a) >= static_cast<float>(b);
}
inline bool __hequ(__half a, __half b) {
    return !__hne(a, b);
}
inline bool __hneu(__half a, __half b) {
    return !__heq(a, b);
}
inline bool __hltu(__half a, __half b) {
    return !__hge(a, b);
}
inline bool __hleu(__half a, __half b) {
    return !__hgt(a, b);
}
inline bool __hgtu(__half a, __half b) {
    return !__hle(a, b);
}
inline bool __hgeu(__half a, __half b) {
    return !__hlt(a, b);
}
inline bool __hisnan(__half a) {
    return (a.__x & 0x7fffu) > 0x7c00u;
}
inline int __hisinf(__half a) {
    return (a.__x & 0x7fffu) != 0x7c00u ? 0 : (a.__x & 0x8000u) != 0 ? -1 : 1;
}
inline bool isnan(__half a) {
    return __hisnan(a);
}
// The number when one operand is NaN; -0 is smaller than +0.
inline __half __hmax(__half a, __half b) {
    if (__hisnan(a))
        return __hisnan(b) ? __half(__half_raw{0x7fff}) : b;
    if (__hisnan(b))
        return a;
    const float x = a, y = b;
    return x > y || (x == y && (a.__x & 0x8000u) == 0) ? a : b;
}
inline __half __hmin(__half a, __half b) {
    if (__hisnan(a))
        return __hisnan(b) ? __half(__half_raw{0x7fff}) : b;
    if (__hisnan(b))
        return a;
    const float x = a, y = b;
    return x < y || (x == y && (a.__x & 0x8000u) != 0) ? a : b;
}
inline __half __hmax_nan(__half a, __half b) {
    return __hisnan(a) || __hisnan(b) ? __half(__half_raw{0x7fff}) : __hmax(a, b);
}
inline __half __hmin_nan(__half a, __half b) {
    return __hisnan(a) || __hisnan(b) ? __half(__half_raw{0x7fff}) : __hmin(a, b);
}
inline __half __hfma_relu(__half a, __half b, __half c) {
    const __half r = __hfma(a, b, c);
    return __hisnan(r) ? r : __hmax(r, __half(0.0f));
}

// Mathematical functions.
inline __half hexp(__half a) {
    const float x = a;
    return __half(__builtin_expf(x));
}
inline __half2 h2exp(__half2 a) {
    return __half2(hexp(a.x), hexp(a.y));
}
inline __half hexp2(__half a) {
    const float x = a;
    return __half(__builtin_exp2f(x));
}
inline __half2 h2exp2(__half2 a) {
    return __half2(hexp2(a.x), hexp2(a.y));
}
inline __half hexp10(__half a) {
    const float x = a;
    return __half(::exp10f(x));
}
inline __half2 h2exp10(__half2 a) {
    return __half2(hexp10(a.x), hexp10(a.y));
}
inline __half hlog(__half a) {
    const float x = a;
    return __half(__builtin_logf(x));
}
inline __half2 h2log(__half2 a) {
    return __half2(hlog(a.x), hlog(a.y));
}
inline __half hlog2(__half a) {
    const float x = a;
    return __half(__builtin_log2f(x));
}
inline __half2 h2log2(__half2 a) {
    return __half2(hlog2(a.x), hlog2(a.y));
}
inline __half hlog10(__half a) {
    const float x = a;
    return __half(__builtin_log10f(x));
}
inline __half2 h2log10(__half2 a) {
    return __half2(hlog10(a.x), hlog10(a.y));
}
inline __half hsqrt(__half a) {
    const float x = a;
    return __half(__builtin_sqrtf(x));
}
inline __half2 h2sqrt(__half2 a) {
    return __half2(hsqrt(a.x), hsqrt(a.y));
}
inline __half hrsqrt(__half a) {
    const float x = a;
    return __half(1.0f / __builtin_sqrtf(x));
}
inline __half2 h2rsqrt(__half2 a) {
    return __half2(hrsqrt(a.x), hrsqrt(a.y));
}
inline __half hrcp(__half a) {
    const float x = a;
    return __half(1.0f / x);
}
inline __half2 h2rcp(__half2 a) {
    return __half2(hrcp(a.x), hrcp(a.y));
}
inline __half hsin(__half a) {
    const float x = a;
    return __half(__builtin_sinf(x));
}
inline __half2 h2sin(__half2 a) {
    return __half2(hsin(a.x), hsin(a.y));
}
inline __half hcos(__half a) {
    const float x = a;
    return __half(__builtin_cosf(x));
}
inline __half2 h2cos(__half2 a) {
    return __half2(hcos(a.x), hcos(a.y));
}
inline __half htanh(__half a) {
    const float x = a;
    return __half(__builtin_tanhf(x));
}
inline __half2 h2tanh(__half2 a) {
    return __half2(htanh(a.x), htanh(a.y));
}
inline __half hceil(__half a) {
    const float x = a;
    return __half(__builtin_ceilf(x));
}
inline __half2 h2ceil(__half2 a) {
    return __half2(hceil(a.x), hceil(a.y));
}
inline __half hfloor(__half a) {
    const float x = a;
    return __half(__builtin_floorf(x));
}
inline __half2 h2floor(__half2 a) {
    return __half2(hfloor(a.x), hfloor(a.y));
}
inline __half htrunc(__half a) {
    const float x = a;
    return __half(__builtin_truncf(x));
}
inline __half2 h2trunc(__half2 a) {
    return __half2(htrunc(a.x), htrunc(a.y));
}
inline __half hrint(__half a) {
    const float x = a;
    return __half(__builtin_nearbyintf(x));
}
inline __half2 h2rint(__half2 a) {
    return __half2(hrint(a.x), hrint(a.y));
}
inline __half htanh_approx(__half a) {
    return htanh(a);
}

#include "kf/simt/fp16_pair.h"
