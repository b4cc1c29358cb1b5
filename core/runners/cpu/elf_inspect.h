// SPDX-License-Identifier: GPL-3.0-or-later
// Looks into a compiled candidate before it is loaded: what it imports, what would run at load time, what it can keep.
// The bytes are untrusted: every offset is checked before it is used.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kf {

enum class CpuMode { plain, asan, tsan };
const char* to_string(CpuMode mode); // "plain", "asan", "tsan"

struct ElfSymbol {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    unsigned char type = 0; // STT_…
    unsigned char binding = 0;
    unsigned short section = 0; // 0: undefined
};

// What a shared object says about itself.
struct ElfFacts {
    std::vector<std::string> needed;
    std::vector<std::string> imports; // undefined dynamic symbols, without version
    std::vector<std::string> exports; // defined global dynamic symbols
    std::vector<ElfSymbol> writable;  // objects that can be written after relocation, thread-local ones left out
    std::uint64_t unnamed_writable_bytes = 0; // writable bytes that no symbol covers
    std::uint64_t thread_local_bytes = 0;
    std::uint64_t init_functions = 0; // entries of DT_INIT_ARRAY, plus one for DT_INIT
    bool has_fini = false;
    bool has_preinit = false;
    bool has_ifunc = false;
    bool executable_stack = false;
    bool text_relocations = false;
    bool writable_and_executable = false;
    std::string interpreter;
};

// Error "elf-malformed" names what is wrong; never reads outside `bytes`.
Result<ElfFacts> read_elf(std::string_view bytes);

// The policy. `volatile_yields`: the plain build was instrumented so that volatile loads yield, which adds the
// sanitizer's one registration function. Errors: "refused-import" (by name), "refused-constructor", "refused-state",
// "refused-object".
Status inspect_candidate(const ElfFacts& facts, CpuMode mode, bool volatile_yields);

bool is_allowed_import(std::string_view name, CpuMode mode, bool volatile_yields);

// "counter", "ops::table<int>::data"; the name itself when it is not mangled.
std::string demangle(const std::string& name);

} // namespace kf
