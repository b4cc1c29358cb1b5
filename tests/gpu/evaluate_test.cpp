// SPDX-License-Identifier: GPL-3.0-or-later
// The whole judge on a GPU: stages, processes, goldens from kf-oracle. What is hostile is rejected by its own check,
// and the device serves the next candidate at once.
#ifdef KF_HAS_ORACLE
#include "core/base/files.h"
#include "core/evaluator/cuda_device.h"
#include "core/evaluator/pipeline.h"
#include "core/runners/cuda/driver.h"
#include "tests/gpu/hostile_kinds.h"

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
    for (const HostileKind& one : hostile_kinds()) {
        const Deadline start = std::chrono::steady_clock::now();
        const auto outcome = judge(task, one.source, 30);
        const std::string found = verdict(outcome);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("%-24s %-14s %.2f s  %s\n", one.name.c_str(), found.c_str(), seconds,
                    outcome.evaluation && outcome.evaluation->failure
                        ? outcome.evaluation->failure->message.substr(0, 100).c_str()
                        : "");
        EXPECT_NE(std::find(one.verdicts.begin(), one.verdicts.end(), found), one.verdicts.end())
            << one.name << ": " << found;
        EXPECT_EQ(verdict(judge(task, right)), "verified") << "after " << one.name;
    }
}

TEST_F(GpuJudge, TheTextThatCrashesTheCompiler) {
    const std::string found = verdict(judge(task_of("silu_mul"), compiler_killer()));
    std::printf("the crashing text: %s\n", found.c_str());
    EXPECT_NE(found.find("verified"), 0u) << found;
    EXPECT_EQ(found.find("infrastructure"), std::string::npos) << found;
}

} // namespace
} // namespace kf
#endif
