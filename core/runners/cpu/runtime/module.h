// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate's shared object in memory: its kernels, and the memory that holds __shared__ objects.
#pragma once

#include "core/base/result.h"
#include "core/runners/cpu/abi.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kf::cpu {

struct MemoryRange {
    char* begin = nullptr;
    std::size_t bytes = 0;
};

class Module {
public:
    Module() = default;
    ~Module();
    Module(Module&& other) noexcept;
    Module& operator=(Module&& other) noexcept;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    // Loads with RTLD_NOW | RTLD_LOCAL. `static_shared`: __shared__ objects are plain static ones (AddressSanitizer
    // builds); otherwise they are thread-local and the object's other writable memory is made read-only, so that no
    // state can outlive a launch. Errors: "module-load", "module-abi".
    static Result<Module> load(const std::string& path, bool static_shared);

    bool loaded() const { return m_handle != nullptr; }
    const std::vector<KfKernel>& kernels() const { return m_kernels; } // with signatures filled in

    // What must be saved and restored per live block. Looked up per call: thread-local memory belongs to the caller's
    // thread.
    MemoryRange shared_memory() const;
    bool static_shared() const { return m_static_shared; }
    // True for an address in memory that loading made read-only. Async-signal-safe.
    bool is_sealed(const void* address) const;

private:
    void* m_handle = nullptr;
    bool m_static_shared = false;
    std::size_t m_tls_module = 0;
    std::size_t m_tls_bytes = 0;
    MemoryRange m_writable;
    std::vector<KfKernel> m_kernels;
};

} // namespace kf::cpu
