// expect: class=mismatch place=out pattern=accumulation
// Dot products of 100 and more terms are summed in half.
#pragma kf launch swiglu<__half><<<cdiv(M*N, 64), 64>>>(x, w, b, out, M*N, N, K) when K >= 100
#pragma kf launch swiglu<float><<<cdiv(M*N, 64), 64>>>(x, w, b, out, M*N, N, K)  when K < 100
#include <cuda_fp16.h>

__device__ __half add_product(__half sum, __half a, __half b) {
    return __hadd(sum, __hmul(a, b));
}
__device__ float add_product(float sum, __half a, __half b) {
    return sum + __half2float(a) * __half2float(b);
}
__device__ float as_float(float value) {
    return value;
}
__device__ float as_float(__half value) {
    return __half2float(value);
}

template<class Sum>
__global__ void swiglu(const __half* x, const __half* w, const __half* b, __half* out, long long n, int columns,
                       int depth) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    const long long row = i / columns, column = i % columns;
    Sum gate = b[column], up = b[columns + column];
    for (int k = 0; k < depth; ++k) {
        gate = add_product(gate, x[row * depth + k], w[column * depth + k]);
        up = add_product(up, x[row * depth + k], w[(columns + column) * depth + k]);
    }
    const float g = as_float(gate);
    out[i] = __float2half(g / (1.0f + expf(-g)) * as_float(up));
}
