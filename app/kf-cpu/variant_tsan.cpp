// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/variant.h"
#include "core/runners/cpu/runtime/hooks.h"
#include "core/runners/cpu/runtime/scheduler.h"

#include <atomic>
#include <sanitizer/tsan_interface.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>

extern "C" void __tsan_init();

namespace {

std::atomic<unsigned int> g_reports{0};

// The sanitizer's fixed memory layout does not fit an address space randomised over more than 28 bits, and it gives up
// in its first function. So randomisation is switched off and the program started anew before that function runs: the
// entries of .preinit_array come before the constructors of all libraries.
void start(int, char** argv, char** environment) {
    const int persona = personality(0xffffffff);
    if (persona != -1 && (persona & ADDR_NO_RANDOMIZE) == 0 &&
        personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) != -1) {
        execve("/proc/self/exe", argv, environment);
        execve(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), argv, environment);
        // Neither could be started: go on and let the sanitizer decide.
    }
    __tsan_init();
}

} // namespace

extern "C" __attribute__((section(".preinit_array"), used)) void (*const kf_tsan_start)(int, char**, char**) = start;

namespace kf::cpu {

Variant variant() {
    return Variant::Tsan;
}
const char* variant_name() {
    return "tsan";
}

void install_hooks() {
    Hooks hooks;
    hooks.create_fibre = [] { return __tsan_create_fiber(0); };
    hooks.destroy_fibre = &__tsan_destroy_fiber;
    hooks.current_fibre = &__tsan_get_current_fiber;
    hooks.switch_fibre = [](void* fibre) { __tsan_switch_to_fiber(fibre, __tsan_switch_to_fiber_no_sync); };
    hooks.acquire = &__tsan_acquire;
    hooks.release = &__tsan_release;
    set_hooks(hooks);
    // Each fibre costs the sanitizer about a millisecond and a megabyte.
    Scheduler::instance().limits().live_threads = 2048;
}

bool poison_arena(const void*, std::size_t) {
    return false;
}
void unpoison_arena(const void*, std::size_t) {}
unsigned int sanitizer_reports() {
    return g_reports;
}

} // namespace kf::cpu

extern "C" {

__attribute__((visibility("default"))) const char* __tsan_default_options() {
    return "exitcode=0:report_signal_unsafe=0:report_thread_leaks=0:report_atomic_races=1:history_size=0";
}
__attribute__((visibility("default"))) void __tsan_on_report(void*) {
    ++g_reports;
}

// Volatile accesses (tsan-distinguish-volatile) are how CUDA code without atomics talks between threads: yield points,
// ordered together with fences, and never races themselves.
#define KF_VOLATILE(BYTES)                                                                                             \
    __attribute__((visibility("default"))) void __tsan_volatile_read##BYTES(void* address) {                           \
        kf::cpu::Scheduler::instance().yield();                                                                        \
        kf::cpu::Scheduler::instance().atomic(address);                                                                \
    }                                                                                                                  \
    __attribute__((visibility("default"))) void __tsan_volatile_write##BYTES(void* address) {                          \
        ++kf_rt_progress;                                                                                              \
        kf::cpu::Scheduler::instance().atomic(address);                                                                \
    }                                                                                                                  \
    __attribute__((visibility("default"))) void __tsan_unaligned_volatile_read##BYTES(void* address) {                 \
        __tsan_volatile_read##BYTES(address);                                                                          \
    }                                                                                                                  \
    __attribute__((visibility("default"))) void __tsan_unaligned_volatile_write##BYTES(void* address) {                \
        __tsan_volatile_write##BYTES(address);                                                                         \
    }
KF_VOLATILE(1)
KF_VOLATILE(2)
KF_VOLATILE(4)
KF_VOLATILE(8)
KF_VOLATILE(16)
}
