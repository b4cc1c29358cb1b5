// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks for fibres: mapped in chunks, one guard page below each, so that an overflow is a fault at an address that
// can be named instead of silent damage.
#pragma once

#include <cstddef>
#include <vector>

namespace kf::cpu {

class StackPool {
public:
    static constexpr std::size_t guard_bytes = 4096;

    explicit StackPool(std::size_t slot_bytes = std::size_t{128} << 10) : m_slot_bytes(slot_bytes) {}
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    struct Stack {
        char* low = nullptr; // first usable byte, above the guard page
        char* top =
            nullptr; // first byte beyond; staggered, so that the stacks' hot lines fall into different cache sets
    };
    // A stack that lives as long as the pool. low is null when the system has no more memory.
    Stack create();

    // True when the address lies in the guard page of one of the stacks. Async-signal-safe.
    bool is_guard(const void* address) const;

private:
    static constexpr std::size_t chunk_slots = 64;
    std::size_t m_slot_bytes;
    std::size_t m_used = 0;
    std::vector<char*> m_chunks;
};

} // namespace kf::cpu
