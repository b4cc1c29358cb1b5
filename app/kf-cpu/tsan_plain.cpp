// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates that use `volatile` are compiled with -fsanitize=thread for the plain program too: the instrumentation's
// calls end here, where a volatile load is a yield point and everything else does just what it says.
#include "core/runners/cpu/runtime/scheduler.h"

#include <cstdint>

#define KF_EXPORT __attribute__((visibility("default")))

extern "C" {

KF_EXPORT void __tsan_init() {}
KF_EXPORT void __tsan_func_entry(void*) {}
KF_EXPORT void __tsan_func_exit() {}
KF_EXPORT void __tsan_read_range(void*, unsigned long) {}
KF_EXPORT void __tsan_write_range(void*, unsigned long) {}
KF_EXPORT void __tsan_vptr_update(void**, void*) {}
KF_EXPORT void __tsan_vptr_read(void**) {}

#define KF_ACCESS(BYTES)                                                                                               \
    KF_EXPORT void __tsan_read##BYTES(void*) {}                                                                        \
    KF_EXPORT void __tsan_write##BYTES(void*) {}                                                                       \
    KF_EXPORT void __tsan_unaligned_read##BYTES(void*) {}                                                              \
    KF_EXPORT void __tsan_unaligned_write##BYTES(void*) {}                                                             \
    KF_EXPORT void __tsan_volatile_read##BYTES(void*) {                                                                \
        kf::cpu::Scheduler::instance().yield();                                                                        \
    }                                                                                                                  \
    KF_EXPORT void __tsan_volatile_write##BYTES(void*) {                                                               \
        ++kf_rt_progress;                                                                                              \
    }                                                                                                                  \
    KF_EXPORT void __tsan_unaligned_volatile_read##BYTES(void*) {                                                      \
        kf::cpu::Scheduler::instance().yield();                                                                        \
    }                                                                                                                  \
    KF_EXPORT void __tsan_unaligned_volatile_write##BYTES(void*) {                                                     \
        ++kf_rt_progress;                                                                                              \
    }
KF_ACCESS(1)
KF_ACCESS(2)
KF_ACCESS(4)
KF_ACCESS(8)
KF_ACCESS(16)

#define KF_FETCH(BITS, T, NAME, EXPRESSION)                                                                            \
    KF_EXPORT T __tsan_atomic##BITS##_##NAME(volatile T* address, T v, int) {                                          \
        const T old = *address;                                                                                        \
        *address = static_cast<T>(EXPRESSION);                                                                         \
        return old;                                                                                                    \
    }
#define KF_ATOMIC(BITS, T)                                                                                             \
    KF_EXPORT T __tsan_atomic##BITS##_load(const volatile T* address, int) {                                           \
        return *address;                                                                                               \
    }                                                                                                                  \
    KF_EXPORT void __tsan_atomic##BITS##_store(volatile T* address, T v, int) {                                        \
        *address = v;                                                                                                  \
    }                                                                                                                  \
    KF_FETCH(BITS, T, exchange, v)                                                                                     \
    KF_FETCH(BITS, T, fetch_add, old + v)                                                                              \
    KF_FETCH(BITS, T, fetch_sub, old - v)                                                                              \
    KF_FETCH(BITS, T, fetch_and, old& v)                                                                               \
    KF_FETCH(BITS, T, fetch_or, old | v)                                                                               \
    KF_FETCH(BITS, T, fetch_xor, old ^ v)                                                                              \
    KF_FETCH(BITS, T, fetch_nand, ~(old & v))                                                                          \
    KF_EXPORT int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* address, T* expected, T v, int, int) {     \
        if (*address == *expected) {                                                                                   \
            *address = v;                                                                                              \
            return 1;                                                                                                  \
        }                                                                                                              \
        *expected = *address;                                                                                          \
        return 0;                                                                                                      \
    }                                                                                                                  \
    KF_EXPORT int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* address, T* expected, T v, int a, int b) {   \
        return __tsan_atomic##BITS##_compare_exchange_strong(address, expected, v, a, b);                              \
    }                                                                                                                  \
    KF_EXPORT T __tsan_atomic##BITS##_compare_exchange_val(volatile T* address, T expected, T v, int a, int b) {       \
        __tsan_atomic##BITS##_compare_exchange_strong(address, &expected, v, a, b);                                    \
        return expected;                                                                                               \
    }
KF_ATOMIC(8, std::uint8_t)
KF_ATOMIC(16, std::uint16_t)
KF_ATOMIC(32, std::uint32_t)
KF_ATOMIC(64, std::uint64_t)
KF_EXPORT void __tsan_atomic_thread_fence(int) {
    kf::cpu::Scheduler::instance().fence();
}
KF_EXPORT void __tsan_atomic_signal_fence(int) {}
}
