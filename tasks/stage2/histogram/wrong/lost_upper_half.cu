// expect: class=mismatch place=counts pattern=scattered
// The byte is read as a signed number and negative ones are skipped.
#pragma kf fill   counts = 0
#pragma kf launch histogram<<<cdiv(N, 64), 64>>>(x, counts, N)

__global__ void histogram(const unsigned char* x, int* counts, long long n) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i < n && (signed char)x[i] >= 0)
        atomicAdd(&counts[x[i]], 1);
}
