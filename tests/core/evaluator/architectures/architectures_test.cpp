// SPDX-License-Identifier: GPL-3.0-or-later
// Every task's start kernel (and expert kernel, where there is one) with its default tunables, and the judge's own
// kernels, compile for every architecture that the toolkit knows. What a kernel refuses by its own limits counts as
// refused, not as compiled, and is named.
#include "core/base/files.h"
#include "core/candidate/resolve.h"
#include "core/helpers/nvrtc/compiler.h"
#include "core/runners/cuda/judge_source.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kf {
namespace {

namespace fs = std::filesystem;

struct Architecture {
    const char* name;
    int number;
    std::int64_t
        max_shared;      // bytes a block, opt-in (CUDA C++ Programming Guide 13.0, table "Technical Specifications")
    int multiprocessors; // of one card of that architecture; plans may ask
};
void PrintTo(const Architecture& one, std::ostream* out) {
    *out << one.name;
}

class Architectures : public testing::TestWithParam<Architecture> {
protected:
    static nvrtc::Compiler* compiler(std::string& missing) {
        static auto made = nvrtc::Compiler::create(nvrtc::ToolkitSettings::from_environment());
        if (!made)
            missing = to_string(made.error());
        return made ? made->get() : nullptr;
    }
    void SetUp() override {
        std::string missing;
        m_compiler = compiler(missing);
        if (!m_compiler)
            GTEST_SKIP() << missing;
        const auto& known = m_compiler->library().architectures();
        if (std::find(known.begin(), known.end(), GetParam().number) == known.end())
            GTEST_SKIP() << "NVRTC " << m_compiler->library().version() << " does not know " << GetParam().name;
        m_limits.kind = "cuda";
        m_limits.architecture = GetParam().name;
        m_limits.sm_count = GetParam().multiprocessors;
        m_limits.max_shared = GetParam().max_shared;
        m_limits.max_threads_per_sm = GetParam().number == 75 ? 1024 : 1536;
        m_limits.max_cluster_blocks = GetParam().number >= 90 ? 8 : 1;
    }
    // "" or the compiler's first words.
    std::string compile(nvrtc::CompileRequest request) {
        request.arch = GetParam().name;
        request.output_folder = testing::TempDir();
        auto reply = m_compiler->compile(request);
        if (!reply)
            return to_string(reply.error());
        if (const auto* failure = std::get_if<nvrtc::CompileFailure>(&*reply))
            return nvrtc::first_line(*failure);
        const auto& output = std::get<nvrtc::CompileOutput>(*reply);
        std::error_code ignored;
        if (!output.cubin_path.empty())
            fs::remove(output.cubin_path, ignored);
        for (const std::string& expression : request.name_expressions)
            if (output.lowered_names.count(expression) == 0)
                return "no kernel " + expression + " came out";
        return output.size > 0 ? "" : "an empty cubin";
    }

    nvrtc::Compiler* m_compiler = nullptr;
    DeviceLimits m_limits;
};

TEST_P(Architectures, EveryKernelCompiles) {
    int compiled = 0;
    for (const auto& folder : list_task_folders(fs::path(KF_SOURCE_DIR) / "tasks"))
        for (const char* name : {"start.cu", "expert.cu"}) {
            if (!fs::exists(folder / name))
                continue;
            SCOPED_TRACE(folder.filename().string() + "/" + name);
            const auto task = load_task(folder);
            ASSERT_TRUE(task) << to_string(task.error());
            const auto candidate = parse_candidate(*read_file(folder / name), name);
            ASSERT_TRUE(candidate) << to_string(candidate.error());
            const auto tunables = complete_tunables(candidate->plan, {});
            ASSERT_TRUE(tunables);
            // One compile a set of macros, with the kernels of all cases, as the evaluator does it.
            std::vector<nvrtc::CompileRequest> requests;
            for (const TaskCase& one : cases_for(*task, "small", true)) {
                const auto plan =
                    resolve_plan(*candidate, *task, one, *tunables, m_limits,
                                 [](std::string_view, std::int64_t, std::int64_t) { return Result<std::int64_t>(1); });
                if (!plan && plan.error().code == "plan-limits") {
                    std::printf("%s refuses %s here: %s\n", folder.filename().c_str(), one.label().c_str(),
                                plan.error().message.c_str());
                    continue;
                }
                ASSERT_TRUE(plan) << one.label() << ": " << to_string(plan.error());
                nvrtc::CompileRequest request;
                request.source = candidate->source;
                request.name = name;
                for (const auto& [macro, value] : plan->defines)
                    request.defines[macro] = value;
                request.fast_math = plan->fast_math;
                request.maxreg = plan->maxreg.value_or(0);
                auto known = std::find_if(requests.begin(), requests.end(), [&](const nvrtc::CompileRequest& r) {
                    return r.defines == request.defines && r.maxreg == request.maxreg;
                });
                if (known == requests.end())
                    known = requests.insert(requests.end(), request);
                for (const auto* steps : {&plan->prepare, &plan->steps})
                    for (const ResolvedStep& step : *steps)
                        if (const auto* launch = std::get_if<ResolvedLaunch>(&step))
                            if (auto& all = known->name_expressions;
                                std::find(all.begin(), all.end(), launch->expression) == all.end())
                                all.push_back(launch->expression);
            }
            for (const nvrtc::CompileRequest& request : requests) {
                EXPECT_EQ(compile(request), "");
                ++compiled;
            }
        }
    EXPECT_GE(compiled, 7);
}

TEST_P(Architectures, TheJudgesKernelsCompile) {
    const auto source = cuda::judge_source(fs::path(KF_SOURCE_DIR) / "resources");
    ASSERT_TRUE(source) << to_string(source.error());
    nvrtc::CompileRequest request;
    request.source = *source;
    request.name = "judge.cu";
    EXPECT_EQ(compile(request), "");
}

INSTANTIATE_TEST_SUITE_P(Each, Architectures,
                         testing::Values(Architecture{"sm_75", 75, 65536, 40}, Architecture{"sm_80", 80, 166912, 108},
                                         Architecture{"sm_86", 86, 101376, 84}, Architecture{"sm_89", 89, 101376, 128},
                                         Architecture{"sm_90a", 90, 232448, 132},
                                         Architecture{"sm_100a", 100, 232448, 148},
                                         Architecture{"sm_120", 120, 101376, 170}),
                         [](const auto& one) { return std::string(one.param.name); });

} // namespace
} // namespace kf
