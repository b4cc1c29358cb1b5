// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates for silu_mul that do what they must not, each with the verdicts that are right for it.
#pragma once

#include <string>
#include <vector>

namespace kf {

struct HostileKind {
    std::string name, source;
    std::vector<std::string> verdicts;
};

inline std::vector<HostileKind> hostile_kinds() {
    const std::string head = "#include <cuda_bf16.h>\n__global__ void k(const __nv_bfloat16* x, __nv_bfloat16* out, "
                             "long long n) {\n    const long long i = blockIdx.x * 256LL + threadIdx.x;\n";
    const std::string plan = "#pragma kf launch k<<<cdiv(R*C, 256), 256>>>(x, out, R*C)\n";
    std::vector<HostileKind> kinds;
    kinds = {
        {"endless loop",
         plan + head + "    for (long long k = clock64(); clock64() != k - 1;) {}\n    if (i < n) out[i] = x[i];\n}\n",
         {"timeout"}},
        {"illegal address", plan + head + "    *(volatile int*)(0x10 + 4 * (i & 1)) = 1;\n}\n", {"crash"}},
        {"far out of bounds", plan + head + "    if (i == 0) out[1LL << 40] = x[0];\n}\n", {"crash"}},
        {"misaligned", plan + head + "    *(int*)((char*)out + 1 + 4 * (i & 1)) = 1;\n}\n", {"misaligned"}},
        {"trap", plan + head + "    __trap();\n}\n", {"crash", "launch"}},
        {"assertion", "#include <cassert>\n" + plan + head + "    assert(i < 0);\n}\n", {"crash"}},
        {"nothing written", plan + head + "}\n", {"unwritten"}},
        {"NaN everywhere",
         plan + head + "    if (i < n) out[i] = __float2bfloat16(__int_as_float(0x7fffffff));\n}\n",
         {"nonfinite"}},
        {"too much shared memory",
         "#pragma kf launch k<<<cdiv(R*C, 256), 256, 300000>>>(x, out, R*C)\n" + head + "    out[0] = x[0];\n}\n",
         {"limits", "plan"}},
        {"state between launches",
         plan + "__device__ int calls;\n" + head + "    if (i == 0) calls++;\n    out[i] = x[i];\n}\n",
         {"state"}},
        {"input overwritten",
         plan + head + "    if (i < n) { ((__nv_bfloat16*)x)[i] = out[i]; out[i] = x[i]; }\n}\n",
         {"input-written"}},
        {"guard overwritten",
         plan + head + "    if (i == 0) out[n] = x[0];\n    if (i < n) out[i] = x[i];\n}\n",
         {"out-of-bounds"}},
        {"does not compile", plan + head + "    undeclared(i);\n}\n", {"compile"}},
        {"printf flood",
         plan + head + "    for (int k = 0; k < 100000; ++k) printf(\"flood %d\\n\", k);\n}\n",
         {"unwritten", "timeout", "flood"}},
    };
    return kinds;
}

// NVRTC 13.0.88 dies on a wgmma whose descriptors are constants (measured 2026-11).
inline std::string compiler_killer() {
    return R"(#pragma kf launch wg<<<1, 128>>>(out)
__global__ __launch_bounds__(128) void wg(void* out) {
    float r0 = 0, r1 = 0, r2 = 0, r3 = 0;
    unsigned long long a = 0, b = 0;
    int sd = 1;
    asm volatile("wgmma.fence.sync.aligned;\n");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}\n"
                 : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3) : "l"(a), "l"(b), "r"(sd));
    asm volatile("wgmma.commit_group.sync.aligned;\n");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n");
    ((float*)out)[threadIdx.x] = r0 + r1 + r2 + r3;
}
)";
}

} // namespace kf
