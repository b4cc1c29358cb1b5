// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/screen_words.h"

#include <algorithm>
#include <array>
#include <string>

namespace kf::screen_words {
namespace {

template<std::size_t N> bool holds(const std::array<std::string_view, N>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

// __aligned__ and aligned are the same attribute.
std::string_view without_underscores(std::string_view word) {
    if (word.size() > 4 && starts_with(word, "__") && word.substr(word.size() - 2) == "__")
        return word.substr(2, word.size() - 4);
    return word;
}

} // namespace

bool is_assembler(std::string_view word) {
    return word == "asm" || word == "__asm" || word == "__asm__";
}

bool is_allowed_attribute(std::string_view word) {
    static constexpr auto list = std::to_array<std::string_view>({"aligned",
                                                                  "packed",
                                                                  "always_inline",
                                                                  "noinline",
                                                                  "unused",
                                                                  "maybe_unused",
                                                                  "nodiscard",
                                                                  "deprecated",
                                                                  "fallthrough",
                                                                  "likely",
                                                                  "unlikely",
                                                                  "noreturn",
                                                                  "may_alias",
                                                                  "vector_size",
                                                                  "const",
                                                                  "pure",
                                                                  "hot",
                                                                  "cold",
                                                                  "flatten",
                                                                  "gnu",
                                                                  "no_unique_address",
                                                                  "device",
                                                                  "global",
                                                                  "host",
                                                                  "shared",
                                                                  "constant",
                                                                  "launch_bounds",
                                                                  "artificial",
                                                                  "gnu_inline",
                                                                  "nothrow",
                                                                  "leaf",
                                                                  "warn_unused_result",
                                                                  "assume_aligned",
                                                                  "optimize",
                                                                  "unroll",
                                                                  "nv_pure",
                                                                  "sizeof",
                                                                  "alignof",
                                                                  "char",
                                                                  "int",
                                                                  "float",
                                                                  "double",
                                                                  "short",
                                                                  "long",
                                                                  "unsigned",
                                                                  "void",
                                                                  "mode"});
    return holds(list, without_underscores(word));
}

bool is_dangerous_attribute(std::string_view word) {
    static constexpr auto list =
        std::to_array<std::string_view>({"constructor", "destructor", "ifunc", "alias", "weak", "weakref", "section",
                                         "init_priority", "cleanup", "naked", "symver", "target_clones", "no_sanitize",
                                         "no_sanitize_address", "no_sanitize_thread", "no_instrument_function"});
    return holds(list, without_underscores(word));
}

bool is_allowed_builtin(std::string_view word) {
    static constexpr auto list = std::to_array<std::string_view>({"__builtin_expect",
                                                                  "__builtin_assume",
                                                                  "__builtin_assume_aligned",
                                                                  "__builtin_unreachable",
                                                                  "__builtin_prefetch",
                                                                  "__builtin_constant_p",
                                                                  "__builtin_is_constant_evaluated",
                                                                  "__builtin_bit_cast",
                                                                  "__builtin_offsetof",
                                                                  "__builtin_choose_expr",
                                                                  "__builtin_types_compatible_p",
                                                                  "__builtin_memcpy",
                                                                  "__builtin_memset",
                                                                  "__builtin_memmove",
                                                                  "__builtin_trap",
                                                                  "__builtin_nan",
                                                                  "__builtin_nanf",
                                                                  "__builtin_inf",
                                                                  "__builtin_inff",
                                                                  "__builtin_huge_val",
                                                                  "__builtin_huge_valf"});
    if (holds(list, word))
        return true;
    // Families with suffixes for the operand's type.
    static constexpr auto families = std::to_array<std::string_view>(
        {"popcount", "clz",   "ctz",      "ffs",     "parity",       "bswap16",      "bswap32",     "bswap64",
         "clrsb",    "fabs",  "sqrt",     "fma",     "fmax",         "fmin",         "exp",         "exp2",
         "log",      "log2",  "floor",    "ceil",    "trunc",        "rint",         "round",       "copysign",
         "isnan",    "isinf", "isfinite", "signbit", "add_overflow", "sub_overflow", "mul_overflow"});
    static constexpr auto suffixes = std::to_array<std::string_view>({"", "f", "l", "ll"});
    if (!starts_with(word, "__builtin_"))
        return false;
    const std::string_view rest = word.substr(10);
    return std::any_of(families.begin(), families.end(), [&](std::string_view family) {
        return starts_with(rest, family) && holds(suffixes, rest.substr(family.size()));
    });
}

bool is_host_function(std::string_view word) {
    static constexpr auto list = std::to_array<std::string_view>(
        {"syscall",        "system",   "popen",  "fork",      "vfork",  "execl", "execlp",
         "execv",          "execve",   "execvp", "execveat",  "dlopen", "dlsym", "dlmopen",
         "pthread_create", "mprotect", "ptrace", "sigaction", "atexit", "getenv"});
    return holds(list, word);
}

bool is_allowed_directive(std::string_view word) {
    static constexpr auto list =
        std::to_array<std::string_view>({"include", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef",
                                         "elifndef", "else", "endif", "error", "warning", "pragma"});
    return holds(list, word);
}

bool is_allowed_pragma(std::string_view word) {
    static constexpr auto list = std::to_array<std::string_view>({"unroll", "nounroll", "kf", "once", "pack"});
    return holds(list, word) || starts_with(word, "nv_");
}

std::string_view gpu_feature(std::string_view word) {
    if (word == "wmma" || word == "nvcuda" || starts_with(word, "__wmma") || starts_with(word, "__mma") ||
        starts_with(word, "mma_sync") || starts_with(word, "__hmma") || starts_with(word, "__imma"))
        return "tensor cores (wmma)";
    if (starts_with(word, "wgmma") || starts_with(word, "__wgmma") || word == "warpgroup_arrive")
        return "tensor cores (wgmma)";
    if (starts_with(word, "cp_async") || starts_with(word, "__cp_async") || starts_with(word, "cp_reduce_async"))
        return "asynchronous copies (cp.async)";
    if (word == "CUtensorMap" || word == "__grid_constant__" || starts_with(word, "tma_") ||
        starts_with(word, "mbarrier"))
        return "the tensor memory accelerator";
    if (word == "__cluster_dims__" || word == "this_cluster" || word == "cluster_group" ||
        starts_with(word, "__cluster"))
        return "thread block clusters";
    if (starts_with(word, "tex1D") || starts_with(word, "tex2D") || starts_with(word, "tex3D") ||
        starts_with(word, "surf1D") || starts_with(word, "surf2D") || starts_with(word, "surf3D") ||
        word == "cudaTextureObject_t" || word == "cudaSurfaceObject_t")
        return "textures and surfaces";
    return {};
}

std::string_view gpu_header_feature(std::string_view header) {
    if (header == "mma.h" || header == "crt/mma.h")
        return "tensor cores (wmma)";
    if (starts_with(header, "cute/") || starts_with(header, "cutlass/"))
        return "CUTLASS";
    if (header == "cuda/ptx" || header == "cuda/barrier" || header == "cuda/pipeline" || header == "cudaTypedefs.h" ||
        header == "cuda.h")
        return "CUDA's own library";
    return {};
}

} // namespace kf::screen_words
