// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/library.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>

namespace kf::nvrtc {

// nvrtcResult is an int-sized enumeration, nvrtcProgram a pointer to an incomplete type.
struct Library::Functions {
    const char* (*error_string)(int) = nullptr;
    int (*version)(int*, int*) = nullptr;
    int (*architecture_count)(int*) = nullptr;
    int (*architectures)(int*) = nullptr;
    int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(void**) = nullptr;
    int (*compile)(void*, int, const char* const*) = nullptr;
    int (*add_name)(void*, const char*) = nullptr;
    int (*lowered_name)(void*, const char*, const char**) = nullptr;
    int (*log_size)(void*, std::size_t*) = nullptr;
    int (*log)(void*, char*) = nullptr;
    int (*cubin_size)(void*, std::size_t*) = nullptr;
    int (*cubin)(void*, char*) = nullptr;
    int (*ptx_size)(void*, std::size_t*) = nullptr;
    int (*ptx)(void*, char*) = nullptr;
    int (*set_flow_callback)(void*, int (*)(void*, void*), void*) = nullptr; // optional
};

namespace {

constexpr int minimum_major = 12;
// nvrtcResult values that are told apart.
constexpr int result_ok = 0, result_out_of_memory = 1, result_invalid_option = 5, result_compilation = 6,
              result_cancelled = 16;

template<class F> bool resolve(void* handle, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle, name));
    return function != nullptr;
}

std::string where_loaded(void* function, const std::string& fallback) {
    Dl_info info{};
    return dladdr(function, &info) && info.dli_fname ? info.dli_fname : fallback;
}

// What the compiler's callback looks at. It may be called from several threads and must stay true once it was true.
struct StopWhen {
    std::chrono::steady_clock::time_point deadline;
    const std::function<bool()>* cancelled;
    std::atomic<bool> stopped = false;
};

int ask_to_stop(void* payload, void*) {
    auto& when = *static_cast<StopWhen*>(payload);
    if (!when.stopped && (std::chrono::steady_clock::now() > when.deadline || (*when.cancelled && (*when.cancelled)())))
        when.stopped = true;
    return when.stopped ? 1 : 0;
}

// Texts come with their terminating zero.
std::string without_zero(std::string text) {
    while (!text.empty() && text.back() == '\0')
        text.pop_back();
    return text;
}

} // namespace

Library::Library() : m_functions(std::make_unique<Functions>()) {}

Library::~Library() {
    if (m_handle)
        dlclose(m_handle);
}

Result<std::unique_ptr<Library>> Library::open(const Toolkit& toolkit) {
    std::string tried;
    for (const std::string& name : toolkit.libraries) {
        std::unique_ptr<Library> library(new Library());
        library->m_handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library->m_handle) {
            const char* reason = dlerror();
            tried += (tried.empty() ? "" : "; ") + std::string(reason ? reason : name);
            continue;
        }
        Functions& f = *library->m_functions;
        void* h = library->m_handle;
        const bool complete =
            resolve(h, "nvrtcGetErrorString", f.error_string) && resolve(h, "nvrtcVersion", f.version) &&
            resolve(h, "nvrtcGetNumSupportedArchs", f.architecture_count) &&
            resolve(h, "nvrtcGetSupportedArchs", f.architectures) && resolve(h, "nvrtcCreateProgram", f.create) &&
            resolve(h, "nvrtcDestroyProgram", f.destroy) && resolve(h, "nvrtcCompileProgram", f.compile) &&
            resolve(h, "nvrtcAddNameExpression", f.add_name) && resolve(h, "nvrtcGetLoweredName", f.lowered_name) &&
            resolve(h, "nvrtcGetProgramLogSize", f.log_size) && resolve(h, "nvrtcGetProgramLog", f.log) &&
            resolve(h, "nvrtcGetCUBINSize", f.cubin_size) && resolve(h, "nvrtcGetCUBIN", f.cubin) &&
            resolve(h, "nvrtcGetPTXSize", f.ptx_size) && resolve(h, "nvrtcGetPTX", f.ptx);
        resolve(h, "nvrtcSetFlowCallback", f.set_flow_callback);
        if (complete && f.version(&library->m_major, &library->m_minor) == result_ok &&
            library->m_major >= minimum_major) {
            library->m_path = where_loaded(reinterpret_cast<void*>(f.version), name);
            int count = 0;
            if (f.architecture_count(&count) == result_ok && count > 0) {
                library->m_architectures.resize(static_cast<std::size_t>(count));
                if (f.architectures(library->m_architectures.data()) != result_ok)
                    library->m_architectures.clear();
            }
            if (library->m_architectures.empty())
                return make_error("nvrtc-unusable", library->m_path + " names no architectures it supports",
                                  "install NVRTC of CUDA 12 or 13");
            return library;
        }
        tried += (tried.empty() ? "" : "; ") + name +
                 (complete ? " is version " + library->version() + ", 12 or newer is needed"
                           : std::string(" lacks functions of NVRTC 12"));
        if (toolkit.library_is_set)
            break;
    }
    if (toolkit.library_is_set)
        return make_error("nvrtc-unusable", "the NVRTC that was set cannot be used: " + tried,
                          "correct KERNELFORGE_NVRTC, or leave it unset");
    return make_error("nvrtc-missing",
                      tried.empty() ? "no libnvrtc.so was found" : "no usable NVRTC was found: " + tried,
                      "install the CUDA toolkit 12 or 13 or the wheel nvidia-cuda-nvrtc, or set KERNELFORGE_NVRTC or "
                      "CUDA_HOME");
}

Status Library::check_architecture(std::string_view arch) const {
    std::string known;
    for (int number : m_architectures)
        known += (known.empty() ? "sm_" : " sm_") + std::to_string(number);
    const auto refuse = [&] {
        return make_error("arch-unsupported",
                          "NVRTC " + version() + " does not compile for \"" + std::string(arch) + "\"",
                          "it supports " + known + ", from sm_90 on also with the suffix a (sm_90a)");
    };
    if (!arch.starts_with("sm_"))
        return refuse();
    std::string_view digits = arch.substr(3);
    char suffix = 0;
    if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
        suffix = digits.back();
        digits.remove_suffix(1);
    }
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return refuse();
    const int number = std::stoi(std::string(digits));
    if (std::find(m_architectures.begin(), m_architectures.end(), number) == m_architectures.end())
        return refuse();
    if ((suffix == 'a' && number < 90) || (suffix == 'f' && number < 100))
        return refuse();
    return {};
}

Result<Program> Program::create(const Library& library, const std::string& source, const std::string& name) {
    void* handle = nullptr;
    const auto& f = library.functions();
    if (const int code = f.create(&handle, source.c_str(), name.c_str(), 0, nullptr, nullptr); code != result_ok)
        return make_error("nvrtc-failed", std::string("nvrtcCreateProgram: ") + f.error_string(code));
    return Program(library, handle);
}

Program::Program(Program&& other) noexcept : m_library(other.m_library), m_handle(other.m_handle) {
    other.m_handle = nullptr;
}

Program::~Program() {
    if (m_handle)
        m_library->functions().destroy(&m_handle);
}

Status Program::add_name_expression(const std::string& expression) {
    const auto& f = m_library->functions();
    if (const int code = f.add_name(m_handle, expression.c_str()); code != result_ok)
        return make_error("nvrtc-failed", "nvrtcAddNameExpression(" + expression + "): " + f.error_string(code));
    return {};
}

Program::Outcome Program::compile(const std::vector<std::string>& options,
                                  std::chrono::steady_clock::time_point deadline,
                                  const std::function<bool()>& cancelled) {
    const auto& f = m_library->functions();
    std::vector<const char*> texts;
    for (const std::string& option : options)
        texts.push_back(option.c_str());
    StopWhen when{deadline, &cancelled};
    if (f.set_flow_callback)
        f.set_flow_callback(m_handle, ask_to_stop, &when);
    const int code = f.compile(m_handle, static_cast<int>(texts.size()), texts.data());
    if (f.set_flow_callback) // the payload dies with this frame
        f.set_flow_callback(m_handle, nullptr, nullptr);
    switch (code) {
    case result_ok:
        return Outcome::ok;
    case result_compilation:
        return Outcome::compile_error;
    case result_invalid_option:
        return Outcome::invalid_option;
    case result_out_of_memory:
        return Outcome::out_of_memory;
    case result_cancelled:
        return Outcome::cancelled;
    default:
        return Outcome::internal;
    }
}

std::string Program::log() const {
    const auto& f = m_library->functions();
    auto text = fetch(f.log_size, f.log, "log");
    return text.ok() ? without_zero(std::move(text).value()) : std::string();
}

Result<std::string> Program::fetch(int (*size)(void*, std::size_t*), int (*get)(void*, char*), const char* what) const {
    std::size_t bytes = 0;
    int code = size(m_handle, &bytes);
    std::string out(bytes, '\0');
    if (code == result_ok && bytes > 0)
        code = get(m_handle, out.data());
    if (code != result_ok)
        return make_error("nvrtc-failed",
                          std::string("NVRTC gives no ") + what + ": " + m_library->functions().error_string(code));
    return out;
}

Result<std::string> Program::cubin() const {
    const auto& f = m_library->functions();
    return fetch(f.cubin_size, f.cubin, "cubin");
}

Result<std::string> Program::ptx() const {
    const auto& f = m_library->functions();
    auto text = fetch(f.ptx_size, f.ptx, "PTX");
    if (!text)
        return text.error();
    return without_zero(std::move(text).value());
}

Result<std::string> Program::lowered_name(const std::string& expression) const {
    const auto& f = m_library->functions();
    const char* name = nullptr;
    if (const int code = f.lowered_name(m_handle, expression.c_str(), &name); code != result_ok || !name)
        return make_error("nvrtc-failed", "no lowered name for " + expression + ": " + f.error_string(code));
    return std::string(name);
}

} // namespace kf::nvrtc
