// SPDX-License-Identifier: GPL-3.0-or-later
// What the sanitizer variants of kf-cpu add to the scheduler. The runtime itself is never instrumented: it tells the
// sanitizer about fibres and synchronisation through these pointers. All null in the plain program.
#pragma once

#include <cstddef>

namespace kf::cpu {

struct Hooks {
    // AddressSanitizer: told before and after each switch of stacks (__sanitizer_*_switch_fiber).
    void (*start_switch)(void** fake_stack, const void* bottom, std::size_t size) = nullptr;
    void (*finish_switch)(void* fake_stack, const void** bottom, std::size_t* size) = nullptr;
    void (*poison)(const void* address, std::size_t bytes) = nullptr;
    void (*unpoison)(const void* address, std::size_t bytes) = nullptr;
    // ThreadSanitizer: one fibre a CUDA thread, happens-before edges through addresses.
    void* (*create_fibre)() = nullptr;
    void (*destroy_fibre)(void* fibre) = nullptr;
    void* (*current_fibre)() = nullptr;
    void (*switch_fibre)(void* fibre) = nullptr; // without synchronisation
    void (*acquire)(void* address) = nullptr;
    void (*release)(void* address) = nullptr;
};

// Set once, before the first launch.
inline Hooks g_hooks;
inline void set_hooks(const Hooks& hooks) {
    g_hooks = hooks;
}
inline const Hooks& hooks() {
    return g_hooks;
}

} // namespace kf::cpu
