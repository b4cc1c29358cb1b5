// expect: class=unwritten place=out pattern=all
// Two elements a thread with no path for the odd one at the end of a row.
#pragma kf launch softmax<<<R, 1>>>(x, out, C)
#include <cuda_fp16.h>

__global__ void softmax(const __half* x, __half* out, int columns) {
    const long long begin = (long long)blockIdx.x * columns;
    float largest = -3.402823466e38f, sum = 0;
    for (int i = 0; i < columns; ++i)
        largest = fmaxf(largest, __half2float(x[begin + i]));
    for (int i = 0; i < columns; ++i)
        sum += expf(__half2float(x[begin + i]) - largest);
    for (int i = 0; i < columns / 2; ++i) {
        out[begin + 2 * i] = __float2half(expf(__half2float(x[begin + 2 * i]) - largest) / sum);
        out[begin + 2 * i + 1] = __float2half(expf(__half2float(x[begin + 2 * i + 1]) - largest) / sum);
    }
}
