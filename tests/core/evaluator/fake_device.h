// SPDX-License-Identifier: GPL-3.0-or-later
// A device in memory, for the pipeline's own tests: a "kernel" is a C++ function chosen by the candidate's kernel name.
// It computes out[i] = 2 * x[i] over f32 and misbehaves on command, so that every check of the pipeline can be seen to
// fire.
#pragma once

#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/evaluator/device.h"
#include "core/task/inputs.h"

#include <cstring>
#include <map>

namespace kf::test {

inline const char* double_task = R"({
  "name": "twice", "title": "Twice", "stage": 1,
  "sizes": {"cpu": {"N": 1000}, "primary": {"N": 1000000}},
  "timed": [{"size": "cpu", "weight": 1}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["N"], "fill": {"normal": [0.5, 1]}}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["N"], "compare": "close"}],
  "cases": [{"N": 1}, {"N": 37}, {"regime": "spiky"}, {"N": 61, "held_out": true}],
  "tolerance": {"atol": 1e-6, "rtol": 1e-6},
  "work": {"flops": "N", "read": "4*N", "written": "4*N"}
})";
inline const char* double_reference = "def twice(x, acc: int):\n    return x.to(acc) * 2\n";

inline std::string fake_source(const std::string& kernel) {
    return "__global__ void " + kernel + "(const float* x, float* out, int n) {}\n#pragma kf launch " + kernel +
           "<<<1, 32>>>(x, out, N)\n";
}

// What the fake golden maker gives: exact, and rounded once as the trusted answer.
inline Attempt<CaseGolden> fake_golden(const Task& task, const TaskCase& task_case, std::uint64_t seed, StopSignal&) {
    struct Memory {
        std::vector<double> exact;
        std::vector<float> trusted;
    };
    auto memory = std::make_shared<Memory>();
    const auto n = static_cast<std::size_t>(task_case.symbols.at("N"));
    std::vector<float> x(n);
    if (auto made =
            generate_input(task, 0, task_case.symbols, task_case.regime, seed, std::as_writable_bytes(std::span(x)));
        !made)
        return InfrastructureFault{made.error().message, false};
    for (const float value : x) {
        memory->exact.push_back(2.0 * static_cast<double>(value));
        memory->trusted.push_back(2.0f * value);
    }
    CaseGolden golden;
    golden.seed = seed;
    golden.input_checksums = {checksum64(std::as_bytes(std::span(x)))};
    golden.outputs.push_back(
        {std::as_bytes(std::span(memory->exact)), std::as_bytes(std::span(memory->trusted)), false});
    golden.trusted_note = "test";
    golden.memory = memory;
    return golden;
}

class FakeSession final : public DeviceSession {
public:
    explicit FakeSession(std::string kernel) : m_kernel(std::move(kernel)) {}

    std::optional<Halt> open_case(const CaseJob& job) override {
        m_job = job;
        const auto n = static_cast<std::size_t>(job.task_case->symbols.at("N"));
        m_x.resize(n);
        m_out.assign(n, 0);
        (void)generate_input(*job.task, 0, job.task_case->symbols, job.task_case->regime, job.input_seed,
                             std::as_writable_bytes(std::span(m_x)));
        return std::nullopt;
    }
    std::vector<std::uint64_t> input_checksums() const override { return {checksum64(std::as_bytes(std::span(m_x)))}; }
    std::optional<Halt> run(int poison, std::uint64_t order, Deadline) override {
        ++m_calls;
        poison_out(poison);
        if (m_kernel == "crashes" && m_x.size() > 30)
            return make_failure(Stage::verify, FailureClass::crash, m_kernel, "signal 11");
        compute(order, false);
        return std::nullopt;
    }
    std::optional<Halt> keep(int slot) override {
        m_kept[slot] = m_out;
        return std::nullopt;
    }
    Attempt<int> first_difference(const std::vector<std::string>& unordered) override {
        if (!unordered.empty())
            return -1;
        return std::memcmp(m_kept[0].data(), m_kept[1].data(), m_out.size() * 4) == 0 ? -1 : 0;
    }
    Attempt<std::optional<UnwrittenElements>> unwritten() override {
        UnwrittenElements found;
        for (std::size_t i = 0; i < m_out.size(); ++i)
            if (m_kept[0][i] == poison_value(0) && m_kept[1][i] == poison_value(1)) {
                if (found.count++ == 0)
                    found.first = static_cast<std::int64_t>(i);
            }
        return found.count ? std::optional(found) : std::optional<UnwrittenElements>();
    }
    Attempt<std::vector<Comparison>> compare(int slot, const CaseGolden& golden) override {
        const auto& output = golden.outputs[0];
        return std::vector{compare_output(m_job.task->outputs[0], {static_cast<std::int64_t>(m_out.size())},
                                          m_job.task->tolerance, std::as_bytes(std::span(m_kept[slot])),
                                          Golden{output.golden, output.integers, output.trusted})};
    }
    Attempt<double> time(std::uint64_t order, Deadline) override {
        poison_out(0);
        compute(order, true);
        // Deterministic "time" with a little noise: the verdict depends on the name alone.
        const double noise = 1 + 0.002 * (SplitMix64(order).uniform() - 0.5);
        return (m_kernel == "fast" ? 0.8e-3 : 1e-3) * noise;
    }
    double prepare_seconds() const override { return 0; }
    std::optional<Halt> check_after() override { return std::nullopt; }
    Attempt<double> floor() override { return 1e-6; }

private:
    static float poison_value(int pattern) { return pattern ? -7.5e30f : 3.25e30f; }
    void poison_out(int pattern) { std::fill(m_out.begin(), m_out.end(), poison_value(pattern)); }
    void compute(std::uint64_t order, bool timed) {
        const std::size_t n = m_x.size();
        for (std::size_t i = 0; i < n; ++i)
            m_out[i] = 2 * m_x[i];
        if (m_kernel == "no_tail" && n % 8 != 0)
            for (std::size_t i = n - n % 8; i < n; ++i)
                m_out[i] = poison_value(m_calls % 2 ? 0 : 1); // as if it had never been written
        if (m_kernel == "wrong_tail" && n % 8 != 0)
            m_out[n - 1] += 1;
        if (m_kernel == "racy" && n > 1)
            m_out[0] += static_cast<float>(order % 1000 + 1000 * ++m_races); // never twice the same
        if (m_kernel == "lazy" && timed)
            std::fill(m_out.begin(), m_out.end(), 0.f);
        if (m_kernel == "cold" && n == 61)
            m_out[5] = 0;
    }

    std::uint64_t m_races = 0;
    std::string m_kernel;
    CaseJob m_job;
    std::vector<float> m_x, m_out, m_kept[2];
    int m_calls = 0;
};

class FakeBinary final : public Binary {
public:
    explicit FakeBinary(std::string kernel) : m_kernel(std::move(kernel)) {}
    std::string hash() const override { return m_kernel; }
    Json figures() const override { return Json::object(); }
    const std::string& kernel() const { return m_kernel; }

private:
    std::string m_kernel;
};

class FakeDevice final : public Device {
public:
    FakeDevice() : m_limits(cpu_device_limits(std::int64_t{1} << 30)) {}
    std::string id() const override { return "cpu"; }
    std::string name() const override { return "fake"; }
    const DeviceLimits& limits() const override { return m_limits; }
    std::string size_name(const Task&) const override { return "cpu"; }
    std::string timer() const override { return "fake"; }
    int rounds_per_process() const override { return 4; }
    Json facts() const override { return Json::object(); }
    std::vector<std::string> labels() const override { return {}; }
    std::optional<Error> refuses_untrusted() const override {
        return untrusted_refused ? std::optional(make_error("no-sandbox", "no sandbox here", "install one"))
                                 : std::nullopt;
    }
    std::optional<Failure> screen(const Candidate&) const override { return std::nullopt; }
    Attempt<std::shared_ptr<Binary>> compile(const CompileJob& job, StopSignal&) override {
        ++compiles;
        if (job.expressions[0] == "broken") {
            Failure failure = make_failure(Stage::compile, FailureClass::compile, "line:1", "expected `;`");
            return failure;
        }
        return std::shared_ptr<Binary>(std::make_shared<FakeBinary>(job.expressions[0]));
    }
    std::optional<Failure> inspect(const Candidate&, const Binary&) const override { return std::nullopt; }
    Attempt<std::unique_ptr<DeviceSession>> start(const std::shared_ptr<Binary>& binary, StopSignal&) override {
        const auto& kernel = static_cast<const FakeBinary&>(*binary).kernel();
        if (kernel == "no_process")
            return InfrastructureFault{"no process to be had", true};
        ++sessions;
        return std::unique_ptr<DeviceSession>(std::make_unique<FakeSession>(kernel));
    }
    std::vector<SanitizerFinding> sanitize(const CompileJob&, const CaseJob&, StopSignal&, std::vector<std::string>&,
                                           bool) override {
        return findings;
    }
    void warm() override {}

    bool untrusted_refused = false;
    int compiles = 0, sessions = 0;
    std::vector<SanitizerFinding> findings;

private:
    DeviceLimits m_limits;
};

} // namespace kf::test
