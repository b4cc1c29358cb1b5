// Transpose [B, S, H, D] to [B, H, S, D]: a thread copies ITEMS packs of VEC elements, in the order of the output.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune   BLOCK in {256, 128, 64}
#pragma kf tune   VEC in {2, 4, 8}
#pragma kf tune   ITEMS in {1, 4}
#pragma kf launch transpose<BLOCK, VEC, ITEMS><<<cdiv(B*S*H*D, VEC*ITEMS*BLOCK), BLOCK>>>(x, out, S, H, D/VEC, B*S*H*D/VEC) when D % 8 == 0
#pragma kf launch transpose<BLOCK, 1, ITEMS><<<cdiv(B*S*H*D, ITEMS*BLOCK), BLOCK>>>(x, out, S, H, D, B*S*H*D)               when D % 8 != 0
#include <cuda_bf16.h>

// Width elements that are loaded and stored as one.
template<int Width> struct alignas(2 * Width) Pack {
    __nv_bfloat16 value[Width];
};

template<int Threads, int Width, int Items>
__global__ void transpose(const __nv_bfloat16* x, __nv_bfloat16* out, int length, int heads, int packs_a_head,
                          long long packs) {
    const Pack<Width>* in = reinterpret_cast<const Pack<Width>*>(x);
    Pack<Width>* result = reinterpret_cast<Pack<Width>*>(out);
    long long i = (long long)blockIdx.x * Threads * Items + threadIdx.x;
    for (int item = 0; item < Items; ++item, i += Threads) {
        if (i >= packs)
            return;
        const long long d = i % packs_a_head;
        const long long s = i / packs_a_head % length;
        const long long h = i / packs_a_head / length % heads;
        const long long b = i / packs_a_head / length / heads;
        result[i] = in[((b * length + s) * heads + h) * packs_a_head + d];
    }
}
