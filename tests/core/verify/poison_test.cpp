// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/poison.h"

#include "tests/core/verify/buffers.h"

#include <cstring>
#include <gtest/gtest.h>

namespace kf::test {
namespace {

constexpr DType all_types[] = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3,   DType::e5m2,
                               DType::i64, DType::i32, DType::i8,  DType::u8,   DType::boolean};

TEST(Poison, floats_are_nan_and_the_two_patterns_differ_in_every_type) {
    for (const DType dtype : all_types) {
        EXPECT_NE(poison_bits(dtype, Poison::first), poison_bits(dtype, Poison::second));
        for (const Poison poison : {Poison::first, Poison::second}) {
            Bytes buffer(1000 * size_of(dtype));
            fill_poison(buffer, dtype, poison);
            for (const std::size_t i : {0, 1, 7, 511, 999}) {
                std::uint64_t bits = 0;
                std::memcpy(&bits, &buffer[i * size_of(dtype)], size_of(dtype));
                ASSERT_EQ(bits, poison_bits(dtype, poison)) << to_string(dtype) << " " << i;
                EXPECT_EQ(std::isnan(load_element(buffer, dtype, i)), is_float(dtype)) << to_string(dtype);
            }
            EXPECT_EQ(find_unwritten(buffer, dtype, poison).count, 1000);
        }
    }
    fill_poison({}, DType::f32, Poison::first);
    // A large fill reaches its last element.
    Bytes large(1 << 20);
    fill_poison(large, DType::i64, Poison::second);
    EXPECT_EQ(find_unwritten(large, DType::i64, Poison::second).count, (1 << 20) / 8);
}

TEST(Poison, unwritten_elements_are_found_in_ranges) {
    for (const DType dtype : all_types) {
        Bytes a(343 * size_of(dtype)), b(a.size());
        fill_poison(a, dtype, Poison::first);
        fill_poison(b, dtype, Poison::second);
        for (std::size_t i = 0; i < 256; ++i) {
            if (i == 17)
                continue;
            store_element(a, dtype, i, 1);
            store_element(b, dtype, i, 1);
        }
        const Unwritten found = find_unwritten(a, b, dtype);
        EXPECT_EQ(found.count, 88) << to_string(dtype);
        EXPECT_EQ(found.ranges, (std::vector<ElementRange>{{17, 1}, {256, 87}}));
        EXPECT_EQ(to_string(found), "88 of 343 elements were never written: 17, 256–342");
    }
}

TEST(Poison, a_value_equal_to_one_poison_was_written_all_the_same) {
    Bytes a(10), b(10);
    fill_poison(a, DType::u8, Poison::first);
    fill_poison(b, DType::u8, Poison::second);
    for (Bytes* run : {&a, &b}) // the right answer is 0x5a in element 3 and 0xa5 in element 4
        for (std::size_t i = 0; i < 10; ++i)
            (*run)[i] = std::byte{i == 3 ? std::uint8_t{0x5a} : i == 4 ? std::uint8_t{0xa5} : std::uint8_t{7}};
    EXPECT_FALSE(find_unwritten(a, b, DType::u8).any());
    EXPECT_EQ(to_string(find_unwritten(a, b, DType::u8)), "every element was written");
    EXPECT_EQ(find_unwritten(a, DType::u8, Poison::first).count, 1); // one run alone cannot tell
}

TEST(Poison, ranges_are_limited_and_say_so) {
    Bytes a(200 * 4), b(200 * 4);
    fill_poison(a, DType::f32, Poison::first);
    fill_poison(b, DType::f32, Poison::second);
    for (std::size_t i = 0; i < 200; i += 2) {
        store_element(a, DType::f32, i, 0);
        store_element(b, DType::f32, i, 0);
    }
    const Unwritten found = find_unwritten(a, b, DType::f32);
    EXPECT_EQ(found.count, 100);
    EXPECT_EQ(found.ranges.size(), 16u);
    EXPECT_EQ(found.more_ranges, 84);
    EXPECT_EQ(to_string(found), "100 of 200 elements were never written: 1, 3, 5, 7, …");
    EXPECT_EQ(find_unwritten({}, {}, DType::f32).elements, 0);
}

} // namespace
} // namespace kf::test
