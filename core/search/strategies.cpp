// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/strategies.h"

#include "core/autopsy/rules.h"

#include <array>
#include <span>
#include <vector>

namespace kf {
namespace {

using Text = std::string_view;

// What helps most kernels, in the order in which it usually pays.
constexpr std::array<Text, 12> general = {
    "wider loads and stores: 16 bytes a thread where rows allow it, a scalar path for the rest",
    "fewer passes over memory: read each element once and keep it in registers or shared memory",
    "fuse neighbouring steps, so that intermediate results never reach memory",
    "several elements a thread, loads first, so that more of them are in flight",
    "stage tiles in shared memory and read them back without bank conflicts",
    "reduce in the warp by shuffles, and in the block by one value a warp",
    "persistent blocks: as many as fit, each working through several tiles",
    "split the longest axis over several blocks and combine in a second step",
    "overlap loading the next tile with computing the present one (two or more buffers)",
    "tensor cores for the products (mma or the library's gemm), float accumulation",
    "cheaper arithmetic: reciprocals instead of divisions, packed half2, no repeated index arithmetic",
    "open the tune space: block size, vector width and elements a thread as `tune` statements",
};

constexpr std::array<Text, 3> timer_floor = {"fewer launches: one kernel for the whole task",
                                             "less work to start with: smaller grids, no workspace, no fills",
                                             "a shape-specialised fast path by `when`, kept small"};
constexpr std::array<Text, 4> spills = {"fewer live values: smaller tiles or less unrolling a thread",
                                        "move long-lived values from registers to shared memory",
                                        "split the kernel's phases, so that their values do not live at the same time",
                                        "recompute cheap values instead of keeping them"};
constexpr std::array<Text, 3> registers = {"smaller tiles a thread, so that more warps are resident",
                                           "limit registers by `option maxreg(…)` and tune it",
                                           "share work between the threads of a warp instead of unrolling it"};
constexpr std::array<Text, 2> fallback = {"let the fast path cover the timed sizes: check its `when` condition",
                                          "one path with a vectorised body and a scalar tail"};
constexpr std::array<Text, 4> scratch = {"fuse the steps around the workspace into one kernel",
                                         "keep the workspace's values in a narrower type where the tolerance allows it",
                                         "fuse the epilogue into the step that produces its input",
                                         "work in tiles that stay in the cache between the two steps"};
constexpr std::array<Text, 2> launches = {"fuse neighbouring kernels",
                                          "one cooperative or persistent kernel for all steps"};
constexpr std::array<Text, 3> atomics = {"reduce in the warp and the block first, then one atomic a block",
                                         "private copies in shared memory, merged at the end",
                                         "two passes without atomics: partial results, then their sum"};

std::span<const Text> table_of(Text bottleneck) {
    if (bottleneck == "timer-floor")
        return timer_floor;
    if (bottleneck == "spills")
        return spills;
    if (bottleneck == "registers")
        return registers;
    if (bottleneck == "fallback-path")
        return fallback;
    if (bottleneck == "scratch-traffic")
        return scratch;
    if (bottleneck == "launches")
        return launches;
    if (bottleneck == "atomics")
        return atomics;
    return {};
}

constexpr std::array<Text, 3> mending = {
    "correct the cause that the report names and change nothing else",
    "write the failing part again in its plainest form and keep the rest",
    "go back to the last version that was right and bring over only the part of the idea that is safe",
};

} // namespace

std::string growing_strategy(std::string_view bottleneck, const std::set<std::string>& used) {
    std::vector<Text> all;
    for (const Text text : table_of(bottleneck))
        all.push_back(text);
    all.insert(all.end(), general.begin(), general.end());
    for (const Text text : all)
        if (!used.contains(std::string(text)))
            return std::string(text);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            std::string both = std::string(all[i]) + "; together with " + std::string(all[j]);
            if (!used.contains(both))
                return both;
        }
    for (std::size_t k = 1;; ++k) {
        std::string own = "an idea of your own that was not tried yet, number " + std::to_string(k);
        if (!used.contains(own))
            return own;
    }
}

std::string mending_strategy(std::string_view failure, int attempt) {
    std::vector<Text> all;
    if (const auto known = parse_failure_class(failure))
        for (const Text text : rule_for(*known).tries)
            all.push_back(text);
    all.insert(all.end(), mending.begin(), mending.end());
    const auto index = static_cast<std::size_t>(attempt < 0 ? 0 : attempt);
    return std::string(index < all.size() ? all[index] : all.back());
}

} // namespace kf
