// expect: class=unwritten place=out pattern=all
// The number of elements is rounded down to whole pairs.
#pragma kf launch transpose<<<cdiv(B*S*H*D, 64), 64>>>(x, out, S, H, D, B*S*H*D/2*2)
#include <cuda_bf16.h>

__global__ void transpose(const __nv_bfloat16* x, __nv_bfloat16* out, int length, int heads, int width, long long n) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    const long long d = i % width;
    const long long s = i / width % length;
    const long long h = i / width / length % heads;
    const long long b = i / width / length / heads;
    out[i] = x[((b * length + s) * heads + h) * width + d];
}
