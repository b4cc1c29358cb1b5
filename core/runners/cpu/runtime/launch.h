// SPDX-License-Identifier: GPL-3.0-or-later
// One kernel launch on the CPU device, and how it can fail.
#pragma once

#include "core/runners/cpu/abi.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace kf::cpu {

using Index3 = std::array<unsigned int, 3>;

struct Launch {
    KfKernel kernel{};
    Index3 grid{1, 1, 1};
    Index3 block{1, 1, 1};
    std::uint64_t shared_bytes = 0; // dynamic shared memory
    bool cooperative = false;       // all blocks live at once; grid.sync() allowed
    void** args = nullptr;          // kernel.arg_count pointers to values
    std::uint64_t seed = 0;         // order of blocks and threads, poison pattern
};

struct Failure {
    std::string status;  // "barrier", "no-progress", "misaligned", "launch", "trap", "assert"
    std::string message; // one sentence with what, where and who
    std::optional<Index3> block;
    std::optional<Index3> thread;
    int line = 0; // of the candidate's text; 0: unknown
};

// Where execution stands; for crash reports.
struct Position {
    bool inside = false; // a CUDA thread was running
    Index3 block{}, thread{};
};

struct Limits {
    unsigned int live_blocks = 64;     // blocks that may be in flight when one of them waits for another
    unsigned int live_threads = 24576; // bounds the stacks: two mappings each, and the system allows 65530
    unsigned int block_threads = 1024;
    std::uint64_t shared_bytes = 232448;    // of one block, as on Hopper
    std::uint64_t idle_yields = 1ull << 22; // switches without any progress until "no-progress"
};

} // namespace kf::cpu
