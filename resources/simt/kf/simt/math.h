// SPDX-License-Identifier: GPL-3.0-or-later
// The mathematical functions that CUDA offers without an include, from the C library. <cmath> of the C++ library costs
// a quarter of a second of compile time, so this folder shadows <math.h> and <cmath> with this file.
#pragma once

#include "kf/simt/runtime.h"

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")

#define KF_MATH1(NAME)                                                                                                 \
    extern "C" double NAME(double) noexcept;                                                                           \
    extern "C" float NAME##f(float) noexcept;                                                                          \
    inline float NAME(float x) {                                                                                       \
        return __builtin_##NAME##f(x);                                                                                 \
    }
#define KF_MATH2(NAME)                                                                                                 \
    extern "C" double NAME(double, double) noexcept;                                                                   \
    extern "C" float NAME##f(float, float) noexcept;                                                                   \
    inline float NAME(float x, float y) {                                                                              \
        return __builtin_##NAME##f(x, y);                                                                              \
    }
KF_MATH1(sqrt)
KF_MATH1(cbrt)
KF_MATH1(exp)
KF_MATH1(exp2)
KF_MATH1(exp10)
KF_MATH1(expm1)
KF_MATH1(log)
KF_MATH1(log2)
KF_MATH1(log10)
KF_MATH1(log1p)
KF_MATH1(logb)
KF_MATH1(sin)
KF_MATH1(cos)
KF_MATH1(tan)
KF_MATH1(asin)
KF_MATH1(acos)
KF_MATH1(atan)
KF_MATH1(sinh)
KF_MATH1(cosh)
KF_MATH1(tanh)
KF_MATH1(asinh)
KF_MATH1(acosh)
KF_MATH1(atanh)
KF_MATH1(erf)
KF_MATH1(erfc)
KF_MATH1(lgamma)
KF_MATH1(tgamma)
KF_MATH1(ceil)
KF_MATH1(floor)
KF_MATH1(trunc)
KF_MATH1(round)
KF_MATH1(rint)
KF_MATH1(nearbyint)
KF_MATH1(fabs)
KF_MATH2(pow)
KF_MATH2(fmod)
KF_MATH2(remainder)
KF_MATH2(atan2)
KF_MATH2(hypot)
KF_MATH2(copysign)
KF_MATH2(nextafter)
KF_MATH2(fdim)
KF_MATH2(fmin)
KF_MATH2(fmax)
#undef KF_MATH1
#undef KF_MATH2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;
extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
inline float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
inline float ldexp(float a, int n) {
    return __builtin_ldexpf(a, n);
}
inline float frexp(float a, int* n) {
    return __builtin_frexpf(a, n);
}
inline float modf(float a, float* n) {
    return __builtin_modff(a, n);
}
inline long lrint(float a) {
    return __builtin_lrintf(a);
}
inline long lround(float a) {
    return __builtin_lroundf(a);
}
inline double pow(double a, int n) {
    return __builtin_pow(a, n);
}
inline float pow(float a, int n) {
    return __builtin_powf(a, static_cast<float>(n));
}
inline double pow(float a, double b) {
    return __builtin_pow(a, b);
}
inline double pow(double a, float b) {
    return __builtin_pow(a, b);
}
// CUDA has no integer forms but converts to double, as the C library's declarations would alone.
#define KF_MATH_INTEGER(NAME)                                                                                          \
    inline double NAME(int x) {                                                                                        \
        return __builtin_##NAME(x);                                                                                    \
    }                                                                                                                  \
    inline double NAME(unsigned int x) {                                                                               \
        return __builtin_##NAME(x);                                                                                    \
    }                                                                                                                  \
    inline double NAME(long x) {                                                                                       \
        return __builtin_##NAME(static_cast<double>(x));                                                               \
    }                                                                                                                  \
    inline double NAME(long long x) {                                                                                  \
        return __builtin_##NAME(static_cast<double>(x));                                                               \
    }
KF_MATH_INTEGER(sqrt)
KF_MATH_INTEGER(exp)
KF_MATH_INTEGER(exp2)
KF_MATH_INTEGER(log)
KF_MATH_INTEGER(log2)
KF_MATH_INTEGER(log10)
KF_MATH_INTEGER(sin)
KF_MATH_INTEGER(cos)
KF_MATH_INTEGER(ceil)
KF_MATH_INTEGER(floor)
#undef KF_MATH_INTEGER

inline long abs(long a) {
    return a < 0 ? -a : a;
}
inline long long abs(long long a) {
    return a < 0 ? -a : a;
}
inline float abs(float a) {
    return __builtin_fabsf(a);
}
inline double abs(double a) {
    return __builtin_fabs(a);
}

inline float rsqrtf(float a) {
    return 1.0f / __builtin_sqrtf(a);
}
inline double rsqrt(double a) {
    return 1.0 / __builtin_sqrt(a);
}
inline float rsqrt(float a) {
    return rsqrtf(a);
}
inline float rcbrtf(float a) {
    return 1.0f / __builtin_cbrtf(a);
}
inline double rcbrt(double a) {
    return 1.0 / __builtin_cbrt(a);
}
inline void sincosf(float a, float* s, float* c) {
    *s = __builtin_sinf(a);
    *c = __builtin_cosf(a);
}
inline void sincos(double a, double* s, double* c) {
    *s = __builtin_sin(a);
    *c = __builtin_cos(a);
}
inline float sinpif(float a) {
    return static_cast<float>(__builtin_sin(M_PI * static_cast<double>(a)));
}
inline float cospif(float a) {
    return static_cast<float>(__builtin_cos(M_PI * static_cast<double>(a)));
}
inline double sinpi(double a) {
    return __builtin_sin(M_PI * a);
}
inline double cospi(double a) {
    return __builtin_cos(M_PI * a);
}
inline float fdividef(float a, float b) {
    return a / b;
}
inline double normcdf(double a) {
    return 0.5 * __builtin_erfc(-a * M_SQRT1_2);
}
inline float normcdff(float a) {
    return 0.5f * __builtin_erfcf(-a * static_cast<float>(M_SQRT1_2));
}
inline double erfinv(double y) {
    if (!(y > -1.0 && y < 1.0))
        return y == 1.0 ? __builtin_inf() : y == -1.0 ? -__builtin_inf() : __builtin_nan("");
    // Winitzki's approximation, then Newton steps on erf(x) - y.
    double l = __builtin_log1p(-y * y), t = 4.3307467508 + 0.5 * l;
    double x = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(t * t - l / 0.147) - t), y);
    for (int i = 0; i < 3; ++i)
        x -= (__builtin_erf(x) - y) / (M_2_SQRTPI * __builtin_exp(-x * x));
    return x;
}
inline float erfinvf(float y) {
    return static_cast<float>(erfinv(y));
}
inline float norm3df(float a, float b, float c) {
    return __builtin_sqrtf(a * a + b * b + c * c);
}
inline float norm4df(float a, float b, float c, float d) {
    return __builtin_sqrtf(a * a + b * b + c * c + d * d);
}
inline float rhypotf(float a, float b) {
    return 1.0f / __builtin_hypotf(a, b);
}

// The macros of C must not reach names like std::isnan.
template<class T> inline bool isnan(T a) {
    return __builtin_isnan(a);
}
template<class T> inline bool isinf(T a) {
    return __builtin_isinf(a) != 0;
}
template<class T> inline bool isfinite(T a) {
    return __builtin_isfinite(a);
}
template<class T> inline bool signbit(T a) {
    return __builtin_signbit(a) != 0;
}

#define KF_MINMAX(R, A, B)                                                                                             \
    inline R min(A a, B b) {                                                                                           \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);                          \
    }                                                                                                                  \
    inline R max(A a, B b) {                                                                                           \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a);                          \
    }
KF_MINMAX(int, int, int)
KF_MINMAX(unsigned int, unsigned int, unsigned int)
KF_MINMAX(unsigned int, int, unsigned int)
KF_MINMAX(unsigned int, unsigned int, int)
KF_MINMAX(long, long, long)
KF_MINMAX(unsigned long, unsigned long, unsigned long)
KF_MINMAX(unsigned long, long, unsigned long)
KF_MINMAX(unsigned long, unsigned long, long)
KF_MINMAX(long long, long long, long long)
KF_MINMAX(unsigned long long, unsigned long long, unsigned long long)
KF_MINMAX(unsigned long long, long long, unsigned long long)
KF_MINMAX(unsigned long long, unsigned long long, long long)
#undef KF_MINMAX
inline float min(float a, float b) {
    return __builtin_fminf(a, b);
}
inline float max(float a, float b) {
    return __builtin_fmaxf(a, b);
}
inline double min(double a, double b) {
    return __builtin_fmin(a, b);
}
inline double max(double a, double b) {
    return __builtin_fmax(a, b);
}
inline double min(float a, double b) {
    return __builtin_fmin(a, b);
}
inline double max(float a, double b) {
    return __builtin_fmax(a, b);
}
inline double min(double a, float b) {
    return __builtin_fmin(a, b);
}
inline double max(double a, float b) {
    return __builtin_fmax(a, b);
}
inline unsigned int umin(unsigned int a, unsigned int b) {
    return a < b ? a : b;
}
inline unsigned int umax(unsigned int a, unsigned int b) {
    return a < b ? b : a;
}

namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
} // namespace std
