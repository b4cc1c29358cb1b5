// expect: class=mismatch place=out pattern=accumulation
// The running sum is kept in half where the length is a multiple of four.
#pragma kf launch scan<<<1, 1>>>(x, out, N)     when N % 4 == 0
#pragma kf launch scan_any<<<1, 1>>>(x, out, N) when N % 4 != 0
#include <cuda_fp16.h>

__global__ void scan(const float* x, float* out, long long n) {
    __half sum = __float2half(0.0f);
    for (long long i = 0; i < n; ++i) {
        sum = __float2half(__half2float(sum) + x[i]);
        out[i] = __half2float(sum);
    }
}

__global__ void scan_any(const float* x, float* out, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) {
        sum += x[i];
        out[i] = (float)sum;
    }
}
