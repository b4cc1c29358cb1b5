// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/runtime/stack_pool.h"

#include <sys/mman.h>

namespace kf::cpu {

StackPool::~StackPool() {
    for (char* chunk : m_chunks)
        munmap(chunk, m_slot_bytes * chunk_slots);
}

StackPool::Stack StackPool::create() {
    if (m_used == m_chunks.size() * chunk_slots) {
        void* memory = mmap(nullptr, m_slot_bytes * chunk_slots, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return {};
        for (std::size_t i = 0; i < chunk_slots; ++i) {
            if (mprotect(static_cast<char*>(memory) + i * m_slot_bytes, guard_bytes, PROT_NONE) != 0) {
                munmap(memory, m_slot_bytes * chunk_slots);
                return {};
            }
        }
        m_chunks.push_back(static_cast<char*>(memory));
    }
    const std::size_t index = m_used++;
    char* slot = m_chunks[index / chunk_slots] + (index % chunk_slots) * m_slot_bytes;
    // 448 bytes = 7 cache lines, coprime with the 64 sets of a first-level cache.
    const std::size_t stagger = (index * 448) % 4096;
    return {slot + guard_bytes, slot + m_slot_bytes - stagger};
}

bool StackPool::is_guard(const void* address) const {
    const char* p = static_cast<const char*>(address);
    for (const char* chunk : m_chunks) {
        if (p >= chunk && p < chunk + m_slot_bytes * chunk_slots)
            return static_cast<std::size_t>(p - chunk) % m_slot_bytes < guard_bytes;
    }
    return false;
}

} // namespace kf::cpu
