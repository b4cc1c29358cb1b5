// SPDX-License-Identifier: GPL-3.0-or-later
// Cooperative groups on the CPU device: thread_block, tiles of up to 32 threads, coalesced_group, grid_group.
#pragma once

#include "kf/simt.h"

namespace cooperative_groups {

#define KF_LINE int line = __builtin_LINE()

// Threads of one warp, named by a mask; a lane's rank is its position among the mask's bits.
class warp_group {
public:
    void sync(KF_LINE) const { __syncwarp(m_mask, line); }
    unsigned int num_threads() const { return static_cast<unsigned int>(__popc(m_mask)); }
    unsigned int size() const { return num_threads(); }
    unsigned int thread_rank() const {
        return static_cast<unsigned int>(__popc(m_mask & ((1u << kf_simt::lane()) - 1u)));
    }

    // Ranks outside the group give the thread its own value.
    template<class T> T shfl(T v, unsigned int rank, KF_LINE) const { return from_rank(v, rank % num_threads(), line); }
    template<class T> T shfl_up(T v, unsigned int delta, KF_LINE) const {
        const unsigned int rank = thread_rank();
        return from_rank(v, rank < delta ? rank : rank - delta, line);
    }
    template<class T> T shfl_down(T v, unsigned int delta, KF_LINE) const {
        const unsigned int rank = thread_rank();
        return from_rank(v, delta >= num_threads() || rank + delta >= num_threads() ? rank : rank + delta, line);
    }
    template<class T> T shfl_xor(T v, unsigned int bits, KF_LINE) const {
        const unsigned int rank = thread_rank(), other = rank ^ bits;
        return from_rank(v, other < num_threads() ? other : rank, line);
    }
    int any(int predicate, KF_LINE) const { return __any_sync(m_mask, predicate, line); }
    int all(int predicate, KF_LINE) const { return __all_sync(m_mask, predicate, line); }
    unsigned int ballot(int predicate, KF_LINE) const { return pack(__ballot_sync(m_mask, predicate, line)); }
    template<class T> unsigned int match_any(T v, KF_LINE) const { return pack(__match_any_sync(m_mask, v, line)); }
    template<class T> unsigned int match_all(T v, int& predicate, KF_LINE) const {
        return pack(__match_all_sync(m_mask, v, &predicate, line));
    }
    unsigned int kf_mask() const { return m_mask; }

protected:
    explicit warp_group(unsigned int mask) : m_mask(mask) {}

private:
    // The lane that holds a rank.
    unsigned int lane_of(unsigned int rank) const {
        unsigned int rest = m_mask;
        for (; rank > 0; --rank)
            rest &= rest - 1;
        return static_cast<unsigned int>(__builtin_ctz(rest));
    }
    template<class T> T from_rank(T v, unsigned int rank, int line) const {
        return kf_simt::exchange(m_mask, v, lane_of(rank), line);
    }
    // Bits of lanes as bits of ranks.
    unsigned int pack(unsigned int lanes) const {
        unsigned int ranks = 0, position = 0;
        for (unsigned int rest = m_mask; rest != 0; rest &= rest - 1, ++position)
            ranks |= (lanes >> __builtin_ctz(rest) & 1u) << position;
        return ranks;
    }

    unsigned int m_mask;
};

class thread_block {
public:
    void sync(KF_LINE) const { __syncthreads(line); }
    unsigned int num_threads() const { return blockDim.x * blockDim.y * blockDim.z; }
    unsigned int size() const { return num_threads(); }
    unsigned int thread_rank() const { return kf_rt_self.linear_thread; }
    dim3 group_index() const { return blockIdx; }
    dim3 thread_index() const { return threadIdx; }
    dim3 group_dim() const { return blockDim; }
    dim3 dim_threads() const { return blockDim; }
};
inline thread_block this_thread_block() {
    return {};
}

class grid_group {
public:
    bool is_valid() const { return true; }
    void sync(KF_LINE) const { kf_rt_grid_sync(line); }
    unsigned long long num_blocks() const { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    unsigned long long block_rank() const {
        return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
    }
    unsigned long long num_threads() const { return num_blocks() * this_thread_block().num_threads(); }
    unsigned long long size() const { return num_threads(); }
    unsigned long long thread_rank() const {
        return block_rank() * this_thread_block().num_threads() + kf_rt_self.linear_thread;
    }
    dim3 dim_blocks() const { return gridDim; }
    dim3 group_dim() const { return gridDim; }
    dim3 block_index() const { return blockIdx; }
};
inline grid_group this_grid() {
    return {};
}

class coalesced_group : public warp_group {
public:
    explicit coalesced_group(unsigned int mask) : warp_group(mask) {}
    unsigned int meta_group_size() const { return 1; }
    unsigned int meta_group_rank() const { return 0; }
};
inline coalesced_group coalesced_threads(KF_LINE) {
    return coalesced_group(__activemask(line));
}

namespace kf_detail {
// The lanes of a block's tile of `size` threads that exist; the last warp of a block may be short.
inline unsigned int tile_mask(unsigned int size) {
    const unsigned int first = kf_simt::lane() & ~(size - 1u);
    const unsigned int full = size == 32 ? 0xffffffffu : ((1u << size) - 1u) << first;
    const unsigned int in_warp = this_thread_block().num_threads() - (kf_rt_self.linear_thread & ~31u);
    return in_warp >= 32 ? full : full & ((1u << in_warp) - 1u);
}
} // namespace kf_detail

template<unsigned int Size, class Parent = void> class thread_block_tile : public warp_group {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() : warp_group(kf_detail::tile_mask(Size)) {}
    explicit thread_block_tile(unsigned int mask) : warp_group(mask) {}
    static constexpr unsigned int num_threads() { return Size; }
    static constexpr unsigned int size() { return Size; }
    unsigned int thread_rank() const { return kf_rt_self.linear_thread & (Size - 1u); }
    unsigned int meta_group_rank() const { return kf_rt_self.linear_thread / Size; }
    unsigned int meta_group_size() const { return (this_thread_block().num_threads() + Size - 1) / Size; }
};

template<unsigned int Size> inline thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
    return {};
}
template<unsigned int Size, unsigned int Outer, class P>
inline thread_block_tile<Size, thread_block_tile<Outer, P>> tiled_partition(const thread_block_tile<Outer, P>&) {
    static_assert(Size <= Outer, "a tile cannot be larger than its parent");
    return {};
}
// The size at run time, from 1 to 32 and a power of two.
inline coalesced_group tiled_partition(const thread_block&, unsigned int size, KF_LINE) {
    if (size == 0 || size > 32 || (size & (size - 1)) != 0)
        kf_rt_trap(line);
    return coalesced_group(kf_detail::tile_mask(size));
}
template<class Group> inline coalesced_group binary_partition(const Group& group, bool predicate, KF_LINE) {
    const unsigned int yes = __ballot_sync(group.kf_mask(), predicate, line);
    return coalesced_group(predicate ? yes : group.kf_mask() & ~yes);
}
template<class Group> inline coalesced_group labeled_partition(const Group& group, int label, KF_LINE) {
    return coalesced_group(__match_any_sync(group.kf_mask(), label, line));
}

template<class Group> inline void sync(const Group& group, KF_LINE) {
    group.sync(line);
}
template<class Group> inline auto thread_rank(const Group& group) {
    return group.thread_rank();
}
template<class Group> inline auto group_size(const Group& group) {
    return group.size();
}

// Copies that are complete at once; wait() is the barrier that CUDA's has.
template<class Group, class T> inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        to[i] = from[i];
}
template<class Group> inline void wait(const Group& group, KF_LINE) {
    group.sync(line);
}

#undef KF_LINE

} // namespace cooperative_groups
