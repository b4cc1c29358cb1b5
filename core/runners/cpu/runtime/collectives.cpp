// SPDX-License-Identifier: GPL-3.0-or-later
// Block barriers, warp operations, active masks and the grid barrier.
#include "core/runners/cpu/runtime/switching.h"

#include <bit>
#include <cstdio>

namespace kf::cpu {

int Scheduler::barrier(BarrierKind kind, bool predicate, int line) {
    Thread& self = *m_current;
    Block& block = *m_block;
    self.wait = Wait::Barrier;
    self.kind = kind;
    self.line = line;
    if (block.arrived++ == 0)
        block.barrier_line = line;
    else if (block.barrier_line != line)
        block.barrier_differs = true;
    block.barrier_count += predicate ? 1u : 0u;
    char* sync = &block.barrier_sync[block.phase & 1];
    if (hooks().release != nullptr)
        hooks().release(sync);
    if (block.arrived == block.alive)
        complete_barrier(block, &self);
    else
        suspend(self);
    if (hooks().acquire != nullptr)
        hooks().acquire(sync);
    return static_cast<int>(self.result);
}

// All living threads have arrived. `running` is the thread that came last and goes on at once; null when a thread's
// end completed the barrier.
void Scheduler::complete_barrier(Block& block, const Thread* running) {
    if (block.barrier_differs) {
        // The thread that ends has left its waiting state already, so it is not counted among those that wait.
        fail("barrier",
             "the threads of a block wait at different barriers: " + describe_waiting(block) +
                 "; every thread must reach the same __syncthreads()",
             block.barrier_line);
    }
    const unsigned int count = block.barrier_count;
    const unsigned int arrived = block.arrived;
    block.arrived = block.barrier_count = 0;
    ++block.phase;
    const std::uint16_t* order = m_orders.data() + std::size_t{m_block_threads} * (m_random.next() % order_count);
    for (unsigned int i = 0; i < m_block_threads; ++i) {
        Thread& thread = block.threads[order[i]];
        if (thread.wait != Wait::Barrier)
            continue;
        switch (thread.kind) {
        case BarrierKind::Plain:
        case BarrierKind::Count:
            thread.result = count;
            break;
        case BarrierKind::And:
            thread.result = count == arrived ? 1 : 0;
            break;
        case BarrierKind::Or:
            thread.result = count > 0 ? 1 : 0;
            break;
        }
        if (&thread == running)
            thread.wait = Wait::Nothing;
        else
            make_ready(block, thread);
    }
}

std::uint64_t Scheduler::warp(WarpOp op, unsigned int mask, std::uint64_t value, unsigned int argument, int line) {
    Thread& self = *m_current;
    Block& block = *m_block;
    const unsigned int number = self.linear / 32;
    const unsigned int bit = 1u << (self.linear % 32);
    Warp& warp = block.warps[number];
    if ((mask & bit) == 0) {
        char text[128];
        std::snprintf(text, sizeof text, "lane %u calls a warp function with mask 0x%08x, which does not name it",
                      self.linear % 32, mask);
        fail("barrier", text, line);
    }
    self.wait = Wait::Warp;
    self.op = op;
    self.mask = mask;
    self.value = value;
    self.argument = static_cast<unsigned short>(argument & 31u);
    self.line = line;
    warp.waiting |= bit;
    char* sync = nullptr;
    if (op == WarpOp::Sync && hooks().release != nullptr) {
        const int lowest = std::countr_zero(mask);
        sync = &warp.sync[lowest][warp.parity >> lowest & 1];
        hooks().release(sync);
    }
    if (((warp.waiting | warp.absent) & mask) != mask || !complete_warp(block, warp, number * 32, self, &self))
        suspend(self);
    if (sync != nullptr)
        hooks().acquire(sync);
    return self.result;
}

namespace {

std::uint64_t reduce(WarpOp op, std::uint64_t a, std::uint64_t b) {
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    switch (op) {
    case WarpOp::Add:
        return a + b;
    case WarpOp::MinSigned:
        return sa < sb ? a : b;
    case WarpOp::MaxSigned:
        return sa < sb ? b : a;
    case WarpOp::MinUnsigned:
        return a < b ? a : b;
    case WarpOp::MaxUnsigned:
        return a < b ? b : a;
    case WarpOp::And:
        return a & b;
    case WarpOp::Or:
        return a | b;
    default:
        return a ^ b;
    }
}

// Results of one warp operation for every lane of the group, from the values that they left.
void compute(Thread* lanes, unsigned int group, WarpOp op) {
    const auto each = [group](auto&& f) {
        for (unsigned int rest = group; rest != 0; rest &= rest - 1)
            f(static_cast<unsigned int>(std::countr_zero(rest)));
    };
    switch (op) {
    case WarpOp::Sync:
        return;
    case WarpOp::Exchange:
        each([&](unsigned int lane) {
            const unsigned int source = lanes[lane].argument;
            // A lane outside the group has no value to give: a NaN pattern, so that nobody relies on it.
            lanes[lane].result = (group >> source & 1) != 0 ? lanes[source].value : ~std::uint64_t{0};
        });
        return;
    case WarpOp::Ballot: {
        unsigned int votes = 0;
        each([&](unsigned int lane) { votes |= static_cast<unsigned int>(lanes[lane].value & 1) << lane; });
        each([&](unsigned int lane) { lanes[lane].result = votes; });
        return;
    }
    case WarpOp::MatchAny:
        each([&](unsigned int lane) {
            unsigned int same = 0;
            each([&](unsigned int other) {
                if (lanes[other].value == lanes[lane].value)
                    same |= 1u << other;
            });
            lanes[lane].result = same;
        });
        return;
    case WarpOp::MatchAll: {
        bool all = true;
        const std::uint64_t first = lanes[std::countr_zero(group)].value;
        each([&](unsigned int lane) { all = all && lanes[lane].value == first; });
        each([&](unsigned int lane) { lanes[lane].result = all ? group : 0; });
        return;
    }
    default: {
        std::uint64_t result = lanes[std::countr_zero(group)].value;
        const unsigned int rest = group & (group - 1);
        for (unsigned int left = rest; left != 0; left &= left - 1)
            result = reduce(op, result, lanes[std::countr_zero(left)].value);
        each([&](unsigned int lane) { lanes[lane].result = result; });
        return;
    }
    }
}

} // namespace

// Ends the operation of `sample`'s mask when all of its living lanes are in the same one. False: not all are.
bool Scheduler::complete_warp(Block& block, Warp& warp, unsigned int first_thread, const Thread& sample,
                              const Thread* running) {
    const unsigned int mask = sample.mask;
    const WarpOp op = sample.op;
    const unsigned int group = mask & ~warp.absent;
    Thread* lanes = block.threads.data() + first_thread;
    for (unsigned int rest = group; rest != 0; rest &= rest - 1) {
        const Thread& thread = lanes[std::countr_zero(rest)];
        if (thread.mask != mask || thread.op != op)
            return false;
    }
    compute(lanes, group, op);
    warp.waiting &= ~group;
    if (op == WarpOp::Sync)
        warp.parity ^= 1u << std::countr_zero(mask);
    const unsigned int bits = static_cast<unsigned int>(m_random.next());
    const unsigned int step = bits | 1u, offset = bits >> 8;
    for (unsigned int i = 0; i < 32; ++i) {
        const unsigned int lane = (i * step + offset) & 31u;
        if ((group >> lane & 1) == 0)
            continue;
        if (&lanes[lane] == running)
            lanes[lane].wait = Wait::Nothing;
        else
            make_ready(block, lanes[lane]);
    }
    return true;
}

// A lane has exited: an operation that still counted on it may be complete now.
void Scheduler::warp_lost_lane(Block& block, unsigned int warp_number) {
    Warp& warp = block.warps[warp_number];
    Thread* lanes = block.threads.data() + warp_number * 32;
    unsigned int untried = warp.waiting;
    while (untried != 0) {
        const Thread& sample = lanes[std::countr_zero(untried)];
        untried &= ~sample.mask & ~(1u << (sample.linear % 32));
        if (((warp.waiting | warp.absent) & sample.mask) == sample.mask)
            complete_warp(block, warp, warp_number * 32, sample, nullptr);
    }
}

unsigned int Scheduler::active_mask(int line) {
    Thread& self = *m_current;
    self.wait = Wait::ActiveMask;
    self.line = line;
    ++m_block->active_waiting;
    suspend(self);
    return static_cast<unsigned int>(self.result);
}

// Nobody in the block can go on otherwise: lanes of a warp that asked in the same line are active together.
void Scheduler::resolve_active_masks(Block& block) {
    block.active_waiting = 0;
    for (std::size_t number = 0; number < block.warps.size(); ++number) {
        const unsigned int first = static_cast<unsigned int>(number) * 32;
        const unsigned int count = std::min(32u, m_block_threads - first);
        for (unsigned int i = 0; i < count; ++i) {
            Thread& leader = block.threads[first + i];
            if (leader.wait != Wait::ActiveMask)
                continue;
            unsigned int group = 0;
            for (unsigned int k = i; k < count; ++k) {
                const Thread& thread = block.threads[first + k];
                if (thread.wait == Wait::ActiveMask && thread.line == leader.line)
                    group |= 1u << k;
            }
            for (unsigned int rest = group; rest != 0; rest &= rest - 1) {
                Thread& thread = block.threads[first + static_cast<unsigned int>(std::countr_zero(rest))];
                thread.result = group;
                make_ready(block, thread);
            }
        }
    }
}

void Scheduler::grid_sync(int line) {
    Thread& self = *m_current;
    if (!m_launch.cooperative)
        fail("launch", "grid.sync() needs a launch with the attribute cooperative", line);
    self.wait = Wait::Grid;
    self.line = line;
    ++m_block->grid_waiting;
    char* sync = &m_grid_sync[m_grid_phase & 1];
    if (hooks().release != nullptr)
        hooks().release(sync);
    suspend(self);
    if (hooks().acquire != nullptr)
        hooks().acquire(sync);
}

void Scheduler::fence() {
    if (hooks().release != nullptr) {
        hooks().release(&m_fence_sync);
        hooks().acquire(&m_fence_sync);
        m_current->fenced = true;
    }
    yield();
}

// An atomic orders memory only together with a fence, as in the C++ model.
void Scheduler::atomic(const volatile void* address) {
    if (hooks().release == nullptr)
        return;
    void* sync = const_cast<void*>(address);
    hooks().acquire(sync);
    if (m_current->fenced)
        hooks().release(sync);
}

} // namespace kf::cpu
