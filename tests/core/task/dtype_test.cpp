// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/dtype.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace kf {
namespace {

constexpr std::array all_types = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3,   DType::e5m2,
                                  DType::i64, DType::i32, DType::i8,  DType::u8,   DType::boolean};

__extension__ using Native = _Float16;

double native_half(std::uint16_t bits) {
    return static_cast<double>(std::bit_cast<Native>(bits));
}

// Rounds through every neighbour: the nearest of all finite codes, ties to the even code. Slow and obviously right.
template<class Decode> std::uint32_t nearest_code(double value, std::uint32_t finite_codes, Decode decode) {
    const double magnitude = std::fabs(value);
    std::uint32_t best = 0;
    for (std::uint32_t code = 0; code < finite_codes; ++code) {
        const double distance = std::fabs(decode(code) - magnitude);
        const double best_distance = std::fabs(decode(best) - magnitude);
        if (distance < best_distance || (distance == best_distance && (code & 1) == 0))
            best = code;
    }
    return best;
}

TEST(DTypeNames, EveryTypeHasItsNameAndSize) {
    for (const DType dtype : all_types)
        EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
    EXPECT_EQ(to_string(DType::boolean), "bool");
    EXPECT_EQ(size_of(DType::bf16), 2u);
    EXPECT_EQ(size_of(DType::e4m3), 1u);
    EXPECT_EQ(size_of(DType::i64), 8u);
    EXPECT_FALSE(parse_dtype("float16"));
    EXPECT_FALSE(parse_dtype(""));
    EXPECT_TRUE(is_float(DType::e5m2));
    EXPECT_FALSE(is_float(DType::i64));
}

TEST(Half, EveryCodeMatchesTheCompilersHalf) {
    for (std::uint32_t code = 0; code < 65536; ++code) {
        const auto bits = static_cast<std::uint16_t>(code);
        const double ours = half_to_float(bits), theirs = native_half(bits);
        if (std::isnan(theirs)) {
            ASSERT_TRUE(std::isnan(ours)) << code;
            ASSERT_EQ(float_to_half(ours) | 0x200, bits | 0x200) << code; // payload kept, made quiet
        } else {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(ours), std::bit_cast<std::uint64_t>(theirs)) << code;
            ASSERT_EQ(float_to_half(ours), bits) << code;
        }
    }
}

TEST(Half, RoundsLikeTheCompilerBetweenAllNeighbours) {
    for (std::uint16_t code = 0; code < 0x7c00; ++code) {
        const double low = half_to_float(code);
        const double high = code == 0x7bff ? 65536.0 : half_to_float(static_cast<std::uint16_t>(code + 1));
        const double middle = (low + high) / 2;
        for (const double value :
             {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9), low + (high - low) / 4})
            for (const double sign : {1.0, -1.0})
                ASSERT_EQ(float_to_half(sign * value), std::bit_cast<std::uint16_t>(static_cast<Native>(sign * value)))
                    << code << " " << value;
    }
}

TEST(Half, ExtremesOfDouble) {
    EXPECT_EQ(float_to_half(1e300), 0x7c00);
    EXPECT_EQ(float_to_half(-std::numeric_limits<double>::infinity()), 0xfc00);
    EXPECT_EQ(float_to_half(std::numeric_limits<double>::denorm_min()), 0);
    EXPECT_EQ(float_to_half(-0.0), 0x8000);
    EXPECT_EQ(float_to_half(0x1p-25), 0);                      // a tie: to the even zero
    EXPECT_EQ(float_to_half(std::nextafter(0x1p-25, 1.0)), 1); // rounded once, not through float
    EXPECT_EQ(float_to_half(1 + 0x1p-11 + 0x1p-40), 0x3c01);   // float would lose the last bit and tie to even
    EXPECT_EQ(float_to_half(65519.999), 0x7bff);
    EXPECT_EQ(float_to_half(65520), 0x7c00);
}

TEST(BFloat16, EveryCodeAndAllMiddles) {
    for (std::uint32_t code = 0; code < 65536; ++code) {
        const auto bits = static_cast<std::uint16_t>(code);
        const double value = bfloat16_to_float(bits);
        const bool is_nan = (bits & 0x7fff) > 0x7f80;
        ASSERT_EQ(std::isnan(value), is_nan) << code;
        if (!is_nan) {
            const std::uint32_t upper = std::uint32_t{code} << 16; // bfloat16 is the upper half of a float
            ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(value)), upper) << code;
        }
        if (!std::isnan(value)) {
            ASSERT_EQ(float_to_bfloat16(value), bits) << code;
        }
    }
    for (std::uint16_t code = 0; code < 0x7f80; ++code) {
        const double low = bfloat16_to_float(code);
        const double high = code == 0x7f7f ? 0x1p128 : bfloat16_to_float(static_cast<std::uint16_t>(code + 1));
        const double middle = low + (high - low) / 2;
        ASSERT_EQ(float_to_bfloat16(middle), code + (code & 1)) << code;
        ASSERT_EQ(float_to_bfloat16(std::nextafter(middle, 0.0)), code) << code;
        ASSERT_EQ(float_to_bfloat16(std::nextafter(middle, 1e300)), code + 1) << code;
    }
    EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(std::nan("")))));
}

TEST(Float8, E4m3RoundsToTheNearestOfItsCodesAndSaturates) {
    for (int code = 0; code < 256; ++code) {
        const double value = e4m3_to_float(static_cast<std::uint8_t>(code));
        EXPECT_EQ(std::isnan(value), (code & 0x7f) == 0x7f) << code;
        if (!std::isnan(value)) {
            EXPECT_EQ(float_to_e4m3(value), code);
        }
    }
    EXPECT_EQ(e4m3_to_float(0x7e), 448);
    EXPECT_EQ(e4m3_to_float(0x01), 0x1p-9);
    const auto decode = [](std::uint32_t code) { return e4m3_to_float(static_cast<std::uint8_t>(code)); };
    for (double value = 0; value < 480; value += 0.0371)
        ASSERT_EQ(float_to_e4m3(value), nearest_code(value, 0x7f, decode)) << value;
    for (double value = 0; value < 0.05; value += 0x1p-11) // all ties of subnormals
        ASSERT_EQ(float_to_e4m3(-value), 0x80 | nearest_code(value, 0x7f, decode)) << value;
    EXPECT_EQ(float_to_e4m3(1e30), 0x7e);
    EXPECT_EQ(float_to_e4m3(-std::numeric_limits<double>::infinity()), 0xfe);
    EXPECT_EQ(float_to_e4m3(std::nan("")) & 0x7f, 0x7f);
}

TEST(Float8, E5m2RoundsToTheNearestOfItsCodesAndHasInfinity) {
    for (int code = 0; code < 256; ++code) {
        const double value = e5m2_to_float(static_cast<std::uint8_t>(code));
        EXPECT_EQ(std::isnan(value), (code & 0x7f) > 0x7c) << code;
        EXPECT_EQ(std::isinf(value), (code & 0x7f) == 0x7c) << code;
        if (!std::isnan(value)) {
            EXPECT_EQ(float_to_e5m2(value), code);
        }
    }
    EXPECT_EQ(e5m2_to_float(0x7b), 57344);
    EXPECT_EQ(e5m2_to_float(0x81), -0x1p-16);
    const auto decode = [](std::uint32_t code) { return e5m2_to_float(static_cast<std::uint8_t>(code)); };
    for (double value = 0; value < 57344; value += 17.25)
        ASSERT_EQ(float_to_e5m2(value), nearest_code(value, 0x7c, decode)) << value;
    for (double value = 0; value < 0.001; value += 0x1p-18)
        ASSERT_EQ(float_to_e5m2(value), nearest_code(value, 0x7c, decode)) << value;
    EXPECT_EQ(float_to_e5m2(61440), 0x7c);
    EXPECT_EQ(float_to_e5m2(61439), 0x7b);
}

TEST(Elements, StoreAndLoadInEveryType) {
    for (const DType dtype : all_types) {
        std::vector<std::byte> buffer(4 * size_of(dtype));
        store_element(buffer, dtype, 2, 1.0);
        EXPECT_EQ(load_element(buffer, dtype, 2), 1.0) << to_string(dtype);
        EXPECT_EQ(load_integer(buffer, dtype, 2), 1) << to_string(dtype);
        EXPECT_EQ(load_element(buffer, dtype, 1), 0.0) << to_string(dtype);
        EXPECT_EQ(load_element(buffer, dtype, 3), 0.0) << to_string(dtype);
        std::vector<double> bulk(3);
        load_elements(buffer, dtype, 1, bulk);
        EXPECT_EQ(bulk, (std::vector<double>{0, 1, 0})) << to_string(dtype);
    }
}

TEST(Elements, BulkLoadEqualsSingleLoads) {
    for (const DType dtype : {DType::f16, DType::bf16}) {
        std::vector<std::byte> buffer(65536 * 2);
        for (std::size_t code = 0; code < 65536; ++code) {
            buffer[2 * code] = static_cast<std::byte>(code & 255);
            buffer[2 * code + 1] = static_cast<std::byte>(code >> 8);
        }
        std::vector<double> bulk(65536);
        load_elements(buffer, dtype, 0, bulk);
        for (std::size_t i = 0; i < bulk.size(); ++i) {
            const double one = load_element(buffer, dtype, i);
            ASSERT_TRUE(bulk[i] == one ? std::signbit(bulk[i]) == std::signbit(one)
                                       : std::isnan(bulk[i]) && std::isnan(one))
                << i;
        }
    }
}

TEST(Elements, IntegersSaturateAndKeepAllBits) {
    std::vector<std::byte> buffer(16);
    store_integer(buffer, DType::i64, 1, (std::int64_t{1} << 53) + 1);
    EXPECT_EQ(load_integer(buffer, DType::i64, 1), (std::int64_t{1} << 53) + 1);
    store_element(buffer, DType::i8, 0, 1000);
    EXPECT_EQ(load_integer(buffer, DType::i8, 0), 127);
    store_element(buffer, DType::u8, 0, -3);
    EXPECT_EQ(load_integer(buffer, DType::u8, 0), 0);
    store_element(buffer, DType::i32, 0, std::nan(""));
    EXPECT_EQ(load_integer(buffer, DType::i32, 0), 0);
    store_element(buffer, DType::i64, 0, 1e30);
    EXPECT_EQ(load_integer(buffer, DType::i64, 0), std::numeric_limits<std::int64_t>::max());
    store_element(buffer, DType::i32, 0, 2.5); // ties to even
    EXPECT_EQ(load_integer(buffer, DType::i32, 0), 2);
    store_integer(buffer, DType::i8, 0, -1000);
    EXPECT_EQ(load_integer(buffer, DType::i8, 0), -128);
}

TEST(UnitInLastPlace, IsTheDistanceToTheNextCode) {
    for (std::uint16_t code = 0; code < 0x7bff; ++code) {
        const double value = half_to_float(code);
        ASSERT_EQ(unit_in_last_place(DType::f16, -value), half_to_float(static_cast<std::uint16_t>(code + 1)) - value);
    }
    for (std::uint8_t code = 0; code < 0x7e; ++code) {
        const double value = e4m3_to_float(code);
        ASSERT_EQ(unit_in_last_place(DType::e4m3, value), e4m3_to_float(static_cast<std::uint8_t>(code + 1)) - value);
    }
    for (const float value : {1.0f, 1.5f, 3e-40f, 1e38f, 0.0f})
        EXPECT_EQ(unit_in_last_place(DType::f32, value), double{std::nextafter(value, INFINITY)} - value) << value;
    EXPECT_EQ(unit_in_last_place(DType::bf16, 1.003), 0x1p-7);
    EXPECT_EQ(unit_in_last_place(DType::f16, 1e9), 32);
    EXPECT_EQ(unit_in_last_place(DType::f16, INFINITY), 32);
    EXPECT_TRUE(std::isnan(unit_in_last_place(DType::f16, NAN)));
}

} // namespace
} // namespace kf
