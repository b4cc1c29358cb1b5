// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/verify/buffers.h"

#include <gtest/gtest.h>
#include <limits>

namespace kf::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Close, accepts_the_rounded_golden_in_every_float_type) {
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
        const auto golden = values_of(64 * 100, 1);
        const Tolerance tolerance{1e-2, 0.15}; // e5m2 keeps two bits: 12.5 %
        const auto c = compare_values(dtype, {64, 100}, golden, golden, golden, tolerance);
        EXPECT_TRUE(c.accepted) << to_string(dtype) << " " << c.pattern_text;
        EXPECT_EQ(c.elements, 6400);
        EXPECT_EQ(c.bad, 0);
        EXPECT_TRUE(c.first_bad.empty());
        EXPECT_LE(c.worst_row_ratio, 1.0);
    }
}

TEST(Close, one_wrong_element_anywhere_is_found) {
    const std::int64_t rows = 7, columns = 1033; // odd: nothing lines up with a block
    const auto golden = values_of(rows * columns, 2);
    SplitMix64 random(5);
    for (int k = 0; k < 200; ++k) {
        auto got = golden;
        const auto at = random.below(got.size());
        got[at] += 0.5;
        const auto c = compare_values(DType::f16, {rows, columns}, got, golden, golden);
        ASSERT_FALSE(c.accepted) << at;
        ASSERT_EQ(c.bad, 1);
        EXPECT_TRUE(c.failed_elementwise);
        EXPECT_EQ(c.first_bad.at(0).index, (std::vector<std::int64_t>{static_cast<std::int64_t>(at) / columns,
                                                                      static_cast<std::int64_t>(at) % columns}));
        EXPECT_NEAR(c.first_bad[0].expected, golden[at], 1e-12);
        EXPECT_NEAR(c.first_bad[0].got, golden[at] + 0.5, 4e-3);
        EXPECT_NEAR(c.max_abs_error, 0.5, 4e-3);
    }
}

TEST(Close, the_tolerance_itself_is_accepted_and_nothing_above) {
    // f64 and an exact tolerance: err <= atol + rtol·|g| with equality.
    const std::vector<double> golden(64, 2.0);
    const Tolerance tolerance{0.25, 0.125}; // together exactly 0.5
    std::vector<double> trusted(64, 2.5);   // E = 0.5, so that the row rule is silent
    auto got = golden;
    got[10] = 2.5;
    EXPECT_TRUE(compare_values(DType::f64, {64}, got, golden, trusted, tolerance).accepted);
    got[10] = std::nextafter(2.5, 3);
    const auto c = compare_values(DType::f64, {64}, got, golden, trusted, tolerance);
    EXPECT_FALSE(c.accepted);
    EXPECT_TRUE(c.failed_elementwise);
    EXPECT_FALSE(c.failed_row);
    // The golden's side counts, not the output's: rtol is of |g|.
    got[10] = 1.5;
    EXPECT_TRUE(compare_values(DType::f64, {64}, got, golden, trusted, tolerance).accepted);
}

TEST(Close, row_rule_refuses_small_outputs_within_atol) {
    // Softmax over long rows: every value is far below atol, zeros would pass the element-wise rule.
    std::vector<double> golden(4 * 4096);
    SplitMix64 random(3);
    for (double& g : golden)
        g = (0.5 + random.uniform()) / 4096;
    const std::vector<double> zeros(golden.size(), 0.0);
    const auto c = compare_values(DType::f32, {4, 4096}, zeros, golden, golden);
    EXPECT_FALSE(c.accepted);
    EXPECT_FALSE(c.failed_elementwise);
    EXPECT_TRUE(c.failed_row);
    EXPECT_EQ(c.bad, static_cast<std::int64_t>(golden.size()));
    EXPECT_GT(c.worst_row_ratio, 4);
    EXPECT_TRUE(compare_values(DType::f32, {4, 4096}, golden, golden, golden).accepted);
}

TEST(Close, row_rule_limits_are_four_and_two_times_the_trusted_error) {
    const std::int64_t rows = 8, columns = 256;
    const auto golden = values_of(rows * columns, 4, 1.0, 0.1);
    const Tolerance wide{1, 1};
    const auto with_error = [&](double size, bool all) {
        auto y = golden;
        for (std::size_t i = 0; i < y.size(); ++i)
            if (all || i % 256 == 0)
                y[i] += i % 2 ? size : -size;
        return y;
    };
    const auto trusted = with_error(1e-3, true); // E = E_rms = 1e-3 in f64: no rounding, ulp negligible
    const auto judge = [&](const std::vector<double>& got) {
        return compare_values(DType::f64, {rows, columns}, got, golden, trusted, wide);
    };
    EXPECT_TRUE(judge(with_error(3.99e-3, false)).accepted);
    EXPECT_FALSE(judge(with_error(4.01e-3, false)).accepted);
    EXPECT_TRUE(judge(with_error(1.99e-3, true)).accepted);
    const auto c = judge(with_error(2.01e-3, true)); // RMS alone
    EXPECT_FALSE(c.accepted);
    EXPECT_TRUE(c.failed_row);
    EXPECT_NEAR(c.worst_row_rms_ratio, 2.01, 1e-6);
    EXPECT_NEAR(c.worst_row_ratio, 2.01, 1e-6);
    EXPECT_EQ(c.bad, rows * columns);
}

TEST(Close, rows_are_judged_apart_and_floored_by_the_median_row) {
    const std::int64_t rows = 9, columns = 64;
    const auto golden = values_of(rows * columns, 6, 1.0, 0.1);
    auto trusted = golden; // eager is exact in rows 0–2 and off by 1e-3 in the six others
    for (std::size_t i = 3 * 64; i < trusted.size(); ++i)
        trusted[i] += i % 2 ? 1e-3 : -1e-3;
    auto got = golden;
    got[5] += 3.9e-3; // row 0: allowed by the median row's error
    EXPECT_TRUE(compare_values(DType::f64, {rows, columns}, got, golden, trusted, {1, 1}).accepted);
    got[5] = golden[5] + 4.1e-3;
    const auto c = compare_values(DType::f64, {rows, columns}, got, golden, trusted, {1, 1});
    EXPECT_FALSE(c.accepted);
    EXPECT_EQ(c.bad, 1);
    // A row with a large trusted error excuses itself, not its neighbours.
    trusted = golden;
    for (std::size_t i = 0; i < 64; ++i)
        trusted[i] += 0.01;
    got = golden;
    got[5] += 0.03;
    EXPECT_TRUE(compare_values(DType::f64, {rows, columns}, got, golden, trusted, {1, 1}).accepted);
    got = golden;
    got[64 + 5] += 0.03;
    EXPECT_FALSE(compare_values(DType::f64, {rows, columns}, got, golden, trusted, {1, 1}).accepted);
}

TEST(Close, ulp_floors_without_a_trusted_answer) {
    // Half around 1.5: ulp 2^-10 (the row's largest value is 1.5). 2 ulp of one element pass, 3 do not.
    const std::vector<double> golden(64, 1.5);
    const double ulp = 0x1p-10;
    auto got = golden;
    got[7] += 2 * ulp;
    EXPECT_TRUE(compare_values(DType::f16, {64}, got, golden, {}, {1, 1}).accepted);
    got[7] = golden[7] + 3 * ulp;
    EXPECT_FALSE(compare_values(DType::f16, {64}, got, golden, {}, {1, 1}).accepted);
    // RMS: half an ulp everywhere is the limit; one ulp in a quarter of the elements gives exactly that.
    got = golden;
    for (std::size_t i = 0; i < 16; ++i)
        got[i * 4] += ulp;
    const auto c = compare_values(DType::f16, {64}, got, golden, {}, {1, 1});
    EXPECT_TRUE(c.accepted);
    EXPECT_EQ(c.worst_row_ratio, 0); // not applicable
    got[1] += ulp;
    EXPECT_FALSE(compare_values(DType::f16, {64}, got, golden, {}, {1, 1}).accepted);
}

TEST(Close, short_rows_are_joined_so_that_luck_of_the_trusted_answer_does_not_decide) {
    // [M, 1]: each element has its own row. Errors of candidate and eager are independent draws of the same size.
    SplitMix64 random(8);
    for (const std::int64_t columns : {1, 2, 3, 5}) {
        const auto golden = values_of(3000 * columns, 9, 100, 1);
        auto got = golden, trusted = golden;
        for (std::size_t i = 0; i < got.size(); ++i) {
            got[i] += 1e-4 * normal(random);
            trusted[i] += 1e-4 * normal(random);
        }
        EXPECT_TRUE(compare_values(DType::f64, {3000, columns}, got, golden, trusted, {1, 1}).accepted) << columns;
        got[1234] += 3e-3; // 30 sd
        EXPECT_FALSE(compare_values(DType::f64, {3000, columns}, got, golden, trusted, {1, 1}).accepted) << columns;
    }
}

TEST(Close, outputs_of_few_elements) {
    // A single float32: eager may be exact by luck, an answer a few ulp off is right all the same; 1e-3 off is not.
    const auto one = [](double got) {
        return compare_values(DType::f32, {}, {got}, {1000.0}, {1000.0}, {5e-3, 1e-2}).accepted;
    };
    EXPECT_TRUE(one(1000.0));
    EXPECT_TRUE(one(1000.0005));
    EXPECT_FALSE(one(1001.0)); // within rtol 1e-2, but 16,000 ulp
    EXPECT_FALSE(one(nan));
    const auto empty = compare_values(DType::f32, {0, 5}, {}, {}, {});
    EXPECT_TRUE(empty.accepted);
    EXPECT_EQ(empty.elements, 0);
}

TEST(Close, not_a_number_never_passes_and_counts_must_agree) {
    const auto golden = values_of(5 * 200, 10);
    for (const double bad : {nan, inf, -inf}) {
        auto got = golden;
        got[321] = bad;
        const auto c = compare_values(DType::f16, {5, 200}, got, golden, golden);
        EXPECT_FALSE(c.accepted);
        EXPECT_TRUE(c.failed_nonfinite);
        EXPECT_EQ(c.bad, 1);
        EXPECT_EQ(c.nan_got + c.inf_got, 1);
        EXPECT_EQ(c.nan_expected + c.inf_expected, 0);
        EXPECT_EQ(c.first_bad.at(0).index, (std::vector<std::int64_t>{1, 121}));
    }
    // All NaN: nothing may pass by `!(err > tol)`.
    const auto all = compare_values(DType::f16, {5, 200}, std::vector<double>(1000, nan), golden, golden);
    EXPECT_FALSE(all.accepted);
    EXPECT_EQ(all.bad, 1000);
    // Where the golden has them, they must stand, with their sign.
    auto special = golden;
    special[3] = nan;
    special[500] = inf;
    special[999] = -inf;
    const auto right = compare_values(DType::f16, {5, 200}, special, special, special);
    EXPECT_TRUE(right.accepted) << right.pattern_text;
    EXPECT_EQ(right.nan_expected, 1);
    EXPECT_EQ(right.inf_got, 2);
    EXPECT_FALSE(compare_values(DType::f16, {5, 200}, golden, special, special).accepted);
    auto flipped = special;
    flipped[500] = -inf;
    EXPECT_FALSE(compare_values(DType::f16, {5, 200}, flipped, special, special).accepted);
    auto moved = special; // the same counts at another place
    std::swap(moved[3], moved[4]);
    EXPECT_FALSE(compare_values(DType::f16, {5, 200}, moved, special, special).accepted);
    // A NaN tolerance or trusted answer lets nothing through.
    EXPECT_FALSE(
        compare_values(DType::f16, {5, 200}, std::vector<double>(1000, 9.0), golden, std::vector<double>(1000, nan))
            .accepted);
    EXPECT_FALSE(compare_values(DType::f16, {5, 200}, golden, golden, golden, {nan, 0}).accepted);
}

TEST(Close, golden_that_does_not_fit_the_type) {
    // 70000 is Inf in half: Inf is right, the largest finite value is not. 65519 rounds to 65504.
    std::vector<double> golden(64, 1.0);
    golden[5] = 70000;
    golden[6] = 65519;
    golden[7] = -1e9;
    auto got = golden;
    EXPECT_TRUE(compare_values(DType::f16, {64}, got, golden, golden).accepted);
    got[5] = 65504;
    const auto c = compare_values(DType::f16, {64}, got, golden, golden);
    EXPECT_FALSE(c.accepted);
    EXPECT_TRUE(c.failed_nonfinite);
    // e4m3 has no Inf: it saturates at 448.
    golden.assign(64, 1.0);
    golden[5] = 5000;
    got = golden;
    got[5] = 448;
    EXPECT_TRUE(compare_values(DType::e4m3, {64}, got, golden, golden, {1e-2, 0.1}).accepted);
    got[5] = 240;
    EXPECT_FALSE(compare_values(DType::e4m3, {64}, got, golden, golden, {1e-2, 0.1}).accepted);
    // Infinity in float64 must not meet an infinite tolerance.
    std::vector<double> wide(64, 1.0);
    wide[9] = inf;
    auto finite = wide;
    finite[9] = 3;
    EXPECT_FALSE(compare_values(DType::f64, {64}, finite, wide, wide).accepted);
    EXPECT_TRUE(compare_values(DType::f64, {64}, wide, wide, wide).accepted);
}

TEST(Close, rows_over_several_axes) {
    // Rows of one element by `rows: 0` are joined; `rows: 2` makes one row of the last two axes.
    auto spec = output_spec(DType::f64);
    const auto golden = values_of(4 * 6 * 8, 12, 1, 0.1);
    auto trusted = golden, got = golden;
    for (std::size_t i = 0; i < 48; ++i) // first slice: eager is off in its first row only
        trusted[i] += i < 8 ? 0.01 : 0;
    got[40] += 0.02; // first slice, last row
    const Bytes y = encode(DType::f64, got), g = encode(DType::f64, golden), t = encode(DType::f64, trusted);
    spec.row_axes = 2;
    EXPECT_TRUE(compare_output(spec, {4, 6, 8}, {1, 1}, y, {g, false, t}).accepted);
    spec.row_axes = 1;
    EXPECT_FALSE(compare_output(spec, {4, 6, 8}, {1, 1}, y, {g, false, t}).accepted);
    spec.row_axes = 7; // more than there are: the whole output
    EXPECT_TRUE(compare_output(spec, {4, 6, 8}, {1, 1}, y, {g, false, t}).accepted);
}

TEST(Exact, integers_and_floats) {
    auto spec = output_spec(DType::i64, CompareKind::exact);
    const std::int64_t big = (std::int64_t{1} << 53) + 1; // not a double
    const Bytes golden = encode_integers(DType::i64, {1, -5, big});
    EXPECT_TRUE(compare_output(spec, {3}, {}, golden, {golden, true, {}}).accepted);
    const Bytes off = encode_integers(DType::i64, {1, -5, big - 1});
    const auto c = compare_output(spec, {3}, {}, off, {golden, true, {}});
    EXPECT_FALSE(c.accepted);
    EXPECT_TRUE(c.failed_exact);
    EXPECT_EQ(c.first_bad.at(0).index, (std::vector<std::int64_t>{2}));

    spec.dtype = DType::boolean; // a 2 is not the bits of a 1
    const Bytes truth = encode_integers(DType::i64, {0, 1});
    Bytes flags{std::byte{0}, std::byte{1}};
    EXPECT_TRUE(compare_output(spec, {2}, {}, flags, {truth, true, {}}).accepted);
    flags[1] = std::byte{2};
    EXPECT_FALSE(compare_output(spec, {2}, {}, flags, {truth, true, {}}).accepted);

    const auto exact = [](const std::vector<double>& got, const std::vector<double>& golden_values) {
        return compare_values(DType::f16, {static_cast<std::int64_t>(got.size())}, got, golden_values, {}, {},
                              CompareKind::exact)
            .accepted;
    };
    EXPECT_TRUE(exact({-0.0, nan, inf, 1.0009765625}, {0.0, nan, inf, 1.0009765625}));
    EXPECT_TRUE(exact({1.0}, {1.0001})); // the golden is rounded to half first
    EXPECT_FALSE(exact({1.0}, {1.0009765625}));
    EXPECT_FALSE(exact({nan}, {1.0}));
    EXPECT_FALSE(exact({1.0}, {nan}));
    EXPECT_FALSE(exact({-inf}, {inf}));
}

TEST(Codes, one_step_in_one_of_a_thousand) {
    const auto spec = output_spec(DType::i8, CompareKind::codes);
    std::vector<std::int64_t> codes(4000);
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::int64_t>(i % 200) - 100;
    const Bytes golden = encode_integers(DType::i64, codes);
    const auto judge = [&](int steps, std::int64_t step) {
        auto got = codes;
        for (int k = 0; k < steps; ++k)
            got[static_cast<std::size_t>(k * 37)] += step;
        return compare_output(spec, {40, 100}, {}, encode_integers(DType::i8, got), {golden, true, {}});
    };
    EXPECT_TRUE(judge(0, 0).accepted);
    EXPECT_TRUE(judge(4, 1).accepted); // exactly 0.1 %
    EXPECT_TRUE(judge(4, -1).accepted);
    EXPECT_FALSE(judge(5, 1).accepted);
    EXPECT_EQ(judge(5, 1).bad, 5);
    EXPECT_FALSE(judge(1, 2).accepted);
    EXPECT_EQ(judge(1, 2).bad, 1);
}

TEST(IndexOf, ties_are_free_and_indices_unique) {
    auto spec = output_spec(DType::i64, CompareKind::index_of);
    const std::vector<double> values{1, 7, 7, 3, 7, 2, /**/ 5, 5, 4, 4, 9, nan};
    const Bytes golden = encode_integers(DType::i64, {1, 2, 4, /**/ 4, 0, 1});
    const auto judge = [&](const std::vector<std::int64_t>& got) {
        return compare_output(spec, {2, 3}, {}, encode_integers(DType::i64, got), {golden, true, {}}, values);
    };
    EXPECT_TRUE(judge({1, 2, 4, 4, 0, 1}).accepted);
    EXPECT_TRUE(judge({4, 1, 2, 4, 1, 0}).accepted);
    EXPECT_FALSE(judge({1, 1, 4, 4, 0, 1}).accepted); // twice
    EXPECT_EQ(judge({1, 1, 4, 4, 0, 1}).bad, 1);
    EXPECT_FALSE(judge({1, 2, 3, 4, 0, 1}).accepted); // another value
    EXPECT_FALSE(judge({1, 2, 6, 4, 0, 1}).accepted); // out of range
    EXPECT_FALSE(judge({1, 2, -1, 4, 0, 1}).accepted);
    EXPECT_FALSE(judge({1, 2, 4, 4, 0, 5}).accepted); // NaN there
    // argmax: each element is a row of its own.
    spec.row_axes = 0;
    const Bytes best = encode_integers(DType::i64, {1, 4});
    const auto argmax = [&](const std::vector<std::int64_t>& got) {
        return compare_output(spec, {2}, {}, encode_integers(DType::i64, got), {best, true, {}}, values).accepted;
    };
    EXPECT_TRUE(argmax({2, 4}));
    EXPECT_FALSE(argmax({3, 4}));
    // Values that do not belong to the shape are refused with a reason.
    const auto wrong = compare_output(spec, {5}, {}, encode_integers(DType::i64, {0, 0, 0, 0, 0}),
                                      {encode_integers(DType::i64, {0, 0, 0, 0, 0}), true, {}}, values);
    EXPECT_FALSE(wrong.accepted);
    EXPECT_NE(wrong.pattern_text.find("12 elements"), std::string::npos);
}

TEST(Compare, buffers_of_wrong_size_are_refused_with_figures) {
    const auto golden = values_of(10, 1);
    const Bytes g = encode(DType::f64, golden), y = encode(DType::f16, golden);
    const auto spec = output_spec(DType::f16);
    const auto refused = [&](std::span<const std::byte> got, const Golden& with, const char* what) {
        const auto c = compare_output(spec, {10}, half_tolerance, got, with);
        EXPECT_FALSE(c.accepted);
        EXPECT_NE(c.pattern_text.find(what), std::string::npos) << c.pattern_text;
    };
    refused(std::span(y).first(18), {g, false, {}}, "the output holds 18 bytes instead of 20");
    refused(y, {std::span(g).first(72), false, {}}, "the golden");
    refused(y, {g, false, std::span(y).first(2)}, "the trusted answer");
}

TEST(Compare, first_worst_and_map) {
    const std::int64_t rows = 100, columns = 130;
    const auto golden = values_of(rows * columns, 14);
    auto got = golden;
    for (std::int64_t k = 0; k < 20; ++k)
        got[static_cast<std::size_t>((k * 5) * columns + k * 6)] += 1 + static_cast<double>(k);
    const auto c = compare_values(DType::f16, {rows, columns}, got, golden, golden);
    EXPECT_EQ(c.bad, 20);
    ASSERT_EQ(c.first_bad.size(), 8u);
    EXPECT_EQ(c.first_bad[1].index, (std::vector<std::int64_t>{5, 6}));
    ASSERT_EQ(c.worst.size(), 4u);
    EXPECT_EQ(c.worst[0].index, (std::vector<std::int64_t>{95, 114}));
    EXPECT_EQ(c.worst[3].index, (std::vector<std::int64_t>{80, 96}));
    EXPECT_EQ(c.map.rows, 64);
    EXPECT_EQ(c.map.columns, 64);
    std::uint64_t total = 0;
    for (const std::uint32_t count : c.map.bad)
        total += count;
    EXPECT_EQ(total, 20u);
    EXPECT_EQ(c.map.bad[static_cast<std::size_t>(95 * 64 / 100 * 64 + 114 * 64 / 130)], 1u);
    // Non-finite errors are the worst.
    got[0] = nan;
    EXPECT_EQ(compare_values(DType::f16, {rows, columns}, got, golden, golden).worst.at(0).index,
              (std::vector<std::int64_t>{0, 0}));
    // Small outputs have one cell an element.
    const auto small = compare_values(DType::f16, {3, 4}, std::vector<double>(12, 9), values_of(12, 3), {});
    EXPECT_EQ(small.map.rows, 3);
    EXPECT_EQ(small.map.columns, 4);
}

TEST(CompareRuns, same_bytes_or_unstable) {
    const auto spec = output_spec(DType::f32);
    const Bytes first = encode(DType::f32, values_of(100, 1));
    Bytes second = first;
    EXPECT_TRUE(compare_runs(spec, {10, 10}, first, second).accepted);
    store_element(second, DType::f32, 37, 1e6);
    const auto c = compare_runs(spec, {10, 10}, first, second);
    EXPECT_FALSE(c.accepted);
    EXPECT_EQ(c.pattern, Pattern::unstable);
    EXPECT_EQ(c.bad, 1);
    EXPECT_EQ(c.first_bad.at(0).index, (std::vector<std::int64_t>{3, 7}));
    EXPECT_EQ(c.first_bad[0].got, 1e6);
    // NaN with the same bits is the same; -0 and 0 are not.
    Bytes nans = encode(DType::f32, std::vector<double>(100, nan));
    EXPECT_TRUE(compare_runs(spec, {10, 10}, nans, nans).accepted);
    EXPECT_FALSE(compare_runs(spec, {1}, encode(DType::f32, {0.0}), encode(DType::f32, {-0.0})).accepted);
    EXPECT_FALSE(compare_runs(spec, {10, 10}, first, std::span(second).first(8)).accepted);
}

} // namespace
} // namespace kf::test
