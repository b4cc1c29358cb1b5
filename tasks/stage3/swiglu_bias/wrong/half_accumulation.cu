// expect: class=mismatch place=out pattern=accumulation
// The dot products are summed in half.
#pragma kf launch swiglu<<<cdiv(M*N, 64), 64>>>(x, w, b, out, M*N, N, K)
#include <cuda_fp16.h>

__global__ void swiglu(const __half* x, const __half* w, const __half* b, __half* out, long long n, int columns,
                       int depth) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    const long long row = i / columns, column = i % columns;
    __half gate = b[column], up = b[columns + column];
    for (int k = 0; k < depth; ++k) {
        gate = __hadd(gate, __hmul(x[row * depth + k], w[column * depth + k]));
        up = __hadd(up, __hmul(x[row * depth + k], w[(columns + column) * depth + k]));
    }
    const float g = __half2float(gate);
    out[i] = __float2half(g / (1.0f + expf(-g)) * __half2float(up));
}
