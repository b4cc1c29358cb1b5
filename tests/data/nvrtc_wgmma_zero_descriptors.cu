// SPDX-License-Identifier: GPL-3.0-or-later
// Valid for sm_90a, and ptxas 13.0 assembles it; the assembler inside NVRTC 13.0 dereferences a null pointer on it, because
// both matrix descriptors are the constant zero. A compile helper must be allowed to die of this, and nothing else may.
__global__ void zero_descriptors(float* out) {
    float sum[4] = {};
    const unsigned long long nothing = 0;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{\n"
                 " .reg .pred add;\n"
                 " setp.ne.b32 add, %6, 0;\n"
                 " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, add, 1, 1, 0, 0;\n"
                 "}"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "l"(nothing), "l"(nothing), "r"(1));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}
