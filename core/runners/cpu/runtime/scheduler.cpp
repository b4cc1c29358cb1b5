// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/runtime/switching.h"

#include "core/runners/cpu/runtime/raw_memory.h"

#include <algorithm>
#include <numeric>

namespace kf::cpu {

namespace {
std::string dims(const Index3& v) {
    return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + ")";
}
} // namespace

Scheduler& Scheduler::instance() {
    // Never destroyed: signal handlers may ask for the position until the process has ended.
    static Scheduler* const scheduler = new Scheduler;
    return *scheduler;
}

Scheduler::Scheduler() : m_stacks(g_hooks.start_switch != nullptr ? std::size_t{256} << 10 : std::size_t{128} << 10) {}

void Scheduler::set_module(const Module* module) {
    m_module = module;
    m_initial_shared.clear();
}

std::optional<Failure> Scheduler::check(const Launch& launch) const {
    const auto refuse = [](std::string message) { return Failure{"launch", std::move(message), {}, {}, 0}; };
    std::uint64_t threads = 1;
    for (int i = 0; i < 3; ++i) {
        const unsigned int block_limit = i == 2 ? 64 : 1024;
        const unsigned int grid_limit = i == 0 ? 2147483647u : 65535u;
        if (launch.block[i] == 0 || launch.block[i] > block_limit)
            return refuse("block " + dims(launch.block) + " is outside (1..1024, 1..1024, 1..64)");
        if (launch.grid[i] == 0 || launch.grid[i] > grid_limit)
            return refuse("grid " + dims(launch.grid) + " is outside (1..2147483647, 1..65535, 1..65535)");
        threads *= launch.block[i];
    }
    if (threads > m_limits.block_threads)
        return refuse("block " + dims(launch.block) + " has " + std::to_string(threads) + " threads; at most " +
                      std::to_string(m_limits.block_threads) + " are possible");
    if (launch.shared_bytes > m_limits.shared_bytes)
        return refuse(std::to_string(launch.shared_bytes) + " bytes of dynamic shared memory; at most " +
                      std::to_string(m_limits.shared_bytes) + " are possible");
    const std::uint64_t blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    if (launch.cooperative && blocks * threads > m_limits.live_threads)
        return refuse("a cooperative launch keeps all blocks live: " + std::to_string(blocks) + " blocks of " +
                      std::to_string(threads) + " threads are more than the CPU device's " +
                      std::to_string(m_limits.live_threads) + " threads");
    return std::nullopt;
}

// Permutations of the block's threads: half of them shuffle everything, half keep warps together.
void Scheduler::fill_orders() {
    const unsigned int n = m_block_threads;
    m_orders.resize(std::size_t{n} * order_count);
    const auto shuffle = [this](std::uint16_t* values, unsigned int count) {
        for (unsigned int i = count; i > 1; --i)
            std::swap(values[i - 1], values[m_random.below(i)]);
    };
    for (unsigned int k = 0; k < order_count; ++k) {
        std::uint16_t* order = m_orders.data() + std::size_t{k} * n;
        if (k % 2 == 0) {
            std::iota(order, order + n, std::uint16_t{0});
            shuffle(order, n);
            continue;
        }
        std::vector<std::uint16_t> warps((n + 31) / 32);
        std::iota(warps.begin(), warps.end(), std::uint16_t{0});
        shuffle(warps.data(), static_cast<unsigned int>(warps.size()));
        unsigned int filled = 0;
        for (std::uint16_t warp : warps) {
            const unsigned int lanes = std::min(32u, n - warp * 32u);
            std::iota(order + filled, order + filled + lanes, static_cast<std::uint16_t>(warp * 32));
            shuffle(order + filled, lanes);
            filled += lanes;
        }
    }
}

bool Scheduler::prepare() {
    const unsigned int n = m_launch.block[0] * m_launch.block[1] * m_launch.block[2];
    m_block_threads = n;
    m_random = SplitMix64(m_launch.seed);
    fill_orders();
    m_total_blocks = std::uint64_t{m_launch.grid[0]} * m_launch.grid[1] * m_launch.grid[2];
    m_started_blocks = m_ended_blocks = 0;
    m_block_position = m_random.below(m_total_blocks);
    do
        m_block_step = 1 + m_random.below(m_total_blocks);
    while (std::gcd(m_block_step, m_total_blocks) != 1);
    m_live_limit = std::max(1u, std::min(m_limits.live_blocks, m_limits.live_threads / n));
    if (m_launch.cooperative)
        m_live_limit = static_cast<unsigned int>(m_total_blocks);
    m_live = 0;
    m_free.clear();
    m_parked.clear();
    m_runnable.clear();
    for (auto& slot : m_slots) {
        slot->threads.clear();
        m_free.push_back(slot.get());
    }
    m_progress_seen = kf_rt_progress;
    m_idle_yields = 0;
    m_activation = 0;
    // Never grown inside a fibre: ThreadSanitizer would see the move of the elements as a race between fibres.
    m_idle.reserve(m_limits.live_threads);
    m_fibres.reserve(m_limits.live_threads);
    m_shared_owner = nullptr;
    m_shared = m_module != nullptr ? m_module->shared_memory() : MemoryRange{};
    if (m_module != nullptr && m_module->static_shared() && m_initial_shared.size() != m_shared.bytes) {
        m_initial_shared.resize(m_shared.bytes);
        raw_copy(m_initial_shared.data(), m_shared.begin, m_shared.bytes);
    }
    for (int i = 0; i < 3; ++i) {
        kf_rt_self.block_dim[i] = m_launch.block[static_cast<std::size_t>(i)];
        kf_rt_self.grid_dim[i] = m_launch.grid[static_cast<std::size_t>(i)];
    }
    kf_rt_ticks = 1 + static_cast<int>(m_random.below(16));
    if (g_hooks.current_fibre != nullptr && m_main_tsan == nullptr)
        m_main_tsan = g_hooks.current_fibre();
    return true;
}

Block* Scheduler::start_block() {
    if (m_free.empty()) {
        m_slots.push_back(std::make_unique<Block>());
        m_free.push_back(m_slots.back().get());
    }
    Block& block = *m_free.back();
    m_free.pop_back();
    const unsigned int n = m_block_threads;
    if (block.threads.size() != n) {
        block.threads.assign(n, Thread{});
        for (unsigned int i = 0; i < n; ++i) {
            Thread& thread = block.threads[i];
            thread.linear = i;
            thread.index = {i % m_launch.block[0], i / m_launch.block[0] % m_launch.block[1],
                            i / (m_launch.block[0] * m_launch.block[1])};
        }
        block.warps.assign((n + 31) / 32, Warp{});
        if (!block.dynamic_shared.reserve(m_launch.shared_bytes)) {
            m_failure = Failure{"launch", "no memory for dynamic shared memory", {}, {}, 0};
            return nullptr;
        }
    }
    for (Warp& warp : block.warps)
        warp.absent = warp.waiting = 0;
    if (n % 32 != 0)
        block.warps.back().absent = ~0u << (n % 32);
    block.ready.reset(n);
    block.yielded.reset(n);
    const std::uint64_t i = m_block_position;
    m_block_position = (m_block_position + m_block_step) % m_total_blocks;
    block.index = {static_cast<unsigned int>(i % m_launch.grid[0]),
                   static_cast<unsigned int>(i / m_launch.grid[0] % m_launch.grid[1]),
                   static_cast<unsigned int>(i / m_launch.grid[0] / m_launch.grid[1])};
    const std::uint64_t bits = m_random.next();
    block.order = m_orders.data() + std::size_t{n} * (bits % order_count);
    block.depth_first = (bits >> 8 & 1) != 0;
    block.started = 0;
    block.alive = n;
    block.arrived = block.barrier_count = 0;
    block.barrier_differs = false;
    block.active_waiting = block.grid_waiting = 0;
    block.has_saved = false;
    // A NaN in every floating-point format: all ones, or all ones without the sign.
    const std::uint16_t pattern = (bits >> 16 & 1) != 0 ? 0xffffu : 0x7fffu;
    if (m_launch.shared_bytes > 0) {
        raw_fill(block.dynamic_shared.data(), m_launch.shared_bytes, pattern);
        if (g_hooks.poison != nullptr) {
            const std::size_t rounded = (m_launch.shared_bytes + 127) & ~std::uint64_t{127};
            g_hooks.unpoison(block.dynamic_shared.data(), m_launch.shared_bytes);
            g_hooks.poison(block.dynamic_shared.data() + m_launch.shared_bytes, rounded - m_launch.shared_bytes);
        }
    }
    block.saved_shared.resize(m_shared.bytes);
    if (m_shared.bytes > 0) {
        if (m_module->static_shared())
            raw_copy(block.saved_shared.data(), m_initial_shared.data(), m_shared.bytes);
        else
            raw_fill(block.saved_shared.data(), m_shared.bytes, pattern);
        block.has_saved = true;
    }
    if (g_hooks.create_fibre != nullptr) {
        // Here, not when a thread starts: what creates a fibre is ordered before it, and threads must not be.
        block.tsan_fibres.resize(std::max<std::size_t>(block.tsan_fibres.size(), n));
        for (void*& fibre : block.tsan_fibres) {
            if (fibre == nullptr)
                fibre = g_hooks.create_fibre();
        }
    }
    ++m_started_blocks;
    ++m_live;
    return &block;
}

Block* Scheduler::next_block() {
    const bool can_start = m_started_blocks < m_total_blocks && m_live < m_live_limit;
    if (can_start && (m_runnable.empty() || (m_random.next() & 1) != 0))
        return start_block();
    if (!m_runnable.empty()) {
        Block* block = m_runnable.front();
        m_runnable.pop_front();
        return block;
    }
    return nullptr;
}

void Scheduler::activate(Block& block) {
    if (m_shared.bytes > 0 && m_shared_owner != &block) {
        if (m_shared_owner != nullptr) {
            raw_copy(m_shared_owner->saved_shared.data(), m_shared.begin, m_shared.bytes);
            m_shared_owner->has_saved = true;
        }
        raw_copy(m_shared.begin, block.saved_shared.data(), m_shared.bytes);
        m_shared_owner = &block;
    }
    block.sweep = block.activation_yields = 0;
    if (g_hooks.release != nullptr)
        g_hooks.release(&m_blocks_sync); // what the host has written, arguments for example
    for (std::size_t i = 0; i < 3; ++i)
        kf_rt_self.block_index[i] = block.index[i];
    m_block = &block;
    ++m_activation;
}

bool Scheduler::settle(Block& block) {
    m_current = nullptr;
    if (g_hooks.switch_fibre != nullptr) {
        g_hooks.switch_fibre(m_main_tsan);
        g_hooks.acquire(&block.out_sync);
        g_hooks.release(&m_blocks_sync);
    }
    if (m_failure)
        return false;
    if (block.alive == 0) {
        if (m_shared_owner == &block)
            m_shared_owner = nullptr;
        m_free.push_back(&block);
        --m_live;
        ++m_ended_blocks;
    } else if (!block.ready.empty() || !block.yielded.empty() || block.started < m_block_threads) {
        m_runnable.push_back(&block);
    } else if (block.grid_waiting == block.alive) {
        m_parked.push_back(&block);
    } else {
        const Thread* thread = first_waiting(block);
        m_failure = Failure{"barrier",
                            "the threads of a block wait for each other: " + describe_waiting(block),
                            block.index,
                            {},
                            waiting_line(block)};
        if (thread != nullptr)
            m_failure->thread = thread->index;
        return false;
    }
    return true;
}

void Scheduler::release_grid() {
    if (m_ended_blocks > 0) {
        Block& block = *m_parked.front();
        m_failure = Failure{"barrier",
                            std::to_string(m_parked.size()) + " blocks wait at grid.sync(), but " +
                                std::to_string(m_ended_blocks) + " blocks have ended without reaching it",
                            block.index,
                            {},
                            waiting_line(block)};
        return;
    }
    ++m_grid_phase;
    for (Block* block : m_parked) {
        block->grid_waiting = 0;
        for (unsigned int i = 0; i < m_block_threads; ++i) {
            Thread& thread = block->threads[block->order[i]];
            if (thread.wait == Wait::Grid)
                make_ready(*block, thread);
        }
        m_runnable.push_back(block);
    }
    m_parked.clear();
}

std::optional<Failure> Scheduler::launch(const Launch& launch) {
    if (std::optional<Failure> refused = check(launch))
        return refused;
    m_launch = launch;
    m_failure.reset();
    prepare();
    while (!m_failure) {
        Block* block = next_block();
        if (m_failure)
            break;
        if (block == nullptr) {
            if (m_parked.empty())
                break;
            release_grid();
            continue;
        }
        activate(*block);
        Fibre* to = choose(*block);
        if (to != nullptr && to != &m_main)
            jump(m_main, *to);
        settle(*block);
    }
    m_block = nullptr;
    if (m_failure)
        clean_up();
    return m_failure;
}

// After a failure: threads that have not ended are abandoned, their stacks used anew.
void Scheduler::clean_up() {
    m_current = nullptr;
    m_shared_owner = nullptr;
    m_idle.clear();
    for (Fibre* fibre : m_fibres) {
        if (g_hooks.unpoison != nullptr)
            g_hooks.unpoison(fibre->stack.low, static_cast<std::size_t>(fibre->stack.top - fibre->stack.low));
        fibre->fake_stack = nullptr;
        fibre->context = boost::context::detail::make_fcontext(
            fibre->stack.top, static_cast<std::size_t>(fibre->stack.top - fibre->stack.low), &Scheduler::fibre_entry);
        m_idle.push_back(fibre);
    }
    if (g_hooks.destroy_fibre != nullptr) {
        for (auto& slot : m_slots) {
            for (void*& handle : slot->tsan_fibres) {
                if (handle != nullptr)
                    g_hooks.destroy_fibre(handle);
                handle = nullptr;
            }
        }
    }
}

Position Scheduler::position() const {
    Position position;
    if (m_current != nullptr && m_block != nullptr)
        position = {true, m_block->index, m_current->index};
    return position;
}

void Scheduler::fail(std::string status, std::string message, int line) {
    m_failure = Failure{std::move(status), std::move(message), m_block->index, m_current->index, line};
    if (g_hooks.release != nullptr)
        g_hooks.release(&m_block->out_sync);
    jump(*m_current->fibre, m_main);
    __builtin_unreachable();
}

} // namespace kf::cpu
