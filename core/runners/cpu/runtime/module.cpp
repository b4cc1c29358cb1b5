// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/runtime/module.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <utility>

// The dynamic linker's own entry point for thread-local memory; no header declares it.
struct TlsIndex {
    unsigned long module, offset;
};
extern "C" void* __tls_get_addr(TlsIndex* index);

namespace kf::cpu {

namespace {

struct Layout {
    const void* base = nullptr;
    bool found = false;
    std::size_t tls_module = 0, tls_bytes = 0;
    char* writable = nullptr;
    std::size_t writable_bytes = 0;
};

int inspect(dl_phdr_info* info, std::size_t, void* data) {
    auto* layout = static_cast<Layout*>(data);
    if (reinterpret_cast<const void*>(info->dlpi_addr) != layout->base)
        return 0;
    layout->found = true;
    std::uintptr_t relro_end = 0;
    std::uintptr_t begin = 0, end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        const std::uintptr_t address = info->dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_TLS) {
            layout->tls_module = info->dlpi_tls_modid;
            layout->tls_bytes = header.p_memsz;
        } else if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) {
            begin = address;
            end = address + header.p_memsz;
        } else if (header.p_type == PT_GNU_RELRO) {
            relro_end = address + header.p_memsz;
        }
    }
    // The linker has made the part up to the last whole page of RELRO read-only already.
    const std::uintptr_t sealed = relro_end & ~std::uintptr_t{4095};
    if (sealed > begin)
        begin = sealed;
    if (end > begin) {
        layout->writable = reinterpret_cast<char*>(begin);
        layout->writable_bytes = end - begin;
    }
    return 1;
}

Error load_error(std::string message) {
    return make_error("module-load", std::move(message), "compile the candidate again with this version");
}

} // namespace

Module::~Module() {
    if (m_handle != nullptr)
        dlclose(m_handle);
}

Module::Module(Module&& other) noexcept {
    *this = std::move(other);
}

Module& Module::operator=(Module&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    std::swap(m_static_shared, other.m_static_shared);
    std::swap(m_tls_module, other.m_tls_module);
    std::swap(m_tls_bytes, other.m_tls_bytes);
    std::swap(m_writable, other.m_writable);
    std::swap(m_kernels, other.m_kernels);
    return *this;
}

Result<Module> Module::load(const std::string& path, bool static_shared) {
    Module module;
    module.m_static_shared = static_shared;
    module.m_handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module.m_handle == nullptr) {
        const char* reason = dlerror();
        return load_error(std::string("the shared object cannot be loaded: ") + (reason != nullptr ? reason : path));
    }
    const auto* table = static_cast<const KfModule*>(dlsym(module.m_handle, "kf_module"));
    const auto signature = reinterpret_cast<KfSignatureFunction>(dlsym(module.m_handle, "kf_module_signature"));
    if (table == nullptr || signature == nullptr)
        return load_error("the shared object has no kf_module or no kf_module_signature");
    if (table->abi_version != KF_CPU_ABI_VERSION) {
        return make_error("module-abi",
                          "the shared object was made for interface " + std::to_string(table->abi_version) +
                              ", this program has " + std::to_string(KF_CPU_ABI_VERSION),
                          "compile the candidate again with this version");
    }
    if (table->kernel_count > 4096)
        return load_error("the shared object claims " + std::to_string(table->kernel_count) + " kernels");
    for (unsigned int i = 0; i < table->kernel_count; ++i) {
        KfKernel kernel = table->kernels[i];
        if (kernel.signature == nullptr)
            kernel.signature = signature(i);
        if (kernel.expression == nullptr || kernel.signature == nullptr || kernel.invoke == nullptr)
            return load_error("kernel " + std::to_string(i) + " of the shared object is incomplete");
        module.m_kernels.push_back(kernel);
    }
    link_map* map = nullptr;
    Layout layout;
    if (dlinfo(module.m_handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr)
        layout.base = reinterpret_cast<const void*>(map->l_addr);
    dl_iterate_phdr(inspect, &layout);
    if (!layout.found)
        return load_error("the shared object's program headers cannot be found in memory");
    module.m_tls_module = layout.tls_module;
    module.m_tls_bytes = layout.tls_bytes;
    module.m_writable = {layout.writable, layout.writable_bytes};
    if (!static_shared && layout.writable != nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(layout.writable) & ~std::uintptr_t{4095};
        const auto end =
            (reinterpret_cast<std::uintptr_t>(layout.writable) + layout.writable_bytes + 4095) & ~std::uintptr_t{4095};
        if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ) != 0)
            return load_error("the shared object's memory cannot be made read-only");
    }
    return module;
}

MemoryRange Module::shared_memory() const {
    if (m_static_shared)
        return m_writable;
    if (m_tls_bytes == 0)
        return {};
    TlsIndex index{m_tls_module, 0};
    return {static_cast<char*>(__tls_get_addr(&index)), m_tls_bytes};
}

bool Module::is_sealed(const void* address) const {
    const char* p = static_cast<const char*>(address);
    return !m_static_shared && m_writable.begin != nullptr && p >= m_writable.begin &&
           p < m_writable.begin + m_writable.bytes;
}

} // namespace kf::cpu
