// SPDX-License-Identifier: GPL-3.0-or-later
// The start kernels that are shipped: each parses, prints back, and resolves for every case and size on both devices.
#include "core/base/files.h"
#include "tests/core/candidate/support.h"

#include <filesystem>

namespace kf::test {
namespace {

TEST(Shipped, StartKernelsResolveForEveryCase) {
    const std::filesystem::path root = std::filesystem::path(KF_SOURCE_DIR) / "tasks";
    const std::vector<std::filesystem::path> folders = list_task_folders(root);
    EXPECT_GE(folders.size(), 7u);
    for (const std::filesystem::path& folder : folders) {
        const std::filesystem::path file = folder / "start.cu";
        const Result<Task> task = load_task(folder);
        ASSERT_TRUE(task) << to_string(task.error());
        const Result<std::string> source = read_file(file);
        ASSERT_TRUE(source) << to_string(source.error());
        const Candidate candidate = parsed(*source, file.string());
        ASSERT_FALSE(candidate.plan.statements.empty());
        std::string kernels_text;
        for (const std::string& kernel : candidate.kernels)
            kernels_text += "template<int...> __global__ void " + kernel + "();\n__global__ void " + kernel + "();\n";
        EXPECT_TRUE(equal(parsed(candidate.plan.print(Language::cuda) + kernels_text).plan, candidate.plan)) << file;
        for (const auto& size : task->sizes)
            for (const TaskCase& task_case : cases_for(*task, size.first, true))
                for (const DeviceLimits& limits : {cpu_device_limits(0), h200()}) {
                    const Result<ResolvedPlan> plan = resolve_plan(candidate, *task, task_case, {}, limits);
                    EXPECT_TRUE(plan) << task_case.label() << " on " << limits.kind << ": " << to_string(plan.error());
                }
        const DeviceScope scope(cpu_device_limits(0), task->sizes.at("cpu"));
        EXPECT_TRUE(tune_space(candidate.plan, scope)) << file;
    }
}

} // namespace
} // namespace kf::test
