// SPDX-License-Identifier: GPL-3.0-or-later
// Device side of core/task: Philox words, exact_math.h and the rounding of dtype.cpp, bit for bit. Every double
// operation is an intrinsic, so that no compiler contracts it.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

enum DType { f64, f32, f16, bf16, e4m3, e5m2, i64_type, i32_type, i8_type, u8_type, boolean }; // core/task/dtype.h
enum Regime { normal, spiky, cancel, integers, mixed, specials };                             // core/task/task.h
enum Stream { values, high_words, row_scale, spike, forced_element, tile, pair, hot, runs, permutation, offsets };

__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline double sub(double a, double b) { return __dsub_rn(a, b); }
__device__ inline double mul(double a, double b) { return __dmul_rn(a, b); }
__device__ inline double div(double a, double b) { return __ddiv_rn(a, b); }
__device__ inline u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
__device__ inline double double_of(u64 bits) { return __longlong_as_double((i64)bits); }

struct Words {
    u32 w[4];
};

struct WordSource {
    u64 seed;
    u32 tensor, regime;

    __device__ Words block(Stream stream, u64 index) const {
        u32 c[4] = {(u32)index, (u32)(index >> 32), tensor | ((u32)stream << 16), regime};
        u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
        for (int round = 0; round < 10; ++round) {
            const u64 p0 = (u64)0xD2511F53u * c[0], p1 = (u64)0xCD9E8D57u * c[2];
            const u32 n0 = (u32)(p1 >> 32) ^ c[1] ^ k0, n2 = (u32)(p0 >> 32) ^ c[3] ^ k1;
            c[0] = n0;
            c[1] = (u32)p1;
            c[2] = n2;
            c[3] = (u32)p0;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        return {{c[0], c[1], c[2], c[3]}};
    }
    __device__ u32 word(Stream stream, u64 index) const { return block(stream, index / 4).w[index % 4]; }
};

__device__ inline double unit(u32 word) { return mul(add((double)word, 0.5), 0x1p-32); }

__device__ inline double logarithm(double x) {
    const u64 bits = bits_of(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = double_of((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m = mul(m, 0.5);
        ++exponent;
    }
    const double s = div(sub(m, 1.0), add(m, 1.0));
    const double t = mul(s, s);
    double sum = 1.0 / 21.0;
    for (int k = 19; k >= 1; k -= 2)
        sum = add(mul(sum, t), div(1.0, (double)k));
    return add(mul((double)exponent, 0.6931471805599453), mul(mul(2.0, s), sum));
}

__device__ inline double exponential(double x) {
    const double k = floor(add(mul(x, 1.4426950408889634), 0.5));
    const double r = sub(sub(x, mul(k, 0.693147180369123816490)), mul(k, 1.90821492927058770002e-10));
    double sum = 1.0;
    for (int n = 14; n >= 1; --n)
        sum = add(div(mul(sum, r), (double)n), 1.0);
    return mul(sum, double_of((u64)((i64)k + 1023) << 52));
}

__device__ inline double horner(double x, const double* coefficients, int n) {
    double sum = coefficients[0];
    for (int i = 1; i < n; ++i)
        sum = add(mul(sum, x), coefficients[i]);
    return sum;
}

__device__ inline double normal_quantile(double p) {
    const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                        1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                        6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
    const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                        -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
                        1.0};
    const double q = sub(p, 0.5);
    if (fabs(q) <= 0.5 - 0.02425) {
        const double r = mul(q, q);
        return div(mul(horner(r, a, 6), q), horner(r, b, 6));
    }
    const double tail = q < 0 ? p : sub(1.0, p);
    const double u = __dsqrt_rn(mul(-2.0, logarithm(tail)));
    const double z = div(horner(u, c, 6), horner(u, d, 5));
    return q < 0 ? z : -z;
}

// Factor from a log-uniform distribution over [low, high].
__device__ inline double log_uniform(double low, double high, u32 word) {
    return low == high ? low : mul(low, exponential(mul(logarithm(div(high, low)), unit(word))));
}

__device__ inline int size_of(int dtype) {
    switch (dtype) {
    case f64:
    case i64_type:
        return 8;
    case f32:
    case i32_type:
        return 4;
    case f16:
    case bf16:
        return 2;
    default:
        return 1;
    }
}
__device__ inline bool is_float(int dtype) { return dtype <= e5m2; }

__device__ inline u64 shift_to_even(u64 value, int shift) {
    const u64 quotient = value >> shift, rest = value & (((u64)1 << shift) - 1), half = (u64)1 << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)) ? 1 : 0);
}

template<int E, int M> __device__ inline u32 encode_magnitude(u64 bits) {
    const int exponent = (int)((bits >> 52) & 0x7ff) - 1023 + ((1 << (E - 1)) - 1);
    const u64 mantissa = bits & (((u64)1 << 52) - 1);
    if (exponent >= (1 << E))
        return 1u << (E + M);
    if (exponent > 0)
        return (u32)shift_to_even(((u64)exponent << 52) | mantissa, 52 - M);
    const int shift = 52 - M + 1 - exponent;
    return shift > 54 ? 0 : (u32)shift_to_even(mantissa | ((u64)1 << 52), shift);
}

__device__ inline bool is_nan_bits(u64 bits) { return (bits & ~((u64)1 << 63)) > ((u64)0x7ff << 52); }

template<int E, int M> __device__ inline u32 encode_ieee(double value) {
    const u64 bits = bits_of(value);
    const u32 sign = (u32)(bits >> 63) << (E + M), infinity = ((1u << E) - 1) << M;
    if (is_nan_bits(bits))
        return sign | infinity | (1u << (M - 1)) | (u32)((bits & (((u64)1 << 52) - 1)) >> (52 - M));
    const u32 magnitude = encode_magnitude<E, M>(bits);
    return sign | (magnitude > infinity ? infinity : magnitude);
}

template<int E, int M> __device__ inline double decode_ieee(u32 code) {
    const u64 sign = (u64)(code >> (E + M)) << 63;
    const u32 exponent = (code >> M) & ((1u << E) - 1);
    const u64 mantissa = code & ((1u << M) - 1);
    const int bias = (1 << (E - 1)) - 1;
    if (exponent == 0) { // exact: a small integer times a power of two
        const double value = mul((double)mantissa, double_of((u64)(1 - bias - M + 1023) << 52));
        return sign ? -value : value;
    }
    const u64 wide = exponent == (1u << E) - 1 ? 0x7ff : exponent - bias + 1023;
    return double_of(sign | (wide << 52) | (mantissa << (52 - M)));
}

__device__ inline u8 float_to_e4m3(double value) {
    const u64 bits = bits_of(value);
    const u32 sign = (u32)(bits >> 63) << 7;
    if (is_nan_bits(bits))
        return (u8)(sign | 0x7f);
    const u32 magnitude = encode_magnitude<4, 3>(bits);
    return (u8)(sign | (magnitude > 0x7e ? 0x7e : magnitude));
}
__device__ inline double e4m3_to_float(u32 code) {
    if ((code & 0x7f) == 0x7f)
        return double_of(((u64)(code >> 7) << 63) | 0x7ff8000000000000ull);
    const int exponent = (code >> 3) & 15, mantissa = code & 7;
    const double value = exponent == 0 ? mul((double)mantissa, 0x1p-9)
                                       : mul((double)(8 + mantissa), double_of((u64)(exponent - 10 + 1023) << 52));
    return code & 0x80 ? -value : value;
}

// Bits of `value` rounded once into a float type.
__device__ inline u64 encode(int dtype, double value) {
    switch (dtype) {
    case f64:
        return bits_of(value);
    case f32: {
        const u64 bits = bits_of(value);
        if (is_nan_bits(bits)) // a conversion instruction would drop the payload
            return ((u32)(bits >> 63) << 31) | 0x7fc00000u | (u32)((bits & (((u64)1 << 52) - 1)) >> 29);
        return __float_as_uint(__double2float_rn(value));
    }
    case f16:
        return encode_ieee<5, 10>(value);
    case bf16:
        return encode_ieee<8, 7>(value);
    case e4m3:
        return float_to_e4m3(value);
    default:
        return encode_ieee<5, 2>(value);
    }
}

__device__ inline double decode(int dtype, u64 bits) {
    switch (dtype) {
    case f64:
        return double_of(bits);
    case f32:
        return (double)__uint_as_float((u32)bits);
    case f16:
        return decode_ieee<5, 10>((u32)bits);
    case bf16:
        return (double)__uint_as_float((u32)bits << 16);
    case e4m3:
        return e4m3_to_float((u32)bits);
    case e5m2:
        return decode_ieee<5, 2>((u32)bits);
    case i64_type:
        return (double)(i64)bits;
    case i32_type:
        return (double)(int)(u32)bits;
    case i8_type:
        return (double)(signed char)(u8)bits;
    case u8_type:
        return (double)(u8)bits;
    default:
        return (u8)bits != 0 ? 1.0 : 0.0;
    }
}

__device__ inline void store_bits(void* buffer, int size, u64 index, u64 bits) {
    if (size == 2)
        ((u16*)buffer)[index] = (u16)bits;
    else if (size == 4)
        ((u32*)buffer)[index] = (u32)bits;
    else if (size == 8)
        ((u64*)buffer)[index] = bits;
    else
        ((u8*)buffer)[index] = (u8)bits;
}
__device__ inline u64 load_bits(const void* buffer, int size, u64 index) {
    if (size == 2)
        return ((const u16*)buffer)[index];
    if (size == 4)
        return ((const u32*)buffer)[index];
    if (size == 8)
        return ((const u64*)buffer)[index];
    return ((const u8*)buffer)[index];
}

__device__ inline u64 first_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline u64 all_threads() { return (u64)gridDim.x * blockDim.x; }
