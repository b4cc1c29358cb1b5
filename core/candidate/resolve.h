// SPDX-License-Identifier: GPL-3.0-or-later
// A plan made concrete for one case on one device: buffers with sizes, launches with numbers. Everything that can be
// refused before anything runs is refused here, with line and column of the statement.
#pragma once

#include "core/candidate/candidate.h"
#include "core/task/task.h"

#include <array>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace kf {

// What plans may ask of the device and what limits launches.
struct DeviceLimits {
    std::string kind = "cpu"; // "cpu" or "cuda"
    std::string architecture; // "sm_90a"; "" on the CPU device
    int sm_count = 1;
    int warp_size = 32;
    std::int64_t max_threads_per_block = 1024;
    std::array<std::int64_t, 3> max_block = {1024, 1024, 64};
    std::array<std::int64_t, 3> max_grid = {2147483647, 65535, 65535};
    std::int64_t max_shared = 232448; // bytes a block, opt-in
    std::int64_t memory = 0;          // bytes usable for buffers; 0 unknown
    std::int64_t max_cooperative_blocks = 64;
    int max_threads_per_sm = 2048;
    std::int64_t max_cluster_blocks = 8; // portable size
};
Json to_json(const DeviceLimits& limits);
DeviceLimits limits_from_json(const Json& json);
DeviceLimits cpu_device_limits(std::int64_t memory_bytes);

// resident(k, block, shared): blocks of kernel k that fit on one multiprocessor at once.
using ResidentFunction =
    std::function<Result<std::int64_t>(std::string_view kernel, std::int64_t block, std::int64_t shared)>;

// Names of a case's symbols and of device facts (sm_count, warp_size, resident), the outermost scope of a plan.
// resident on the CPU device is max(1, min(64, 2048 / block)); elsewhere it needs the compiled kernel, so `resident`
// must be given, and without it a call is the error "plan-resident".
class DeviceScope final : public Scope {
public:
    DeviceScope(const DeviceLimits& limits, const Symbols& symbols, ResidentFunction resident = {});
    std::optional<std::int64_t> value(std::string_view name) const override;
    std::vector<std::string> names() const override;
    std::optional<Result<std::int64_t>> call(std::string_view function, std::string_view kernel,
                                             const std::vector<std::int64_t>& arguments) const override;

private:
    DeviceLimits m_limits;
    Symbols m_symbols;
    ResidentFunction m_resident;
};

// What a buffer costs beyond its own bytes in the byte plan: a guard zone on either side and alignment.
inline constexpr std::int64_t guard_bytes_per_buffer = 2 * 4096 + 1024;

enum class BufferKind { input, output, scratch };

struct ResolvedBuffer {
    std::string name;
    BufferKind kind = BufferKind::input;
    DType dtype = DType::f32;
    Shape shape;
    std::int64_t bytes = 0;
    std::int64_t align = 256;
    Role role = Role::activation;
    bool in_prepare = false; // scratch that only `prepare` may write
};

// An argument with its value; its type is checked against the kernel's signature once that is known (bind_arguments).
struct ResolvedArgument {
    int buffer = -1;         // index into ResolvedPlan::buffers, or -1 for a scalar
    std::int64_t offset = 0; // elements
    bool is_real = false;
    std::int64_t integer = 0;
    double real = 0;
    int tensormap = -1; // index into ResolvedPlan::tensormaps
    Place place;
    std::string text; // the argument as the plan gives it: "h + 2*N"
};
// A CUtensorMap to encode; axes in the order of shapes. cuTensorMapEncodeTiled wants them reversed.
struct ResolvedTensormap {
    int statement = 0;
    int buffer = 0;
    DType dtype = DType::f16;
    Shape view, box;
    Shape stride_bytes; // of all axes but the last
    std::string swizzle = "none", fill = "zero";
};
struct ResolvedLaunch {
    int statement = 0; // index into Plan::statements
    std::string
        expression; // name expression with tunables and defines as macros still in it: the compiler expands them
    std::array<std::int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
    std::int64_t shared = 0;
    std::array<std::int64_t, 3> cluster = {1, 1, 1};
    bool cooperative = false, overlap = false;
    std::vector<ResolvedArgument> arguments;
    int warps = 0, stages = 0, ctas = 0; // Triton
};
struct ResolvedFill {
    int statement = 0;
    int buffer = 0;
    std::uint64_t pattern = 0; // bits of one element
};
struct ResolvedGemm {
    int statement = 0;
    int a = 0, b = 0, out = 0, bias = -1; // buffer indices
    bool a_transposed = false, b_transposed = false;
    std::int64_t m = 0, n = 0, k = 0, batch = 1; // out[batch,m,n] = a[batch,m,k] · b[batch,k,n] (+ bias[n])
    std::string epilogue;
    int tune = 1;
};
using ResolvedStep = std::variant<ResolvedLaunch, ResolvedFill, ResolvedGemm>;

struct ResolvedPlan {
    std::vector<ResolvedBuffer> buffers; // inputs and outputs in the task's order (an inout once), then scratch
    std::vector<ResolvedStep> prepare;   // steps inside prepare { }
    std::vector<ResolvedStep> steps;
    std::vector<ResolvedTensormap> tensormaps;
    std::vector<std::string> skipped; // statements whose `when` is false, as "line 12: launch swiglu<…>"
    std::vector<std::pair<std::string, std::int64_t>> defines; // tunables, then defines: the -D of the compile
    std::vector<std::string> unordered;                        // outputs that may differ between runs
    bool fast_math = false;
    std::optional<int> maxreg;
    std::int64_t total_bytes() const;             // of all buffers with their guard zones
    int find_buffer(std::string_view name) const; // -1 when there is none
};

// Errors carry the statement's place. Checks names, shapes, gemm dimensions, library permissions, limits, argument
// forms, what `prepare` may touch, that at least one launch or gemm remains, and the byte plan against limits.memory.
Result<ResolvedPlan> resolve_plan(const Candidate& candidate, const Task& task, const TaskCase& task_case,
                                  const TunableValues& tunables, const DeviceLimits& limits,
                                  const ResidentFunction& resident = {});

// A kernel's parameter as its signature says it.
struct ParameterType {
    enum class Kind { pointer, integer, floating, tensormap, other } kind = Kind::other;
    std::string text;             // as demangled: "__half const*"
    std::optional<DType> element; // pointer: element type, and a floating scalar's own type
    bool any_element = false;     // void, char and unsigned char pointers take any tensor
    bool is_const = false;
    int size = 0; // bytes of a scalar
    bool is_signed = true;
};
// Parameters of a lowered (mangled) name such as "_Z6swigluILi256EEvPK6__halfPS0_ii", or of a mangled function type
// ("FvPKfPfiE").
Result<std::vector<ParameterType>> parse_signature(const std::string& mangled);

// One argument as bytes for the launch: a pointer into a buffer, or a scalar converted to the parameter's type.
struct BoundArgument {
    int buffer = -1;
    std::int64_t byte_offset = 0;
    std::uint64_t bits = 0;
    int size = 8;
    int tensormap = -1;
};
// Errors "plan-argument-count", "plan-argument-type", "plan-argument-range" name the argument, what the kernel takes
// and what the plan gives.
Result<std::vector<BoundArgument>> bind_arguments(const ResolvedLaunch& launch, const ResolvedPlan& plan,
                                                  const Plan& source, const std::vector<ParameterType>& parameters);

} // namespace kf
