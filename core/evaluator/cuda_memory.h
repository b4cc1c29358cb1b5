// SPDX-License-Identifier: GPL-3.0-or-later
// Watches the host memory of a running helper and kills it beyond a limit. What counts is what it allocated itself
// (anonymous pages): RLIMIT_AS cannot be used, since CUDA maps the device's memory, and a golden that it maps is
// somebody else's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace kf {

// Anonymous bytes of a process and everything that it started; 0 when it is gone.
std::uint64_t anonymous_bytes_of_tree(pid_t root);

class MemoryWatch {
public:
    // Looks every 50 ms, from its own thread. 0 bytes: no limit, and nothing is watched.
    MemoryWatch(pid_t root, std::uint64_t limit);
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;

    bool exceeded() const { return m_exceeded; }
    std::uint64_t limit() const { return m_limit; }
    std::uint64_t peak() const { return m_peak; }

private:
    void watch();

    const pid_t m_root;
    const std::uint64_t m_limit;
    std::atomic<bool> m_exceeded = false;
    std::atomic<std::uint64_t> m_peak = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_ending = false;
    std::thread m_thread;
};

// KERNELFORGE_RUNNER_MEMORY_MIB, else 8 GiB or half of the machine's memory, whichever is less.
std::uint64_t runner_memory_limit();

} // namespace kf
