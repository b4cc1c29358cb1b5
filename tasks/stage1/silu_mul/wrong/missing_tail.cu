// expect: class=unwritten place=out pattern=all
// The grid is rounded down: the elements after the last whole block are left out.
#pragma kf launch silu_mul<<<max(R*C/4, 1), 4>>>(x, out, R*C/4*4, C)
#include <cuda_bf16.h>

__global__ void silu_mul(const __nv_bfloat16* x, __nv_bfloat16* out, long long n, int columns) {
    const long long i = (long long)blockIdx.x * 4 + threadIdx.x;
    if (i >= n)
        return;
    const long long row = i / columns, column = i % columns;
    const float gate = __bfloat162float(x[row * 2 * columns + column]);
    const float up = __bfloat162float(x[row * 2 * columns + columns + column]);
    out[i] = __float2bfloat16(gate / (1.0f + expf(-gate)) * up);
}
