// SPDX-License-Identifier: GPL-3.0-or-later
// The whole judge on a GPU: stages, processes, goldens from kf-oracle. What is hostile is rejected by its own check,
// and the device serves the next candidate at once.
#ifdef KF_HAS_ORACLE
#include "core/base/files.h"
#include "core/evaluator/cuda_device.h"
#include "core/evaluator/pipeline.h"
#include "core/runners/cuda/driver.h"

#include <gtest/gtest.h>

namespace kf {
namespace {

class GpuJudge : public testing::Test {
protected:
    static void SetUpTestSuite() {
        auto driver = cuda::Driver::open();
        if (!driver) {
            missing = to_string(driver.error());
            return;
        }
        auto made = make_cuda_device(0, std::filesystem::path(testing::TempDir()) / "kf-gpu-cache");
        ASSERT_TRUE(made) << to_string(made.error());
        device = *made;
        oracle = std::make_shared<OracleClient>(program_path("kf-oracle"));
        goldens =
            std::make_unique<GoldenStore>([](const Task& task, const TaskCase& task_case, std::uint64_t seed,
                                             StopSignal& stop) { return oracle->golden(task, task_case, seed, stop); });
    }
    static void TearDownTestSuite() {
        goldens.reset();
        oracle.reset();
        device.reset();
    }
    void SetUp() override {
        if (!missing.empty())
            GTEST_SKIP() << missing;
    }

    // At a size whose golden does not take the processor seconds.
    EvaluationOutcome judge(const Task& task, const std::string& source, double budget_s = 60,
                            const std::string& size = "cpu") {
        EvaluateRequest request;
        request.task = task;
        request.task.timed = {{size, 1}};
        request.candidate = {source, "candidate.cu", {}, "candidate"};
        request.measure = false;
        request.budget_s = budget_s;
        StopSignal stop({}, deadline_after(budget_s));
        PipelineServices services;
        services.device = device.get();
        services.goldens = goldens.get();
        services.oracle = oracle.get();
        services.progress = [](const Json&) {};
        services.verify.case_deadline_s = 2;
        services.verify.shrink_attempts = 0;
        Pipeline pipeline(std::move(services), request, stop);
        const EvaluationOutcome outcome = pipeline.run();
        device->warm();
        return outcome;
    }
    static std::string verdict(const EvaluationOutcome& outcome) {
        return outcome.evaluation ? outcome.evaluation->verdict() : "infrastructure: " + outcome.what;
    }
    static Task task_of(const std::string& name) {
        auto task = find_task(name, std::filesystem::path(KF_SOURCE_DIR) / "tasks");
        EXPECT_TRUE(task) << to_string(task.error());
        return *task;
    }
    static std::string read(const std::filesystem::path& file) { return *read_file(file, std::size_t{1} << 20); }

    inline static std::string missing;
    inline static std::shared_ptr<Device> device;
    inline static std::shared_ptr<OracleClient> oracle;
    inline static std::unique_ptr<GoldenStore> goldens;
};

TEST_F(GpuJudge, AcceptsStartKernelsAndNamesWhatIsWrong) {
    for (const auto& folder : list_task_folders(std::filesystem::path(KF_SOURCE_DIR) / "tasks")) {
        const Task task = *load_task(folder);
        const auto start = judge(task, read(folder / "start.cu"));
        EXPECT_EQ(verdict(start), "verified")
            << task.name << (start.evaluation && start.evaluation->failure ? start.evaluation->failure->message : "");
        for (const auto& entry : std::filesystem::directory_iterator(folder / "wrong")) {
            const std::string source = read(entry.path());
            const auto at = source.find("class=") + 6;
            std::string expected = source.substr(at, source.find(' ', at) - at);
            // A race needs many blocks to show without a sanitizer.
            const std::string found = verdict(judge(task, source, 60, expected == "race" ? "small" : "cpu"));
            if (expected == "race" && found == "unstable")
                expected = found; // no sanitizer stands behind the runs here
            if (expected != found)
                std::printf("%-16s %-28s GPU %s, CPU device %s\n", task.name.c_str(), entry.path().filename().c_str(),
                            found.c_str(), expected.c_str());
            EXPECT_NE(found, "verified") << task.name << " " << entry.path().filename();
            EXPECT_EQ(found.find("infrastructure"), std::string::npos) << found;
        }
    }
}

TEST_F(GpuJudge, HostileKernelsAreRejectedAndTheNextIsServed) {
    const Task task = task_of("silu_mul");
    const std::string right = read(std::filesystem::path(KF_SOURCE_DIR) / "tasks/stage1/silu_mul/start.cu");
    const std::string head = "#include <cuda_bf16.h>\n__global__ void k(const __nv_bfloat16* x, __nv_bfloat16* out, "
                             "long long n) {\n    const long long i = blockIdx.x * 256LL + threadIdx.x;\n";
    const std::string plan = "#pragma kf launch k<<<cdiv(R*C, 256), 256>>>(x, out, R*C)\n";
    struct Hostile {
        const char* name;
        std::string source;
        std::vector<std::string> verdicts;
    };
    const Hostile table[] = {
        {"endless loop",
         plan + head + "    for (long long k = clock64(); clock64() != k - 1;) {}\n    if (i < n) out[i] = x[i];\n}\n",
         {"timeout"}},
        {"illegal address", plan + head + "    *(volatile int*)(0x10 + 4 * (i & 1)) = 1;\n}\n", {"crash"}},
        {"far out of bounds", plan + head + "    if (i == 0) out[1LL << 40] = x[0];\n}\n", {"crash"}},
        {"misaligned", plan + head + "    *(int*)((char*)out + 1 + 4 * (i & 1)) = 1;\n}\n", {"misaligned"}},
        {"trap", plan + head + "    __trap();\n}\n", {"crash", "launch"}},
        {"assertion", "#include <cassert>\n" + plan + head + "    assert(i < 0);\n}\n", {"crash"}},
        {"nothing written", plan + head + "}\n", {"unwritten"}},
        {"NaN everywhere",
         plan + head + "    if (i < n) out[i] = __float2bfloat16(__int_as_float(0x7fffffff));\n}\n",
         {"nonfinite"}},
        {"too much shared memory",
         "#pragma kf launch k<<<cdiv(R*C, 256), 256, 300000>>>(x, out, R*C)\n" + head + "    out[0] = x[0];\n}\n",
         {"limits", "plan"}},
        {"state between launches",
         plan + "__device__ int calls;\n" + head + "    if (i == 0) calls++;\n    out[i] = x[i];\n}\n",
         {"state"}},
        {"input overwritten",
         plan + head + "    if (i < n) { ((__nv_bfloat16*)x)[i] = out[i]; out[i] = x[i]; }\n}\n",
         {"input-written"}},
        {"guard overwritten",
         plan + head + "    if (i == 0) out[n] = x[0];\n    if (i < n) out[i] = x[i];\n}\n",
         {"out-of-bounds"}},
        {"does not compile", plan + head + "    undeclared(i);\n}\n", {"compile"}},
        {"printf flood",
         plan + head + "    for (int k = 0; k < 100000; ++k) printf(\"flood %d\\n\", k);\n}\n",
         {"unwritten", "timeout", "flood"}},
    };
    for (const Hostile& one : table) {
        const Deadline start = std::chrono::steady_clock::now();
        const auto outcome = judge(task, one.source, 30);
        const std::string found = verdict(outcome);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("%-24s %-14s %.2f s  %s\n", one.name, found.c_str(), seconds,
                    outcome.evaluation && outcome.evaluation->failure
                        ? outcome.evaluation->failure->message.substr(0, 100).c_str()
                        : "");
        EXPECT_NE(std::find(one.verdicts.begin(), one.verdicts.end(), found), one.verdicts.end())
            << one.name << ": " << found;
        EXPECT_EQ(verdict(judge(task, right)), "verified") << "after " << one.name;
    }
}

TEST_F(GpuJudge, TheTextThatCrashesTheCompiler) {
    // NVRTC 13.0.88 dies on a wgmma whose descriptors are constants (measured 2026-11).
    const std::string source = R"(#pragma kf launch wg<<<1, 128>>>(out)
__global__ __launch_bounds__(128) void wg(void* out) {
    float r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    unsigned long long a = 0, b = 0;
    int sd = 1;
    asm volatile("wgmma.fence.sync.aligned;\n");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}\n"
                 : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3) : "l"(a), "l"(b), "r"(sd));
    asm volatile("wgmma.commit_group.sync.aligned;\n");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n");
    ((float*)out)[threadIdx.x] = r0 + r1 + r2 + r3;
}
)";
    const std::string found = verdict(judge(task_of("silu_mul"), source));
    std::printf("the crashing text: %s\n", found.c_str());
    EXPECT_NE(found.find("verified"), 0u) << found;
    EXPECT_EQ(found.find("infrastructure"), std::string::npos) << found;
}

} // namespace
} // namespace kf
#endif
