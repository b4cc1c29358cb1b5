// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/resolver.h"
#include "core/candidate/spelling.h"

#include <algorithm>

namespace kf::detail {

namespace {

std::string extents_text(const std::array<std::int64_t, 3>& e) {
    return "(" + std::to_string(e[0]) + ", " + std::to_string(e[1]) + ", " + std::to_string(e[2]) + ")";
}

std::string argument_text(const LaunchArgument& argument) {
    return argument.value.print();
}

} // namespace

Status Resolver::apply(const LaunchStatement& launch) {
    ResolvedLaunch resolved;
    resolved.statement = m_index;
    resolved.expression = launch.kernel;
    resolved.cooperative = launch.cooperative;
    resolved.overlap = launch.overlap;
    const Result<std::array<std::int64_t, 3>> grid = evaluate(launch.grid, "the grid");
    if (!grid)
        return grid.error();
    resolved.grid = *grid;
    if (m_candidate.language == Language::triton) {
        if (const Status status = triton_block(launch, resolved); !status)
            return status;
    } else {
        const Result<std::array<std::int64_t, 3>> block = evaluate(launch.block, "the block");
        if (!block)
            return block.error();
        resolved.block = *block;
    }
    if (launch.shared) {
        const Result<std::int64_t> shared = evaluate(*launch.shared, "the shared memory");
        if (!shared)
            return shared.error();
        resolved.shared = *shared;
    }
    if (launch.cluster) {
        if (on_cpu())
            return needs_gpu("a cluster launch");
        const Result<std::array<std::int64_t, 3>> cluster = evaluate(*launch.cluster, "the cluster");
        if (!cluster)
            return cluster.error();
        resolved.cluster = *cluster;
    }
    if (const Status status = check_block(resolved); !status)
        return status;
    if (launch.cluster)
        if (const Status status = check_cluster(resolved); !status)
            return status;
    if (launch.overlap)
        if (const Status status = check_overlap(); !status)
            return status;
    for (const LaunchArgument& each : launch.arguments) {
        Result<ResolvedArgument> value = argument(each);
        if (!value)
            return value.error();
        resolved.arguments.push_back(std::move(value).value());
    }
    add_step(std::move(resolved));
    return {};
}

Status Resolver::triton_block(const LaunchStatement& launch, ResolvedLaunch& resolved) const {
    const auto value_of = [&](const std::optional<Expression>& expression, std::string_view what, int fallback,
                              std::int64_t most, bool power, int& out) -> Status {
        out = fallback;
        if (!expression)
            return {};
        const Result<std::int64_t> value = evaluate(*expression, what);
        if (!value)
            return value.error();
        if (*value < 1 || *value > most || (power && (*value & (*value - 1)) != 0))
            return refuse("limits-triton", std::string(what) + " is " + std::to_string(*value),
                          std::string("accepted: ") + (power ? "a power of two from 1 to " : "1 to ") +
                              std::to_string(most));
        out = static_cast<int>(*value);
        return {};
    };
    // Triton's own defaults.
    if (const Status status = value_of(launch.warps, "`warps`", 4, 32, true, resolved.warps); !status)
        return status;
    if (const Status status = value_of(launch.stages, "`stages`", 3, 16, false, resolved.stages); !status)
        return status;
    if (const Status status = value_of(launch.ctas, "`ctas`", 1, m_limits.max_cluster_blocks, true, resolved.ctas);
        !status)
        return status;
    resolved.block = {32 * std::int64_t{resolved.warps}, 1, 1};
    return {};
}

Status Resolver::check_block(const ResolvedLaunch& launch) const {
    static constexpr const char* axes[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
        if (launch.grid[i] < 1 || launch.grid[i] > m_limits.max_grid[i])
            return refuse("limits-grid", std::string("the grid's ") + axes[i] + " is " + std::to_string(launch.grid[i]),
                          launch.grid[i] == 0 ? "an empty grid cannot be launched: skip it with `when`"
                                              : "accepted: 1 to " + std::to_string(m_limits.max_grid[i]));
        if (launch.block[i] < 1 || launch.block[i] > m_limits.max_block[i])
            return refuse("limits-block",
                          std::string("the block's ") + axes[i] + " is " + std::to_string(launch.block[i]),
                          "accepted: 1 to " + std::to_string(m_limits.max_block[i]));
    }
    const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > m_limits.max_threads_per_block)
        return refuse("limits-block",
                      "the block " + extents_text(launch.block) + " has " + std::to_string(threads) + " threads",
                      "at most " + std::to_string(m_limits.max_threads_per_block) + " are accepted");
    if (launch.shared < 0 || launch.shared > m_limits.max_shared)
        return refuse("limits-shared",
                      "the launch asks for " + std::to_string(launch.shared) + " bytes of shared memory",
                      "accepted: 0 to " + std::to_string(m_limits.max_shared));
    if (launch.cooperative) {
        const std::int64_t most = m_limits.max_cooperative_blocks;
        // No product here overflows unless an earlier one is over the limit already.
        std::int64_t blocks = 1;
        for (const std::int64_t extent : launch.grid)
            blocks = blocks > most ? blocks : blocks * extent;
        if (blocks > most)
            return refuse("limits-cooperative",
                          "the cooperative grid " + extents_text(launch.grid) + " has too many blocks",
                          "at most " + std::to_string(most) + " can be resident at once");
    }
    return {};
}

Status Resolver::check_cluster(const ResolvedLaunch& launch) const {
    if (architecture_number(m_limits.architecture).first < 90)
        return refuse("plan-architecture", "a cluster launch needs sm_90, the device is " + m_limits.architecture,
                      "launch without `cluster` there");
    std::int64_t blocks = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        if (launch.cluster[i] < 1 || launch.cluster[i] > m_limits.max_cluster_blocks)
            return refuse("limits-cluster", "the cluster is " + extents_text(launch.cluster),
                          "extents are 1 to " + std::to_string(m_limits.max_cluster_blocks));
        if (launch.grid[i] % launch.cluster[i] != 0)
            return refuse("limits-cluster",
                          "the grid " + extents_text(launch.grid) + " is no multiple of the cluster " +
                              extents_text(launch.cluster),
                          "round the grid up, and let the kernel skip the rest");
        blocks *= launch.cluster[i];
    }
    if (blocks > m_limits.max_cluster_blocks)
        return refuse("limits-cluster",
                      "the cluster " + extents_text(launch.cluster) + " has " + std::to_string(blocks) + " blocks",
                      "at most " + std::to_string(m_limits.max_cluster_blocks) + " are accepted");
    return {};
}

Status Resolver::check_overlap() const {
    if (on_cpu())
        return needs_gpu("`overlap`");
    if (architecture_number(m_limits.architecture).first < 90)
        return refuse("plan-architecture", "`overlap` needs sm_90, the device is " + m_limits.architecture,
                      "launch without it there");
    const std::vector<ResolvedStep>& steps = m_statement->in_prepare ? m_plan.prepare : m_plan.steps;
    if (steps.empty())
        return refuse("plan-overlap", "`overlap` on the first launch", "it overlaps with the launch before it");
    if (!std::holds_alternative<ResolvedLaunch>(steps.back()))
        return refuse("plan-overlap", "`overlap` after a gemm or a fill", "it overlaps only with a launch before it");
    return {};
}

Result<ResolvedArgument> Resolver::argument(const LaunchArgument& argument) {
    ResolvedArgument resolved;
    resolved.place = argument.place;
    resolved.text = argument_text(argument);
    const auto at_argument = [&](Error error) {
        if (error.place.line == 0 || error.place == m_statement->place)
            error.place = argument.place;
        return error;
    };
    const auto touch = [&](int index) {
        // Only the kernel's signature says whether a pointer is read or written: bind_arguments looks at that.
        const ResolvedBuffer& target = m_plan.buffers[static_cast<std::size_t>(index)];
        if (!m_statement->in_prepare && !target.in_prepare)
            m_touched.insert(index);
    };
    if (!argument.buffer.empty()) {
        const int index = m_plan.find_buffer(argument.buffer);
        if (index >= 0) {
            if (const Status status = check_access(index, Access::read); !status)
                return at_argument(status.error());
            resolved.buffer = index;
            if (argument.offset) {
                const Result<std::int64_t> offset = evaluate(*argument.offset, "the offset");
                if (!offset)
                    return offset.error();
                const std::int64_t elements = element_count(m_plan.buffers[static_cast<std::size_t>(index)].shape);
                if (*offset < 0 || *offset > elements)
                    return at_argument(refuse("plan-argument-range",
                                              "the offset into `" + argument.buffer + "` is " + std::to_string(*offset),
                                              "the tensor has " + std::to_string(elements) + " elements"));
                resolved.offset = *offset;
            }
            touch(index);
            return resolved;
        }
        if (const auto map = m_maps.find(argument.buffer); map != m_maps.end() && !argument.offset) {
            resolved.tensormap = map->second;
            touch(m_plan.tensormaps[static_cast<std::size_t>(map->second)].buffer);
            return resolved;
        }
        if (!m_scope.value(argument.buffer)) {
            std::vector<std::string> known = buffer_names();
            for (const auto& map : m_maps)
                known.push_back(map.first);
            for (std::string& name : m_scope.names())
                known.push_back(std::move(name));
            return at_argument(refuse("plan-argument", "unknown name `" + argument.buffer + "`",
                                      suggestion(argument.buffer, known, "known")));
        }
    }
    for (const std::string& name : argument.value.names())
        if (m_plan.find_buffer(name) >= 0 || m_maps.contains(name))
            return at_argument(refuse("plan-argument", "the tensor `" + name + "` stands inside an expression",
                                      "pass `" + name + "`, or `" + name + " + OFFSET` with the offset in elements"));
    if (argument.value.is_real()) {
        const Result<double> value = argument.value.real(m_scope);
        if (!value) {
            Error error = at_argument(value.error());
            error.code = "plan-expression";
            error.message = "an argument: " + error.message;
            return error;
        }
        resolved.is_real = true;
        resolved.real = *value;
        return resolved;
    }
    const Result<std::int64_t> value = evaluate(argument.value, "an argument");
    if (!value)
        return at_argument(value.error());
    resolved.integer = *value;
    return resolved;
}

} // namespace kf::detail
