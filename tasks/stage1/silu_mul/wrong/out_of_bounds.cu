// expect: class=out-of-bounds place=out:after pattern=none
// The bound is tested with <=: one thread writes the element after the last one.
#pragma kf launch silu_mul<<<R*C/64 + 1, 64>>>(x, out, R*C, C)
#include <cuda_bf16.h>

__global__ void silu_mul(const __nv_bfloat16* x, __nv_bfloat16* out, long long n, int columns) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i > n)
        return;
    const long long row = (i < n ? i : n - 1) / columns, column = i % columns;
    const float gate = __bfloat162float(x[row * 2 * columns + column]);
    const float up = __bfloat162float(x[row * 2 * columns + columns + column]);
    out[i] = __float2bfloat16(gate / (1.0f + expf(-gate)) * up);
}
