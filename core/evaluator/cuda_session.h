// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on a GPU: a kf-cuda process and the conversation with it. A process that missed a deadline, or whose
// candidate broke its context, is killed with everything it started.
#pragma once

#include "core/evaluator/cuda_lock.h"
#include "core/evaluator/cuda_process.h"
#include "core/helpers/nvrtc/messages.h"

#include <memory>

namespace kf {

class CudaBinary final : public Binary {
public:
    // `cached`: from the disk, not compiled now.
    CudaBinary(nvrtc::CompileOutput output, CompileJob job, bool cached = false)
        : m_output(std::move(output)), m_job(std::move(job)), m_cached(cached) {}
    std::string hash() const override { return m_output.sha256; }
    Json figures() const override;
    const nvrtc::CompileOutput& output() const { return m_output; }
    const CompileJob& job() const { return m_job; }

private:
    nvrtc::CompileOutput m_output;
    CompileJob m_job;
    bool m_cached;
};

class CudaDeviceSession final : public DeviceSession {
public:
    // `lock` was entered for this session; it leaves when it ends.
    CudaDeviceSession(std::unique_ptr<CudaProcess> process, std::shared_ptr<const CudaBinary> binary, CudaLock& lock,
                      StopSignal& stop)
        : m_process(std::move(process)), m_binary(std::move(binary)), m_lock(lock), m_stop(stop) {}
    ~CudaDeviceSession() override;

    std::optional<Halt> open_case(const CaseJob& job) override;
    std::vector<std::uint64_t> input_checksums() const override { return m_checksums; }
    std::optional<Halt> run(int poison, std::uint64_t order_seed, Deadline deadline) override;
    std::optional<Halt> keep(int slot) override;
    Attempt<int> first_difference(const std::vector<std::string>& unordered) override;
    Attempt<std::optional<UnwrittenElements>> unwritten() override;
    Attempt<std::vector<Comparison>> compare(int slot, const CaseGolden& golden) override;
    Attempt<double> time(std::uint64_t order_seed, Deadline deadline) override;
    double prepare_seconds() const override { return m_prepare_seconds; }
    std::optional<Halt> check_after() override;
    Attempt<double> floor() override;

private:
    // The answer, or why there is none: a missed deadline is the candidate's.
    Attempt<Json> ask(const std::string& method, Json params, Deadline deadline, int file = -1);
    // The failure in an answer, if there is one.
    std::optional<Halt> failure_in(const Json& answer);
    Attempt<Json> examine(const std::vector<std::string>& unordered);
    // The host's comparison of what the device did not accept, or cannot judge.
    Attempt<Comparison> compare_here(int slot, std::size_t output, const CaseGolden& golden);
    bool load(const Task& task, std::optional<Halt>& halted);

    std::unique_ptr<CudaProcess> m_process;
    std::shared_ptr<const CudaBinary> m_binary;
    CudaLock& m_lock;
    StopSignal& m_stop;
    CaseJob m_job;
    std::string m_loaded_task;
    std::vector<std::uint64_t> m_checksums;
    double m_prepare_seconds = 0;
};

} // namespace kf
