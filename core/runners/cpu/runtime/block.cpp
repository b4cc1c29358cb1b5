// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/runtime/block.h"

#include <cstdio>
#include <map>
#include <sys/mman.h>

namespace kf::cpu {

DynamicShared::~DynamicShared() {
    if (m_mapping != nullptr)
        munmap(m_mapping, m_mapped);
}

bool DynamicShared::reserve(std::uint64_t bytes) {
    constexpr std::size_t page = 4096;
    // 128 bytes is what GPU code may rely on; the slack below it is not checked in the plain program.
    const std::size_t rounded = (static_cast<std::size_t>(bytes) + 127) & ~std::size_t{127};
    const std::size_t pages = (rounded + page - 1) & ~(page - 1);
    if (m_mapping == nullptr || m_mapped < pages + page) {
        if (m_mapping != nullptr)
            munmap(m_mapping, m_mapped);
        m_mapping = nullptr;
        void* memory = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        m_mapping = static_cast<char*>(memory);
        m_mapped = pages + page;
        if (mprotect(m_mapping + pages, page, PROT_NONE) != 0)
            return false;
    }
    m_data = m_mapping + (m_mapped - page) - rounded;
    return true;
}

namespace {

const char* warp_name(WarpOp op) {
    switch (op) {
    case WarpOp::Sync:
        return "__syncwarp()";
    case WarpOp::Exchange:
        return "a warp shuffle";
    case WarpOp::Ballot:
        return "a warp vote";
    case WarpOp::MatchAny:
    case WarpOp::MatchAll:
        return "a warp match";
    default:
        return "a warp reduction";
    }
}

std::string place_of(const Thread& thread) {
    char text[96];
    switch (thread.wait) {
    case Wait::Barrier:
        std::snprintf(text, sizeof text, "wait at __syncthreads() in line %d", thread.line);
        return text;
    case Wait::Warp:
        std::snprintf(text, sizeof text, "wait at %s with mask 0x%08x in line %d", warp_name(thread.op), thread.mask,
                      thread.line);
        return text;
    case Wait::ActiveMask:
        std::snprintf(text, sizeof text, "wait at __activemask() in line %d", thread.line);
        return text;
    case Wait::Grid:
        std::snprintf(text, sizeof text, "wait at grid.sync() in line %d", thread.line);
        return text;
    case Wait::Yield:
        return "poll memory";
    case Wait::Exited:
        return "have exited";
    case Wait::Nothing:
        break;
    }
    return "run";
}

bool waits(const Thread& thread) {
    return thread.wait != Wait::Nothing && thread.wait != Wait::Exited;
}

} // namespace

std::string describe_waiting(const Block& block) {
    struct Group {
        unsigned int count = 0;
        Index3 first{};
    };
    std::map<std::string, Group> groups;
    for (const Thread& thread : block.threads) {
        Group& group = groups[place_of(thread)];
        if (group.count++ == 0)
            group.first = thread.index;
    }
    std::string text;
    std::size_t shown = 0;
    for (const auto& [place, group] : groups) {
        if (++shown > 6) {
            text += "; and " + std::to_string(groups.size() - 6) + " other groups";
            break;
        }
        if (!text.empty())
            text += "; ";
        text += std::to_string(group.count) + (group.count == 1 ? " thread" : " threads") +
                " (first: " + std::to_string(group.first[0]) + "," + std::to_string(group.first[1]) + "," +
                std::to_string(group.first[2]) + ") " + place;
    }
    return text;
}

const Thread* first_waiting(const Block& block) {
    for (const Thread& thread : block.threads) {
        if (waits(thread))
            return &thread;
    }
    return nullptr;
}

int waiting_line(const Block& block) {
    for (const Thread& thread : block.threads) {
        if (waits(thread) && thread.wait != Wait::Yield)
            return thread.line;
    }
    return 0;
}

} // namespace kf::cpu
