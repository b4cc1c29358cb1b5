// expect: class=nonfinite place=out pattern=all
// Only threads with an element write their part: in rows shorter than the block the sum reads what nobody wrote.
#pragma kf launch softmax<<<R, 64>>>(x, out, C)
#include <cuda_fp16.h>

__global__ void softmax(const __half* x, __half* out, int columns) {
    __shared__ float largest[64];
    __shared__ float sums[64];
    const __half* row = x + (long long)blockIdx.x * columns;
    if (threadIdx.x < columns) {
        largest[threadIdx.x] = __half2float(row[threadIdx.x]);
        for (int i = threadIdx.x; i < columns; i += 64)
            largest[threadIdx.x] = fmaxf(largest[threadIdx.x], __half2float(row[i]));
    }
    __syncthreads();
    float most = __half2float(row[0]);
    for (int i = 0; i < 64 && i < columns; ++i)
        most = fmaxf(most, largest[i]);
    if (threadIdx.x < columns) {
        sums[threadIdx.x] = 0;
        for (int i = threadIdx.x; i < columns; i += 64)
            sums[threadIdx.x] += expf(__half2float(row[i]) - most);
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 64; ++i)
        sum += sums[i];
    for (int i = threadIdx.x; i < columns; i += 64)
        out[(long long)blockIdx.x * columns + i] = __float2half(expf(__half2float(row[i]) - most) / sum);
}
