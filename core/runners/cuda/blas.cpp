// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cuda/blas.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace kf::cuda {
namespace {

constexpr std::uint64_t workspace_bytes = std::uint64_t{32} << 20;
// Enumerations of cublasLt.h and library_types.h.
constexpr int compute_32f = 68, compute_64f = 70;
constexpr int type_32f = 0, type_64f = 1, type_16f = 2, type_16bf = 14, type_e4m3 = 28, type_e5m2 = 29;
constexpr int desc_transpose_a = 3, desc_transpose_b = 4, desc_epilogue = 7, desc_bias = 8, desc_bias_type = 26;
constexpr int layout_batches = 5, layout_stride = 6;
constexpr int preference_workspace = 1, preference_reduction = 3;
constexpr int preference_align_a = 5;
constexpr std::uint32_t epilogue_relu = 2, epilogue_bias = 4, epilogue_gelu = 32;

struct Heuristic {
    std::uint64_t algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(Heuristic) == 96);

int type_of(DType dtype) {
    switch (dtype) {
    case DType::f64:
        return type_64f;
    case DType::f16:
        return type_16f;
    case DType::bf16:
        return type_16bf;
    case DType::e4m3:
        return type_e4m3;
    case DType::e5m2:
        return type_e5m2;
    default:
        return type_32f;
    }
}

std::uint32_t alignment_of(DevicePointer pointer) {
    std::uint32_t align = 1;
    while (align < 256 && pointer % (2 * align) == 0)
        align *= 2;
    return align;
}

std::vector<std::string> library_names() {
    std::vector<std::string> names;
    if (const char* set = std::getenv("KERNELFORGE_CUBLASLT"); set && *set)
        return {set};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* home = std::getenv(variable); home && *home)
            for (const char* version : {".13", ".12"})
                names.push_back(std::string(home) + "/lib64/libcublasLt.so" + version);
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.13",
                             "/usr/local/cuda/lib64/libcublasLt.so.12"})
        names.emplace_back(name);
    return names;
}

} // namespace

struct Blas::Functions {
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    std::size_t (*version)() = nullptr;
    const char* (*status_name)(int) = nullptr;
    int (*desc_create)(void**, int, int) = nullptr;
    int (*desc_destroy)(void*) = nullptr;
    int (*desc_set)(void*, int, const void*, std::size_t) = nullptr;
    int (*layout_create)(void**, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
    int (*layout_destroy)(void*) = nullptr;
    int (*layout_set)(void*, int, const void*, std::size_t) = nullptr;
    int (*preference_create)(void**) = nullptr;
    int (*preference_destroy)(void*) = nullptr;
    int (*preference_set)(void*, int, const void*, std::size_t) = nullptr;
    int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, Heuristic*, int*) = nullptr;
    int (*matmul)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
                  void*, void*, const void*, void*, std::size_t, Stream) = nullptr;
};

// Everything of one product, released with it.
struct Blas::Call {
    const Functions& f;
    void* desc = nullptr;
    void* layouts[3] = {}; // first operand, second, result (of the transposed product)
    void* preference = nullptr;
    DevicePointer first = 0, second = 0, out = 0;
    bool doubles = false;

    explicit Call(const Functions& functions) : f(functions) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
        if (desc)
            f.desc_destroy(desc);
        for (void* layout : layouts)
            if (layout)
                f.layout_destroy(layout);
        if (preference)
            f.preference_destroy(preference);
    }
};

Blas::Blas(const DeviceContext& device) : m_device(device), m_functions(std::make_unique<Functions>()) {}

Blas::~Blas() {
    m_workspace = DeviceMemory();
    if (m_handle)
        (void)m_functions->destroy(m_handle);
    // The library stays loaded: it registers things that must not go before the process does.
}

Result<std::unique_ptr<Blas>> Blas::open(const DeviceContext& device) {
    std::unique_ptr<Blas> blas(new Blas(device));
    std::string tried;
    for (const std::string& name : library_names()) {
        blas->m_library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (blas->m_library)
            break;
        const char* reason = dlerror();
        tried += (tried.empty() ? "" : "; ") + std::string(reason ? reason : name);
    }
    const std::string remedy = "install cuBLAS of CUDA 12 or 13, or set KERNELFORGE_CUBLASLT to libcublasLt.so";
    if (!blas->m_library)
        return make_error("cublaslt-missing", "cuBLASLt is needed for `gemm` and cannot be opened: " + tried, remedy);
    Functions& f = *blas->m_functions;
    bool complete = true;
    const auto find = [&](const char* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(blas->m_library, name));
        complete = complete && function;
    };
    find("cublasLtCreate", f.create);
    find("cublasLtDestroy", f.destroy);
    find("cublasLtGetVersion", f.version);
    find("cublasLtGetStatusName", f.status_name);
    find("cublasLtMatmulDescCreate", f.desc_create);
    find("cublasLtMatmulDescDestroy", f.desc_destroy);
    find("cublasLtMatmulDescSetAttribute", f.desc_set);
    find("cublasLtMatrixLayoutCreate", f.layout_create);
    find("cublasLtMatrixLayoutDestroy", f.layout_destroy);
    find("cublasLtMatrixLayoutSetAttribute", f.layout_set);
    find("cublasLtMatmulPreferenceCreate", f.preference_create);
    find("cublasLtMatmulPreferenceDestroy", f.preference_destroy);
    find("cublasLtMatmulPreferenceSetAttribute", f.preference_set);
    find("cublasLtMatmulAlgoGetHeuristic", f.heuristic);
    find("cublasLtMatmul", f.matmul);
    if (!complete)
        return make_error("cublaslt-missing", "the cuBLASLt that was found lacks functions", remedy);
    if (auto status = blas->check(f.create(&blas->m_handle), "cublasLtCreate"); !status)
        return status.error();
    blas->m_version = f.version();
    auto workspace = DeviceMemory::allocate(device.driver(), workspace_bytes);
    if (!workspace)
        return workspace.error();
    blas->m_workspace = std::move(*workspace);
    return blas;
}

Status Blas::check(int code, const char* what) const {
    if (code == 0)
        return {};
    const char* name = m_functions->status_name(code);
    return make_error("cublaslt-failed", std::string(what) + ": " + (name ? name : std::to_string(code)));
}

// Row-major out = a · b is column-major outᵀ = bᵀ · aᵀ: b comes first, and the bias runs along the result's rows.
Status Blas::prepare(Call& call, const ResolvedGemm& gemm, const ResolvedPlan& plan,
                     const std::vector<DevicePointer>& addresses) const {
    const auto buffer = [&](int index) -> const ResolvedBuffer& {
        return plan.buffers[static_cast<std::size_t>(index)];
    };
    const auto address = [&](int index) { return addresses[static_cast<std::size_t>(index)]; };
    call.doubles = buffer(gemm.out).dtype == DType::f64;
    call.first = address(gemm.b);
    call.second = address(gemm.a);
    call.out = address(gemm.out);
    const Functions& f = *m_functions;
    Status status =
        check(f.desc_create(&call.desc, call.doubles ? compute_64f : compute_32f, call.doubles ? type_64f : type_32f),
              "cublasLtMatmulDescCreate");
    const auto set = [&](int attribute, const auto& value) {
        if (status)
            status = check(f.desc_set(call.desc, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
    };
    const std::int32_t transpose_first = gemm.b_transposed ? 1 : 0, transpose_second = gemm.a_transposed ? 1 : 0;
    set(desc_transpose_a, transpose_first);
    set(desc_transpose_b, transpose_second);
    std::uint32_t epilogue = gemm.epilogue == "relu" ? epilogue_relu : gemm.epilogue == "gelu_tanh" ? epilogue_gelu : 0;
    if (gemm.bias >= 0) {
        epilogue |= epilogue_bias;
        const DevicePointer bias = address(gemm.bias);
        const std::int32_t type = type_of(buffer(gemm.bias).dtype);
        set(desc_bias, bias);
        set(desc_bias_type, type);
    }
    if (epilogue == 0)
        epilogue = 1;
    set(desc_epilogue, epilogue);
    if (!status)
        return status;
    const auto layout = [&](int which, DType dtype, std::int64_t rows, std::int64_t columns) {
        if (!status)
            return;
        status = check(f.layout_create(&call.layouts[which], type_of(dtype), static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), rows),
                       "cublasLtMatrixLayoutCreate");
        const auto batches = static_cast<std::int32_t>(gemm.batch);
        const std::int64_t stride = rows * columns;
        if (status && batches > 1)
            status = check(f.layout_set(call.layouts[which], layout_batches, &batches, sizeof batches),
                           "cublasLtMatrixLayoutSetAttribute");
        if (status && batches > 1)
            status = check(f.layout_set(call.layouts[which], layout_stride, &stride, sizeof stride),
                           "cublasLtMatrixLayoutSetAttribute");
    };
    // As stored, seen column-major: rows are the last axis.
    layout(0, buffer(gemm.b).dtype, gemm.b_transposed ? gemm.k : gemm.n, gemm.b_transposed ? gemm.n : gemm.k);
    layout(1, buffer(gemm.a).dtype, gemm.a_transposed ? gemm.m : gemm.k, gemm.a_transposed ? gemm.k : gemm.m);
    layout(2, buffer(gemm.out).dtype, gemm.n, gemm.m);
    if (status)
        status = check(f.preference_create(&call.preference), "cublasLtMatmulPreferenceCreate");
    const auto prefer = [&](int attribute, const auto& value) {
        if (status)
            status = check(f.preference_set(call.preference, attribute, &value, sizeof value),
                           "cublasLtMatmulPreferenceSetAttribute");
    };
    const std::uint64_t workspace = workspace_bytes;
    // No reduction that adds in place: its order, and so the result's bits, would change from run to run.
    const std::uint32_t reductions = 0x6;
    prefer(preference_workspace, workspace);
    prefer(preference_reduction, reductions);
    const DevicePointer pointers[] = {call.first, call.second, call.out, call.out};
    for (int i = 0; i < 4; ++i)
        prefer(preference_align_a + i, alignment_of(pointers[i]));
    return status;
}

Status Blas::multiply(const ResolvedGemm& gemm, const ResolvedPlan& plan, const std::vector<DevicePointer>& addresses) {
    if (gemm.m == 0 || gemm.n == 0 || gemm.batch == 0)
        return {};
    Call call(*m_functions);
    if (auto prepared = prepare(call, gemm, plan, addresses); !prepared)
        return prepared;
    const Functions& f = *m_functions;
    const int wanted = std::clamp(gemm.tune, 1, 32);
    std::vector<Heuristic> found(static_cast<std::size_t>(wanted));
    int count = 0;
    if (auto status = check(f.heuristic(m_handle, call.desc, call.layouts[0], call.layouts[1], call.layouts[2],
                                        call.layouts[2], call.preference, wanted, found.data(), &count),
                            "cublasLtMatmulAlgoGetHeuristic");
        !status)
        return status;
    if (count <= 0)
        return make_error("cublaslt-failed", "cuBLASLt knows no algorithm for this product");
    const double one_d = 1, zero_d = 0;
    const float one_f = 1, zero_f = 0;
    const void* alpha = call.doubles ? static_cast<const void*>(&one_d) : &one_f;
    const void* beta = call.doubles ? static_cast<const void*>(&zero_d) : &zero_f;
    const auto run = [&](int index) {
        return check(f.matmul(m_handle, call.desc, alpha, reinterpret_cast<const void*>(call.first), call.layouts[0],
                              reinterpret_cast<const void*>(call.second), call.layouts[1], beta,
                              reinterpret_cast<const void*>(call.out), call.layouts[2],
                              reinterpret_cast<void*>(call.out), call.layouts[2],
                              found[static_cast<std::size_t>(index)].algorithm,
                              reinterpret_cast<void*>(m_workspace.get()), workspace_bytes, nullptr),
                     "cublasLtMatmul");
    };
    const std::string key = std::to_string(gemm.batch) + "x" + std::to_string(gemm.m) + "x" + std::to_string(gemm.n) +
                            "x" + std::to_string(gemm.k) + " " + (gemm.a_transposed ? "T" : "N") +
                            (gemm.b_transposed ? "T" : "N") + " " + std::to_string(alignment_of(call.first)) + "/" +
                            std::to_string(alignment_of(call.second)) + "/" + std::to_string(alignment_of(call.out)) +
                            " " + gemm.epilogue + (gemm.bias >= 0 ? "+bias" : "") + " " +
                            std::string(to_string(plan.buffers[static_cast<std::size_t>(gemm.out)].dtype));
    auto chosen = m_choices.find(key);
    if (chosen == m_choices.end()) {
        int best = 0;
        if (count > 1) {
            const Driver& driver = m_device.driver();
            Event begin = nullptr, end = nullptr;
            (void)driver.event_create(&begin, 0);
            (void)driver.event_create(&end, 0);
            float fastest = 0;
            for (int i = 0; i < count; ++i) {
                if (!run(i)) // warm; an algorithm that does not run here is left out
                    continue;
                float milliseconds = 0;
                (void)driver.event_record(begin, nullptr);
                for (int k = 0; k < 3; ++k)
                    (void)run(i);
                (void)driver.event_record(end, nullptr);
                if (driver.event_synchronize(end) != success ||
                    driver.event_milliseconds(&milliseconds, begin, end) != success)
                    continue;
                if (fastest == 0 || milliseconds < fastest) {
                    fastest = milliseconds;
                    best = i;
                }
            }
            (void)driver.event_destroy(begin);
            (void)driver.event_destroy(end);
        }
        chosen = m_choices.emplace(key, best).first;
    }
    return run(std::min(chosen->second, count - 1));
}

Json Blas::facts() const {
    Json choices = Json::object();
    for (const auto& [shape, index] : m_choices)
        choices[shape] = index;
    return Json{{"cublaslt", m_version}, {"choices", choices}};
}

} // namespace kf::cuda
