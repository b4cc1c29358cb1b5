// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/cuda_memory.h"

#include "core/process/process_tree.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

namespace kf {
namespace {

std::uint64_t anonymous_bytes(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("RssAnon:", 0) == 0)
            return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
    return 0;
}

} // namespace

std::uint64_t anonymous_bytes_of_tree(pid_t root) {
    std::uint64_t sum = 0;
    for (const pid_t pid : process_tree(root))
        sum += anonymous_bytes(pid);
    return sum;
}

MemoryWatch::MemoryWatch(pid_t root, std::uint64_t limit) : m_root(root), m_limit(limit) {
    if (m_limit > 0 && m_root > 0)
        m_thread = std::thread([this] { watch(); });
}

MemoryWatch::~MemoryWatch() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

void MemoryWatch::watch() {
    std::unique_lock lock(m_mutex);
    while (!m_ending) {
        const std::uint64_t bytes = anonymous_bytes_of_tree(m_root);
        m_peak = std::max<std::uint64_t>(m_peak, bytes);
        if (bytes > m_limit) {
            m_exceeded = true; // before the kill, so that who sees it gone knows why
            for (const pid_t pid : process_tree(m_root))
                ::kill(pid, SIGKILL);
            return;
        }
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
    }
}

std::uint64_t runner_memory_limit() {
    if (const char* text = std::getenv("KERNELFORGE_RUNNER_MEMORY_MIB"); text && *text) {
        std::uint64_t mib = 0;
        const auto [end, error] = std::from_chars(text, text + std::strlen(text), mib);
        if (error == std::errc() && *end == '\0' && mib > 0 && mib < (std::uint64_t{1} << 40))
            return mib << 20;
    }
    const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
    const auto half = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
    return std::min(std::uint64_t{8} << 30, std::max(half, std::uint64_t{1} << 30));
}

} // namespace kf
