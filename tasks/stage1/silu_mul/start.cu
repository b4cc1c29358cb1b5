// SiLU of a row's first half times its second half, in float; VEC elements a step, ITEMS steps a thread.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune   BLOCK in {256, 128, 64}
#pragma kf tune   VEC in {2, 4, 8}
#pragma kf tune   ITEMS in {1, 4}
#pragma kf launch silu_mul<BLOCK, VEC, ITEMS><<<cdiv(R*C, VEC*ITEMS*BLOCK), BLOCK>>>(x, out, R*C/VEC, C/VEC) when C % 8 == 0
#pragma kf launch silu_mul<BLOCK, 1, ITEMS><<<cdiv(R*C, ITEMS*BLOCK), BLOCK>>>(x, out, R*C, C)               when C % 8 != 0
#include <cuda_bf16.h>

// Width elements that are loaded and stored as one.
template<int Width> struct alignas(2 * Width) Pack {
    __nv_bfloat16 value[Width];
};

template<int Threads, int Width, int Items>
__global__ void silu_mul(const __nv_bfloat16* x, __nv_bfloat16* out, long long packs, int packs_a_row) {
    const Pack<Width>* in = reinterpret_cast<const Pack<Width>*>(x);
    Pack<Width>* result = reinterpret_cast<Pack<Width>*>(out);
    long long i = (long long)blockIdx.x * Threads * Items + threadIdx.x;
    for (int item = 0; item < Items; ++item, i += Threads) {
        if (i >= packs)
            return;
        const long long row = i / packs_a_row;
        const Pack<Width> gate = in[i + row * packs_a_row];
        const Pack<Width> up = in[i + (row + 1) * packs_a_row];
        Pack<Width> product;
        for (int k = 0; k < Width; ++k) {
            const float g = __bfloat162float(gate.value[k]);
            product.value[k] = __float2bfloat16(g / (1.0f + expf(-g)) * __bfloat162float(up.value[k]));
        }
        result[i] = product;
    }
}
