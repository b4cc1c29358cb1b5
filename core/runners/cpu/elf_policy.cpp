// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/elf_inspect.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace kf {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

template<std::size_t N> bool holds(const std::array<std::string_view, N>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// Functions of libm, without the suffix of float (f), long double (l).
bool is_math(std::string_view name) {
    static constexpr auto list = std::to_array<std::string_view>(
        {"acos",      "acosh",  "asin",      "asinh",  "atan",  "atan2",  "atanh",     "cbrt",    "ceil",
         "copysign",  "cos",    "cosh",      "erf",    "erfc",  "exp",    "exp10",     "exp2",    "expm1",
         "fabs",      "fdim",   "floor",     "fma",    "fmax",  "fmin",   "fmod",      "frexp",   "hypot",
         "ilogb",     "j0",     "j1",        "jn",     "ldexp", "lgamma", "llrint",    "llround", "log",
         "log10",     "log1p",  "log2",      "logb",   "lrint", "lround", "modf",      "nan",     "nearbyint",
         "nextafter", "pow",    "remainder", "remquo", "rint",  "round",  "roundeven", "scalbln", "scalbn",
         "sin",       "sincos", "sinh",      "sqrt",   "tan",   "tanh",   "tgamma",    "trunc",   "y0",
         "y1",        "yn"});
    if (starts_with(name, "__") && name.size() > 9 && name.substr(name.size() - 7) == "_finite")
        name = name.substr(2, name.size() - 9);
    if (holds(list, name))
        return true;
    return !name.empty() && (name.back() == 'f' || name.back() == 'l') && holds(list, name.substr(0, name.size() - 1));
}

bool is_plain_runtime(std::string_view name) {
    static constexpr auto list = std::to_array<std::string_view>(
        {"memcpy", "memset", "memmove", "memcmp", "strlen", // loops that the compiler recognises
         "__memcpy_chk", "__memset_chk", "__memmove_chk", "__tls_get_addr", "__cxa_finalize", "__gmon_start__",
         "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "strcmp", "__gxx_personality_v0",
         "kf_simt_thread"});
    if (holds(list, name) || starts_with(name, "kf_rt_"))
        return true;
    // Type information of the ABI: the vtables of type_info and the type_info of fundamental types.
    if (starts_with(name, "_ZTVN10__cxxabiv1"))
        return true;
    if (starts_with(name, "_ZTI") && name.size() <= 7)
        return true;
    return starts_with(name, "__ubsan_handle_");
}

Error refuse(const char* code, std::string message, std::string remedy) {
    return make_error(code, std::move(message), std::move(remedy));
}

} // namespace

const char* to_string(CpuMode mode) {
    switch (mode) {
    case CpuMode::plain:
        return "plain";
    case CpuMode::asan:
        return "asan";
    case CpuMode::tsan:
        return "tsan";
    }
    return "plain";
}

std::string demangle(const std::string& name) {
    int status = 0;
    // A crafted name could make the demangler work for very long.
    if (name.size() > 4096 || name.substr(0, 2) != "_Z")
        return name;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 && text ? std::string(text.get()) : name;
}

bool is_allowed_import(std::string_view name, CpuMode mode, bool volatile_yields) {
    if (is_plain_runtime(name) || is_math(name))
        return true;
    if (mode == CpuMode::asan)
        return starts_with(name, "__asan_") || starts_with(name, "__sanitizer_");
    return (mode == CpuMode::tsan || volatile_yields) && starts_with(name, "__tsan_");
}

Status inspect_candidate(const ElfFacts& facts, CpuMode mode, bool volatile_yields) {
    static constexpr auto libraries = std::to_array<std::string_view>(
        {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"});
    for (const std::string& name : facts.imports)
        if (name == "__cxa_guard_acquire" || name == "__cxa_atexit" || name == "__cxa_thread_atexit")
            return refuse("refused-state", "a static variable is initialised at run time (" + name + ")",
                          "make it constexpr, or use a scratch buffer of the plan");
    for (const std::string& name : facts.imports)
        if (!is_allowed_import(name, mode, volatile_yields))
            return refuse("refused-import", "the compiled code calls '" + demangle(name) + "', which kernels may not",
                          "remove the call; kernels compute on their buffers and call nothing of the system");
    for (const std::string& library : facts.needed)
        if (!holds(libraries, library))
            return refuse("refused-import", "the compiled code needs the library '" + library + "'",
                          "only the C and C++ run-time libraries are accepted");
    // Each sanitizer registers itself with one function.
    const std::uint64_t registrations = mode != CpuMode::plain || volatile_yields ? 1 : 0;
    if (facts.init_functions > registrations || facts.has_preinit || (facts.has_fini && registrations == 0))
        return refuse("refused-constructor", "the compiled code would run something when it is loaded or unloaded",
                      "remove constructors, destructors and variables that need code to initialise them");
    if (facts.has_ifunc)
        return refuse("refused-constructor", "the compiled code chooses functions at load time (ifunc)",
                      "remove target_clones and ifunc attributes");
    if (facts.executable_stack || facts.text_relocations || facts.writable_and_executable)
        return refuse("refused-object", "the compiled code asks for memory that is writable and executable",
                      "remove what makes code at run time, such as addresses of nested functions");
    if (!facts.interpreter.empty())
        return refuse("refused-object", "the compiled object is a program", "compile a shared object");
    if (mode == CpuMode::asan) // shared memory is static there, and the sanitizer keeps its own records
        return {};
    // Alignment checks keep their texts in writable data. Names in .L are the compiler's: C++ cannot make them.
    for (const ElfSymbol& symbol : facts.writable)
        if (!starts_with(symbol.name, ".Lubsan_"))
            return refuse("refused-state", "the variable '" + demangle(symbol.name) + "' keeps state between launches",
                          "make it const or constexpr, or use a scratch buffer of the plan");
    if (facts.unnamed_writable_bytes > 0)
        return refuse("refused-state",
                      "the compiled code has " + std::to_string(facts.unnamed_writable_bytes) +
                          " bytes of writable data without a name",
                      "remove variables that are not const");
    return {};
}

} // namespace kf
