// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between float and the small formats, rounding to nearest even unless said otherwise. Bit-exact on every
// machine; with -mf16c half conversions use the processor's instructions. NaN becomes 0x7fff, as CUDA's conversions do.
#pragma once

namespace kf_simt {

inline unsigned int float_bits(float f) {
    unsigned int u;
    __builtin_memcpy(&u, &f, 4);
    return u;
}
inline float bits_float(unsigned int u) {
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
}

enum class Round { Nearest, Zero, Down, Up };

// Magnitude bits of a float to a format with `mantissa` bits and the given exponent bias; no overflow handling: the
// result may exceed the largest finite number. The bits shifted out decide by the rounding mode.
template<int Mantissa, int Bias>
inline unsigned int narrow_magnitude(unsigned int magnitude, bool negative, Round round) {
    constexpr int shift = 23 - Mantissa;
    const int exponent = static_cast<int>(magnitude >> 23) - 127 + Bias;
    unsigned int significand = magnitude, drop = shift;
    if (exponent <= 0) { // subnormal in the small format
        significand = (magnitude & 0x7fffffu) | (magnitude >> 23 != 0 ? 0x800000u : 0u);
        drop = static_cast<unsigned int>(shift + 1 - exponent);
        if (magnitude >> 23 == 0) // subnormal in float already: one step less
            --drop;
        if (drop > 30)
            drop = 30;
    } else {
        significand = magnitude - (static_cast<unsigned int>(127 - Bias) << 23);
    }
    const unsigned int kept = significand >> drop, rest = significand & ((1u << drop) - 1), half = 1u << (drop - 1);
    bool up = false;
    switch (round) {
    case Round::Nearest:
        up = rest > half || (rest == half && (kept & 1u) != 0);
        break;
    case Round::Zero:
        break;
    case Round::Down:
        up = negative && rest != 0;
        break;
    case Round::Up:
        up = !negative && rest != 0;
        break;
    }
    return kept + (up ? 1u : 0u);
}

inline unsigned short half_from_float(float f, Round round = Round::Nearest) {
    const unsigned int u = float_bits(f), magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7fff;
#ifdef __F16C__
    if (round == Round::Nearest) {
        typedef float Vector __attribute__((vector_size(16)));
        const auto bits = __builtin_ia32_vcvtps2ph(Vector{f, 0, 0, 0}, 0);
        return static_cast<unsigned short>(bits[0]);
    }
#endif
    const bool negative = u >> 31 != 0;
    unsigned int h = magnitude >= 0x7f800000u ? 0x7c00u : narrow_magnitude<10, 15>(magnitude, negative, round);
    if (h >= 0x7c00u &&
        magnitude < 0x7f800000u) { // overflow: infinity, or the largest number when rounding towards zero
        const bool toward_zero =
            round == Round::Zero || (round == Round::Down && !negative) || (round == Round::Up && negative);
        h = toward_zero ? 0x7bffu : 0x7c00u;
    }
    return static_cast<unsigned short>((u >> 16 & 0x8000u) | h);
}

inline float half_to_float(unsigned short h) {
#ifdef __F16C__
    typedef short Vector __attribute__((vector_size(16)));
    return __builtin_ia32_vcvtph2ps(Vector{static_cast<short>(h)})[0];
#else
    const unsigned int magnitude = static_cast<unsigned int>(h & 0x7fffu) << 13;
    const unsigned int sign = static_cast<unsigned int>(h & 0x8000u) << 16;
    if (magnitude >= 0x0f800000u) // infinity, NaN (made quiet, as the processor does)
        return bits_float(sign | (magnitude + 0x70000000u) | (magnitude > 0x0f800000u ? 0x400000u : 0u));
    // Multiplying by 2^112 moves the exponent's bias and normalises subnormal numbers.
    return bits_float(sign | float_bits(bits_float(magnitude) * 0x1p112f));
#endif
}

inline unsigned short bfloat_from_float(float f, Round round = Round::Nearest) {
    const unsigned int u = float_bits(f), magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7fff;
    const unsigned int rest = u & 0xffffu;
    unsigned int h = u >> 16;
    switch (round) {
    case Round::Nearest:
        h = (u + 0x7fffu + (h & 1u)) >> 16;
        break;
    case Round::Zero:
        break;
    case Round::Down:
        h += (u >> 31 != 0 && rest != 0) ? 1u : 0u;
        break;
    case Round::Up:
        h += (u >> 31 == 0 && rest != 0) ? 1u : 0u;
        break;
    }
    return static_cast<unsigned short>(h);
}
inline float bfloat_to_float(unsigned short h) {
    return bits_float(static_cast<unsigned int>(h) << 16);
}

// A double as the float that keeps "there was a rest" in its last bit: rounding that again is rounding once.
inline float odd_float(double d) {
    float f = static_cast<float>(d);
    const double back = f;
    if (back == d || d != d || (float_bits(f) & 0x7fffffffu) == 0x7f800000u) {
        // Overflow of a finite number stays above every small format's largest one.
        return f;
    }
    unsigned int u = float_bits(f);
    const bool away = (back < 0 ? -back : back) > (d < 0 ? -d : d);
    if (away)
        --u;
    return bits_float(u | 1u);
}

// A 64-bit integer as a double that keeps a lost rest in its last bit.
template<class I> inline double odd_double(I i) {
    const bool negative = i < 0;
    unsigned long long magnitude =
        negative ? 0ull - static_cast<unsigned long long>(i) : static_cast<unsigned long long>(i);
    if (magnitude >> 53 != 0)
        magnitude = (magnitude >> 11 | ((magnitude & 0x7ffu) != 0 ? 1u : 0u)) << 11;
    const double d = static_cast<double>(magnitude);
    return negative ? -d : d;
}

// a * b + c of small formats with one rounding: the product is exact in double, the sum is rounded to odd.
inline float fused(float a, float b, float c) {
    const double product = static_cast<double>(a) * static_cast<double>(b), addend = c;
    const double sum = product + addend;
    unsigned long long bits;
    __builtin_memcpy(&bits, &sum, 8);
    if ((bits >> 52 & 0x7ffu) != 0x7ffu) {
        // What the addition lost (Knuth's two-sum).
        const double b2 = sum - product;
        const double lost = (product - (sum - b2)) + (addend - b2);
        if (lost != 0 && (bits & 1u) == 0) {
            const bool toward_zero = (lost < 0) != (sum < 0);
            bits = toward_zero ? bits - 1 : bits + 1;
        }
    }
    double odd;
    __builtin_memcpy(&odd, &bits, 8);
    return odd_float(odd);
}

} // namespace kf_simt
