// SPDX-License-Identifier: GPL-3.0-or-later
// cg::reduce over tiles and coalesced groups, and the operations that it takes.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

template<class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template<class T> struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template<class T> struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template<class T> struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template<class T> struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template<class T> struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

// All lanes get the same value: ranks are combined as a tree, then the first one's result is handed out. A group may
// have any number of threads.
template<class Group, class T, class Op>
inline T reduce(const Group& group, T value, Op op, int line = __builtin_LINE()) {
    const unsigned int count = static_cast<unsigned int>(__popc(group.kf_mask()));
    const unsigned int rank = static_cast<unsigned int>(__popc(group.kf_mask() & ((1u << kf_simt::lane()) - 1u)));
    const warp_group& lanes = group;
    for (unsigned int step = 1; step < count; step *= 2) {
        const T other = lanes.shfl_down(value, step, line);
        if (rank % (2 * step) == 0 && rank + step < count)
            value = op(value, other);
    }
    return lanes.shfl(value, 0, line);
}

template<class Group, class T, class Op>
inline T inclusive_scan(const Group& group, T value, Op op, int line = __builtin_LINE()) {
    const unsigned int count = static_cast<unsigned int>(__popc(group.kf_mask()));
    const unsigned int rank = static_cast<unsigned int>(__popc(group.kf_mask() & ((1u << kf_simt::lane()) - 1u)));
    const warp_group& lanes = group;
    for (unsigned int step = 1; step < count; step *= 2) {
        const T other = lanes.shfl_up(value, step, line);
        if (rank >= step)
            value = op(other, value);
    }
    return value;
}
template<class Group, class T> inline T inclusive_scan(const Group& group, T value, int line = __builtin_LINE()) {
    return inclusive_scan(group, value, plus<T>(), line);
}
// The first lane gets T{}.
template<class Group, class T, class Op>
inline T exclusive_scan(const Group& group, T value, Op op, int line = __builtin_LINE()) {
    const T sum = inclusive_scan(group, value, op, line);
    const warp_group& lanes = group;
    const T before = lanes.shfl_up(sum, 1, line);
    return (group.kf_mask() & ((1u << kf_simt::lane()) - 1u)) == 0 ? T{} : before;
}
template<class Group, class T> inline T exclusive_scan(const Group& group, T value, int line = __builtin_LINE()) {
    return exclusive_scan(group, value, plus<T>(), line);
}

} // namespace cooperative_groups
