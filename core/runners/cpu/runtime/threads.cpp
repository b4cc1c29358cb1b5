// SPDX-License-Identifier: GPL-3.0-or-later
// Starting, switching and ending threads.
#include "core/runners/cpu/runtime/switching.h"

#include <algorithm>
#include <new>

namespace kf::cpu {

using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

void Scheduler::fibre_entry(transfer_t transfer) {
    Scheduler& scheduler = instance();
    scheduler.m_from->context = transfer.fctx;
    const Hooks& h = hooks();
    if (h.finish_switch != nullptr)
        h.finish_switch(nullptr, &scheduler.m_from->bottom, &scheduler.m_from->stack_bytes);
    Fibre* self = scheduler.m_idle.back();
    scheduler.m_idle.pop_back();
    for (;;) {
        scheduler.run_threads(*self);
        Fibre* to = scheduler.choose(*scheduler.m_block);
        scheduler.m_idle.push_back(self);
        scheduler.jump(*self, to != nullptr ? *to : scheduler.m_main);
        // Woken as an idle fibre: the waker left it at the end of the list.
        scheduler.m_idle.pop_back();
    }
}

Fibre* Scheduler::idle_fibre() {
    if (m_idle.empty()) {
        StackPool::Stack stack = m_stacks.create();
        if (stack.low == nullptr)
            return nullptr;
        stack.top -= sizeof(Fibre);
        Fibre* fibre = new (stack.top) Fibre;
        fibre->stack = stack;
        fibre->bottom = fibre->stack.low;
        fibre->stack_bytes = static_cast<std::size_t>(fibre->stack.top - fibre->stack.low);
        fibre->context = make_fcontext(fibre->stack.top, fibre->stack_bytes, &Scheduler::fibre_entry);
        m_idle.push_back(fibre);
        m_fibres.push_back(fibre);
    }
    return m_idle.back(); // it takes itself off the list when it runs
}

// Starts threads of the current block on this fibre, one after another, until none is left or others should run first.
void Scheduler::run_threads(Fibre& self) {
    while (true) {
        Block& block = *m_block;
        if (block.started >= m_block_threads || (block.depth_first && !block.ready.empty()))
            return;
        Thread& thread = block.threads[block.order[block.started++]];
        thread.fibre = &self;
        thread.wait = Wait::Nothing;
        thread.fenced = false;
        thread.activation = 0;
        set_current(thread);
        m_launch.kernel.invoke(m_launch.args);
        thread_ends(thread);
    }
}

void Scheduler::thread_ends(Thread& thread) {
    // The block of a thread is the active one whenever the thread runs.
    Block& block = *m_block;
    if (hooks().release != nullptr)
        hooks().release(&block.out_sync);
    thread.wait = Wait::Exited;
    --block.alive;
    ++kf_rt_progress;
    const unsigned int warp = thread.linear / 32;
    block.warps[warp].absent |= 1u << (thread.linear % 32);
    if (block.warps[warp].waiting != 0)
        warp_lost_lane(block, warp);
    if (block.arrived > 0 && block.arrived == block.alive)
        complete_barrier(block, nullptr);
}

bool Scheduler::should_rotate(const Block& block) const {
    const bool others = m_live > 1 || (m_started_blocks < m_total_blocks && m_live < m_live_limit);
    return others && (block.sweep > block.yielded.size() || block.activation_yields > 64 * block.yielded.size() + 1024);
}

Fibre* Scheduler::choose_slow(Block& block) {
    for (;;) {
        const bool can_start = block.started < m_block_threads;
        if (!block.ready.empty() && (block.depth_first || !can_start))
            return block.threads[block.ready.pop()].fibre;
        if (can_start) {
            if (Fibre* fibre = idle_fibre())
                return fibre;
            m_failure = Failure{"launch", "no memory for the stacks of the block's threads", block.index, {}, 0};
            return &m_main;
        }
        if (block.active_waiting > 0) {
            resolve_active_masks(block);
            continue;
        }
        if (block.yielded.empty() || should_rotate(block))
            return &m_main;
        Thread& thread = block.threads[block.yielded.pop()];
        thread.wait = Wait::Nothing;
        return thread.fibre;
    }
}

void Scheduler::yield() {
    if (--kf_rt_ticks > 0)
        return;
    kf_rt_ticks = 1 + static_cast<int>(m_random.next() & 15);
    Thread& self = *m_current;
    Block& block = *m_block;
    ++block.activation_yields;
    self.wait = Wait::Yield;
    if (m_progress_seen != kf_rt_progress) {
        m_progress_seen = kf_rt_progress;
        m_idle_yields = 0;
        block.sweep = 0;
    } else {
        ++block.sweep;
        if (++m_idle_yields > m_limits.idle_yields)
            fail("no-progress",
                 "waits on another block or thread that never comes: " + std::to_string(m_live) + " blocks are live, " +
                     std::to_string(m_total_blocks - m_started_blocks) +
                     " not yet started, and none makes progress; in this block " + describe_waiting(block),
                 waiting_line(block));
    }
    block.yielded.push(self.linear);
    suspend(self);
}

} // namespace kf::cpu
