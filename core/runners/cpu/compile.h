// SPDX-License-Identifier: GPL-3.0-or-later
// Candidate text → shared object for kf-cpu: screened, compiled by g++ inside the sandbox, inspected, cached.
#pragma once

#include "core/base/result.h"
#include "core/runners/cpu/diagnostics.h"
#include "core/runners/cpu/elf_inspect.h"
#include "core/runners/cpu/screen.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kf {

struct CpuCompileRequest {
    std::string source;
    std::string file_name = "candidate.cu";
    std::vector<std::string> expressions; // kernel expressions in the plan's order: "swiglu<256>"
    std::vector<std::pair<std::string, std::int64_t>> defines;
    CpuMode mode = CpuMode::plain;
    bool fast_math = false;

    std::filesystem::path simt_folder;  // resources/simt; empty: of this installation
    std::filesystem::path cache_folder; // empty: no cache
    std::string compiler = "g++";
    // Text that a person here wrote may be compiled without a sandbox where there is none; a model's never.
    bool trusted = false;
    double seconds = 60;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;
    std::function<bool()> cancelled;
};

struct CpuBinary {
    std::string object; // the bytes of the shared object
    std::string sha256; // of `object`
    std::string key;    // of everything it was made from
    CpuMode mode = CpuMode::plain;
    std::vector<std::string> flags; // of the compiler, without paths
    std::string compiler;           // first line of its --version
    std::string log;                // warnings
    double seconds = 0;             // that the compile took when it was made
    bool from_cache = false;
    bool volatile_yields = false;
};

// More about a failure than the one error that compile_cpu returns.
struct CpuCompileReport {
    std::vector<ScreenFinding> findings;
    std::vector<CpuDiagnostic> diagnostics;
    std::string log; // the compiler's output, cut to 64 KiB
};

// Candidate failures: "refused-…" (screen.h, elf_inspect.h), "compile-error", "compile-kernel", "compile-timeout",
// "compile-memory", "compile-flood". Infrastructure failures: "sandbox-unavailable", "program-missing", "spawn-failed",
// "compile-crash" (the compiler itself failed), "compile-request", "file-…"; and "cancelled".
Result<CpuBinary> compile_cpu(const CpuCompileRequest& request, CpuCompileReport* report = nullptr);

// Whether such an error says something about the candidate (true) or about this machine.
bool is_candidate_failure(const Error& compile_error);

} // namespace kf
