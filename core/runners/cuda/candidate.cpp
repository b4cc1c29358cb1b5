// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/candidate.h"

#include <algorithm>
#include <cstring>

namespace kf::cuda {
namespace {

constexpr std::int64_t default_shared = 48 * 1024; // beyond it a kernel has to be told

template<class T> std::vector<std::byte> bytes_of_value(const T& value, std::size_t size = sizeof(T)) {
    std::vector<std::byte> bytes(size);
    std::memcpy(bytes.data(), &value, std::min(size, sizeof(T)));
    return bytes;
}

// Values of CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapFloatOOBfill.
std::optional<int> tensor_map_type(DType dtype) {
    switch (dtype) {
    case DType::u8:
    case DType::i8:
    case DType::e4m3:
    case DType::e5m2:
    case DType::boolean:
        return 0;
    case DType::i32:
        return 3;
    case DType::i64:
        return 5;
    case DType::f16:
        return 6;
    case DType::f32:
        return 7;
    case DType::f64:
        return 8;
    case DType::bf16:
        return 9;
    }
    return std::nullopt;
}
int swizzle_of(const std::string& name) {
    return name == "32B" ? 1 : name == "64B" ? 2 : name == "128B" ? 3 : 0;
}

} // namespace

std::optional<RunFailure> failure_of_code(const Driver& driver, int code, const std::string& kernel) {
    RunFailure failure{"crash", kernel, driver.describe(code), 0};
    switch (code) {
    case success:
    case error_out_of_memory:
        return std::nullopt;
    case error_illegal_address:
    case error_hardware_stack:
    case error_illegal_instruction:
    case error_invalid_address_space:
    case error_invalid_pc:
    case error_launch_failed:
    case error_assert:
        return failure;
    case error_misaligned_address:
        failure.failure = "misaligned";
        return failure;
    case error_launch_out_of_resources:
    case error_cooperative_too_large:
        failure.failure = "limits";
        return failure;
    case error_launch_timeout:
        failure.failure = "timeout";
        return failure;
    default:
        failure.failure = "launch";
        return failure;
    }
}

Result<LoadedCandidate> LoadedCandidate::load(const DeviceContext& device, const std::string& cubin,
                                              std::map<std::string, std::string> lowered) {
    LoadedCandidate candidate;
    candidate.m_device = &device;
    auto module = LoadedModule::load(device, cubin);
    if (!module)
        return module.error();
    candidate.m_module = std::move(*module);
    for (auto& [expression, name] : lowered) {
        auto kernel = candidate.m_module.kernel(name);
        if (!kernel)
            return kernel.error();
        candidate.m_kernels.emplace(expression, std::pair(std::move(name), std::move(*kernel)));
    }
    return candidate;
}

ResidentFunction LoadedCandidate::resident() const {
    return [this](std::string_view kernel, std::int64_t block, std::int64_t shared) -> Result<std::int64_t> {
        const auto found = m_kernels.find(std::string(kernel));
        if (found == m_kernels.end())
            return make_error("plan-resident", "resident(): the plan launches no kernel `" + std::string(kernel) + "`");
        return m_module.resident(found->second.second, block, shared);
    };
}

Json LoadedCandidate::figures() const {
    Json figures = Json::object();
    for (const auto& [expression, kernel] : m_kernels)
        figures[expression] = {{"registers", kernel.second.registers},
                               {"local_bytes", kernel.second.local_bytes},
                               {"shared_bytes", kernel.second.shared_bytes},
                               {"max_threads", kernel.second.max_threads}};
    return figures;
}

Result<TensorMap> LoadedCandidate::encode(const ResolvedTensormap& map,
                                          const std::vector<DevicePointer>& addresses) const {
    const auto rank = static_cast<std::uint32_t>(map.view.size());
    const auto type = tensor_map_type(map.dtype);
    if (!type || rank == 0 || rank > 5)
        return make_error("plan-tensormap", "this element type or rank has no tensor map");
    std::vector<std::uint64_t> extents(map.view.rbegin(), map.view.rend());
    std::vector<std::uint64_t> strides(map.stride_bytes.rbegin(), map.stride_bytes.rend());
    std::vector<std::uint32_t> box(map.box.rbegin(), map.box.rend()), steps(rank, 1);
    TensorMap made{};
    const int code = m_device->driver().encode_tensor_map(
        &made, *type, rank, reinterpret_cast<void*>(addresses[static_cast<std::size_t>(map.buffer)]), extents.data(),
        strides.data(), box.data(), steps.data(), 0, swizzle_of(map.swizzle), 2, map.fill == "nan" ? 1 : 0);
    if (code != success)
        return make_error("plan-tensormap", "cuTensorMapEncodeTiled: " + m_device->driver().describe(code));
    return made;
}

std::variant<BoundLaunch, RunFailure> LoadedCandidate::bind_launch(const ResolvedLaunch& launch,
                                                                   const ResolvedPlan& plan, const Plan& source,
                                                                   const std::vector<DevicePointer>& addresses) const {
    const auto refuse = [&](std::string failure, std::string message, int line = 0) {
        return RunFailure{std::move(failure), launch.expression, std::move(message), line};
    };
    const auto found = m_kernels.find(launch.expression);
    if (found == m_kernels.end())
        return refuse("compile", "the compiled code has no kernel `" + launch.expression + "`");
    const auto& [lowered, kernel] = found->second;
    auto parameters = parse_signature(lowered);
    if (!parameters)
        return refuse("plan",
                      "the parameters of `" + launch.expression + "` cannot be read: " + parameters.error().message);
    auto bound = bind_arguments(launch, plan, source, *parameters);
    if (!bound)
        return refuse("plan", bound.error().message, bound.error().place.line);
    BoundLaunch made;
    made.function = kernel.function;
    made.kernel = launch.expression;
    LaunchConfig& config = made.config;
    config.grid_x = static_cast<unsigned int>(launch.grid[0]);
    config.grid_y = static_cast<unsigned int>(launch.grid[1]);
    config.grid_z = static_cast<unsigned int>(launch.grid[2]);
    config.block_x = static_cast<unsigned int>(launch.block[0]);
    config.block_y = static_cast<unsigned int>(launch.block[1]);
    config.block_z = static_cast<unsigned int>(launch.block[2]);
    config.shared_bytes = static_cast<unsigned int>(launch.shared);
    const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > kernel.max_threads)
        return refuse("limits", "`" + launch.expression + "` was compiled for at most " +
                                    std::to_string(kernel.max_threads) + " threads a block (" +
                                    std::to_string(kernel.registers) + " registers each), the launch asks for " +
                                    std::to_string(threads));
    const Driver& driver = m_device->driver();
    if (launch.shared + kernel.shared_bytes > m_device->facts().limits.max_shared)
        return refuse("limits", "`" + launch.expression + "` needs " +
                                    std::to_string(launch.shared + kernel.shared_bytes) +
                                    " bytes of shared memory a block, the device has " +
                                    std::to_string(m_device->facts().limits.max_shared));
    if (launch.shared > default_shared)
        if (const int code =
                driver.function_set(kernel.function, function_max_dynamic_shared, static_cast<int>(launch.shared));
            code != success)
            return refuse("limits",
                          "shared memory of " + std::to_string(launch.shared) + " bytes: " + driver.describe(code));
    const auto attribute = [&](unsigned int id) -> LaunchAttribute& {
        made.attributes.emplace_back();
        made.attributes.back().id = id;
        return made.attributes.back();
    };
    if (launch.cooperative) {
        auto blocks = m_module.resident(kernel, threads, launch.shared);
        const std::int64_t most = blocks ? *blocks * m_device->facts().limits.sm_count : 0;
        const std::int64_t asked = launch.grid[0] * launch.grid[1] * launch.grid[2];
        if (asked > most)
            return refuse("limits", "a cooperative launch of " + std::to_string(asked) + " blocks, at most " +
                                        std::to_string(most) + " are resident at once");
        attribute(launch_cooperative).value.number = 1;
    }
    if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1) {
        const std::int64_t size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
        if (size > 8)
            (void)driver.function_set(kernel.function, function_nonportable_cluster, 1);
        auto& dimensions = attribute(launch_cluster).value.dimensions;
        dimensions.x = static_cast<unsigned int>(launch.cluster[0]);
        dimensions.y = static_cast<unsigned int>(launch.cluster[1]);
        dimensions.z = static_cast<unsigned int>(launch.cluster[2]);
    }
    if (launch.overlap)
        attribute(launch_overlap).value.number = 1;
    for (const BoundArgument& argument : *bound) {
        if (argument.tensormap >= 0) {
            auto map = encode(plan.tensormaps[static_cast<std::size_t>(argument.tensormap)], addresses);
            if (!map)
                return refuse("plan", map.error().message);
            made.arguments.push_back(bytes_of_value(*map));
        } else if (argument.buffer >= 0) {
            made.arguments.push_back(bytes_of_value(addresses[static_cast<std::size_t>(argument.buffer)] +
                                                    static_cast<std::uint64_t>(argument.byte_offset)));
        } else {
            made.arguments.push_back(bytes_of_value(argument.bits, static_cast<std::size_t>(argument.size)));
        }
    }
    return made;
}

Result<std::variant<std::vector<BoundStep>, RunFailure>>
LoadedCandidate::bind(const std::vector<ResolvedStep>& steps, const ResolvedPlan& plan, const Plan& source,
                      const std::vector<DevicePointer>& addresses) const {
    using Bound = std::variant<std::vector<BoundStep>, RunFailure>;
    std::vector<BoundStep> made;
    for (const ResolvedStep& step : steps) {
        if (const auto* launch = std::get_if<ResolvedLaunch>(&step)) {
            auto bound = bind_launch(*launch, plan, source, addresses);
            if (auto* failure = std::get_if<RunFailure>(&bound))
                return Bound(std::move(*failure));
            made.emplace_back(std::move(std::get<BoundLaunch>(bound)));
        } else if (const auto* fill = std::get_if<ResolvedFill>(&step)) {
            const ResolvedBuffer& buffer = plan.buffers[static_cast<std::size_t>(fill->buffer)];
            const auto size = static_cast<int>(size_of(buffer.dtype));
            made.emplace_back(BoundFill{addresses[static_cast<std::size_t>(fill->buffer)],
                                        static_cast<std::uint64_t>(buffer.bytes / size), fill->pattern, size});
        } else {
            made.emplace_back(std::get<ResolvedGemm>(step));
        }
    }
    return Bound(std::move(made));
}

} // namespace kf::cuda
