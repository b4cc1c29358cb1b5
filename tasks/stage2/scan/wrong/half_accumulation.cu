// expect: class=mismatch place=out pattern=accumulation
// The running sum is kept in half.
#pragma kf launch scan<<<1, 1>>>(x, out, N)
#include <cuda_fp16.h>

__global__ void scan(const float* x, float* out, long long n) {
    __half sum = __float2half(0.0f);
    for (long long i = 0; i < n; ++i) {
        sum = __float2half(__half2float(sum) + x[i]);
        out[i] = __half2float(sum);
    }
}
