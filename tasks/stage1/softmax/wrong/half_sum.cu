// expect: class=mismatch place=out pattern=accumulation
// The sum of exponentials is kept in half: it stops growing at 2048 and loses every small addend before.
#pragma kf launch softmax<<<R, 1>>>(x, out, C)
#include <cuda_fp16.h>

__global__ void softmax(const __half* x, __half* out, int columns) {
    const long long begin = (long long)blockIdx.x * columns;
    float largest = -3.402823466e38f;
    for (int i = 0; i < columns; ++i)
        largest = fmaxf(largest, __half2float(x[begin + i]));
    __half sum = __float2half(0.0f);
    for (int i = 0; i < columns; ++i)
        sum = __hadd(sum, __float2half(expf(__half2float(x[begin + i]) - largest)));
    for (int i = 0; i < columns; ++i)
        out[begin + i] = __float2half(expf(__half2float(x[begin + i]) - largest) / __half2float(sum));
}
