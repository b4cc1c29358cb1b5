// SPDX-License-Identifier: GPL-3.0-or-later
// __half2: each function of a pair is the scalar one for both halves. Included by cuda_fp16.h, at its end.
#pragma once

#include "cuda_fp16.h"

inline __half2 __halves2half2(__half a, __half b) {
    return __half2(a, b);
}
inline __half2 make_half2(__half a, __half b) {
    return __half2(a, b);
}
inline __half2 __half2half2(__half a) {
    return __half2(a, a);
}
inline __half2 __float2half2_rn(float a) {
    return __half2(__half(a), __half(a));
}
inline __half2 __floats2half2_rn(float a, float b) {
    return __half2(__half(a), __half(b));
}
inline __half2 __float22half2_rn(float2 a) {
    return __half2(__half(a.x), __half(a.y));
}
inline float2 __half22float2(__half2 a) {
    return make_float2(a.x, a.y);
}
inline float __low2float(__half2 a) {
    return a.x;
}
inline float __high2float(__half2 a) {
    return a.y;
}
inline __half __low2half(__half2 a) {
    return a.x;
}
inline __half __high2half(__half2 a) {
    return a.y;
}
inline __half2 __low2half2(__half2 a) {
    return __half2(a.x, a.x);
}
inline __half2 __high2half2(__half2 a) {
    return __half2(a.y, a.y);
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
    return __half2(a.x, b.x);
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
    return __half2(a.y, b.y);
}
inline __half2 __lowhigh2highlow(__half2 a) {
    return __half2(a.y, a.x);
}
inline __half2 __hadd2(__half2 a, __half2 b) {
    return __half2(a.x + b.x, a.y + b.y);
}
inline __half2 __hadd2_rn(__half2 a, __half2 b) {
    return __hadd2(a, b);
}
inline __half2 __hadd2_sat(__half2 a, __half2 b) {
    return __half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
inline __half2 operator+(const __half2& a, const __half2& b) {
    return __hadd2(a, b);
}
inline __half2& operator+=(__half2& a, const __half2& b) {
    return a = __hadd2(a, b);
}
inline __half2 __hsub2(__half2 a, __half2 b) {
    return __half2(a.x - b.x, a.y - b.y);
}
inline __half2 __hsub2_rn(__half2 a, __half2 b) {
    return __hsub2(a, b);
}
inline __half2 __hsub2_sat(__half2 a, __half2 b) {
    return __half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
inline __half2 operator-(const __half2& a, const __half2& b) {
    return __hsub2(a, b);
}
inline __half2& operator-=(__half2& a, const __half2& b) {
    return a = __hsub2(a, b);
}
inline __half2 __hmul2(__half2 a, __half2 b) {
    return __half2(a.x * b.x, a.y * b.y);
}
inline __half2 __hmul2_rn(__half2 a, __half2 b) {
    return __hmul2(a, b);
}
inline __half2 __hmul2_sat(__half2 a, __half2 b) {
    return __half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
inline __half2 operator*(const __half2& a, const __half2& b) {
    return __hmul2(a, b);
}
inline __half2& operator*=(__half2& a, const __half2& b) {
    return a = __hmul2(a, b);
}
inline __half2 __h2div(__half2 a, __half2 b) {
    return __half2(a.x / b.x, a.y / b.y);
}
inline __half2 operator/(const __half2& a, const __half2& b) {
    return __h2div(a, b);
}
inline __half2& operator/=(__half2& a, const __half2& b) {
    return a = __h2div(a, b);
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
inline __half2 __hneg2(__half2 a) {
    return __half2(__hneg(a.x), __hneg(a.y));
}
inline __half2 __habs2(__half2 a) {
    return __half2(__habs(a.x), __habs(a.y));
}
inline __half2 operator-(const __half2& a) {
    return __hneg2(a);
}
inline __half2 __hmax2(__half2 a, __half2 b) {
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
inline __half2 __hmin2(__half2 a, __half2 b) {
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
inline __half2 __hmax2_nan(__half2 a, __half2 b) {
    return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
inline __half2 __hmin2_nan(__half2 a, __half2 b) {
    return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}
inline __half2 __heq2(__half2 a, __half2 b) {
    return __half2(__half(__heq(a.x, b.x) ? 1.0f : 0.0f), __half(__heq(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbeq2(__half2 a, __half2 b) {
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
inline __half2 __hequ2(__half2 a, __half2 b) {
    return __half2(__half(__hequ(a.x, b.x) ? 1.0f : 0.0f), __half(__hequ(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbequ2(__half2 a, __half2 b) {
    return __hequ(a.x, b.x) && __hequ(a.y, b.y);
}
inline __half2 __hne2(__half2 a, __half2 b) {
    return __half2(__half(__hne(a.x, b.x) ? 1.0f : 0.0f), __half(__hne(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbne2(__half2 a, __half2 b) {
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
inline __half2 __hneu2(__half2 a, __half2 b) {
    return __half2(__half(__hneu(a.x, b.x) ? 1.0f : 0.0f), __half(__hneu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbneu2(__half2 a, __half2 b) {
    return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
inline __half2 __hlt2(__half2 a, __half2 b) {
    return __half2(__half(__hlt(a.x, b.x) ? 1.0f : 0.0f), __half(__hlt(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hblt2(__half2 a, __half2 b) {
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
inline __half2 __hltu2(__half2 a, __half2 b) {
    return __half2(__half(__hltu(a.x, b.x) ? 1.0f : 0.0f), __half(__hltu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbltu2(__half2 a, __half2 b) {
    return __hltu(a.x, b.x) && __hltu(a.y, b.y);
}
inline __half2 __hle2(__half2 a, __half2 b) {
    return __half2(__half(__hle(a.x, b.x) ? 1.0f : 0.0f), __half(__hle(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hble2(__half2 a, __half2 b) {
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
inline __half2 __hleu2(__half2 a, __half2 b) {
    return __half2(__half(__hleu(a.x, b.x) ? 1.0f : 0.0f), __half(__hleu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbleu2(__half2 a, __half2 b) {
    return __hleu(a.x, b.x) && __hleu(a.y, b.y);
}
inline __half2 __hgt2(__half2 a, __half2 b) {
    return __half2(__half(__hgt(a.x, b.x) ? 1.0f : 0.0f), __half(__hgt(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbgt2(__half2 a, __half2 b) {
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
inline __half2 __hgtu2(__half2 a, __half2 b) {
    return __half2(__half(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgtu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbgtu2(__half2 a, __half2 b) {
    return __hgtu(a.x, b.x) && __hgtu(a.y, b.y);
}
inline __half2 __hge2(__half2 a, __half2 b) {
    return __half2(__half(__hge(a.x, b.x) ? 1.0f : 0.0f), __half(__hge(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbge2(__half2 a, __half2 b) {
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
inline __half2 __hgeu2(__half2 a, __half2 b) {
    return __half2(__half(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgeu(a.y, b.y) ? 1.0f : 0.0f));
}
inline bool __hbgeu2(__half2 a, __half2 b) {
    return __hgeu(a.x, b.x) && __hgeu(a.y, b.y);
}
inline bool operator==(const __half2& a, const __half2& b) {
    return __hbeq2(a, b);
}
inline bool operator!=(const __half2& a, const __half2& b) {
    return __hbneu2(a, b);
}
inline __half2 __hisnan2(__half2 a) {
    return __half2(__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f));
}

// Atomics.
inline __half atomicAdd(__half* address, __half v) {
    return kf_simt::update(address, [v](__half old) { return old + v; });
}
// Each half of the pair is added on its own, as CUDA says.
inline __half2 atomicAdd(__half2* address, __half2 v) {
    const __half x = atomicAdd(&address->x, v.x);
    const __half y = atomicAdd(&address->y, v.y);
    return __half2(x, y);
}
