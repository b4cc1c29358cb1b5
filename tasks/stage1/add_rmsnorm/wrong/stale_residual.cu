// expect: class=unwritten place=residual_out pattern=all
// The second output is never written.
#pragma kf launch add_rmsnorm<<<R, 1>>>(x, residual, weight, out, residual_out, C)
#include <cuda_fp16.h>

__global__ void add_rmsnorm(const __half* x, const __half* residual, const __half* weight, __half* out,
                            __half* residual_out, int columns) {
    const long long begin = (long long)blockIdx.x * columns;
    float squares = 0;
    for (int i = 0; i < columns; ++i) {
        const float h = __half2float(x[begin + i]) + __half2float(residual[begin + i]);
        squares += h * h;
    }
    const float scale = rsqrtf(squares / columns + 1e-5f);
    for (int i = 0; i < columns; ++i) {
        const float h = __half2float(x[begin + i]) + __half2float(residual[begin + i]);
        out[begin + i] = __float2half(h * scale * __half2float(weight[i]));
    }
}
