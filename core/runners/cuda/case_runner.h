// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on one case: buffers between guard zones, inputs, poison, the plan's launches, what it wrote. The state
// of a kf-cuda process; not thread-safe.
#pragma once

#include "core/candidate/candidate.h"
#include "core/runners/cuda/blas.h"
#include "core/runners/cuda/candidate.h"
#include "core/runners/cuda/judge.h"
#include "core/verify/arena.h"

#include <memory>

namespace kf::cuda {

struct CandidateText {
    Candidate candidate;
    TunableValues tunables;
    std::map<std::string, std::string> lowered; // name expression → lowered name
    std::string cubin;
};

struct CaseSpec {
    TaskCase task_case;
    std::uint64_t input_seed = 0, layout_seed = 0;
};

// Nothing, the candidate's fault, or (as an Error) ours.
using RunOutcome = Result<std::optional<RunFailure>>;

class CaseRunner {
public:
    CaseRunner(const DeviceContext& device, const Judge& judge) : m_device(device), m_judge(judge) {}
    ~CaseRunner();

    RunOutcome load(Task task, CandidateText text);
    // Loads the module anew: what it kept is gone. Part of every phase's beginning.
    RunOutcome reload();
    RunOutcome open(const CaseSpec& spec);
    const std::vector<std::uint64_t>& input_checksums() const { return m_checksums; }
    double prepare_seconds() const { return m_prepare_seconds; }
    // Restores inout inputs, poisons, runs the plan, checks launches, guards and inputs.
    RunOutcome run(Poison poison);
    RunOutcome check();
    Status keep(int slot);
    struct Difference {
        int output = -1; // none
        FoundElements found;
    };
    Result<Difference> first_difference(const std::vector<std::string>& unordered) const;
    Result<Difference> unwritten() const;
    // `golden`: the bytes of each output's golden and trusted answer, sealed away until now; wiped before it returns.
    struct GoldenBytes {
        std::span<const std::byte> golden, trusted;
        bool integers = false;
    };
    Result<std::vector<Comparison>> compare(int slot, const std::vector<GoldenBytes>& goldens) const;
    // Outputs of a slot, one after another in the task's order.
    Result<std::vector<std::byte>> fetch(int slot) const;
    std::uint64_t output_bytes() const;
    // Seconds of one call of the plan between two events; poisons and restores first. `floor`: of no steps at all.
    Result<std::variant<double, RunFailure>> time(Poison poison);
    Result<double> floor() const;

    Json figures() const { return m_candidate ? m_candidate->figures() : Json::object(); }
    const DeviceContext& device() const { return m_device; }

private:
    DevicePointer address(int buffer) const;
    Status reset(Poison poison) const;
    // Launches the steps into the default stream and waits.
    RunOutcome execute(const std::vector<BoundStep>& steps, double* seconds);
    RunOutcome launch(const std::vector<BoundStep>& steps);
    RunOutcome make_inputs(const CaseSpec& spec);
    RunOutcome prepare();
    RunOutcome check_guards() const;
    RunOutcome check_inputs() const;
    Status write_guards() const;
    int output_buffer(std::size_t output) const;

    const DeviceContext& m_device;
    const Judge& m_judge;
    Task m_task;
    CandidateText m_text;
    std::unique_ptr<LoadedCandidate> m_candidate;
    std::unique_ptr<Blas> m_blas;
    CaseSpec m_case;
    ResolvedPlan m_plan;
    ArenaLayout m_layout;
    DeviceMemory m_arena;
    std::uint64_t m_base = 0; // offset of the layout in the allocation, for its alignment
    std::vector<DevicePointer> m_addresses;
    std::vector<BoundStep> m_prepare, m_steps;
    std::vector<std::uint64_t> m_checksums;
    std::vector<std::pair<int, std::uint64_t>> m_fixed;   // buffers that must not change
    std::vector<std::pair<int, DeviceMemory>> m_pristine; // inout inputs
    DeviceMemory m_kept[2];
    double m_prepare_seconds = 0;
    Event m_begin = nullptr, m_end = nullptr;
};

} // namespace kf::cuda
