// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/trivial.h"

#include "tests/core/verify/buffers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace kf::test {
namespace {

const TrivialAnswer* find(const std::vector<TrivialAnswer>& answers, const std::string& name) {
    for (const TrivialAnswer& answer : answers)
        if (answer.name == name)
            return &answer;
    return nullptr;
}

std::set<std::string> names(const std::vector<TrivialAnswer>& answers) {
    std::set<std::string> result;
    for (const TrivialAnswer& answer : answers)
        result.insert(answer.name);
    return result;
}

TEST(Trivial, all_kinds_for_a_matrix_and_all_are_refused) {
    const Shape shape{32, 40};
    const auto golden = values_of(32 * 40, 1), input = values_of(32 * 40, 2);
    const Bytes g = encode(DType::f64, golden), t = encode(DType::f16, golden), x = encode(DType::f32, input);
    const std::vector<TensorView> inputs = {{"x", DType::f32, {40, 32}, x}, {"bias", DType::f32, {40}, x}};
    const auto spec = output_spec(DType::f16);
    const auto answers = trivial_answers(spec, shape, {g, false, t}, inputs, 1024);
    EXPECT_EQ(names(answers),
              (std::set<std::string>{"zeros", "constant-mean", "copy:x", "row-mean", "transposed", "skipped-tail",
                                     "skipped-rows", "half-accumulation", "constant-common"}));
    for (const TrivialVerdict& verdict : judge_trivial_answers(spec, shape, half_tolerance, {g, false, t}, answers)) {
        EXPECT_FALSE(verdict.accepted) << verdict.name;
        EXPECT_FALSE(verdict.equals_golden) << verdict.name;
        EXPECT_FALSE(verdict.is_fault());
    }
    const auto value = [&](const char* name, std::size_t i) {
        return load_element(find(answers, name)->bytes, DType::f16, i);
    };
    EXPECT_NEAR(value("copy:x", 77), input[77], 2e-3);
    EXPECT_NEAR(value("transposed", 1), golden[40], 2e-3); // written as [40, 32]
    EXPECT_EQ(value("skipped-tail", 39), 0);
    EXPECT_NEAR(value("skipped-tail", 34), golden[34], 2e-3);
    EXPECT_EQ(value("skipped-tail", 35), 0); // 40 columns: the last eighth
    EXPECT_EQ(value("row-mean", 3), value("row-mean", 39));
    EXPECT_NE(value("row-mean", 3), value("row-mean", 40));
}

TEST(Trivial, faults_of_a_loose_comparison_are_found) {
    // Softmax over long rows with a tolerance of its own size: zeros and the like pass element-wise; here the row rule
    // is disarmed by a trusted answer that is as bad.
    const Shape shape{4, 4096};
    std::vector<double> golden(4 * 4096);
    SplitMix64 random(2);
    for (double& value : golden)
        value = (0.5 + random.uniform()) / 4096;
    const Bytes g = encode(DType::f64, golden), t = encode(DType::f32, std::vector<double>(golden.size(), 0.0));
    const auto spec = output_spec(DType::f32);
    const auto answers = trivial_answers(spec, shape, {g, false, t}, {}, 4096);
    std::set<std::string> faults;
    for (const auto& verdict : judge_trivial_answers(spec, shape, half_tolerance, {g, false, t}, answers))
        if (verdict.is_fault())
            faults.insert(verdict.name);
    for (const char* name : {"zeros", "constant-mean", "row-mean", "transposed", "skipped-tail", "half-accumulation"})
        EXPECT_TRUE(faults.contains(name)) << name;
}

TEST(Trivial, an_answer_that_is_right_is_named_and_not_counted) {
    // An identity: the copy equals the golden. All zeros: so do zeros, the mean, the transposed.
    const auto golden = values_of(64, 3);
    const Bytes g = encode(DType::f64, golden), x = encode(DType::f16, golden);
    const auto spec = output_spec(DType::f16);
    const std::vector<TensorView> inputs = {{"x", DType::f16, {8, 8}, x}};
    const auto answers = trivial_answers(spec, {8, 8}, {g, false, {}}, inputs, 1);
    EXPECT_TRUE(find(answers, "copy:x")->equals_golden);
    EXPECT_FALSE(find(answers, "zeros")->equals_golden);
    for (const auto& verdict : judge_trivial_answers(spec, {8, 8}, half_tolerance, {g, false, x}, answers)) {
        EXPECT_EQ(verdict.accepted, verdict.name == "copy:x") << verdict.name;
        EXPECT_FALSE(verdict.is_fault()) << verdict.name;
    }
    const Bytes zero = encode(DType::f64, std::vector<double>(64, 0.0));
    for (const auto& answer : trivial_answers(spec, {8, 8}, {zero, false, {}}, {}, 1))
        EXPECT_TRUE(answer.equals_golden) << answer.name;
}

TEST(Trivial, half_accumulation_matters_only_beyond_rounding) {
    const auto golden = values_of(4096, 5, 1, 0.2);
    const Bytes g = encode(DType::f64, golden);
    const auto has = [&](DType dtype, double terms) {
        const auto answers = trivial_answers(output_spec(dtype), {64, 64}, {g, false, {}}, {}, terms);
        const TrivialAnswer* answer = find(answers, "half-accumulation");
        if (!answer)
            return false;
        double squares = 0;
        for (std::size_t i = 0; i < golden.size(); ++i)
            squares += std::pow(load_element(answer->bytes, dtype, i) / golden[i] - 1, 2);
        const double expected = std::ldexp(0.29 * std::sqrt(terms / 3), dtype == DType::bf16 ? -8 : -11);
        EXPECT_NEAR(std::sqrt(squares / 4096) / expected, 1, 0.1);
        return true;
    };
    EXPECT_TRUE(has(DType::f16, 4096));
    EXPECT_FALSE(has(DType::f16, 8));
    EXPECT_TRUE(has(DType::f32, 8));
    EXPECT_FALSE(has(DType::f32, 1));
    EXPECT_TRUE(has(DType::bf16, 4096));
    EXPECT_FALSE(has(DType::f32, std::nan("")));
    EXPECT_FALSE(has(DType::e4m3, 1000)); // three mantissa bits hide it
}

TEST(Trivial, integers) {
    std::vector<std::int64_t> counts(256, 17);
    for (std::size_t i = 0; i < 100; ++i)
        counts[i] = static_cast<std::int64_t>(i * i) + (std::int64_t{1} << 54);
    const Bytes g = encode_integers(DType::i64, counts);
    const auto spec = output_spec(DType::i64, CompareKind::exact);
    const auto answers = trivial_answers(spec, {256}, {g, true, {}}, {}, 1000);
    EXPECT_EQ(names(answers),
              (std::set<std::string>{"zeros", "constant-mean", "constant-common", "row-mean", "skipped-tail", "iota"}));
    EXPECT_EQ(load_integer(find(answers, "constant-common")->bytes, DType::i64, 0), 17);
    EXPECT_EQ(load_integer(find(answers, "skipped-tail")->bytes, DType::i64, 9), 81 + (std::int64_t{1} << 54));
    for (const auto& verdict : judge_trivial_answers(spec, {256}, {}, {g, true, {}}, answers))
        EXPECT_FALSE(verdict.accepted) << verdict.name;
    EXPECT_TRUE(trivial_answers(spec, {0, 4}, {{}, true, {}}, {}, 1).empty());
    EXPECT_FALSE(trivial_answers(spec, {}, {std::span(g).first(8), true, {}}, {}, 1).empty());
}

} // namespace
} // namespace kf::test
