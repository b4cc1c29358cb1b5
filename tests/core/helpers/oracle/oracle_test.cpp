// SPDX-License-Identifier: GPL-3.0-or-later
// References against values computed here by hand, and every way in which a reference can be wrong.
#include "core/base/sha256.h"
#include "core/helpers/oracle/oracle.h"
#include "core/helpers/oracle/reference_text.h"
#include "core/helpers/oracle/slicing.h"
#include "core/task/inputs.h"
#include "tests/core/helpers/oracle/tasks.h"

#include <cmath>
#include <gtest/gtest.h>

namespace kf::oracle {
namespace {

using test::input;
using test::output;
using test::wire_task;

class OracleTest : public testing::Test {
protected:
    static void SetUpTestSuite() { TorchReference::set_up(1); }

    void load(const Json& wire) {
        auto task = task_from_wire(wire);
        ASSERT_TRUE(task.ok()) << to_string(task.error());
        const auto errors = oracle.load(*task);
        for (const Error& error : errors)
            ADD_FAILURE() << to_string(error);
    }
    Error load_error(const Json& wire) {
        auto task = task_from_wire(wire);
        EXPECT_TRUE(task.ok()) << to_string(task.error());
        const auto errors = oracle.load(*task);
        EXPECT_FALSE(errors.empty());
        EXPECT_FALSE(oracle.loaded());
        return errors.empty() ? Error{} : errors.front();
    }
    Golden golden(const GoldenRequest& wanted) {
        auto result = oracle.golden(wanted);
        EXPECT_TRUE(result.ok()) << to_string(result.error());
        return result ? std::move(result).value() : Golden{};
    }
    std::string golden_error(const GoldenRequest& wanted) {
        auto result = oracle.golden(wanted);
        EXPECT_FALSE(result.ok());
        return result ? "" : result.error().code;
    }
    // Input `i` as doubles.
    std::vector<double> values(std::size_t i, const GoldenRequest& wanted) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(*bytes_of(oracle.task().inputs[i], wanted.symbols)));
        EXPECT_TRUE(generate_input(oracle.task(), i, wanted.symbols, wanted.regime, wanted.seed, bytes).ok());
        std::vector<double> out(bytes.size() / size_of(oracle.task().inputs[i].dtype));
        load_elements(bytes, oracle.task().inputs[i].dtype, 0, out);
        return out;
    }
    static void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_NEAR(got[i], expected[i], 1e-13 * (1 + std::abs(expected[i]))) << i;
    }
    // The trusted result is within a few half-precision steps of the golden, and not the golden itself.
    static void expect_trusted(const GoldenOutput& out) {
        for (std::size_t i = 0; i < out.floats.size(); ++i)
            EXPECT_NEAR(load_element(out.trusted, out.dtype, i), out.floats[i],
                        1.01 * unit_in_last_place(out.dtype, out.floats[i]) + 1e-7)
                << i;
    }

    Oracle oracle{std::uint64_t{4} << 30};
    GoldenRequest request{{{"M", 3}, {"N", 5}}, Regime::normal, 42, true, 0};
};

constexpr const char* softmax = "import torch\n\ndef softmax(x: torch.Tensor, acc: int) -> torch.Tensor:\n"
                                "    return torch.softmax(x.to(acc), -1)\n";

TEST_F(OracleTest, Softmax) {
    load(wire_task(softmax, {input("x", "f16", {"M", "N"})}, {output("out", "f16", {"M", "N"})}));
    const Golden g = golden(request);
    const auto x = values(0, request);
    std::vector<double> expected(15);
    for (std::size_t r = 0; r < 3; ++r) {
        double sum = 0;
        for (std::size_t c = 0; c < 5; ++c)
            sum += std::exp(x[r * 5 + c]);
        for (std::size_t c = 0; c < 5; ++c)
            expected[r * 5 + c] = std::exp(x[r * 5 + c]) / sum;
    }
    expect_near(g.outputs.at(0).floats, expected);
    expect_trusted(g.outputs[0]);
    EXPECT_EQ(g.trusted_note, note_eager);
    EXPECT_EQ(g.input_checksums, *input_checksums(oracle.task(), request.symbols, request.regime, request.seed));
    // another seed, another answer; the same seed, the same bytes
    EXPECT_EQ(golden(request).outputs[0].trusted, g.outputs[0].trusted);
    request.seed = 43;
    EXPECT_NE(golden(request).outputs[0].floats, g.outputs[0].floats);
    request.want_trusted = false;
    EXPECT_TRUE(golden(request).outputs[0].trusted.empty());
}

TEST_F(OracleTest, AddRmsNormWithTwoOutputs) {
    load(wire_task("def add_rmsnorm(x: Tensor, r: Tensor, w: Tensor, acc: int):\n    s = x.to(acc) + r.to(acc)\n"
                   "    n = s * torch.rsqrt(s.pow(2).mean(-1, keepdim=True) + 1e-6)\n    return n * w.to(acc), s\n",
                   {input("x", "bf16", {"M", "N"}), input("r", "bf16", {"M", "N"}),
                    input("w", "bf16", {"N"}, {{"normal", {1, 0.1}}})},
                   {output("out", "bf16", {"M", "N"}), output("sum", "bf16", {"M", "N"})}));
    const Golden g = golden(request);
    const auto x = values(0, request), r = values(1, request), w = values(2, request);
    std::vector<double> sum(15), out(15);
    for (std::size_t row = 0; row < 3; ++row) {
        double square = 0;
        for (std::size_t c = 0; c < 5; ++c) {
            sum[row * 5 + c] = x[row * 5 + c] + r[row * 5 + c];
            square += sum[row * 5 + c] * sum[row * 5 + c];
        }
        for (std::size_t c = 0; c < 5; ++c)
            out[row * 5 + c] = sum[row * 5 + c] / std::sqrt(square / 5 + 1e-6) * w[c];
    }
    expect_near(g.outputs.at(0).floats, out);
    expect_near(g.outputs.at(1).floats, sum);
    expect_trusted(g.outputs[0]);
}

TEST_F(OracleTest, MatmulWithEpilogueInSlices) {
    const Json inputs = {input("x", "f16", {"M", "N"}), input("w", "f16", {"4", "N"}), input("b", "f16", {"4"})};
    const std::string text = "def f(x: Tensor, w: Tensor, b: Tensor, acc: int):\n"
                             "    return torch.relu(torch.addmm(b.to(acc), x.to(acc), w.to(acc).t()))\n";
    load(wire_task(text, inputs, {output("out", "f16", {"M", "4"})}, {{"golden_split", "M"}}));
    const Golden g = golden(request);
    EXPECT_EQ(g.slices, 1);
    const auto x = values(0, request), w = values(1, request), b = values(2, request);
    std::vector<double> expected(12);
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 4; ++c) {
            double sum = b[c];
            for (std::size_t k = 0; k < 5; ++k)
                sum += x[r * 5 + k] * w[c * 5 + k];
            expected[r * 4 + c] = std::max(sum, 0.0);
        }
    expect_near(g.outputs.at(0).floats, expected);
    expect_trusted(g.outputs[0]);
    for (int slices : {2, 3, 100}) {
        request.slices = slices;
        const Golden sliced = golden(request);
        EXPECT_EQ(sliced.slices, std::min(slices, 3));
        expect_near(sliced.outputs.at(0).floats, expected);
        expect_trusted(sliced.outputs[0]);
    }
    // little memory: slices are taken without being asked for
    Oracle small(4000);
    ASSERT_TRUE(
        small
            .load(*task_from_wire(wire_task(text, inputs, {output("out", "f16", {"M", "4"})}, {{"golden_split", "M"}})))
            .empty());
    request.slices = 0;
    auto automatic = small.golden(request);
    ASSERT_TRUE(automatic.ok());
    EXPECT_GT(automatic->slices, 1);
    expect_near(automatic->outputs.at(0).floats, expected);
    // an axis that is not the symbol alone
    EXPECT_EQ(load_error(wire_task(text, {input("x", "f16", {"2*M", "N"}), inputs[1], inputs[2]},
                                   {output("out", "f16", {"2*M", "4"})}, {{"golden_split", "M"}}))
                  .code,
              "golden-split");
}

TEST_F(OracleTest, CumulativeSumAndIntegers) {
    load(wire_task(
        "def f(x: Tensor, i: Tensor, acc: int):\n    return torch.cumsum(x.to(acc), 0), torch.bincount(i.view(-1), "
        "minlength=7), "
        "torch.zeros([7], dtype=acc).scatter_add(0, i.view(-1), x.to(acc).view(-1))\n",
        {input("x", "f32", {"M", "N"}), input("i", "i64", {"M", "N"}, {{"index", "7"}})},
        {output("sum", "f32", {"M", "N"}), output("count", "i64", {"7"}, "exact"), output("weights", "f32", {"7"})}));
    const Golden g = golden(request);
    const auto x = values(0, request), index = values(1, request);
    std::vector<double> sum(15), weights(7);
    std::vector<std::int64_t> count(7);
    for (std::size_t i = 0; i < 15; ++i) {
        sum[i] = x[i] + (i >= 5 ? sum[i - 5] : 0);
        const auto bin = static_cast<std::size_t>(index[i]);
        ++count.at(bin);
        weights.at(bin) += x[i];
    }
    expect_near(g.outputs.at(0).floats, sum);
    EXPECT_FALSE(g.outputs.at(1).is_float);
    EXPECT_EQ(g.outputs[1].integers, count);
    EXPECT_EQ(load_integer(g.outputs[1].trusted, DType::i64, 3), count[3]);
    expect_near(g.outputs.at(2).floats, weights);
}

TEST_F(OracleTest, BytesWithDecodeAndAnInoutInput) {
    load(wire_task("def f(q: Tensor, cache: Tensor, acc: int):\n    low = q.to(acc) % 16 - 8\n    cache.neg_()\n    "
                   "return low, cache\n",
                   {input("q", "u8", {"M", "N"}, {{"bytes", Json::object()}}),
                    input("cache", "f32", {"N"}, {{"normal", {0, 1}}}, "inout")},
                   {output("low", "f16", {"M", "N"}), output("cache", "f32", {"N"})}));
    const Golden g = golden(request);
    const auto q = values(0, request), cache = values(1, request);
    for (std::size_t i = 0; i < 15; ++i)
        EXPECT_EQ(g.outputs.at(0).floats[i], std::fmod(q[i], 16) - 8);
    for (std::size_t i = 0; i < 5; ++i) { // one step only, in both results: the cache is pristine before each run
        EXPECT_EQ(g.outputs.at(1).floats[i], -cache[i]);
        EXPECT_EQ(load_element(g.outputs[1].trusted, DType::f32, i), -cache[i]);
    }
    ASSERT_TRUE(oracle.eager_prepare(request).ok());
    EXPECT_EQ(oracle.eager_run(3)->size(), 3u);
}

TEST_F(OracleTest, GoldenAccumulatesInFloat64AndTrustedInFloat32) {
    load(wire_task("def f(x: Tensor, acc: int):\n    return (x.to(acc) + 1e10) - 1e10\n",
                   {input("x", "f32", {"M", "N"})}, {output("out", "f32", {"M", "N"})}));
    const Golden g = golden(request);
    const auto x = values(0, request);
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(g.outputs.at(0).floats[i], x[i], 2e-6);
        EXPECT_EQ(load_element(g.outputs[0].trusted, DType::f32, i), 0); // float32 loses x beside 1e10
    }
}

TEST_F(OracleTest, HalfWithoutAnOperatorFallsBackAndSaysSo) {
    // A cumulative sum of halves has no CPU kernel in older libtorch; newer ones compute it in half, which is refused.
    load(wire_task("def f(x: Tensor, acc: int):\n    return torch.cumsum(x, 0)\n", {input("x", "f16", {"M", "N"})},
                   {output("out", "f16", {"M", "N"})}));
    auto result = oracle.golden(request);
    if (result)
        EXPECT_EQ(result->trusted_note, note_stand_in);
    else
        EXPECT_EQ(result.error().code, "reference-precision");
    // moving values without arithmetic needs no acc
    load(wire_task("def f(x: Tensor, acc: int):\n    return x.t()\n", {input("x", "f16", {"M", "N"})},
                   {output("out", "f16", {"N", "M"})}));
    EXPECT_EQ(golden(request).outputs.at(0).floats.at(1), values(0, request).at(5));
    // arithmetic in float32 although acc is float64
    load(wire_task("def f(x: Tensor, acc: int):\n    return x / 3\n", {input("x", "f32", {"M", "N"})},
                   {output("out", "f32", {"M", "N"})}));
    EXPECT_EQ(golden_error(request), "reference-precision");
}

TEST_F(OracleTest, WrongReferencesAreNamedWithTheirLine) {
    const Json x = {input("x", "f16", {"M", "N"})}, out = {output("out", "f16", {"M", "N"})};
    Error e = load_error(wire_task("def f(x: Tensor, acc: int):\n    y = x.to(acc\n    return y\n", x, out));
    EXPECT_EQ(e.code, "reference-syntax");
    EXPECT_EQ(e.place.line, 3);
    e = load_error(wire_task("import torch\ndef f(x: Tensor, acc: int):\n    return nothing(x)\n", x, out));
    EXPECT_EQ(e.code, "reference-syntax");
    EXPECT_EQ(e.place.line, 3);
    EXPECT_EQ(e.place.column, 12);
    EXPECT_EQ(load_error(wire_task("def f(x: Tensor):\n    return x\n", x, out)).code, "reference-signature");
    EXPECT_EQ(load_error(wire_task("def f(x: Tensor, y: Tensor, acc: int):\n    return x\n", x, out)).code,
              "reference-signature");
    EXPECT_EQ(load_error(wire_task("def f(x: float, acc: int):\n    return x\n", x, out)).code, "reference-signature");

    load(wire_task("def f(x: Tensor, acc: int):\n    y = x.to(acc)\n    return y @ y\n", x, out));
    auto raised = oracle.golden(request);
    ASSERT_FALSE(raised.ok());
    EXPECT_EQ(raised.error().code, "reference-raised");
    EXPECT_EQ(raised.error().place.line, 3);
    EXPECT_NE(raised.error().message.find("cannot be multiplied"), std::string::npos);

    for (const char* body : {"    return x.to(acc).t()\n", "    return x.to(acc), x\n",
                             "    return x.to(acc).argmax(-1)\n", "    return 3\n", "    return (x.to(acc) > 0)\n"}) {
        load(wire_task(std::string("def f(x: Tensor, acc: int):\n") + body, x, out));
        EXPECT_EQ(golden_error(request), "reference-outputs") << body;
    }
    load(wire_task("def f(x: Tensor, acc: int):\n    x.add_(1)\n    return x.to(acc)\n", x, out));
    EXPECT_EQ(golden_error(request), "reference-writes-input");
    load(wire_task("def f(x: Tensor, acc: int):\n    return x.to(acc) + torch.zeros([100000, 100000, 1000])[0, 0, 0]\n",
                   x, out));
    EXPECT_EQ(golden_error(request), "out-of-memory");
    // and after all of that it still works
    load(wire_task(softmax, x, out));
    EXPECT_EQ(golden(request).outputs.size(), 1u);
    request.symbols.erase("N");
    EXPECT_FALSE(oracle.golden(request).ok());
    request.symbols = {{"M", 3}, {"N", 5}};
    request.slices = 2;
    EXPECT_EQ(golden_error(request), "golden-split");
}

TEST_F(OracleTest, EagerBaseline) {
    EXPECT_EQ(oracle.eager_run(1).error().code, "no-eager-case");
    EXPECT_EQ(oracle.eager_prepare(request).error().code, "no-task");
    load(wire_task(softmax, {input("x", "f16", {"M", "N"})}, {output("out", "f16", {"M", "N"})}));
    auto note = oracle.eager_prepare(request);
    ASSERT_TRUE(note.ok());
    EXPECT_EQ(*note, note_eager);
    auto seconds = oracle.eager_run(4);
    ASSERT_TRUE(seconds.ok());
    ASSERT_EQ(seconds->size(), 4u);
    for (double s : *seconds)
        EXPECT_GT(s, 0);
}

TEST(ReferenceText, ForbiddenNamesWithTheirPlace) {
    struct Case {
        const char* line;
        const char* code; // "" accepted
        int column;
    };
    for (const auto& [line, code, column] :
         {Case{"y = x.float()", "reference-cast", 11}, Case{"y = x.half ()", "reference-cast", 11},
          Case{"y = x.to(torch.float32)", "reference-dtype", 20}, Case{"y = math.sqrt(2.0)", "reference-name", 9},
          Case{"y = torch.nn.functional.relu(x)", "reference-name", 15}, Case{"y = F.relu(x)", "reference-name", 9},
          Case{"y = torch.rand([3])", "reference-name", 15}, Case{"y = x.normal_()", "reference-name", 11},
          Case{"print(x)", "reference-name", 5}, Case{"y = torch.from_file('a')", "reference-name", 15},
          Case{"import os", "reference-import", 5}, Case{"from os import path", "reference-import", 5},
          Case{"y = lambda a: a", "reference-function", 9}, Case{"y = open('f')", "reference-name", 9},
          // near misses
          Case{"y = x.long()", "", 0}, Case{"y = x.bool()", "", 0}, Case{"y = torch.zeros([3], dtype=x.dtype)", "", 0},
          Case{"input = x", "", 0}, Case{"# x.float() and import os", "", 0}, Case{"y = 'x.float()'", "", 0},
          Case{"load = x.to(acc)", "", 0}, Case{"y = torch.layer_norm(x, [4])", "", 0}, Case{"y = float(3)", "", 0}}) {
        const std::string text =
            std::string("import torch\nfrom typing import Tuple\ndef f(x: Tensor, acc: int):\n    ") + line +
            "\n    return x\n";
        const auto errors = lint_reference(text, "reference.py");
        if (!*code) {
            EXPECT_TRUE(errors.empty()) << line << ": " << to_string(errors[0]);
            continue;
        }
        ASSERT_FALSE(errors.empty()) << line;
        EXPECT_EQ(errors[0].code, code) << line;
        EXPECT_EQ(errors[0].place.line, 4) << line;
        EXPECT_EQ(errors[0].place.column, column) << line;
        EXPECT_FALSE(errors[0].remedy.empty());
    }
    EXPECT_EQ(lint_reference("x = 1\n", "r.py").at(0).code, "reference-function");
    EXPECT_EQ(lint_reference("def a(acc: int):\n  return 1\ndef b(acc: int):\n  return 1\n", "r.py").at(0).place.line,
              3);
    lint_reference("'''never closed\n\n", "r.py");
    lint_reference("\"\\", "r.py");
    EXPECT_EQ(without_imports("import torch\nx\nfrom torch import Tensor # y\n"), "\nx\n\n");
}

TEST(Slicing, TakesAndPutsBack) {
    std::vector<std::byte> whole(2 * 5 * 3);
    for (std::size_t i = 0; i < whole.size(); ++i)
        whole[i] = static_cast<std::byte>(i);
    for (int axis = 0; axis < 3; ++axis) {
        const Shape shape{2, 5, 3};
        std::vector<std::byte> back(whole.size());
        const std::int64_t extent = shape[static_cast<std::size_t>(axis)], half = extent / 2;
        for (const auto& [first, count] : {std::pair{std::int64_t{0}, half}, std::pair{half, extent - half}})
            put_slice(back, shape, axis, first, count, 1, take_slice(whole, shape, axis, first, count, 1));
        EXPECT_EQ(back, whole) << axis;
    }
}

} // namespace
} // namespace kf::oracle
