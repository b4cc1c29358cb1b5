// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the threads of a kernel launch as fibres on the calling OS thread. Threads start one after another on one fibre;
// only a thread that waits keeps its fibre, so a kernel without barriers costs no switch. The order of blocks, of
// threads at start and of threads after a barrier is permuted by the launch's seed. One per process: kf_rt_*
// (exports.cpp) reach it through Scheduler::instance().
#pragma once

#include "core/base/random.h"
#include "core/runners/cpu/runtime/block.h"
#include "core/runners/cpu/runtime/launch.h"
#include "core/runners/cpu/runtime/module.h"
#include "core/runners/cpu/runtime/stack_pool.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kf::cpu {

class Scheduler {
public:
    static Scheduler& instance();

    Limits& limits() { return m_limits; }
    // The module whose __shared__ objects are saved and restored when several blocks are live; may be null.
    void set_module(const Module* module);

    // Runs all blocks to the end. Empty: success.
    std::optional<Failure> launch(const Launch& launch);

    // Async-signal-safe.
    Position position() const;
    bool is_stack_guard(const void* address) const { return m_stacks.is_guard(address); }

    // What device code calls (exports.cpp); only inside a running thread.
    int barrier(BarrierKind kind, bool predicate, int line);
    std::uint64_t warp(WarpOp op, unsigned int mask, std::uint64_t value, unsigned int argument, int line);
    unsigned int active_mask(int line);
    void grid_sync(int line);
    void yield();
    void fence();
    void atomic(const volatile void* address);
    void* dynamic_shared() const { return m_block->dynamic_shared.data(); }
    unsigned int dynamic_shared_bytes() const { return static_cast<unsigned int>(m_launch.shared_bytes); }
    [[noreturn]] void fail(std::string status, std::string message, int line);

private:
    Scheduler();

    // blocks (scheduler.cpp)
    std::optional<Failure> check(const Launch& launch) const;
    bool prepare();
    Block* next_block();
    Block* start_block();
    void activate(Block& block);
    void release_grid();
    bool settle(Block& block); // after control came back from it; false: failed
    void clean_up();
    void fill_orders();

    // threads (threads.cpp)
    static void fibre_entry(boost::context::detail::transfer_t from);
    void run_threads(Fibre& self);
    void thread_ends(Thread& thread);
    Fibre* choose(Block& block);
    Fibre* choose_slow(Block& block);
    void suspend(Thread& self);
    void jump(Fibre& from, Fibre& to);
    void set_current(Thread& thread);
    Fibre* idle_fibre();
    bool should_rotate(const Block& block) const;
    void make_ready(Block& block, Thread& thread);

    // waiting (collectives.cpp)
    void complete_barrier(Block& block, const Thread* running);
    bool complete_warp(Block& block, Warp& warp, unsigned int first_thread, const Thread& sample,
                       const Thread* running);
    void warp_lost_lane(Block& block, unsigned int warp_number);
    void resolve_active_masks(Block& block);

    Limits m_limits;
    const Module* m_module = nullptr;
    StackPool m_stacks;
    std::vector<Fibre*> m_fibres; // each at the top of its stack
    std::vector<Fibre*> m_idle;
    Fibre m_main;
    Fibre* m_from = nullptr;
    void* m_main_tsan = nullptr;

    Launch m_launch;
    unsigned int m_block_threads = 0;
    SplitMix64 m_random{0};
    static constexpr unsigned int order_count = 8;
    std::vector<std::uint16_t> m_orders; // order_count permutations of the block's threads
    std::uint64_t m_total_blocks = 0, m_started_blocks = 0, m_ended_blocks = 0;
    std::uint64_t m_block_position = 0, m_block_step = 1;
    unsigned int m_live_limit = 0;

    std::vector<std::unique_ptr<Block>> m_slots;
    std::vector<Block*> m_free, m_parked;
    std::deque<Block*> m_runnable;
    unsigned int m_live = 0;
    Block* m_block = nullptr;
    Thread* m_current = nullptr;
    Block* m_shared_owner = nullptr;
    std::vector<char> m_initial_shared;
    MemoryRange m_shared;
    std::uint64_t m_activation = 0;
    std::uint64_t m_progress_seen = 0, m_idle_yields = 0;
    std::optional<Failure> m_failure;
    char m_blocks_sync = 0, m_grid_sync[2] = {}, m_fence_sync = 0; // addresses for ThreadSanitizer
    unsigned int m_grid_phase = 0;
};

} // namespace kf::cpu
