// SPDX-License-Identifier: GPL-3.0-or-later
// 8-bit floating-point storage: e4m3 (no infinity, largest 448) and e5m2. Conversions round to nearest even; with
// __NV_SATFINITE numbers beyond the largest become the largest.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace kf_simt {

inline unsigned char fp8_from_float(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    const unsigned int u = float_bits(f), magnitude = u & 0x7fffffffu;
    const unsigned int sign = u >> 24 & 0x80u;
    if (magnitude > 0x7f800000u)
        return 0x7f;
    if (kind == __NV_E4M3) {
        // 0x7e is 448, 0x7f is NaN: there is no infinity.
        const unsigned int h =
            magnitude >= 0x7f800000u ? 0x7fu : narrow_magnitude<3, 7>(magnitude, false, Round::Nearest);
        if (h > 0x7eu)
            return static_cast<unsigned char>(sign | (saturate == __NV_SATFINITE ? 0x7eu : 0x7fu));
        return static_cast<unsigned char>(sign | h);
    }
    const unsigned int h = magnitude >= 0x7f800000u ? 0x7cu : narrow_magnitude<2, 15>(magnitude, false, Round::Nearest);
    if (h > 0x7bu)
        return static_cast<unsigned char>(sign | (saturate == __NV_SATFINITE ? 0x7bu : 0x7cu));
    return static_cast<unsigned char>(sign | h);
}

inline float fp8_to_float(unsigned char x, __nv_fp8_interpretation_t kind) {
    if (kind == __NV_E5M2)
        return half_to_float(static_cast<unsigned short>(x << 8)); // the upper byte of a half
    const unsigned int magnitude = x & 0x7fu;
    if (magnitude == 0x7fu)
        return bits_float(0x7fffffffu);
    // Exponent and mantissa into a half with bias 15 instead of 7: times 2^8.
    const float value = half_to_float(static_cast<unsigned short>(magnitude << 7)) * 256.0f;
    return (x & 0x80u) != 0 ? -value : value;
}

} // namespace kf_simt

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return kf_simt::fp8_from_float(f, saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return kf_simt::fp8_from_float(kf_simt::odd_float(d), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw h, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
    return kf_simt::fp8_from_float(kf_simt::half_to_float(h.x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw h, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
    return kf_simt::fp8_from_float(kf_simt::bfloat_to_float(h.x), saturate, kind);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 f, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
    return static_cast<__nv_fp8x2_storage_t>(kf_simt::fp8_from_float(f.x, saturate, kind) |
                                             kf_simt::fp8_from_float(f.y, saturate, kind) << 8);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __half_raw{kf_simt::half_from_float(kf_simt::fp8_to_float(x, kind))};
}

#define KF_FP8(NAME, KIND)                                                                                             \
    struct NAME {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        NAME() = default;                                                                                              \
        explicit NAME(float f) : __x(kf_simt::fp8_from_float(f, __NV_SATFINITE, KIND)) {}                              \
        explicit NAME(double d) : __x(__nv_cvt_double_to_fp8(d, __NV_SATFINITE, KIND)) {}                              \
        explicit NAME(__half h) : NAME(static_cast<float>(h)) {}                                                       \
        explicit NAME(__nv_bfloat16 h) : NAME(static_cast<float>(h)) {}                                                \
        explicit NAME(int i) : NAME(static_cast<double>(i)) {}                                                         \
        explicit operator float() const { return kf_simt::fp8_to_float(__x, KIND); }                                   \
        explicit operator double() const { return kf_simt::fp8_to_float(__x, KIND); }                                  \
        explicit operator __half() const { return __half(kf_simt::fp8_to_float(__x, KIND)); }                          \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(kf_simt::fp8_to_float(__x, KIND)); }            \
    };
KF_FP8(__nv_fp8_e4m3, __NV_E4M3)
KF_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef KF_FP8

#define KF_FP8X2(NAME, KIND)                                                                                           \
    struct __attribute__((aligned(2))) NAME {                                                                          \
        __nv_fp8x2_storage_t __x;                                                                                      \
        NAME() = default;                                                                                              \
        explicit NAME(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, KIND)) {}                            \
        explicit NAME(__half2 h) : NAME(__half22float2(h)) {}                                                          \
        explicit operator float2() const {                                                                             \
            return make_float2(kf_simt::fp8_to_float(static_cast<unsigned char>(__x), KIND),                           \
                               kf_simt::fp8_to_float(static_cast<unsigned char>(__x >> 8), KIND));                     \
        }                                                                                                              \
    };
KF_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
KF_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
#undef KF_FP8X2
#define KF_FP8X4(NAME, KIND)                                                                                           \
    struct __attribute__((aligned(4))) NAME {                                                                          \
        __nv_fp8x4_storage_t __x;                                                                                      \
        NAME() = default;                                                                                              \
        explicit NAME(float4 f)                                                                                        \
            : __x(static_cast<unsigned int>(__nv_cvt_float2_to_fp8x2(make_float2(f.x, f.y), __NV_SATFINITE, KIND)) |   \
                  static_cast<unsigned int>(__nv_cvt_float2_to_fp8x2(make_float2(f.z, f.w), __NV_SATFINITE, KIND))     \
                      << 16) {}                                                                                        \
        explicit operator float4() const {                                                                             \
            return make_float4(kf_simt::fp8_to_float(static_cast<unsigned char>(__x), KIND),                           \
                               kf_simt::fp8_to_float(static_cast<unsigned char>(__x >> 8), KIND),                      \
                               kf_simt::fp8_to_float(static_cast<unsigned char>(__x >> 16), KIND),                     \
                               kf_simt::fp8_to_float(static_cast<unsigned char>(__x >> 24), KIND));                    \
        }                                                                                                              \
    };
KF_FP8X4(__nv_fp8x4_e4m3, __NV_E4M3)
KF_FP8X4(__nv_fp8x4_e5m2, __NV_E5M2)
#undef KF_FP8X4
