#pragma kf scratch h: f32[M, N]
#pragma kf gemm    h = x @ w.T
#pragma kf launch  relu_rows<<<M, 128>>>(h, out, N)
#include <cuda_fp16.h>

// One block a row; the product comes in float and is rounded once.
__global__ void relu_rows(const float* h, __half* out, int columns) {
    const long long begin = (long long)blockIdx.x * columns;
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
        out[begin + column] = __float2half(fmaxf(h[begin + column], 0.0f));
}
