// SPDX-License-Identifier: GPL-3.0-or-later
// The runner's side of resources/simt/kf/simt/runtime.h: same layouts and numbers, writable here.
#pragma once

extern "C" {
struct KfSelf {
    unsigned int thread_index[3], block_index[3];
    unsigned int block_dim[3], grid_dim[3];
    unsigned int linear_thread;
};
extern KfSelf kf_rt_self;
extern int kf_rt_ticks;
extern unsigned long long kf_rt_progress;
}

namespace kf::cpu {

enum class BarrierKind : unsigned char { Plain, Count, And, Or };
enum class WarpOp : unsigned char {
    Sync,
    Exchange,
    Ballot,
    MatchAny,
    MatchAll,
    Add,
    MinSigned,
    MaxSigned,
    MinUnsigned,
    MaxUnsigned,
    And,
    Or,
    Xor
};

} // namespace kf::cpu
