// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on a GPU: a kf-cuda process and the conversation with it. A process that missed a deadline, or whose
// candidate broke its context, is killed with everything it started.
#pragma once

#include "core/evaluator/device.h"
#include "core/helpers/nvrtc/messages.h"
#include "core/process/child.h"
#include "core/process/memory_file.h"
#include "core/protocol/client.h"

#include <memory>

namespace kf {

// A kf-cuda that has its context and the judge's kernels, and no candidate yet.
class CudaProcess {
public:
    // Errors: "kf-cuda-start" with what it said.
    static Result<std::unique_ptr<CudaProcess>> start(int ordinal, const MemoryFile& judge, Deadline deadline);
    const Json& facts() const { return m_facts; } // `device` of its first line
    bool alive() const { return m_client && m_client->health() && m_child.running(); }
    void kill();

    // Sends the file first where there is one.
    Result<Json> request(const std::string& method, Json params, Deadline deadline, const std::stop_token& stop,
                         int file = -1);
    // The file that the last answer announced.
    Result<MemoryFile> receive_file(Deadline deadline);
    std::string error_tail();

private:
    CudaProcess() = default;
    UniqueFd m_socket, m_error;
    std::string m_tail;
    std::unique_ptr<HelperClient> m_client;
    Json m_facts;
    Child m_child; // last: killed before anything else goes
};

class CudaBinary final : public Binary {
public:
    CudaBinary(nvrtc::CompileOutput output, CompileJob job) : m_output(std::move(output)), m_job(std::move(job)) {}
    std::string hash() const override { return m_output.sha256; }
    Json figures() const override;
    const nvrtc::CompileOutput& output() const { return m_output; }
    const CompileJob& job() const { return m_job; }

private:
    nvrtc::CompileOutput m_output;
    CompileJob m_job;
};

class CudaDeviceSession final : public DeviceSession {
public:
    CudaDeviceSession(std::unique_ptr<CudaProcess> process, std::shared_ptr<const CudaBinary> binary, StopSignal& stop)
        : m_process(std::move(process)), m_binary(std::move(binary)), m_stop(stop) {}

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
    StopSignal& m_stop;
    CaseJob m_job;
    std::string m_loaded_task;
    std::vector<std::uint64_t> m_checksums;
    double m_prepare_seconds = 0;
};

} // namespace kf
