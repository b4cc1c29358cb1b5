// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "core/task/exact_math.h"
#include "core/task/inputs.h"
#include "tests/core/task/task_text.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace kf {
namespace {

using testing_text::one_input;
constexpr std::array all_regimes = {Regime::normal,   Regime::spiky, Regime::cancel,
                                    Regime::integers, Regime::mixed, Regime::specials};
constexpr std::array finite_regimes = {Regime::normal, Regime::spiky, Regime::cancel, Regime::integers, Regime::mixed};

std::vector<std::byte> bytes(const Task& task, const Symbols& symbols, Regime regime, std::uint64_t seed) {
    std::vector<std::byte> buffer(static_cast<std::size_t>(*bytes_of(task.inputs[0], symbols)));
    const Status status = generate_input(task, 0, symbols, regime, seed, buffer);
    EXPECT_TRUE(status.ok()) << to_string(status.error());
    return buffer;
}
std::vector<double> values(const Task& task, const Symbols& symbols, Regime regime, std::uint64_t seed = 5) {
    const std::vector<std::byte> buffer = bytes(task, symbols, regime, seed);
    std::vector<double> numbers(buffer.size() / size_of(task.inputs[0].dtype));
    load_elements(buffer, task.inputs[0].dtype, 0, numbers);
    return numbers;
}
double mean(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double deviation(const std::vector<double>& x) {
    const double m = mean(x);
    double sum = 0;
    for (const double value : x)
        sum += (value - m) * (value - m);
    return std::sqrt(sum / static_cast<double>(x.size()));
}

TEST(Philox, PublishedKnownAnswers) { // Random123, kat_vectors, philox4x32 10
    using Four = std::array<std::uint32_t, 4>;
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(ExactMath, AgreesWithTheLibrary) {
    for (double x = 1e-12; x < 1e12; x *= 1.37) {
        EXPECT_NEAR(exact_math::logarithm(x), std::log(x), 4e-15 * std::max(1.0, std::fabs(std::log(x)))) << x;
    }
    for (double x = -600; x < 600; x += 0.731)
        EXPECT_NEAR(exact_math::exponential(x) / std::exp(x), 1, 4e-15) << x;
    for (double p = 1e-10; p < 1; p += p < 0.001 ? p : 0.00137) {
        const double z = exact_math::normal_quantile(p);
        EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)) / p, 1, 2e-8 + 1.5e-9 * z * z)
            << p; // an error of z weighs z² in p
    }
    EXPECT_EQ(exact_math::normal_quantile(0.5), 0);
}

TEST(Normal, HasTheAskedMomentsAndTails) {
    const Task task = *one_input("f32", R"(["R", "C"])", R"({"normal": [0.5, 2]})");
    std::vector<double> x = values(task, {{"R", 500}, {"C", 1000}}, Regime::normal);
    EXPECT_NEAR(mean(x), 0.5, 0.02);
    EXPECT_NEAR(deviation(x), 2, 0.02);
    std::sort(x.begin(), x.end());
    for (const double p : {0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}) {
        const double expected = 0.5 + 2 * exact_math::normal_quantile(p);
        EXPECT_NEAR(x[static_cast<std::size_t>(p * static_cast<double>(x.size()))], expected, 0.08) << p;
    }
    EXPECT_GT(x.back(), 0.5 + 2 * 4);
    EXPECT_LT(x.front(), 0.5 - 2 * 4);
    // No correlation between neighbours, rows or the words of a block.
    const std::vector<double> y = values(task, {{"R", 500}, {"C", 1000}}, Regime::normal);
    for (const std::size_t lag : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{1000}}) {
        double sum = 0;
        for (std::size_t i = 0; i + lag < y.size(); ++i)
            sum += (y[i] - 0.5) * (y[i + lag] - 0.5);
        EXPECT_NEAR(sum / static_cast<double>(y.size()) / 4, 0, 0.008) << lag;
    }
}

TEST(Normal, RowScalesSpanTheirRange) {
    const Task task = *one_input("f32", R"(["R", "C"])", R"({"normal": [0.5, 1], "row_scale": [0.01, 100]})");
    const std::vector<double> x = values(task, {{"R", 400}, {"C", 256}}, Regime::normal);
    int small = 0, large = 0;
    for (std::size_t row = 0; row < 400; ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < 256; ++i)
            sum += x[row * 256 + i] * x[row * 256 + i];
        const double scale = std::sqrt(sum / 256 / 1.25);
        EXPECT_GT(scale, 0.008);
        EXPECT_LT(scale, 125);
        small += scale < 0.1;
        large += scale > 10;
    }
    EXPECT_NEAR(small, 100, 35);
    EXPECT_NEAR(large, 100, 35);
}

TEST(Normal, NoFiniteRegimeHasZeroMeanOrOneSign) {
    const Task task = *one_input("f16", R"(["R", "C"])", R"({"normal": [0.25, 1], "row_scale": [0.5, 2]})");
    for (const Regime regime : finite_regimes) {
        const std::vector<double> x = values(task, {{"R", 256}, {"C", 1024}}, regime);
        EXPECT_GT(mean(x), 0.01) << to_string(regime);
        EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](double v) { return v < 0; })) << to_string(regime);
        EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) << to_string(regime);
    }
}

TEST(Spiky, FewHugeValuesAndAtLeastOne) {
    const Task task = *one_input("f32", R"(["R", "C"])", R"({"normal": [0.1, 1]})");
    const std::vector<double> x = values(task, {{"R", 256}, {"C", 1024}}, Regime::spiky);
    const auto huge = std::count_if(x.begin(), x.end(), [](double v) { return std::fabs(v) > 12; });
    EXPECT_NEAR(static_cast<double>(huge), 256, 80);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const std::vector<double> small = values(task, {{"R", 3}, {"C", 5}}, Regime::spiky, seed);
        EXPECT_TRUE(std::any_of(small.begin(), small.end(), [](double v) { return std::fabs(v) >= 16; })) << seed;
    }
}

TEST(Cancel, LargeValuesCancelAlongTheLastAxis) {
    const Task task = *one_input("f32", R"(["R", "C"])", R"({"normal": [0.1, 1]})");
    for (const std::int64_t columns : {2, 3, 64, 96, 97, 130, 1000}) {
        const std::vector<double> x = values(task, {{"R", 16}, {"C", columns}}, Regime::cancel);
        for (std::size_t row = 0; row < 16; ++row) {
            double sum = 0, magnitude = 0;
            for (std::int64_t i = 0; i < columns; ++i) {
                sum += x[row * columns + i];
                magnitude += std::fabs(x[row * columns + i]);
            }
            EXPECT_GT(magnitude, 25.0 * static_cast<double>(columns - columns % 2));
            EXPECT_LT(std::fabs(sum), 0.1 * static_cast<double>(columns) + 6 * std::sqrt(columns)) << columns;
        }
    }
    // Weight matrices: equal pairs, so that a dot product with such a row cancels as well.
    const Task weight = *one_input("f32", R"(["R", "C"])", R"({"normal": [0, 0.05]})", R"(, "role": "weight")");
    const Symbols symbols = {{"R", 16}, {"C", 1000}};
    const std::vector<double> w = values(weight, symbols, Regime::cancel, 6); // both are input 0
    const std::vector<double> x = values(task, symbols, Regime::cancel);
    for (std::size_t row = 0; row < 16; ++row) {
        double dot = 0, magnitude = 0;
        for (std::size_t i = 0; i < 1000; ++i) {
            dot += x[row * 1000 + i] * w[row * 1000 + i];
            magnitude += std::fabs(x[row * 1000 + i] * w[row * 1000 + i]);
        }
        EXPECT_GT(magnitude, 1000);
        EXPECT_LT(std::fabs(dot), 15);
    }
    // A bias is added element by element: nothing along it cancels, so nothing along it is large. (At ±32 … ±150 the bias
    // of swiglu_bias made results for which no float32 accumulation kept an absolute tolerance of 5e-3.)
    const Task bias = *one_input("f32", R"(["C"])", R"({"normal": [0.5, 1]})", R"(, "role": "weight")");
    const std::vector<double> b = values(bias, {{"C", 4096}}, Regime::cancel);
    EXPECT_TRUE(std::all_of(b.begin(), b.end(), [](double v) { return std::fabs(v) < 8; }));
    EXPECT_NEAR(mean(b), 0.5, 0.1);
    EXPECT_NEAR(deviation(b), 1, 0.1);
    const std::vector<double> lone = values(task, {{"R", 1}, {"C", 1}}, Regime::cancel);
    EXPECT_LT(std::fabs(lone[0]), 8);
}

TEST(Integers, AreSmallExactAndSparseForWeightMatrices) {
    const Task activation = *one_input("f16", R"(["R", "C"])", R"({"normal": [0.1, 1], "row_scale": [0.01, 100]})");
    const Task weight = *one_input("f16", R"(["R", "C"])", R"({"normal": [0, 0.02]})", R"(, "role": "weight")");
    const Symbols symbols = {{"R", 300}, {"C", 1000}};
    const std::vector<double> x = values(activation, symbols, Regime::integers);
    const std::set<double> kinds(x.begin(), x.end());
    EXPECT_EQ(kinds, (std::set<double>{-2, -1, 0, 1, 2, 3}));
    EXPECT_NEAR(mean(x), 1.0 / 16, 0.01);
    const std::vector<double> w = values(weight, symbols, Regime::integers);
    const std::set<double> weights(w.begin(), w.end());
    EXPECT_EQ(weights, (std::set<double>{-1, 0, 1}));
    EXPECT_NEAR(mean(w), 2.0 / 64, 0.003);
    EXPECT_NEAR(deviation(w), 0.25, 0.02);
}

TEST(Mixed, TilesHaveSeveralMagnitudes) {
    const Task task = *one_input("f32", R"(["R", "C"])", R"({"normal": [0.1, 1]})");
    const std::vector<double> x = values(task, {{"R", 64}, {"C", 1000}}, Regime::mixed);
    std::set<int> exponents;
    for (std::size_t tile = 0; tile < 31; ++tile) {
        double sum = 0;
        for (std::size_t row = 8; row < 16; ++row)
            for (std::size_t column = 0; column < 32; ++column)
                sum += std::pow(x[row * 1000 + tile * 32 + column], 2);
        exponents.insert(static_cast<int>(std::lround(std::log2(std::sqrt(sum / 256)))));
    }
    EXPECT_GE(exponents.size(), 6u);
    EXPECT_GE(*exponents.begin(), -8);
    EXPECT_LE(*exponents.rbegin(), 3);
}

TEST(Specials, OnlyWhereAllowedAndAtLeastOne) {
    const Task strict = *one_input("f16", R"(["R", "C"])", R"({"normal": [0, 1]})");
    std::vector<std::byte> buffer(64 * 96 * 2);
    EXPECT_EQ(generate_input(strict, 0, {{"R", 64}, {"C", 96}}, Regime::specials, 1, buffer).error().code,
              "task-regime");
    for (const char* dtype : {"f32", "f16", "bf16", "e5m2", "e4m3"}) {
        const Task task =
            *one_input(dtype, R"(["R", "C"])", R"({"normal": [0, 1]})", "", R"("allows_specials": true,)");
        const std::vector<double> x = values(task, {{"R", 200}, {"C", 200}}, Regime::specials);
        const double smallest = unit_in_last_place(task.inputs[0].dtype, 0);
        EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); })) << dtype;
        EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](double v) { return v == 0 && std::signbit(v); })) << dtype;
        EXPECT_TRUE(std::any_of(x.begin(), x.end(), [&](double v) { return v == smallest; })) << dtype;
        EXPECT_EQ(std::any_of(x.begin(), x.end(), [](double v) { return std::isinf(v); }),
                  std::string(dtype) != "e4m3");
        const auto finite = std::count_if(x.begin(), x.end(), [](double v) { return std::fabs(v) < 10; });
        EXPECT_GT(finite, 38000) << dtype;
    }
}

TEST(Uniform, KeepsItsRangeInEveryRegime) {
    for (const char* dtype : {"f32", "f64"}) {
        const Task task = *one_input(dtype, R"(["R", "C"])", R"({"uniform": [-1, 3]})");
        for (const Regime regime : finite_regimes) {
            const std::vector<double> x = values(task, {{"R", 64}, {"C", 500}}, regime);
            EXPECT_GE(*std::min_element(x.begin(), x.end()), -1) << to_string(regime);
            EXPECT_LT(*std::max_element(x.begin(), x.end()), 3) << to_string(regime);
            EXPECT_GT(deviation(x), 0.2) << to_string(regime);
            if (regime != Regime::mixed) {
                EXPECT_NEAR(mean(x), 1, regime == Regime::integers ? 0.6 : 0.05) << to_string(regime);
            }
        }
    }
    const Task integers = *one_input("i32", R"(["C"])", R"({"uniform": [-2, 5]})");
    const std::vector<double> x = values(integers, {{"R", 1}, {"C", 5000}}, Regime::normal);
    EXPECT_EQ(std::set<double>(x.begin(), x.end()), (std::set<double>{-2, -1, 0, 1, 2, 3, 4}));
}

TEST(Index, CoversItsRangeEvenlyAndBendsByRegime) {
    const Task task = *one_input("i32", R"(["C"])", R"({"index": "R", "low": -1})");
    const Symbols symbols = {{"R", 7}, {"C", 80000}};
    const std::vector<double> x = values(task, symbols, Regime::normal);
    for (int value = -1; value < 7; ++value)
        EXPECT_NEAR(static_cast<double>(std::count(x.begin(), x.end(), value)), 10000, 600) << value;
    const std::vector<double> sorted = values(task, symbols, Regime::integers);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    EXPECT_EQ(sorted.front(), -1);
    EXPECT_EQ(sorted.back(), 6);
    const std::vector<double> hot = values(task, symbols, Regime::spiky);
    const double first_hot = hot[1] == hot[2] ? hot[1] : hot[3];
    EXPECT_GT(std::count(hot.begin(), hot.begin() + 4096, first_hot), 3700);
    const std::vector<double> runs = values(task, symbols, Regime::mixed);
    for (std::size_t i = 0; i < 3200; ++i)
        EXPECT_EQ(runs[i], runs[i / 32 * 32]);
    EXPECT_EQ(std::set<double>(runs.begin(), runs.end()).size(), 8u);
    const Task huge = *one_input("i64", R"(["C"])", R"({"index": "1024*1024*1024*512"})");
    const std::vector<double> wide = values(huge, {{"R", 1}, {"C", 20000}}, Regime::normal);
    EXPECT_NEAR(mean(wide) / 0x1p39, 0.5, 0.02);
    EXPECT_GT(std::set<double>(wide.begin(), wide.end()).size(), 19990u);
}

TEST(Zipf, FewValuesTakeMostDraws) {
    for (const char* exponent : {"0.8", "1", "1.5"}) {
        const Task task = *one_input("i32", R"(["C"])", R"({"zipf": )" + std::string(exponent) + R"(, "bound": "R"})");
        const std::vector<double> x = values(task, {{"R", 1000}, {"C", 100000}}, Regime::normal);
        std::vector<int> counts(1000);
        for (const double value : x)
            ++counts.at(static_cast<std::size_t>(value));
        EXPECT_LT(counts[0], *std::max_element(counts.begin(), counts.end())) << "ranks are scattered";
        std::sort(counts.rbegin(), counts.rend());
        const int top = std::accumulate(counts.begin(), counts.begin() + 100, 0);
        EXPECT_GT(top, 45000) << exponent;
        EXPECT_LT(counts[0], 90000) << exponent;
        EXPECT_GT(counts[0], 4 * std::max(counts[9], 1)) << exponent;
    }
}

TEST(Bytes, AreUniformAndFiniteForFloat8) {
    const Task task = *one_input("u8", R"(["C"])", R"({"bytes": true})");
    const std::vector<double> x = values(task, {{"R", 1}, {"C", 256000}}, Regime::normal);
    std::vector<int> counts(256);
    for (const double value : x)
        ++counts.at(static_cast<std::size_t>(value));
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 850);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 1150);
    for (const char* dtype : {"e4m3", "e5m2"}) {
        const std::vector<double> y =
            values(*one_input(dtype, R"(["C"])", R"({"bytes": true})"), {{"R", 1}, {"C", 20000}}, Regime::normal);
        EXPECT_TRUE(std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); })) << dtype;
    }
}

TEST(Permutation, EveryRowIsOne) {
    const Task task = *one_input("i32", R"(["R", "C"])", R"({"permutation": true})");
    for (const std::int64_t columns : {1, 2, 3, 5, 64, 97, 1000})
        for (const Regime regime : finite_regimes) {
            const std::vector<double> x = values(task, {{"R", 5}, {"C", columns}}, regime);
            for (std::int64_t row = 0; row < 5; ++row) {
                std::vector<double> sorted(x.begin() + row * columns, x.begin() + (row + 1) * columns);
                std::sort(sorted.begin(), sorted.end());
                for (std::int64_t i = 0; i < columns; ++i)
                    ASSERT_EQ(sorted[i], i) << columns << " " << to_string(regime);
            }
        }
    const std::vector<double> x = values(task, {{"R", 2}, {"C", 1000}}, Regime::normal);
    int fixed = 0, same = 0, neighbours = 0;
    for (int i = 0; i < 1000; ++i) {
        fixed += x[i] == i;
        same += x[i] == x[1000 + i];
        neighbours += i > 0 && std::fabs(x[i] - x[i - 1]) == 1;
    }
    EXPECT_LT(fixed, 10);
    EXPECT_LT(same, 10);
    EXPECT_LT(neighbours, 15);
    const Task sparse = *one_input("i32", R"(["C"])", R"({"permutation": "R"})");
    const std::vector<double> few = values(sparse, {{"R", 100000}, {"C", 300}}, Regime::normal);
    EXPECT_EQ(std::set<double>(few.begin(), few.end()).size(), 300u);
    EXPECT_GT(*std::max_element(few.begin(), few.end()), 90000);
    std::vector<std::byte> buffer(300 * 4);
    EXPECT_EQ(generate_input(sparse, 0, {{"R", 299}, {"C", 300}}, Regime::normal, 1, buffer).error().code,
              "task-range");
}

TEST(Offsets, RiseFromZeroToTheBound) {
    const Task task = *one_input("i32", R"(["C"])", R"({"offsets": "R"})");
    for (const std::int64_t length : {2, 3, 129, 1000})
        for (const Regime regime : finite_regimes)
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                const std::vector<double> x = values(task, {{"R", 32768}, {"C", length}}, regime, seed);
                EXPECT_EQ(x.front(), 0);
                EXPECT_EQ(x.back(), 32768);
                EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
            }
    const auto segments = [&](Regime regime) {
        const std::vector<double> x = values(task, {{"R", 32768}, {"C", 129}}, regime);
        std::vector<double> lengths;
        for (std::size_t i = 1; i < x.size(); ++i)
            lengths.push_back(x[i] - x[i - 1]);
        std::sort(lengths.begin(), lengths.end());
        return lengths;
    };
    EXPECT_EQ(segments(Regime::normal).front(), 0);
    EXPECT_GT(segments(Regime::normal).back(), 4 * 256);
    EXPECT_EQ(segments(Regime::spiky).back(), 32768);
    EXPECT_EQ(segments(Regime::integers).front(), 256);
    const std::vector<double> one = values(task, {{"R", 10}, {"C", 1}}, Regime::normal);
    EXPECT_EQ(one[0], 0);
}

TEST(Checksums, DifferBySeedTensorRegimeAndSize) {
    const Task task = *parse_task(testing_text::swiglu, testing_text::reference, "t");
    const Symbols symbols = {{"M", 4}, {"N", 8}, {"K", 4}};
    std::set<std::uint64_t> seen;
    std::size_t made = 0;
    for (const Regime regime : finite_regimes)
        for (const std::uint64_t seed :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
            const Result<std::vector<std::uint64_t>> sums = input_checksums(task, symbols, regime, seed);
            ASSERT_TRUE(sums.ok());
            seen.insert(sums->begin(), sums->end());
            made += sums->size();
        }
    EXPECT_EQ(made, 60u);
    EXPECT_EQ(seen.size(), 60u);
    EXPECT_EQ(*input_checksums(task, symbols, Regime::mixed, 9), *input_checksums(task, symbols, Regime::mixed, 9));
    EXPECT_FALSE(input_checksums(task, {{"M", 4}}, Regime::normal, 1).ok());
    EXPECT_FALSE(input_checksums(task, symbols, Regime::specials, 1).ok());
}

// Frozen: other machines, compilers and a later CUDA generator must give these very bits.
TEST(Checksums, AreTheSameEverywhere) {
    struct Frozen {
        const char* dtype;
        const char* fill;
        Regime regime;
        std::uint64_t sum;
    };
    const Frozen table[] = {
#include "tests/core/task/frozen_inputs.inc"
    };
    for (const Frozen& frozen : table) {
        const Task task = *one_input(frozen.dtype, R"(["R", "C"])", frozen.fill);
        const std::uint64_t sum =
            checksum64(bytes(task, {{"R", 37}, {"C", 101}}, frozen.regime, 0x0123456789abcdefull));
        EXPECT_EQ(sum, frozen.sum) << frozen.dtype << " " << frozen.fill << " " << to_string(frozen.regime) << " 0x"
                                   << std::hex << sum;
    }
}

TEST(Slices, EqualTheWhole) {
    struct Kind {
        const char* dtype;
        const char* fill;
    };
    for (const Kind& kind :
         {Kind{"f32", R"({"normal": [0.1, 1], "row_scale": [0.1, 10]})"}, Kind{"f16", R"({"normal": [0.1, 1]})"},
          Kind{"f64", R"({"uniform": [0, 2]})"}, Kind{"i32", R"({"index": "C"})"}, Kind{"u8", R"({"bytes": true})"},
          Kind{"i64", R"({"zipf": 1.1, "bound": "C"})"}, Kind{"i32", R"({"permutation": true})"},
          Kind{"i32", R"({"offsets": "R*100"})"}, Kind{"i64", R"({"index": "R*1024*1024*1024"})"}}) {
        const Task task = *one_input(kind.dtype, R"(["R", "C"])", kind.fill, "", R"("allows_specials": true,)");
        const Symbols symbols = {{"R", 41}, {"C", 103}};
        const std::size_t size = size_of(task.inputs[0].dtype);
        for (const Regime regime : all_regimes) {
            const std::vector<std::byte> whole = bytes(task, symbols, regime, 77);
            for (const auto& [first, count] :
                 {std::pair{0, 1}, {1, 7}, {103, 103}, {1023, 2}, {2000, 1500}, {4222, 1}, {4223, 0}}) {
                std::vector<std::byte> slice(static_cast<std::size_t>(count) * size);
                ASSERT_TRUE(generate_input_slice(task, 0, symbols, regime, 77, first, slice).ok());
                ASSERT_TRUE(std::equal(slice.begin(), slice.end(), whole.begin() + first * static_cast<long>(size)))
                    << kind.fill << " " << to_string(regime) << " from " << first;
            }
        }
    }
}

TEST(InputErrors, WrongRequests) {
    const Task task = *one_input("f16", R"(["R", "C"])", R"({"normal": [0, 1]})");
    const Symbols symbols = {{"R", 4}, {"C", 4}};
    std::vector<std::byte> buffer(33);
    const auto code = [&](std::size_t input, std::size_t size, std::int64_t first) {
        return generate_input_slice(task, input, symbols, Regime::normal, 1, first, std::span(buffer).first(size))
            .error()
            .code;
    };
    EXPECT_EQ(code(1, 32, 0), "task-input");
    EXPECT_EQ(code(0, 33, 0), "task-input");
    EXPECT_EQ(code(0, 32, 1), "task-input");
    EXPECT_EQ(code(0, 2, -1), "task-input");
    EXPECT_EQ(code(0, 2, std::numeric_limits<std::int64_t>::max()), "task-input");
    EXPECT_EQ(generate_input(task, 0, symbols, Regime::normal, 1, std::span(buffer).first(30)).error().code,
              "task-input");
    EXPECT_EQ(generate_input(task, 9, symbols, Regime::normal, 1, buffer).error().code, "task-input");
    const Task narrow = *one_input("u8", R"(["C"])", R"({"index": "R"})");
    EXPECT_EQ(
        generate_input(narrow, 0, {{"R", 257}, {"C", 4}}, Regime::normal, 1, std::span(buffer).first(4)).error().code,
        "task-range");
    EXPECT_TRUE(generate_input(narrow, 0, {{"R", 256}, {"C", 4}}, Regime::normal, 1, std::span(buffer).first(4)).ok());
}

} // namespace
} // namespace kf
