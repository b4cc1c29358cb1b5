// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf scratch h: f32[M, 2*N]
#pragma kf gemm    h = x @ w.T
#pragma kf launch  swiglu<<<cdiv(M*N, 64), 64>>>(h, b, out, M*N, N)
#include <cuda_fp16.h>
// Values pass through shared memory without a barrier.
__global__ void swiglu(const float* h, const __half* b, __half* out, long long n, int columns) {
    __shared__ float gates[64];
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    const long long first = (long long)blockIdx.x * 64;
    const long long j = first + (63 - threadIdx.x);
    if (j < n)
        gates[63 - threadIdx.x] = h[j / columns * 2 * columns + j % columns] + __half2float(b[j % columns]);
    if (i >= n)
        return;
    const long long row = i / columns;
    const int column = (int)(i % columns);
    const float g = gates[threadIdx.x];
    const float u = h[row * 2 * columns + columns + column] + __half2float(b[columns + column]);
    out[i] = __float2half(g / (1.0f + expf(-g)) * u);
}
