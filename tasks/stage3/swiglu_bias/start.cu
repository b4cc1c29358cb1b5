// SwiGLU with bias: the library multiplies into a float workspace, one kernel adds the bias and gates.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune    BLOCK in {256, 128, 64}
#pragma kf tune    VEC in {2, 4, 8}
#pragma kf tune    ITEMS in {1, 4}
#pragma kf scratch h: f32[M, 2*N]
#pragma kf gemm    h = x @ w.T
#pragma kf launch  swiglu<BLOCK, VEC, ITEMS><<<cdiv(M*N, VEC*ITEMS*BLOCK), BLOCK>>>(h, b, out, M*N/VEC, N/VEC) when N % 8 == 0
#pragma kf launch  swiglu<BLOCK, 1, ITEMS><<<cdiv(M*N, ITEMS*BLOCK), BLOCK>>>(h, b, out, M*N, N)               when N % 8 != 0
#include <cuda_fp16.h>

// Width elements that are loaded and stored as one, at most 16 bytes at a time.
template<class T, int Width> struct alignas(sizeof(T) * Width < 16 ? sizeof(T) * Width : 16) Pack {
    T value[Width];
};

template<int Threads, int Width, int Items>
__global__ void swiglu(const float* h, const __half* bias, __half* out, long long packs, int packs_a_row) {
    const Pack<float, Width>* in = reinterpret_cast<const Pack<float, Width>*>(h);
    const Pack<__half, Width>* b = reinterpret_cast<const Pack<__half, Width>*>(bias);
    Pack<__half, Width>* result = reinterpret_cast<Pack<__half, Width>*>(out);
    long long i = (long long)blockIdx.x * Threads * Items + threadIdx.x;
    for (int item = 0; item < Items; ++item, i += Threads) {
        if (i >= packs)
            return;
        const long long row = i / packs_a_row;
        const int column = (int)(i % packs_a_row);
        const Pack<float, Width> gate = in[i + row * packs_a_row];
        const Pack<float, Width> up = in[i + (row + 1) * packs_a_row];
        const Pack<__half, Width> gate_bias = b[column];
        const Pack<__half, Width> up_bias = b[column + packs_a_row];
        Pack<__half, Width> product;
        for (int k = 0; k < Width; ++k) {
            const float g = gate.value[k] + __half2float(gate_bias.value[k]);
            const float u = up.value[k] + __half2float(up_bias.value[k]);
            product.value[k] = __float2half(g / (1.0f + expf(-g)) * u);
        }
        result[i] = product;
    }
}
