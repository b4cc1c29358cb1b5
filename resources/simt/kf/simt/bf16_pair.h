// SPDX-License-Identifier: GPL-3.0-or-later
// __nv_bfloat162: each function of a pair is the scalar one for both halves. Included by cuda_bf16.h, at its end.
#pragma once

#include "cuda_bf16.h"

inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat162(a, b);
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat162(a, b);
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
    return __nv_bfloat162(a, a);
}
inline __nv_bfloat162 __float2bfloat162_rn(float a) {
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
    return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y));
}
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
    return make_float2(a.x, a.y);
}
inline float __low2float(__nv_bfloat162 a) {
    return a.x;
}
inline float __high2float(__nv_bfloat162 a) {
    return a.y;
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
    return a.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
    return a.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
    return __nv_bfloat162(a.x, a.x);
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
    return __nv_bfloat162(a.y, a.y);
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x, b.x);
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.y, b.y);
}
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) {
    return __nv_bfloat162(a.y, a.x);
}
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x + b.x, a.y + b.y);
}
inline __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hadd2(a, b);
}
inline __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
inline __nv_bfloat162 operator+(const __nv_bfloat162& a, const __nv_bfloat162& b) {
    return __hadd2(a, b);
}
inline __nv_bfloat162& operator+=(__nv_bfloat162& a, const __nv_bfloat162& b) {
    return a = __hadd2(a, b);
}
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x - b.x, a.y - b.y);
}
inline __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hsub2(a, b);
}
inline __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
inline __nv_bfloat162 operator-(const __nv_bfloat162& a, const __nv_bfloat162& b) {
    return __hsub2(a, b);
}
inline __nv_bfloat162& operator-=(__nv_bfloat162& a, const __nv_bfloat162& b) {
    return a = __hsub2(a, b);
}
inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x * b.x, a.y * b.y);
}
inline __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hmul2(a, b);
}
inline __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
inline __nv_bfloat162 operator*(const __nv_bfloat162& a, const __nv_bfloat162& b) {
    return __hmul2(a, b);
}
inline __nv_bfloat162& operator*=(__nv_bfloat162& a, const __nv_bfloat162& b) {
    return a = __hmul2(a, b);
}
inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(a.x / b.x, a.y / b.y);
}
inline __nv_bfloat162 operator/(const __nv_bfloat162& a, const __nv_bfloat162& b) {
    return __h2div(a, b);
}
inline __nv_bfloat162& operator/=(__nv_bfloat162& a, const __nv_bfloat162& b) {
    return a = __h2div(a, b);
}
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
inline __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
inline __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) {
    return __nv_bfloat162(__hneg(a.x), __hneg(a.y));
}
inline __nv_bfloat162 __habs2(__nv_bfloat162 a) {
    return __nv_bfloat162(__habs(a.x), __habs(a.y));
}
inline __nv_bfloat162 operator-(const __nv_bfloat162& a) {
    return __hneg2(a);
}
inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
inline __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
inline __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}
inline __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__heq(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__heq(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
inline __nv_bfloat162 __hequ2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hequ(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hequ(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbequ2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hequ(a.x, b.x) && __hequ(a.y, b.y);
}
inline __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hne(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hne(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
inline __nv_bfloat162 __hneu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hneu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hneu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbneu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
inline __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hlt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hlt(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
inline __nv_bfloat162 __hltu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hltu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hltu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbltu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hltu(a.x, b.x) && __hltu(a.y, b.y);
}
inline __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hle(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hle(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
inline __nv_bfloat162 __hleu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hleu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hleu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbleu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hleu(a.x, b.x) && __hleu(a.y, b.y);
}
inline __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hgt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgt(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
inline __nv_bfloat162 __hgtu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgtu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbgtu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hgtu(a.x, b.x) && __hgtu(a.y, b.y);
}
inline __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hge(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hge(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
inline __nv_bfloat162 __hgeu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __nv_bfloat162(__nv_bfloat16(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgeu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbgeu2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __hgeu(a.x, b.x) && __hgeu(a.y, b.y);
}
inline bool operator==(const __nv_bfloat162& a, const __nv_bfloat162& b) {
    return __hbeq2(a, b);
}
inline bool operator!=(const __nv_bfloat162& a, const __nv_bfloat162& b) {
    return __hbneu2(a, b);
}
inline __nv_bfloat162 __hisnan2(__nv_bfloat162 a) {
    return __nv_bfloat162(__nv_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f), __nv_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f));
}

// Atomics.
inline __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 v) {
    return kf_simt::update(address, [v](__nv_bfloat16 old) { return old + v; });
}
// Each half of the pair is added on its own, as CUDA says.
inline __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 v) {
    const __nv_bfloat16 x = atomicAdd(&address->x, v.x);
    const __nv_bfloat16 y = atomicAdd(&address->y, v.y);
    return __nv_bfloat162(x, y);
}
