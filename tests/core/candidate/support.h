// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of core/candidate: short ways to a candidate, a task and a case.
#pragma once

#include "core/candidate/candidate.h"
#include "core/candidate/resolve.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kf::test {

inline constexpr const char* kernels = "__global__ void k(const float* x, float* out, int n) {}\n"
                                       "template<int B, class T> __global__ void t(const T* x, T* out, int n) {}\n";
inline constexpr const char* a_launch = "#pragma kf launch k<<<1, 32>>>(x, out, M)\n";

// The statement stands alone on line 1, column 12 on; kernels and a launch follow.
inline std::string with_statement(const std::string& statement) {
    return "#pragma kf " + statement + "\n" + a_launch + kernels;
}

inline std::vector<Error> errors_of(const std::string& source, const std::string& file = "a.cu") {
    std::vector<Error> errors;
    const std::optional<Candidate> candidate = parse_candidate(source, file, errors);
    EXPECT_EQ(candidate.has_value(), errors.empty());
    return errors;
}

inline std::string describe(const Error& error) {
    return error.code + " " + to_string(error);
}

inline Candidate parsed(const std::string& source, const std::string& file = "a.cu") {
    Result<Candidate> candidate = parse_candidate(source, file);
    if (!candidate) {
        ADD_FAILURE() << to_string(candidate.error()) << "\n" << source;
        return {};
    }
    return std::move(candidate).value();
}

inline Task parsed_task(const std::string& inputs, const std::string& outputs,
                        const std::string& library = "\"gemm\"") {
    const std::string text = R"({"name": "test", "title": "Test", "stage": 1, "library": [)" + library + R"(],
      "sizes": {"cpu": {"M": 64, "N": 96, "K": 32}, "primary": {"M": 64, "N": 96, "K": 32}},
      "timed": [{"size": "primary", "weight": 1}],
      "inputs": [)" + inputs +
                             R"(], "outputs": [)" + outputs + R"(],
      "cases": [{"M": 1, "N": 8, "K": 8}], "tolerance": {"atol": 0.001, "rtol": 0.01},
      "work": {"flops": "M*N", "read": "M*N", "written": "M*N"}})";
    Result<Task> task = parse_task(text, "def f(x, acc: int):\n    return x\n", "task.json");
    if (!task) {
        ADD_FAILURE() << to_string(task.error());
        return {};
    }
    return std::move(task).value();
}

// x [M, K], w [N, K] (weight), b [N] (weight), state [M] (inout); out [M, N].
inline const Task& gemm_task() {
    static const Task task = parsed_task(
        R"({"name": "x", "dtype": "f16", "shape": ["M", "K"], "fill": {"normal": [0.1, 1]}},
           {"name": "w", "dtype": "f16", "shape": ["N", "K"], "fill": {"normal": [0.1, 1]}, "role": "weight"},
           {"name": "b", "dtype": "f16", "shape": ["N"], "fill": {"normal": [0.1, 1]}, "role": "weight"})",
        R"({"name": "out", "dtype": "f16", "shape": ["M", "N"], "compare": "close"})");
    return task;
}

inline TaskCase a_case(std::int64_t m = 64, std::int64_t n = 96, std::int64_t k = 32) {
    TaskCase task_case;
    task_case.symbols = {{"M", m}, {"N", n}, {"K", k}};
    return task_case;
}

inline DeviceLimits h200() {
    DeviceLimits limits;
    limits.kind = "cuda";
    limits.architecture = "sm_90a";
    limits.sm_count = 132;
    limits.memory = std::int64_t{140} << 30;
    limits.max_cooperative_blocks = 264;
    return limits;
}

inline constexpr const char* half_kernels =
    "__global__ void k(const __half* x, __half* out, int n) {}\n"
    "template<int B> __global__ void t(const __half* x, __half* out, int n) {}\n";

inline Result<ResolvedPlan> resolved(const std::string& plan, const DeviceLimits& limits = cpu_device_limits(0),
                                     const TaskCase& task_case = a_case(), const Task& task = gemm_task(),
                                     const TunableValues& tunables = {}) {
    return resolve_plan(parsed(plan + half_kernels), task, task_case, tunables, limits);
}

// "code file:line:column", or "ok".
inline std::string outcome(const Result<ResolvedPlan>& result) {
    return result ? "ok" : result.error().code + " " + to_string(result.error().place);
}

} // namespace kf::test
