// SPDX-License-Identifier: GPL-3.0-or-later
// The state of one live block: its threads, its warps and who waits for what. Used by the scheduler alone.
#pragma once

#include "core/runners/cpu/runtime/launch.h"
#include "core/runners/cpu/runtime/self.h"
#include "core/runners/cpu/runtime/stack_pool.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <vector>

namespace kf::cpu {

// Lives at the top of its own stack, so that a switch touches one page of each side.
struct alignas(64) Fibre {
    boost::context::detail::fcontext_t context = nullptr;
    StackPool::Stack stack;
    void* fake_stack = nullptr; // AddressSanitizer's
    const void* bottom = nullptr;
    std::size_t stack_bytes = 0;
};

enum class Wait : unsigned char { Nothing, Barrier, Warp, ActiveMask, Grid, Yield, Exited };

// One cache line: thousands are visited in random order.
struct alignas(64) Thread {
    Fibre* fibre = nullptr;
    std::uint64_t value = 0;
    std::uint64_t result = 0;
    std::uint64_t activation = 0; // number of the block activation it last ran in
    Index3 index{};
    unsigned int linear = 0;
    int line = 0;
    unsigned int mask = 0;
    unsigned short argument = 0;
    Wait wait = Wait::Exited;
    WarpOp op = WarpOp::Sync;
    BarrierKind kind = BarrierKind::Plain;
    bool fenced = false;
};
static_assert(sizeof(Thread) == 64);

struct Warp {
    unsigned int absent = 0;  // lanes that have exited or never existed
    unsigned int waiting = 0; // lanes inside a warp operation
    unsigned int parity = 0;  // of the happens-before objects below, by lowest lane of the mask
    char sync[32][2] = {};    // addresses for ThreadSanitizer
};

// A first-in first-out queue of thread numbers; each thread is in it at most once.
class ThreadQueue {
public:
    void reset(unsigned int threads) {
        unsigned int size = 1;
        while (size < threads)
            size *= 2;
        m_items.resize(size);
        m_head = m_tail = 0;
    }
    bool empty() const { return m_head == m_tail; }
    unsigned int size() const { return m_tail - m_head; }
    void push(unsigned int thread) { m_items[m_tail++ & (m_items.size() - 1)] = static_cast<std::uint16_t>(thread); }
    unsigned int peek(unsigned int ahead) const { return m_items[(m_head + ahead) & (m_items.size() - 1)]; }
    unsigned int pop() { return m_items[m_head++ & (m_items.size() - 1)]; }

private:
    std::vector<std::uint16_t> m_items;
    unsigned int m_head = 0, m_tail = 0;
};

// Dynamic shared memory of one block slot, ending at a guard page.
class DynamicShared {
public:
    DynamicShared() = default;
    ~DynamicShared();
    DynamicShared(const DynamicShared&) = delete;
    DynamicShared& operator=(const DynamicShared&) = delete;
    // Room for so many bytes; false when the system has no memory.
    bool reserve(std::uint64_t bytes);
    char* data() const { return m_data; }

private:
    char* m_mapping = nullptr;
    std::size_t m_mapped = 0;
    char* m_data = nullptr;
};

struct Block {
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    ThreadQueue ready, yielded;
    Index3 index{};
    const std::uint16_t* order = nullptr; // in which threads start
    unsigned int started = 0, alive = 0;
    unsigned int arrived = 0, barrier_count = 0, phase = 0;
    int barrier_line = 0;
    bool barrier_differs = false;
    bool depth_first = false; // run woken threads before starting new ones
    unsigned int active_waiting = 0, grid_waiting = 0;
    unsigned int sweep = 0, activation_yields = 0; // yields without progress, yields since activation
    DynamicShared dynamic_shared;
    std::vector<char> saved_shared;
    bool has_saved = false;
    std::vector<void*> tsan_fibres;          // by thread; kept when the slot is used again
    char barrier_sync[2] = {}, out_sync = 0; // addresses for ThreadSanitizer
};

// "96 threads wait at __syncthreads() in line 12; 32 threads have exited": who waits where.
std::string describe_waiting(const Block& block);
// A line in which someone waits; 0 when unknown.
int waiting_line(const Block& block);
// The first thread that waits; none when all run or have exited.
const Thread* first_waiting(const Block& block);

} // namespace kf::cpu
