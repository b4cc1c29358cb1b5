// SPDX-License-Identifier: GPL-3.0-or-later
// NVRTC opened at run time (version 12 or 13). Own prototypes, so that no toolkit is needed to build.
#pragma once

#include "core/base/result.h"
#include "core/helpers/nvrtc/toolkit.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kf::nvrtc {

class Library {
public:
    // Tries toolkit.libraries in order. Errors: "nvrtc-missing" (with what was tried), "nvrtc-unusable" (too old,
    // a function is missing, or an explicit setting cannot be opened).
    static Result<std::unique_ptr<Library>> open(const Toolkit& toolkit);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    int major() const { return m_major; }
    std::string version() const { return std::to_string(m_major) + "." + std::to_string(m_minor); }
    const std::string& path() const { return m_path; }                        // as the loader resolved it
    const std::vector<int>& architectures() const { return m_architectures; } // 75, 80, 90, …
    // "sm_90a" for a supported base number with an optional letter; else an error that lists what is supported.
    Status check_architecture(std::string_view arch) const;

    struct Functions;
    const Functions& functions() const { return *m_functions; }

private:
    Library();
    void* m_handle = nullptr;
    std::unique_ptr<Functions> m_functions;
    int m_major = 0, m_minor = 0;
    std::string m_path;
    std::vector<int> m_architectures;
};

// One program from creation to destruction (jitify#92: forgetting to destroy leaks 20 MB a compile).
class Program {
public:
    // Error "nvrtc-failed".
    static Result<Program> create(const Library& library, const std::string& source, const std::string& name);
    ~Program();
    Program(Program&& other) noexcept;
    Program& operator=(Program&&) = delete;

    Status add_name_expression(const std::string& expression);
    enum class Outcome { ok, compile_error, invalid_option, out_of_memory, cancelled, internal };
    // Compiles; past `deadline`, or when `cancelled` says so, the compiler is asked to stop where it can (NVRTC 12.9
    // and newer).
    Outcome compile(const std::vector<std::string>& options, std::chrono::steady_clock::time_point deadline,
                    const std::function<bool()>& cancelled = {});
    std::string log() const;
    Result<std::string> cubin() const;
    Result<std::string> ptx() const;
    Result<std::string> lowered_name(const std::string& expression) const;

private:
    Program(const Library& library, void* handle) : m_library(&library), m_handle(handle) {}
    Result<std::string> fetch(int (*size)(void*, std::size_t*), int (*get)(void*, char*), const char* what) const;

    const Library* m_library;
    void* m_handle;
};

} // namespace kf::nvrtc
