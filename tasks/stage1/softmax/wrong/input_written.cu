// expect: class=input-written place=x pattern=none
// The exponentials are kept in the input's place.
#pragma kf launch softmax<<<R, 1>>>(x, out, C)
#include <cuda_fp16.h>

__global__ void softmax(__half* x, __half* out, int columns) {
    const long long begin = (long long)blockIdx.x * columns;
    float largest = -3.402823466e38f, sum = 0;
    for (int i = 0; i < columns; ++i)
        largest = fmaxf(largest, __half2float(x[begin + i]));
    for (int i = 0; i < columns; ++i) {
        const float e = expf(__half2float(x[begin + i]) - largest);
        sum += e;
        x[begin + i] = __float2half(e);
    }
    for (int i = 0; i < columns; ++i)
        out[begin + i] = __float2half(__half2float(x[begin + i]) / sum);
}
