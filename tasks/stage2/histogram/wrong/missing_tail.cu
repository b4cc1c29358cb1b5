// expect: class=mismatch place=counts pattern=constant
// Four bytes at a time with no path for the bytes after the last whole word.
#pragma kf fill   counts = 0
#pragma kf launch histogram<<<cdiv(N, 4*64), 64>>>(x, counts, N/4)

__global__ void histogram(const unsigned char* x, int* counts, long long words) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i >= words)
        return;
    for (int k = 0; k < 4; ++k)
        atomicAdd(&counts[x[4 * i + k]], 1);
}
