// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates on a GPU through kf-cuda's own classes, judged by the reference: the shipped tasks' start kernels are
// right at the GPU's size, every kernel of wrong/ is not.
#ifdef KF_HAS_ORACLE
#include "tests/gpu/gpu_fixture.h"

#include "core/base/random.h"
#include "core/helpers/oracle/oracle.h"
#include "core/verify/compare.h"

#include <sstream>

namespace kf {
namespace {

class GpuRun : public GpuTest {
protected:
    static void SetUpTestSuite() { (void)oracle::TorchReference::set_up(8); }

    struct Judged {
        std::string failure; // class; "" accepted
        std::string where;
    };

    // A plan's distinct kernels and macros, compiled once each.
    struct Compiled {
        std::map<std::string, std::string> lowered;
        std::string cubin;
        bool keeps_state = false; // a variable of the candidate's own that outlives a launch
    };
    Result<const Compiled*> compiled(const Candidate& candidate, const ResolvedPlan& plan) {
        std::vector<std::string> expressions;
        for (const auto* steps : {&plan.prepare, &plan.steps})
            for (const ResolvedStep& step : *steps)
                if (const auto* launch = std::get_if<ResolvedLaunch>(&step))
                    if (std::find(expressions.begin(), expressions.end(), launch->expression) == expressions.end())
                        expressions.push_back(launch->expression);
        std::ostringstream key;
        key << candidate.hash();
        for (const std::string& expression : expressions)
            key << "|" << expression;
        std::map<std::string, std::int64_t> defines;
        for (const auto& [name, value] : plan.defines) {
            defines[name] = value;
            key << "|" << name << "=" << value;
        }
        auto& entry = m_compiled[key.str()];
        if (entry.cubin.empty()) {
            auto output = compile(candidate.source, candidate.file_name, expressions, defines);
            if (!output)
                return output.error();
            entry.lowered = output->lowered_names;
            entry.cubin = output->cubin;
            entry.keeps_state = std::any_of(output->state.begin(), output->state.end(),
                                            [](const nvrtc::StateSymbol& symbol) { return symbol.suspect(); });
        }
        return &entry;
    }

    Judged judge_case(oracle::Oracle& oracle, const Task& task, const Candidate& candidate, const TaskCase& task_case) {
        const TunableValues tunables = *complete_tunables(candidate.plan, {});
        auto plan = resolve_plan(candidate, task, task_case, tunables, device().facts().limits);
        if (!plan)
            return {"plan", plan.error().message};
        auto binary = compiled(candidate, *plan);
        if (!binary)
            return {"compile", binary.error().message};
        if ((*binary)->keeps_state)
            return {"state", "a variable outlives a launch"};
        cuda::CaseRunner runner(device(), judge());
        const auto ended = [&](const cuda::RunOutcome& outcome, Judged& judged) {
            if (!outcome) {
                ADD_FAILURE() << to_string(outcome.error());
                judged = {"infrastructure", outcome.error().message};
                return true;
            }
            if (*outcome)
                judged = {(*outcome)->failure, (*outcome)->place + ": " + (*outcome)->message};
            return outcome->has_value();
        };
        Judged judged;
        if (ended(runner.load(task, {candidate, tunables, (*binary)->lowered, (*binary)->cubin}), judged))
            return judged;
        cuda::CaseSpec spec{task_case, system_seed(), system_seed()};
        if (ended(runner.open(spec), judged))
            return judged;
        for (int slot = 0; slot < 2; ++slot) {
            if (ended(runner.run(slot == 0 ? Poison::first : Poison::second), judged))
                return judged;
            EXPECT_TRUE(runner.keep(slot));
        }
        auto golden = oracle.golden({task_case.symbols, task_case.regime, spec.input_seed, true, 0});
        if (!golden) {
            ADD_FAILURE() << to_string(golden.error());
            return {"infrastructure", golden.error().message};
        }
        EXPECT_EQ(runner.input_checksums(), golden->input_checksums);
        std::vector<cuda::CaseRunner::GoldenBytes> bytes;
        for (const oracle::GoldenOutput& output : golden->outputs)
            bytes.push_back(
                {output.is_float ? std::as_bytes(std::span(output.floats)) : std::as_bytes(std::span(output.integers)),
                 output.trusted, !output.is_float});
        auto unwritten = runner.unwritten();
        EXPECT_TRUE(unwritten) << to_string(unwritten.error());
        if (unwritten && unwritten->output >= 0)
            return {"unwritten", std::to_string(unwritten->found.count)};
        auto difference = runner.first_difference(plan->unordered);
        EXPECT_TRUE(difference);
        if (difference && difference->output >= 0)
            return {"unstable", std::to_string(difference->found.count)};
        auto comparisons = runner.compare(0, bytes);
        if (!comparisons) {
            ADD_FAILURE() << to_string(comparisons.error());
            return {"infrastructure", comparisons.error().message};
        }
        for (std::size_t i = 0; i < comparisons->size(); ++i) {
            const Comparison& comparison = (*comparisons)[i];
            if (task.outputs[i].compare == CompareKind::index_of || comparison.accepted)
                continue;
            return {comparison.failed_nonfinite ? "nonfinite" : "mismatch",
                    std::to_string(comparison.bad) + " of " + std::to_string(comparison.elements)};
        }
        return judged;
    }

    std::map<std::string, Compiled> m_compiled;
};

Candidate read_kernel(const std::filesystem::path& file) {
    const auto text = read_file(file, std::size_t{1} << 20);
    EXPECT_TRUE(text) << to_string(text.error());
    auto candidate = parse_candidate(*text, file.filename().string());
    EXPECT_TRUE(candidate) << to_string(candidate.error());
    return *candidate;
}

// The golden of a large size takes the processor seconds: every regime at the small size, the primary one once.
TEST_F(GpuRun, StartKernelsAreRight) {
    for (const auto& folder : list_task_folders(std::filesystem::path(KF_SOURCE_DIR) / "tasks")) {
        const auto task = load_task(folder);
        ASSERT_TRUE(task) << to_string(task.error());
        oracle::Oracle oracle(0);
        ASSERT_TRUE(oracle.load(*task).empty()) << task->name;
        const Candidate candidate = read_kernel(folder / "start.cu");
        std::vector<TaskCase> cases = cases_for(*task, "small", true);
        TaskCase primary;
        primary.size = "primary";
        primary.symbols = task->sizes.at("primary");
        cases.push_back(primary);
        for (const TaskCase& one : cases) {
            const Judged judged = judge_case(oracle, *task, candidate, one);
            EXPECT_EQ(judged.failure, "") << task->name << " " << one.label() << ": " << judged.where;
            if (HasFatalFailure() || !judged.failure.empty())
                break; // the context may be gone
        }
    }
}

// One of 58,720,256 elements was outside the tolerance while the regime made the bias as large as an activation.
TEST_F(GpuRun, SwigluIsRightAtItsLargestSizeWhereSumsCancel) {
    const std::filesystem::path folder = std::filesystem::path(KF_SOURCE_DIR) / "tasks/stage3/swiglu_bias";
    const auto task = load_task(folder);
    ASSERT_TRUE(task) << to_string(task.error());
    oracle::Oracle oracle(0);
    ASSERT_TRUE(oracle.load(*task).empty());
    TaskCase primary;
    primary.size = "primary";
    primary.symbols = task->sizes.at("primary");
    primary.regime = Regime::cancel;
    const Judged judged = judge_case(oracle, *task, read_kernel(folder / "start.cu"), primary);
    EXPECT_EQ(judged.failure, "") << judged.where;
    std::printf("swiglu_bias, primary, cancel: %s\n", judged.failure.empty() ? "accepted" : judged.where.c_str());
}

// Kernels that break the context belong in processes of their own: kf-cuda's tests have them.
TEST_F(GpuRun, WrongKernelsAreFoundOut) {
    int found = 0;
    for (const auto& folder : list_task_folders(std::filesystem::path(KF_SOURCE_DIR) / "tasks")) {
        const auto task = load_task(folder);
        ASSERT_TRUE(task);
        oracle::Oracle oracle(0);
        ASSERT_TRUE(oracle.load(*task).empty());
        for (const auto& entry : std::filesystem::directory_iterator(folder / "wrong")) {
            const Candidate candidate = read_kernel(entry.path());
            Judged judged;
            for (const TaskCase& one : cases_for(*task, "small", true)) {
                judged = judge_case(oracle, *task, candidate, one);
                if (!judged.failure.empty())
                    break;
            }
            const auto at = candidate.source.find("class=");
            const std::string expected = candidate.source.substr(at + 6, candidate.source.find(' ', at) - at - 6);
            std::printf("%-16s %-28s here %-14s CPU device %-14s %s\n", task->name.c_str(),
                        entry.path().filename().c_str(), judged.failure.c_str(), expected.c_str(),
                        judged.where.c_str());
            EXPECT_NE(judged.failure, "") << task->name << " " << entry.path().filename();
            EXPECT_NE(judged.failure, "infrastructure");
            ++found;
        }
    }
    EXPECT_GT(found, 20);
}

} // namespace
} // namespace kf
#endif
