// SPDX-License-Identifier: GPL-3.0-or-later
// The hot path of the scheduler, inline for the files that wait: a switch between two threads.
#pragma once

#include "core/runners/cpu/runtime/hooks.h"
#include "core/runners/cpu/runtime/scheduler.h"

namespace kf::cpu {

inline void Scheduler::jump(Fibre& from, Fibre& to) {
    const Hooks& h = hooks();
    m_from = &from;
    if (h.start_switch != nullptr)
        h.start_switch(&from.fake_stack, to.bottom, to.stack_bytes);
    const boost::context::detail::transfer_t transfer = boost::context::detail::jump_fcontext(to.context, nullptr);
    // Somebody has come back to `from`; m_from is who.
    m_from->context = transfer.fctx;
    if (h.finish_switch != nullptr)
        h.finish_switch(from.fake_stack, &m_from->bottom, &m_from->stack_bytes);
}

inline void Scheduler::set_current(Thread& thread) {
    m_current = &thread;
    kf_rt_self.thread_index[0] = thread.index[0];
    kf_rt_self.thread_index[1] = thread.index[1];
    kf_rt_self.thread_index[2] = thread.index[2];
    kf_rt_self.linear_thread = thread.linear;
    const Hooks& h = hooks();
    if (h.switch_fibre != nullptr) {
        h.switch_fibre(m_block->tsan_fibres[thread.linear]);
        if (thread.activation != m_activation)
            h.acquire(&m_blocks_sync);
        thread.activation = m_activation;
    }
}

inline void Scheduler::make_ready(Block& block, Thread& thread) {
    thread.wait = Wait::Nothing;
    block.ready.push(thread.linear);
}

// Who runs next in this block; the main fibre: nobody for now.
inline Fibre* Scheduler::choose(Block& block) {
    ThreadQueue& ready = block.ready;
    if (ready.empty() || (block.started < m_block_threads && !block.depth_first))
        return choose_slow(block);
    Fibre* fibre = block.threads[ready.pop()].fibre;
    // The queue says who comes next, in random order: fetch their lines meanwhile.
    if (ready.size() > 3) {
        __builtin_prefetch(&block.threads[ready.peek(3)]);
        __builtin_prefetch(block.threads[ready.peek(2)].fibre);
        const char* stack = static_cast<const char*>(block.threads[ready.peek(1)].fibre->context);
        for (int i = 0; i < 5; ++i)
            __builtin_prefetch(stack + 64 * i, 1);
    }
    return fibre;
}

inline void Scheduler::suspend(Thread& self) {
    if (hooks().release != nullptr)
        hooks().release(&m_block->out_sync);
    Fibre* to = choose(*m_block);
    if (to != self.fibre)
        jump(*self.fibre, *to);
    set_current(self);
}

} // namespace kf::cpu
