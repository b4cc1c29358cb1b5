// SPDX-License-Identifier: GPL-3.0-or-later
// A plan against a task, a case and a device: what it becomes, and every refusal with code and place.
#include "tests/core/candidate/support.h"

namespace kf::test {
namespace {

const std::string line = "#pragma kf ";
const std::string launch = line + "launch k<<<1, 32>>>(x, out, M)\n";

TEST(Resolve, AWholePlan) {
    const std::string text =
        line + "tune BLOCK in {256, 128}\n" + line + "define VEC = N % 8 == 0 ? 8 : 1\n" + line +
        "option fast_math maxreg(64)\n" + line + "scratch h: f16[M, N]\n" + line +
        "gemm h = x @ w.T + b relu tune(8)\n" + line + "fill out = 1\n" + line +
        "launch t<BLOCK><<<(cdiv(M*N, BLOCK), 2), BLOCK, 16>>>(h + N, out, 1.0/sqrt(64), M - 1)\n" + line +
        "launch k<<<1, 32>>>(x, out, M) when N % 8 != 0\n" + line + "unordered out\n";
    const Result<ResolvedPlan> result = resolved(text, cpu_device_limits(0), a_case(), gemm_task(), {{"BLOCK", 128}});
    ASSERT_TRUE(result) << to_string(result.error());
    const ResolvedPlan& plan = *result;
    ASSERT_EQ(plan.buffers.size(), 5u);
    EXPECT_EQ(plan.buffers[1].role, Role::weight);
    EXPECT_EQ(plan.buffers[3].kind, BufferKind::output);
    EXPECT_EQ(plan.buffers[4].name, "h");
    EXPECT_EQ(plan.buffers[4].bytes, 64 * 96 * 2);
    EXPECT_EQ(plan.defines, (std::vector<std::pair<std::string, std::int64_t>>{{"BLOCK", 128}, {"VEC", 8}}));
    EXPECT_TRUE(plan.fast_math);
    EXPECT_EQ(plan.maxreg, 64);
    EXPECT_EQ(plan.skipped, std::vector<std::string>{"line 8: launch k"});
    EXPECT_EQ(plan.unordered, std::vector<std::string>{"out"});
    ASSERT_EQ(plan.steps.size(), 3u);
    const auto& gemm = std::get<ResolvedGemm>(plan.steps[0]);
    EXPECT_EQ((std::array{gemm.m, gemm.n, gemm.k, gemm.batch}), (std::array<std::int64_t, 4>{64, 96, 32, 1}));
    EXPECT_EQ(gemm.bias, 2);
    EXPECT_TRUE(gemm.b_transposed);
    EXPECT_EQ(std::get<ResolvedFill>(plan.steps[1]).pattern, 0x3c00u);
    const auto& run = std::get<ResolvedLaunch>(plan.steps[2]);
    EXPECT_EQ(run.expression, "t<BLOCK>");
    EXPECT_EQ(run.grid, (std::array<std::int64_t, 3>{48, 2, 1}));
    EXPECT_EQ(run.block, (std::array<std::int64_t, 3>{128, 1, 1}));
    EXPECT_EQ(run.shared, 16);
    EXPECT_EQ(run.arguments[0].buffer, 4);
    EXPECT_EQ(run.arguments[0].offset, 96);
    EXPECT_TRUE(run.arguments[2].is_real);
    EXPECT_DOUBLE_EQ(run.arguments[2].real, 0.125);
    EXPECT_EQ(run.arguments[3].integer, 63);
    std::int64_t total = 0;
    for (const ResolvedBuffer& buffer : plan.buffers)
        total += buffer.bytes + guard_bytes_per_buffer;
    EXPECT_EQ(plan.total_bytes(), total);
}

struct Refused {
    const char* lines; // before the launch in the last line; `|` separates statements
    const char* outcome;
};
std::string expand(const std::string& lines) {
    std::string text = line;
    for (const char c : lines)
        text += c == '|' ? "\n" + line : std::string(1, c);
    return text + "\n";
}

class OnCpu : public ::testing::TestWithParam<Refused> {};
TEST_P(OnCpu, Outcome) {
    const Result<ResolvedPlan> result = resolved(expand(GetParam().lines) + launch, cpu_device_limits(0));
    EXPECT_EQ(outcome(result), GetParam().outcome) << GetParam().lines << (result ? "" : describe(result.error()));
}
const Refused cpu_table[] = {
    {"fill out = 0", "ok"},
    {"tune MMM in {1}", "ok"},
    {"scratch M: f32[1]", "plan-name a.cu:1:12"},
    {"scratch x: f32[1]", "plan-name a.cu:1:12"},
    {"scratch out: f32[1]", "plan-name a.cu:1:12"},
    {"define AAA = QQ", "plan-expression a.cu:1:25"},
    {"define AAA = M / (N - 96)", "plan-expression a.cu:1:27"},
    {"define AAA = BBB|define BBB = 1", "plan-expression a.cu:1:25"},
    {"define AAA = 1 when M > 1|define AAA = 2 when N > 1", "plan-duplicate a.cu:2:12"},
    {"define AAA = 1 when M > 1|define AAA = 2 when N < 1", "ok"},
    {"option maxreg(32)|option maxreg(64)", "plan-duplicate a.cu:2:12"},
    {"tune AAA in {2, 1} where AAA < 2", "plan-tunable a.cu:1:12"},
    {"scratch h: f32[M - 65]", "plan-shape a.cu:1:12"},
    {"scratch h: f32[1000000, 1000000, 1000]", "limits-memory a.cu:1:12"},
    {"fill q = 0", "plan-tensor a.cu:1:12"},
    {"fill x = 0", "plan-write-input a.cu:1:12"},
    {"fill out = 70000", "plan-value a.cu:1:12"},
    {"scratch h: i8[4]|fill h = 128", "plan-value a.cu:2:12"},
    {"scratch h: i8[4]|fill h = 0.5", "plan-expression a.cu:2:21"},
    {"scratch h: u8[4]|fill h = -1", "plan-value a.cu:2:12"},
    {"scratch h: bool[4]|fill h = 2", "plan-value a.cu:2:12"},
    {"scratch h: e4m3[4]|fill h = 449", "plan-value a.cu:2:12"},
    {"gemm out = x @ w.T", "ok"},
    {"gemm out = x @ w", "plan-gemm a.cu:1:12"},
    {"gemm out = x @ q", "plan-tensor a.cu:1:12"},
    {"gemm x = x @ w.T", "plan-write-input a.cu:1:12"},
    {"gemm out = out @ w.T", "plan-gemm a.cu:1:12"},
    {"gemm out = x @ w.T + x", "plan-gemm a.cu:1:12"},
    {"scratch h: f32[M, N]|gemm h = x @ w.T", "ok"},
    {"scratch h: bf16[M, N]|gemm h = x @ w.T", "plan-gemm a.cu:2:12"},
    {"scratch h: f16[N, M]|gemm h = x @ w.T", "plan-gemm a.cu:2:12"},
    {"scratch h: f16[N, M]|gemm h = w @ x.T", "ok"},
    {"scratch h: f32[M, N]|gemm h = x @ w.T + b", "plan-gemm a.cu:2:12"},
    {"scratch h: f32[M, K]|gemm out = h @ w.T", "plan-gemm a.cu:2:12"},
    {"scratch a: f16[3, M, K]|scratch c: f16[3, M, N]|scratch d: f16[3, K, N]|gemm c = a @ d", "ok"},
    {"scratch a: f16[3, M, K]|scratch c: f16[3, M, N]|gemm c = a @ w.T", "ok"},
    {"scratch a: f16[3, M, K]|scratch c: f16[3, M, N]|scratch d: f16[2, K, N]|gemm c = a @ d", "plan-gemm a.cu:4:12"},
    {"unordered x", "plan-tensor a.cu:1:12"},
    {"requires sm_80", "plan-needs-gpu a.cu:1:12"},
    {"tensormap t = x[view M, K] box[8, 8]", "plan-needs-gpu a.cu:1:12"},
    {"launch k<<<2, 32>>>(x, out, M) cluster(2)", "plan-needs-gpu a.cu:1:12"},
    {"launch k<<<1, 32>>>(x, out, M)|launch k<<<1, 32>>>(x, out, M) overlap", "plan-needs-gpu a.cu:2:12"},
    {"launch k<<<0, 32>>>(x, out, M)", "limits-grid a.cu:1:12"},
    {"launch k<<<(1, 65536), 32>>>(x, out, M)", "limits-grid a.cu:1:12"},
    {"launch k<<<1, 0>>>(x, out, M)", "limits-block a.cu:1:12"},
    {"launch k<<<1, (1, 1, 65)>>>(x, out, M)", "limits-block a.cu:1:12"},
    {"launch k<<<1, (32, 33)>>>(x, out, M)", "limits-block a.cu:1:12"},
    {"launch k<<<1, 32, 232449>>>(x, out, M)", "limits-shared a.cu:1:12"},
    {"launch k<<<1, 32, -1>>>(x, out, M)", "limits-shared a.cu:1:12"},
    {"launch k<<<64, 32>>>(x, out, M) cooperative", "ok"},
    {"launch k<<<(64, 2), 32>>>(x, out, M) cooperative", "limits-cooperative a.cu:1:12"},
    {"launch k<<<M * QQ, 32>>>(x, out, M)", "plan-expression a.cu:1:27"},
    {"launch k<<<1, 32>>>(x, out, QQ)", "plan-argument a.cu:1:40"},
    {"launch k<<<1, 32>>>(x, oot, M)", "plan-argument a.cu:1:35"},
    {"launch k<<<1, 32>>>(2 * x, out, M)", "plan-argument a.cu:1:32"},
    {"launch k<<<1, 32>>>(x - 4, out, M)", "plan-argument a.cu:1:32"},
    {"launch k<<<1, 32>>>(x + M*K, out, M)", "ok"},
    {"launch k<<<1, 32>>>(x + M*K + 1, out, M)", "plan-argument-range a.cu:1:32"},
    {"launch k<<<1, 32>>>(x + (0 - 1), out, M)", "plan-argument-range a.cu:1:32"},
    {"launch k<<<resident(k, 1024, 0), 32>>>(x, out, M) when resident(k, 1024, 0) == 2", "ok"},
    {"launch k<<<resident(k, 0, 0), 32>>>(x, out, M)", "plan-resident a.cu:1:23"},
    {"launch k<<<sm_count * warp_size, 32>>>(x, out, M)", "ok"},
    {"prepare {|scratch p: f16[N, K]|launch k<<<1, 32>>>(w, p, M)|}|launch k<<<1, 32>>>(p, out, M)", "ok"},
    {"prepare {|scratch p: f16[N, K]|launch k<<<1, 32>>>(x, p, M)|}", "plan-prepare a.cu:3:32"},
    {"prepare {|fill out = 0|}", "plan-prepare a.cu:2:12"},
    {"prepare {|scratch p: f16[N, K]|}|fill p = 0", "plan-prepare a.cu:4:12"},
    {"scratch p: f16[N, K]|prepare {|fill p = 0|}", "plan-prepare a.cu:3:12"},
};
INSTANTIATE_TEST_SUITE_P(Table, OnCpu, ::testing::ValuesIn(cpu_table));

class OnGpu : public ::testing::TestWithParam<Refused> {};
TEST_P(OnGpu, Outcome) {
    const Result<ResolvedPlan> result = resolved(expand(GetParam().lines) + launch, h200());
    EXPECT_EQ(outcome(result), GetParam().outcome) << GetParam().lines << (result ? "" : describe(result.error()));
}
const Refused gpu_table[] = {
    {"requires sm_90a", "ok"},
    {"requires sm_80", "ok"},
    {"requires sm_100", "plan-architecture a.cu:1:12"},
    {"requires sm_80a", "plan-architecture a.cu:1:12"},
    {"launch k<<<4, 32>>>(x, out, M) cluster(2, 1)", "ok"},
    {"launch k<<<3, 32>>>(x, out, M) cluster(2)", "limits-cluster a.cu:1:12"},
    {"launch k<<<16, 32>>>(x, out, M) cluster(16)", "limits-cluster a.cu:1:12"},
    {"launch k<<<(4, 4), 32>>>(x, out, M) cluster(4, 4)", "limits-cluster a.cu:1:12"},
    {"launch k<<<1, 32>>>(x, out, M) overlap", "plan-overlap a.cu:1:12"},
    {"fill out = 0|launch k<<<1, 32>>>(x, out, M) overlap", "plan-overlap a.cu:2:12"},
    {"launch k<<<1, 32>>>(x, out, M)|launch k<<<1, 32>>>(x, out, M) overlap", "ok"},
    {"launch k<<<1, 32>>>(x, out, M)|fill out = 0 when M < 1|launch k<<<1, 32>>>(x, out, M) overlap", "ok"},
    {"launch k<<<resident(k, 32, 0), 32>>>(x, out, M)", "plan-resident a.cu:1:23"},
    {"tensormap t = x[view M, K] box[64, 32] swizzle(64B) fill(nan)|launch k<<<1, 32>>>(t, out, M)", "ok"},
    {"tensormap t = x[view M, K] box[64, 32] swizzle(32B)", "plan-tensormap a.cu:1:12"},
    {"tensormap t = x[view M, K] box[64]", "plan-tensormap a.cu:1:12"},
    {"tensormap t = x[view M, K] box[257, 8]", "plan-tensormap a.cu:1:12"},
    {"tensormap t = x[view M, K] box[8, 4]", "plan-tensormap a.cu:1:12"},
    {"tensormap t = x[view M + 1, K] box[8, 8]", "plan-tensormap a.cu:1:12"},
    {"tensormap t = x[view M, K] strides[K + 1] box[8, 8]", "plan-tensormap a.cu:1:12"},
    {"tensormap t = x[view M / 2, K] strides[2 * K] box[8, 8]", "ok"},
    {"scratch s: i8[64, 64]|tensormap t = s[view 64, 64] box[8, 16] fill(nan)", "plan-tensormap a.cu:2:12"},
};
INSTANTIATE_TEST_SUITE_P(Table, OnGpu, ::testing::ValuesIn(gpu_table));

TEST(Resolve, OlderGpusHaveNeitherClustersNorTensormaps) {
    DeviceLimits ampere = h200();
    ampere.architecture = "sm_80";
    for (const char* lines : {"launch k<<<2, 32>>>(x, out, M) cluster(2)", "tensormap t = x[view M, K] box[8, 8]",
                              "launch k<<<1, 32>>>(x, out, M)|launch k<<<1, 32>>>(x, out, M) overlap"})
        EXPECT_EQ(outcome(resolved(expand(lines) + launch, ampere)).substr(0, 17), "plan-architecture") << lines;
}

TEST(Resolve, SomethingMustRunAndWriteEveryOutput) {
    const Result<ResolvedPlan> none =
        resolved(line + "fill out = 0\n" + line + "launch k<<<1, 32>>>(x, out, M) when M > 64\n");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, "plan-nothing-to-run");
    EXPECT_NE(none.error().remedy.find("line 2: launch k"), std::string::npos);
    const Result<ResolvedPlan> only_prepare = resolved(line + "prepare {\n" + line + "scratch p: f16[1]\n" + line +
                                                       "launch k<<<1, 32>>>(w, p, M)\n" + line + "}\n");
    EXPECT_EQ(outcome(only_prepare).substr(0, 19), "plan-nothing-to-run");
    const Result<ResolvedPlan> unwritten = resolved(line + "launch k<<<1, 32>>>(x, x, M)\n");
    ASSERT_FALSE(unwritten);
    EXPECT_EQ(unwritten.error().code, "plan-output");
    EXPECT_NE(unwritten.error().message.find("`out`"), std::string::npos);
}

TEST(Resolve, MemoryIsRefusedWithFigures) {
    const std::string text = line + "scratch h: f32[1024, 1024]\n" + launch;
    ASSERT_TRUE(resolved(text));
    const std::int64_t total = resolved(text)->total_bytes();
    EXPECT_TRUE(resolved(text, cpu_device_limits(total)));
    const Result<ResolvedPlan> over = resolved(text, cpu_device_limits(total - 1));
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().code, "limits-memory");
    EXPECT_NE(over.error().message.find("scratch 4194304"), std::string::npos) << describe(over.error());
    EXPECT_EQ(to_string(over.error().place), "a.cu:1:12");
}

TEST(Resolve, TheTaskMustAllowLibraryProducts) {
    Task task = gemm_task();
    task.library.clear();
    EXPECT_EQ(outcome(resolved(line + "gemm out = x @ w.T\n", cpu_device_limits(0), a_case(), task)),
              "plan-library a.cu:1:12");
}

TEST(Resolve, InoutInputsAreWrittenAndListedOnce) {
    const Task task =
        parsed_task(R"({"name": "s", "dtype": "f32", "shape": ["M"], "fill": {"normal": [0.1, 1]}, "role": "inout"})",
                    R"({"name": "s", "dtype": "f32", "shape": ["M"], "compare": "close"})");
    const Result<ResolvedPlan> plan =
        resolved(line + "fill s = 0\n" + line + "launch k<<<1, 32>>>(s, s, M)\n", cpu_device_limits(0), a_case(), task);
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan->buffers.size(), 1u);
}

TEST(Resolve, TritonBlocksFollowFromWarps) {
    const auto run = [](const std::string& attributes) {
        return resolve_plan(
            parsed("# kf launch k<<<M>>>(x, out)" + attributes + "\n@triton.jit\ndef k(): pass\n", "a.py"), gemm_task(),
            a_case(), {}, h200());
    };
    EXPECT_EQ(std::get<ResolvedLaunch>(run("")->steps[0]).block[0], 128);
    EXPECT_EQ(std::get<ResolvedLaunch>(run(" warps(8) stages(2)")->steps[0]).block[0], 256);
    EXPECT_EQ(run(" warps(3)").error().code, "limits-triton");
    EXPECT_EQ(run(" stages(0)").error().code, "limits-triton");
}

TEST(Resolve, LimitsTravelAsJson) {
    const DeviceLimits back = limits_from_json(to_json(h200()));
    EXPECT_EQ(to_json(back), to_json(h200()));
    EXPECT_EQ(limits_from_json(Json::object()).max_threads_per_block, 1024);
    EXPECT_EQ(limits_from_json(Json{{"max_grid", "x"}, {"memory", true}}).max_grid[1], 65535);
}

} // namespace
} // namespace kf::test
