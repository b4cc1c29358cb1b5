// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on the CPU device: a kf-cpu process and its arena. Inputs, poison, guards and comparison are this
// process's business; the candidate's sees buffers and a plan, nothing else.
#pragma once

#include "core/evaluator/device.h"
#include "core/runners/cpu/session.h"
#include "core/verify/arena.h"
#include "core/verify/poison.h"

#include <memory>
#include <mutex>
#include <vector>

namespace kf {

class CpuBinaryHandle final : public Binary {
public:
    CpuBinaryHandle(CpuBinary binary, CompileJob job) : m_binary(std::move(binary)), m_job(std::move(job)) {}
    std::string hash() const override { return m_binary.sha256; }
    Json figures() const override;
    const CpuBinary& binary() const { return m_binary; }
    const CompileJob& job() const { return m_job; }

private:
    CpuBinary m_binary;
    CompileJob m_job;
};

// The inputs of the case that was opened last: both contenders of a round, and all rounds of a screen, want the same
// ones.
class InputCache {
public:
    // Every input of the case, in the task's order, made now or remembered. Errors: those of generate_input.
    struct Inputs {
        std::vector<std::vector<std::byte>> bytes;
        std::vector<std::uint64_t> checksums;
    };
    Result<std::shared_ptr<const Inputs>> get(const Task& task, const TaskCase& task_case, std::uint64_t seed);

private:
    std::mutex m_mutex;
    std::string m_key;
    std::shared_ptr<const Inputs> m_inputs;
};

class CpuDeviceSession final : public DeviceSession {
public:
    // `process` is started and has loaded `binary`.
    CpuDeviceSession(std::unique_ptr<CpuSession> process, std::vector<CpuKernel> kernels,
                     std::shared_ptr<const CpuBinaryHandle> binary, StopSignal& stop,
                     std::shared_ptr<InputCache> inputs, bool poison_guards_for_asan = false);

    std::optional<Halt> open_case(const CaseJob& job) override;
    std::vector<std::uint64_t> input_checksums() const override { return m_task_checksums; }
    std::optional<Halt> run(int poison, std::uint64_t order_seed, Deadline deadline) override;
    std::optional<Halt> keep(int slot) override;
    Attempt<int> first_difference(const std::vector<std::string>& unordered) override;
    Attempt<std::optional<UnwrittenElements>> unwritten() override;
    Attempt<std::vector<Comparison>> compare(int slot, const CaseGolden& golden) override;
    Attempt<double> time(std::uint64_t order_seed, Deadline deadline) override;
    double prepare_seconds() const override { return m_prepare_seconds; }
    std::optional<Halt> check_after() override;
    Attempt<double> floor() override;

    // What the sanitizers said in the last run.
    const std::vector<SanitizerReport>& reports() const { return m_reports; }
    const std::string& error_tail() const { return m_error_tail; }

private:
    std::optional<Halt> make_steps(const std::vector<ResolvedStep>& steps, std::vector<CpuStep>& made) const;
    std::optional<Halt> set_plan(const std::vector<CpuStep>& steps);
    std::optional<Halt> run_plan(std::uint64_t order_seed, Deadline deadline, double* seconds);
    std::optional<Halt> prepare_weights(std::uint64_t order_seed, Deadline deadline);
    void reset_buffers(Poison poison);
    std::optional<Halt> check_guards_and_inputs();
    std::span<std::byte> bytes_of(int buffer) const;
    Halt halt_of(const CpuRunStatus& status) const;
    int output_buffer(std::size_t output) const;

    std::unique_ptr<CpuSession> m_process;
    std::vector<CpuKernel> m_kernels;
    std::shared_ptr<const CpuBinaryHandle> m_binary;
    StopSignal& m_stop;
    std::shared_ptr<InputCache> m_inputs;
    bool m_asan = false;
    CaseJob m_job;
    ArenaLayout m_layout;
    std::vector<std::uint64_t> m_task_checksums;        // inputs as generated, in the task's order
    std::vector<std::pair<int, std::uint64_t>> m_fixed; // buffers that must not change, with their checksums
    std::vector<std::pair<int, std::vector<std::byte>>> m_pristine; // inout inputs
    std::vector<CpuStep> m_prepare, m_steps;
    double m_prepare_seconds = 0;
    std::vector<std::vector<std::byte>> m_kept[2]; // outputs by slot
    std::vector<SanitizerReport> m_reports;
    std::string m_error_tail;
};

} // namespace kf
