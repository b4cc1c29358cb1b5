// SPDX-License-Identifier: GPL-3.0-or-later
// The working state of resolve_plan, split over resolve*.cpp by kind of statement.
#pragma once

#include "core/candidate/resolve.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kf::detail {

class Resolver {
public:
    Resolver(const Candidate& candidate, const Task& task, const TaskCase& task_case, const DeviceLimits& limits,
             const ResidentFunction& resident);
    Result<ResolvedPlan> run(const TunableValues& chosen);

private:
    enum class Access { read, write };

    // resolve.cpp
    Status add_task_buffers();
    Status check_names() const;
    Status add_tunables(const TunableValues& chosen);
    Status visit(int index, const Statement& statement);
    Status apply(const DefineStatement& define);
    Status apply(const OptionStatement& option);
    Status apply(const RequiresStatement& required);
    Status apply(const UnorderedStatement& unordered);
    Status check_outputs() const;
    Status check_memory() const;

    // resolve_buffers.cpp
    Status apply(const ScratchStatement& scratch);
    Status apply(const FillStatement& fill);
    Status apply(const GemmStatement& gemm);
    Status apply(const TensormapStatement& map);
    Status gemm_shapes(const GemmStatement& gemm, ResolvedGemm& resolved) const;
    Status gemm_types(const GemmStatement& gemm, const ResolvedGemm& resolved) const;
    Status check_tensormap(const ResolvedTensormap& map) const;

    // resolve_launch.cpp
    Status apply(const LaunchStatement& launch);
    Status check_block(const ResolvedLaunch& launch) const;
    Status check_cluster(const ResolvedLaunch& launch) const;
    Status check_overlap() const;
    Status triton_block(const LaunchStatement& launch, ResolvedLaunch& resolved) const;
    Result<ResolvedArgument> argument(const LaunchArgument& argument);

    Status apply(const TuneStatement&) { return {}; } // add_tunables did it
    Status apply(const PrepareBegin&) { return {}; }
    Status apply(const PrepareEnd&) { return {}; }

    // Errors at the statement at hand.
    Error refuse(std::string code, std::string message, std::string remedy) const;
    Error needs_gpu(const std::string& what) const;
    Result<std::int64_t> evaluate(const Expression& expression, std::string_view what) const;
    Result<Shape> evaluate_shape(const std::vector<Expression>& shape, std::string_view what) const;
    Result<std::array<std::int64_t, 3>> evaluate(const Extents& extents, std::string_view what) const;
    // The buffer's index; refuses unknown names, and what this access may not touch.
    Result<int> buffer(const std::string& name, Access access) const;
    Status check_access(int index, Access access) const;
    std::vector<std::string> buffer_names() const;
    bool on_cpu() const { return m_limits.kind == "cpu"; }
    void add_step(ResolvedStep step);

    const Candidate& m_candidate;
    const Task& m_task;
    const TaskCase& m_case;
    const DeviceLimits& m_limits;
    DeviceScope m_device;
    SymbolTable m_scope;
    ResolvedPlan m_plan;
    std::map<std::string, int> m_maps; // tensormap names
    std::set<int> m_touched;           // buffers that a step outside `prepare` may write
    const Statement* m_statement = nullptr;
    int m_index = 0;
};

// The number behind "sm_" and its suffix: {90, 'a'}; {0, '\0'} when the text is no architecture.
std::pair<int, char> architecture_number(std::string_view architecture);
std::string shape_text(const Shape& shape); // "[64, 96]"

} // namespace kf::detail
