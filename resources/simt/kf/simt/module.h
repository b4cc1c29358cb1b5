// SPDX-License-Identifier: GPL-3.0-or-later
// The stub at the end of a candidate's translation unit: a constant table of kernels (kf_module, see abi.h) and a
// function that gives each kernel's mangled type. Nothing here needs a constructor.
#pragma once

#include "kf/abi.h"

#include <typeinfo>

namespace kf_simt {
struct Entry {
    KfKernel kernel;
    const char* (*signature)();
};

template<class F> struct Callable;
template<class... P> struct Callable<void (*)(P...)> {
    static constexpr unsigned int count = sizeof...(P);
    template<auto Function> static void invoke(void** args) { unpack<Function>(args, indices_for<P...>()); }
    static const char* signature() { return typeid(void(P...)).name(); }

private:
    template<unsigned int... I> struct Indices {};
    template<unsigned int N, unsigned int... I> struct Make : Make<N - 1, N - 1, I...> {};
    template<unsigned int... I> struct Make<0, I...> { using Type = Indices<I...>; };
    template<class... Q> static typename Make<sizeof...(Q)>::Type indices_for() { return {}; }
    template<auto Function, unsigned int... I> static void unpack(void** args, Indices<I...>) {
        (void)args;
        Function(*static_cast<P*>(args[I])...);
    }
};

template<auto Function> constexpr Entry entry(const char* expression) {
    using C = Callable<decltype(Function)>;
    return Entry{{expression, nullptr, &C::template invoke<Function>, C::count}, &C::signature};
}

template<unsigned int N> struct Table { KfKernel kernels[N]; };
template<unsigned int N> constexpr Table<N> table(const Entry (&entries)[N]) {
    Table<N> result{};
    for (unsigned int i = 0; i < N; ++i)
        result.kernels[i] = entries[i].kernel;
    return result;
}
} // namespace kf_simt

#define KF_SIMT_MODULE_BEGIN                                                                                           \
    namespace {                                                                                                        \
    constexpr ::kf_simt::Entry kf_simt_entries[] = {
#define KF_SIMT_KERNEL(...) ::kf_simt::entry<(__VA_ARGS__)>(#__VA_ARGS__),
// The last, empty entry keeps the array from being empty; it is not counted.
#define KF_SIMT_MODULE_END                                                                                             \
    ::kf_simt::Entry {}                                                                                                \
    }                                                                                                                  \
    ;                                                                                                                  \
    constexpr auto kf_simt_table = ::kf_simt::table(kf_simt_entries);                                                  \
    }                                                                                                                  \
    extern "C" __attribute__((visibility("default"))) const KfModule kf_module = {                                     \
        KF_CPU_ABI_VERSION, sizeof(kf_simt_entries) / sizeof(kf_simt_entries[0]) - 1, kf_simt_table.kernels};          \
    extern "C" __attribute__((visibility("default"))) const char* kf_module_signature(unsigned int index) {            \
        return index < kf_module.kernel_count ? kf_simt_entries[index].signature() : nullptr;                          \
    }
