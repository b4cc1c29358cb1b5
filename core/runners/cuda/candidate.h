// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate loaded on a GPU: its module, its kernels, and steps that are ready to launch. Which pointers a kernel
// gets is decided here, from the plan and the lowered names; no code of the candidate runs on the host.
#pragma once

#include "core/candidate/resolve.h"
#include "core/runners/cuda/device.h"

#include <map>

namespace kf::cuda {

// The candidate's own fault while its plan is bound or run: a class and one sentence.
struct RunFailure {
    std::string failure; // a name of FailureClass: "crash", "misaligned", "limits", "launch", "plan"
    std::string place;   // a kernel's name expression, or ""
    std::string message;
    int line = 0;
};

struct BoundLaunch {
    Function function = nullptr;
    std::string kernel; // name expression, for messages
    LaunchConfig config;
    std::vector<LaunchAttribute> attributes;
    std::vector<std::vector<std::byte>> arguments; // one entry a parameter
};
struct BoundFill {
    DevicePointer out = 0;
    std::uint64_t elements = 0, pattern = 0;
    int element_bytes = 4;
};
using BoundStep = std::variant<BoundLaunch, BoundFill, ResolvedGemm>;

class LoadedCandidate {
public:
    // `lowered`: name expression of the compile → lowered name. Errors: "cuda-module", "cuda-kernel".
    static Result<LoadedCandidate> load(const DeviceContext& device, const std::string& cubin,
                                        std::map<std::string, std::string> lowered);

    // Occupancy of a kernel, for `resident` in plans.
    ResidentFunction resident() const;
    // Figures for the verdict: {expression: {registers, local_bytes, shared_bytes, max_threads}}.
    Json figures() const;
    // Steps with their buffers at `addresses` (one a buffer of the plan). A failure is the candidate's.
    Result<std::variant<std::vector<BoundStep>, RunFailure>> bind(const std::vector<ResolvedStep>& steps,
                                                                  const ResolvedPlan& plan, const Plan& source,
                                                                  const std::vector<DevicePointer>& addresses) const;

private:
    LoadedCandidate() = default;
    std::variant<BoundLaunch, RunFailure> bind_launch(const ResolvedLaunch& launch, const ResolvedPlan& plan,
                                                      const Plan& source,
                                                      const std::vector<DevicePointer>& addresses) const;
    Result<TensorMap> encode(const ResolvedTensormap& map, const std::vector<DevicePointer>& addresses) const;

    const DeviceContext* m_device = nullptr;
    LoadedModule m_module;
    std::map<std::string, std::pair<std::string, KernelInfo>> m_kernels; // expression → lowered name, kernel
};

// What a result code of a launch or of the wait for it means for the candidate; nothing when it is not its fault.
std::optional<RunFailure> failure_of_code(const Driver& driver, int code, const std::string& kernel);

} // namespace kf::cuda
