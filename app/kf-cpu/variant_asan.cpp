// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/crash.h"
#include "app/kf-cpu/variant.h"
#include "core/runners/cpu/runtime/hooks.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace kf::cpu {

Variant variant() {
    return Variant::Asan;
}
const char* variant_name() {
    return "asan";
}

void install_hooks() {
    Hooks hooks;
    hooks.start_switch = &__sanitizer_start_switch_fiber;
    hooks.finish_switch = &__sanitizer_finish_switch_fiber;
    hooks.poison = [](const void* address, std::size_t bytes) { __asan_poison_memory_region(address, bytes); };
    hooks.unpoison = [](const void* address, std::size_t bytes) { __asan_unpoison_memory_region(address, bytes); };
    set_hooks(hooks);
    __sanitizer_set_death_callback(&report_sanitizer_death);
}

bool poison_arena(const void* address, std::size_t bytes) {
    __asan_poison_memory_region(address, bytes);
    return true;
}
void unpoison_arena(const void* address, std::size_t bytes) {
    __asan_unpoison_memory_region(address, bytes);
}
unsigned int sanitizer_reports() {
    return 0;
} // the first report ends the process

} // namespace kf::cpu

// Defaults that ASAN_OPTIONS may change: no leak search (it would need ptrace), no handler of its own for the signals
// that crash.cpp names.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
    return "detect_leaks=0:abort_on_error=0:exitcode=103:allocator_may_return_null=1:allow_user_segv_handler=1:"
           "detect_stack_use_after_return=0";
}
