// expect: class=nonfinite place=out pattern=constant
// exp(g) / (1 + exp(g)) is infinity over infinity for large gates.
#pragma kf launch silu_mul<<<cdiv(R*C, 64), 64>>>(x, out, R*C, C)
#include <cuda_bf16.h>

__global__ void silu_mul(const __nv_bfloat16* x, __nv_bfloat16* out, long long n, int columns) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    const long long row = i / columns, column = i % columns;
    const float gate = __bfloat162float(x[row * 2 * columns + column]);
    const float up = __bfloat162float(x[row * 2 * columns + columns + column]);
    const float e = expf(gate);
    out[i] = __float2bfloat16(gate * (e / (1.0f + e)) * up);
}
