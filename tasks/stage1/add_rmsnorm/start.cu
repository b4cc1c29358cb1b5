// Residual addition and RMS norm, one block a row: sum of squares of x + residual in float, then scale by the weight.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune   BLOCK in {128, 64, 32, 256}
#pragma kf tune   VEC in {2, 4, 8}
#pragma kf launch add_rmsnorm<BLOCK, VEC><<<R, BLOCK>>>(x, residual, weight, out, residual_out, C) when C % 8 == 0
#pragma kf launch add_rmsnorm<BLOCK, 1><<<R, BLOCK>>>(x, residual, weight, out, residual_out, C)   when C % 8 != 0
#include <cuda_fp16.h>

// VEC halves that are loaded and stored as one.
template<int VEC> struct alignas(2 * VEC) Pack {
    __half value[VEC];
};

template<int BLOCK, int VEC>
__global__ void add_rmsnorm(const __half* x, const __half* residual, const __half* weight, __half* out,
                            __half* residual_out, int columns) {
    __shared__ float partial[BLOCK];
    const long long begin = (long long)blockIdx.x * columns;
    const Pack<VEC>* a = reinterpret_cast<const Pack<VEC>*>(x + begin);
    const Pack<VEC>* b = reinterpret_cast<const Pack<VEC>*>(residual + begin);
    const Pack<VEC>* w = reinterpret_cast<const Pack<VEC>*>(weight);
    Pack<VEC>* result = reinterpret_cast<Pack<VEC>*>(out + begin);
    Pack<VEC>* sums = reinterpret_cast<Pack<VEC>*>(residual_out + begin);
    const int packs = columns / VEC;

    float squares = 0;
    for (int i = threadIdx.x; i < packs; i += BLOCK) {
        const Pack<VEC> left = a[i], right = b[i];
        Pack<VEC> sum;
        for (int k = 0; k < VEC; ++k) {
            const float h = __half2float(left.value[k]) + __half2float(right.value[k]);
            squares += h * h;
            sum.value[k] = __float2half(h);
        }
        sums[i] = sum;
    }
    partial[threadIdx.x] = squares;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    const float scale = rsqrtf(partial[0] / columns + 1e-5f);

    for (int i = threadIdx.x; i < packs; i += BLOCK) {
        const Pack<VEC> left = a[i], right = b[i], factor = w[i];
        Pack<VEC> scaled;
        for (int k = 0; k < VEC; ++k) {
            const float h = __half2float(left.value[k]) + __half2float(right.value[k]);
            scaled.value[k] = __float2half(h * scale * __half2float(factor.value[k]));
        }
        result[i] = scaled;
    }
}
