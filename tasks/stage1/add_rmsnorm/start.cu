// Residual addition and RMS norm, one block a row: sum of squares of x + residual in float, then scale by the weight.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune   BLOCK in {128, 64, 32, 256}
#pragma kf tune   VEC in {2, 4, 8}
#pragma kf launch add_rmsnorm<BLOCK, VEC><<<R, BLOCK>>>(x, residual, weight, out, residual_out, C) when C % 8 == 0
#pragma kf launch add_rmsnorm<BLOCK, 1><<<R, BLOCK>>>(x, residual, weight, out, residual_out, C)   when C % 8 != 0
#include <cuda_fp16.h>

// Width halves that are loaded and stored as one.
template<int Width> struct alignas(2 * Width) Pack {
    __half value[Width];
};

template<int Threads, int Width>
__global__ void add_rmsnorm(const __half* x, const __half* residual, const __half* weight, __half* out,
                            __half* residual_out, int columns) {
    __shared__ float partial[Threads];
    const long long begin = (long long)blockIdx.x * columns;
    const Pack<Width>* a = reinterpret_cast<const Pack<Width>*>(x + begin);
    const Pack<Width>* b = reinterpret_cast<const Pack<Width>*>(residual + begin);
    const Pack<Width>* w = reinterpret_cast<const Pack<Width>*>(weight);
    Pack<Width>* result = reinterpret_cast<Pack<Width>*>(out + begin);
    Pack<Width>* sums = reinterpret_cast<Pack<Width>*>(residual_out + begin);
    const int packs = columns / Width;

    float squares = 0;
    for (int i = threadIdx.x; i < packs; i += Threads) {
        const Pack<Width> left = a[i], right = b[i];
        Pack<Width> sum;
        for (int k = 0; k < Width; ++k) {
            const float h = __half2float(left.value[k]) + __half2float(right.value[k]);
            squares += h * h;
            sum.value[k] = __float2half(h);
        }
        sums[i] = sum;
    }
    partial[threadIdx.x] = squares;
    __syncthreads();
    for (int half = Threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    const float scale = rsqrtf(partial[0] / columns + 1e-5f);

    for (int i = threadIdx.x; i < packs; i += Threads) {
        const Pack<Width> left = a[i], right = b[i], factor = w[i];
        Pack<Width> scaled;
        for (int k = 0; k < Width; ++k) {
            const float h = __half2float(left.value[k]) + __half2float(right.value[k]);
            scaled.value[k] = __float2half(h * scale * __half2float(factor.value[k]));
        }
        result[i] = scaled;
    }
}
