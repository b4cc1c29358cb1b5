// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/autopsy/evaluations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf::test {
namespace {

using testing::HasSubstr;

// One bottleneck at most, and at least one thing to try and one thing that is not known.
Autopsy autopsy_of(const Evaluation& evaluation, const Candidate* candidate = nullptr, const Task* task = nullptr) {
    const Autopsy autopsy = make_autopsy(evaluation, candidate, task);
    EXPECT_FALSE(autopsy.failure.has_value());
    EXPECT_EQ(autopsy.causes.size(), 1u);
    EXPECT_FALSE(autopsy.tries.empty());
    EXPECT_FALSE(autopsy.unknowns.empty());
    EXPECT_LE(render_for_model(autopsy).size(), max_model_text);
    return autopsy;
}

Json compiler_figures(int registers, int spilled) {
    const Json kernel{{"name", "k"}, {"registers", registers}, {"spill_stores", spilled}, {"spill_loads", spilled}};
    return Json{{"binaries", {{{"hash", "ab"}, {"figures", {{"kernels", {kernel}}}}}}}};
}

TEST(Bottleneck, unknown_is_said_to_be_unknown) {
    const Autopsy autopsy = autopsy_of(correct_evaluation());
    EXPECT_EQ(autopsy.bottleneck, "unknown");
    EXPECT_THAT(autopsy.headline, HasSubstr("not known"));
    EXPECT_THAT(render_text(autopsy), HasSubstr("not known: registers and spills"));
    EXPECT_THAT(render_text(autopsy), HasSubstr("counters"));
    EXPECT_THAT(render_text(autopsy), HasSubstr("1.5 ms a call (median of 120, parent-steady-clock)"));
}

TEST(Bottleneck, compiler_figures) {
    Evaluation evaluation = correct_evaluation();
    evaluation.stages[1].evidence = compiler_figures(64, 48);
    const Autopsy spills = autopsy_of(evaluation);
    EXPECT_EQ(spills.bottleneck, "spills");
    EXPECT_THAT(render_for_model(spills), HasSubstr("96 bytes a thread in k"));
    evaluation.stages[1].evidence = compiler_figures(168, 0);
    EXPECT_EQ(autopsy_of(evaluation).bottleneck, "registers");
    evaluation.stages[1].evidence = compiler_figures(40, 0);
    EXPECT_EQ(autopsy_of(evaluation).bottleneck, "unknown");
    Json deep = Json::object(); // hostile nesting ends
    for (int k = 0; k < 1000; ++k)
        deep = Json{{"d", deep}};
    evaluation.stages[1].evidence = deep;
    EXPECT_EQ(autopsy_of(evaluation).bottleneck, "unknown");
}

TEST(Bottleneck, timer_floor_and_fallback_path) {
    Evaluation evaluation = correct_evaluation();
    evaluation.skipped = {"line 12: launch fast<BLOCK>"};
    const Autopsy fallback = autopsy_of(evaluation);
    EXPECT_EQ(fallback.bottleneck, "fallback-path");
    EXPECT_THAT(render_text(fallback), HasSubstr("line 12: launch fast<BLOCK>"));
    evaluation.timings[0].at_floor = true;
    EXPECT_EQ(autopsy_of(evaluation).bottleneck, "timer-floor"); // the surer one alone
}

// The general path stands behind the fast one: that the timed size skips it is as it should be.
TEST(Bottleneck, a_skipped_general_path_is_no_finding) {
    auto task =
        parse_task(R"({"name": "scale", "title": "Scale", "stage": 1,
      "sizes": {"cpu": {"N": 96}, "primary": {"N": 960}}, "timed": [{"size": "primary", "weight": 1}],
      "inputs": [{"name": "x", "dtype": "f32", "shape": ["N"], "fill": {"normal": [0.1, 1]}}],
      "outputs": [{"name": "out", "dtype": "f32", "shape": ["N"], "compare": "close"}],
      "cases": [{"N": 3}], "tolerance": {"atol": 1e-5, "rtol": 1e-5},
      "work": {"flops": "N", "read": "4*N", "written": "4*N"}})",
                   "def scale(x: Tensor, acc: int) -> Tensor:\n    return (x.to(acc) * 2).to(x.dtype)\n", "task.json");
    ASSERT_TRUE(task) << to_string(task.error());
    auto candidate = parse_candidate("__global__ void fast(const float* x, float* out) {}\n"
                                     "__global__ void any(const float* x, float* out) {}\n"
                                     "#pragma kf launch fast<<<1, 32>>>(x, out) when N % 8 == 0\n"
                                     "#pragma kf launch any<<<1, 32>>>(x, out) when N % 8 != 0\n",
                                     "c.cu");
    ASSERT_TRUE(candidate) << to_string(candidate.error());
    Evaluation evaluation = correct_evaluation();
    evaluation.timings[0].size = "cpu";
    evaluation.timings[0].symbols = {{"N", 96}};
    evaluation.tunables.clear();
    evaluation.skipped = {"line 4: launch any<<<1, 32>>>(x, out)"};
    EXPECT_NE(make_autopsy(evaluation, &*candidate, &*task).bottleneck, "fallback-path");
    evaluation.skipped = {"line 3: launch fast<<<1, 32>>>(x, out)"};
    EXPECT_EQ(make_autopsy(evaluation, &*candidate, &*task).bottleneck, "fallback-path");
}

constexpr const char* reference = "def scale(x: Tensor, acc: int) -> Tensor:\n    return (x.to(acc) * 2).to(x.dtype)\n";

Result<Task> scale_task() {
    return parse_task(R"({"name": "scale", "title": "Scale", "stage": 1,
      "sizes": {"cpu": {"M": 64, "N": 96}, "primary": {"M": 640, "N": 96}}, "timed": [{"size": "primary", "weight": 1}],
      "inputs": [{"name": "x", "dtype": "f32", "shape": ["M", "N"], "fill": {"normal": [0.1, 1]}}],
      "outputs": [{"name": "out", "dtype": "f32", "shape": ["M", "N"], "compare": "close"}],
      "cases": [{"M": 1, "N": 3}], "tolerance": {"atol": 1e-5, "rtol": 1e-5},
      "work": {"flops": "M*N", "read": "4*M*N", "written": "4*M*N"}})",
                      reference, "task.json");
}

TEST(Bottleneck, scratch_traffic_from_plan_and_task) {
    const auto task = scale_task();
    ASSERT_TRUE(task.ok()) << to_string(task.error());
    const auto candidate = parse_candidate("#pragma kf tune BLOCK in {128, 256}\n"
                                           "#pragma kf scratch h: f32[M, N]\n"
                                           "#pragma kf launch a<<<M, BLOCK>>>(x, h, N)\n"
                                           "#pragma kf launch a<<<M, BLOCK>>>(h, out, N)\n"
                                           "__global__ void a(const float* x, float* y, int n) {}\n",
                                           "k.cu");
    ASSERT_TRUE(candidate.ok()) << to_string(candidate.error());
    const Autopsy autopsy = autopsy_of(correct_evaluation(), &*candidate, &*task);
    EXPECT_EQ(autopsy.bottleneck, "scratch-traffic");
    EXPECT_THAT(render_text(autopsy), HasSubstr("100 % of the least traffic"));
    EXPECT_THAT(render_text(autopsy), HasSubstr("GB/s if only the least traffic were moved"));
}

TEST(Bottleneck, atomics_and_many_launches) {
    const auto task = scale_task();
    ASSERT_TRUE(task.ok());
    const auto candidate = parse_candidate("#pragma kf fill out = 0\n"
                                           "#pragma kf launch a<<<M, 128>>>(x, out, N)\n"
                                           "// atomicAdd( in a comment does not count\n"
                                           "__global__ void a(const float* x, float* y, int n) {\n"
                                           "    atomicAdd(y, x[0]);\n}\n",
                                           "k.cu");
    ASSERT_TRUE(candidate.ok()) << to_string(candidate.error());
    const Autopsy autopsy = autopsy_of(correct_evaluation(), &*candidate, &*task);
    EXPECT_EQ(autopsy.bottleneck, "atomics");
    EXPECT_THAT(render_text(autopsy), HasSubstr("k.cu:5: 1 atomic calls"));
    std::string many;
    for (int k = 0; k < 5; ++k)
        many += "#pragma kf launch a<<<M, 128>>>(x, out, N)\n";
    const auto launches = parse_candidate(many + "__global__ void a(const float* x, float* y, int n) {}\n", "k.cu");
    ASSERT_TRUE(launches.ok());
    Evaluation untuned = correct_evaluation();
    untuned.tunables.clear(); // these plans have no tunables: a value for one would be refused
    const Autopsy steps = autopsy_of(untuned, &*launches, &*task);
    EXPECT_EQ(steps.bottleneck, "launches") << render_text(steps);
    EXPECT_THAT(render_text(steps), HasSubstr("5 steps"));
}

TEST(Bottleneck, a_plan_that_does_not_resolve_is_said) {
    const auto task = scale_task();
    ASSERT_TRUE(task.ok());
    const auto candidate = parse_candidate("#pragma kf launch a<<<M, 4096>>>(x, out, N)\n"
                                           "__global__ void a(const float* x, float* y, int n) {}\n",
                                           "k.cu");
    ASSERT_TRUE(candidate.ok());
    Evaluation untuned = correct_evaluation();
    untuned.tunables.clear();
    const Autopsy autopsy = autopsy_of(untuned, &*candidate, &*task);
    EXPECT_THAT(render_text(autopsy), HasSubstr("could not be resolved"));
    EXPECT_THAT(render_text(autopsy), HasSubstr("4096")); // for its block, not for a tunable
    Evaluation gpu = correct_evaluation();
    gpu.device = "cuda:0";
    EXPECT_THAT(render_text(autopsy_of(gpu, &*candidate, &*task)), HasSubstr("on the CPU device only"));
}

} // namespace
} // namespace kf::test
