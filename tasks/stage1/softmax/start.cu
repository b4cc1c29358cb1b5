// Softmax over rows, one block a row and three passes (largest value, sum of exponentials, result), all in float.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune   BLOCK in {128, 64, 32, 256}
#pragma kf tune   VEC in {2, 4, 8}
#pragma kf launch softmax<BLOCK, VEC><<<R, BLOCK>>>(x, out, C) when C % 8 == 0
#pragma kf launch softmax<BLOCK, 1><<<R, BLOCK>>>(x, out, C)   when C % 8 != 0
#include <cuda_fp16.h>

// Width halves that are loaded and stored as one.
template<int Width> struct alignas(2 * Width) Pack {
    __half value[Width];
};

template<int Threads, bool Maximum> __device__ float reduce(float value, float* partial) {
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int half = Threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const float other = partial[threadIdx.x + half];
            partial[threadIdx.x] = Maximum ? fmaxf(partial[threadIdx.x], other) : partial[threadIdx.x] + other;
        }
        __syncthreads();
    }
    const float result = partial[0];
    __syncthreads();
    return result;
}

template<int Threads, int Width> __global__ void softmax(const __half* x, __half* out, int columns) {
    __shared__ float partial[Threads];
    const long long begin = (long long)blockIdx.x * columns;
    const Pack<Width>* row = reinterpret_cast<const Pack<Width>*>(x + begin);
    Pack<Width>* result = reinterpret_cast<Pack<Width>*>(out + begin);
    const int packs = columns / Width;

    float largest = -3.402823466e38f;
    for (int i = threadIdx.x; i < packs; i += Threads) {
        const Pack<Width> pack = row[i];
        for (int k = 0; k < Width; ++k)
            largest = fmaxf(largest, __half2float(pack.value[k]));
    }
    largest = reduce<Threads, true>(largest, partial);

    float sum = 0;
    for (int i = threadIdx.x; i < packs; i += Threads) {
        const Pack<Width> pack = row[i];
        for (int k = 0; k < Width; ++k)
            sum += expf(__half2float(pack.value[k]) - largest);
    }
    sum = reduce<Threads, false>(sum, partial);

    const float scale = 1.0f / sum;
    for (int i = threadIdx.x; i < packs; i += Threads) {
        Pack<Width> pack = row[i];
        for (int k = 0; k < Width; ++k)
            pack.value[k] = __float2half(expf(__half2float(pack.value[k]) - largest) * scale);
        result[i] = pack;
    }
}
