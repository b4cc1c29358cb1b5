// SPDX-License-Identifier: GPL-3.0-or-later
// The functions that candidates call; declared for them in resources/simt/kf/simt/runtime.h.
#include "core/runners/cpu/runtime/exports.h"

#include "core/runners/cpu/runtime/scheduler.h"
#include "core/runners/cpu/runtime/self.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <unistd.h>

using kf::cpu::Scheduler;

KfSelf kf_rt_self;
int kf_rt_ticks = 1;
unsigned long long kf_rt_progress = 0;

namespace {

constexpr std::size_t print_limit = std::size_t{64} << 10; // bytes of device printf a process
std::size_t g_printed = 0;
Scheduler* g_scheduler = nullptr; // a plain pointer: instance() would check its guard on each call

void write_all(const char* text, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = write(STDERR_FILENO, text, bytes);
        if (written <= 0)
            return;
        text += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

// Handlers of -fsanitize=alignment; the layout is the one that g++ emits (libubsan's TypeMismatchData, version 1).
struct SourceLocation {
    const char* file;
    unsigned int line, column;
};
struct TypeDescriptor {
    unsigned short kind, info;
    char name[1];
};
struct TypeMismatch {
    SourceLocation location;
    const TypeDescriptor* type;
    unsigned char log_alignment, check_kind;
};

[[noreturn]] void misaligned(const volatile void* address, unsigned int alignment, const char* what, int line) {
    char text[256];
    std::snprintf(text, sizeof text, "%s at address 0x%llx, which is %llu bytes beyond a multiple of %u", what,
                  reinterpret_cast<unsigned long long>(address),
                  reinterpret_cast<unsigned long long>(address) % alignment, alignment);
    g_scheduler->fail("misaligned", text, line);
}

[[noreturn]] void type_mismatch(const TypeMismatch* data, const void* address) {
    static const char* const kinds[] = {"load of", "store to", "reference to", "member access in", "member call on"};
    char what[160];
    std::snprintf(what, sizeof what, "misaligned %s %.100s", kinds[data->check_kind < 5 ? data->check_kind : 0],
                  data->type->name);
    misaligned(address, 1u << (data->log_alignment & 15), what, static_cast<int>(data->location.line));
}

} // namespace

namespace kf::cpu {
void enable_exports() {
    g_scheduler = &Scheduler::instance();
}
} // namespace kf::cpu

extern "C" {

int kf_rt_barrier(int kind, int predicate, int line) {
    return g_scheduler->barrier(static_cast<kf::cpu::BarrierKind>(kind), predicate != 0, line);
}
unsigned long long kf_rt_warp(int op, unsigned int mask, unsigned long long value, unsigned int argument, int line) {
    return g_scheduler->warp(static_cast<kf::cpu::WarpOp>(op), mask, value, argument, line);
}
unsigned int kf_rt_active_mask(int line) {
    return g_scheduler->active_mask(line);
}
void kf_rt_grid_sync(int line) {
    g_scheduler->grid_sync(line);
}
void kf_rt_yield() {
    g_scheduler->yield();
}
void kf_rt_fence() {
    g_scheduler->fence();
}
void kf_rt_atomic(const volatile void* address, int changed) {
    kf_rt_progress += changed != 0 ? 1 : 0;
    g_scheduler->atomic(address);
    g_scheduler->yield();
}
void* kf_rt_dynamic_shared() {
    return g_scheduler->dynamic_shared();
}
unsigned int kf_rt_dynamic_shared_bytes() {
    return g_scheduler->dynamic_shared_bytes();
}

unsigned long long kf_rt_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull + static_cast<unsigned long long>(now.tv_nsec);
}

__attribute__((format(printf, 1, 2))) int kf_rt_printf(const char* format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return length;
    const std::size_t bytes = std::min(static_cast<std::size_t>(length), sizeof text - 1);
    if (g_printed >= print_limit)
        return length;
    write_all(text, bytes);
    g_printed += bytes;
    if (g_printed >= print_limit) {
        static const char note[] = "\nprintf: more than 64 KiB of output; the rest is dropped\n";
        write_all(note, sizeof note - 1);
    }
    return length;
}

void kf_rt_trap(int line) {
    g_scheduler->fail("trap", "__trap() was reached", line);
}

void kf_rt_assert_failed(const char* expression, const char*, int line, const char* function) {
    char text[512];
    std::snprintf(text, sizeof text, "assertion `%.300s` failed in %.100s", expression, function);
    g_scheduler->fail("assert", text, line);
}

void kf_rt_misaligned(const volatile void* address, unsigned int alignment, const char* what, int line) {
    misaligned(address, alignment, what, line);
}

void __ubsan_handle_type_mismatch_v1_abort(void* data, void* address) {
    type_mismatch(static_cast<const TypeMismatch*>(data), address);
}
void __ubsan_handle_type_mismatch_v1(void* data, void* address) {
    type_mismatch(static_cast<const TypeMismatch*>(data), address);
}
}
