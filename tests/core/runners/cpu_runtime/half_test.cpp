// SPDX-License-Identifier: GPL-3.0-or-later
// The 16-bit formats against the compiler's _Float16 and against exact arithmetic; no kernel is needed for that.
#include "resources/simt/kf/simt/float_bits.h"

#include <gtest/gtest.h>

namespace {

unsigned short bits_of(_Float16 h) {
    unsigned short u;
    __builtin_memcpy(&u, &h, 2);
    return u;
}
_Float16 half_of(unsigned short u) {
    _Float16 h;
    __builtin_memcpy(&h, &u, 2);
    return h;
}

TEST(Half, All65536ValuesBecomeTheSameFloat) {
    for (unsigned int i = 0; i < 65536; ++i) {
        const auto u = static_cast<unsigned short>(i);
        ASSERT_EQ(kf_simt::float_bits(kf_simt::half_to_float(u)), kf_simt::float_bits(static_cast<float>(half_of(u))))
            << i;
    }
}

TEST(Half, RoundsAsTheCompilerDoes) {
    // A prime step through all floats, and the neighbourhood of every midpoint between two halves.
    for (unsigned long long i = 0; i < 1ull << 32; i += 9973) {
        const float f = kf_simt::bits_float(static_cast<unsigned int>(i));
        if (f == f) {
            ASSERT_EQ(kf_simt::half_from_float(f), bits_of(static_cast<_Float16>(f))) << i;
        }
    }
    for (unsigned int i = 0; i < 0x7bff; ++i) {
        const float low = kf_simt::half_to_float(static_cast<unsigned short>(i));
        const float high = kf_simt::half_to_float(static_cast<unsigned short>(i + 1));
        const unsigned int middle = kf_simt::float_bits((low + high) / 2);
        for (unsigned int d = 0; d < 3; ++d) {
            const float f = kf_simt::bits_float(middle - 1 + d);
            ASSERT_EQ(kf_simt::half_from_float(f), bits_of(static_cast<_Float16>(f))) << i << " " << d;
        }
        const float off = kf_simt::bits_float(middle + 1);
        ASSERT_EQ(kf_simt::half_from_float(off, kf_simt::Round::Zero), i);
        ASSERT_EQ(kf_simt::half_from_float(off, kf_simt::Round::Up), i + 1);
        ASSERT_EQ(kf_simt::half_from_float(-off, kf_simt::Round::Up), i | 0x8000u);
        ASSERT_EQ(kf_simt::half_from_float(-off, kf_simt::Round::Down), (i + 1) | 0x8000u);
    }
    EXPECT_EQ(kf_simt::half_from_float(__builtin_nanf("")), 0x7fff);
}

TEST(Bfloat, RoundTripsAndTies) {
    for (unsigned int i = 0; i < 65536; ++i) {
        const float f = kf_simt::bfloat_to_float(static_cast<unsigned short>(i));
        ASSERT_EQ(kf_simt::bfloat_from_float(f), f == f ? i : 0x7fffu);
    }
    for (unsigned int i = 0; i < 0x7f7f; ++i) {
        const unsigned int middle = i << 16 | 0x8000u;
        ASSERT_EQ(kf_simt::bfloat_from_float(kf_simt::bits_float(middle)), i + (i & 1));
        ASSERT_EQ(kf_simt::bfloat_from_float(kf_simt::bits_float(middle - 1)), i);
        ASSERT_EQ(kf_simt::bfloat_from_float(kf_simt::bits_float(middle + 1)), i + 1);
    }
}

TEST(Half, FusedMultiplyAddRoundsOnce) {
    unsigned long long state = 1;
    const auto next = [&state] {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<unsigned short>(state >> 40);
    };
    for (int i = 0; i < 300000; ++i) {
        const _Float16 a = half_of(next()), b = half_of(next()), c = half_of(next());
        // 113 bits hold every exact sum of a product of halves and a half.
        __extension__ using Quad = __float128;
        const Quad exact = static_cast<Quad>(static_cast<float>(a)) * static_cast<Quad>(static_cast<float>(b)) +
                           static_cast<Quad>(static_cast<float>(c));
        const _Float16 expected = static_cast<_Float16>(exact);
        if (expected == expected) {
            ASSERT_EQ(kf_simt::half_from_float(kf_simt::fused(a, b, c)), bits_of(expected)) << i;
        }
    }
    // A case that two roundings get wrong: 1 + 2^-8 is a tie for bfloat16, a tiny product breaks it.
    const float tiny = 0x1p-60f;
    EXPECT_EQ(kf_simt::bfloat_from_float(kf_simt::fused(0x1p-8f, 1.0f, 1.0f)), 0x3f80);
    EXPECT_EQ(kf_simt::bfloat_from_float(kf_simt::fused(tiny, 1.0f, 1.0f + 0x1p-8f)), 0x3f81);
    EXPECT_EQ(kf_simt::bfloat_from_float(kf_simt::fused(-tiny, 1.0f, 1.0f + 0x1p-8f)), 0x3f80);
}

} // namespace
