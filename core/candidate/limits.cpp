// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/resolve.h"

#include <algorithm>

namespace kf {

namespace {

std::array<std::int64_t, 3> get_extents(const Json& json, const char* key, std::array<std::int64_t, 3> fallback) {
    const Json& value = get_member(json, key);
    if (!value.is_array() || value.size() != 3)
        return fallback;
    for (std::size_t i = 0; i < 3; ++i)
        if (value[i].is_number_integer())
            fallback[i] = value[i].get<std::int64_t>();
    return fallback;
}

} // namespace

Json to_json(const DeviceLimits& limits) {
    return Json{{"kind", limits.kind},
                {"architecture", limits.architecture},
                {"sm_count", limits.sm_count},
                {"warp_size", limits.warp_size},
                {"max_threads_per_block", limits.max_threads_per_block},
                {"max_block", limits.max_block},
                {"max_grid", limits.max_grid},
                {"max_shared", limits.max_shared},
                {"memory", limits.memory},
                {"max_cooperative_blocks", limits.max_cooperative_blocks},
                {"max_threads_per_sm", limits.max_threads_per_sm},
                {"max_cluster_blocks", limits.max_cluster_blocks}};
}

DeviceLimits limits_from_json(const Json& json) {
    DeviceLimits limits;
    limits.kind = get_string(json, "kind", limits.kind);
    limits.architecture = get_string(json, "architecture", limits.architecture);
    limits.sm_count = static_cast<int>(get_int(json, "sm_count", limits.sm_count));
    limits.warp_size = static_cast<int>(get_int(json, "warp_size", limits.warp_size));
    limits.max_threads_per_block = get_int(json, "max_threads_per_block", limits.max_threads_per_block);
    limits.max_block = get_extents(json, "max_block", limits.max_block);
    limits.max_grid = get_extents(json, "max_grid", limits.max_grid);
    limits.max_shared = get_int(json, "max_shared", limits.max_shared);
    limits.memory = get_int(json, "memory", limits.memory);
    limits.max_cooperative_blocks = get_int(json, "max_cooperative_blocks", limits.max_cooperative_blocks);
    limits.max_threads_per_sm = static_cast<int>(get_int(json, "max_threads_per_sm", limits.max_threads_per_sm));
    limits.max_cluster_blocks = get_int(json, "max_cluster_blocks", limits.max_cluster_blocks);
    return limits;
}

DeviceLimits cpu_device_limits(std::int64_t memory_bytes) {
    DeviceLimits limits;
    limits.memory = memory_bytes;
    return limits;
}

DeviceScope::DeviceScope(const DeviceLimits& limits, const Symbols& symbols, ResidentFunction resident)
    : m_limits(limits), m_symbols(symbols), m_resident(std::move(resident)) {}

std::optional<std::int64_t> DeviceScope::value(std::string_view name) const {
    if (name == "sm_count")
        return m_limits.sm_count;
    if (name == "warp_size")
        return m_limits.warp_size;
    const auto found = m_symbols.find(std::string(name));
    return found == m_symbols.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> DeviceScope::names() const {
    std::vector<std::string> names;
    for (const auto& symbol : m_symbols)
        names.push_back(symbol.first);
    names.insert(names.end(), {"sm_count", "warp_size"});
    return names;
}

std::optional<Result<std::int64_t>> DeviceScope::call(std::string_view function, std::string_view kernel,
                                                      const std::vector<std::int64_t>& arguments) const {
    if (function != "resident")
        return std::nullopt;
    if (kernel.empty() || arguments.empty() || arguments.size() > 2)
        return make_error("plan-resident", "`resident` takes a kernel, a block size and shared memory",
                          "write `resident(kernel, BLOCK, bytes)`");
    const std::int64_t block = arguments[0];
    const std::int64_t shared = arguments.size() > 1 ? arguments[1] : 0;
    if (block < 1 || block > m_limits.max_threads_per_block || shared < 0 || shared > m_limits.max_shared)
        return make_error("plan-resident",
                          "`resident` of a block of " + std::to_string(block) + " threads with " +
                              std::to_string(shared) + " bytes of shared memory",
                          "a block has 1 to " + std::to_string(m_limits.max_threads_per_block) +
                              " threads and at most " + std::to_string(m_limits.max_shared) + " bytes");
    if (m_resident)
        return m_resident(kernel, block, shared);
    if (m_limits.kind == "cpu")
        return std::clamp<std::int64_t>(2048 / block, 1, 64);
    return make_error("plan-resident", "`resident` is not known before the kernel is compiled",
                      "use sm_count and a constant, or evaluate the plan after compiling");
}

} // namespace kf
