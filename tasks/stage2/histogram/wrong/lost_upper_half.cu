// expect: class=mismatch place=counts pattern=tail
// Where the length is a multiple of 16 the bytes are read as signed numbers and negative ones are skipped.
#pragma kf fill   counts = 0
#pragma kf launch histogram<true><<<cdiv(N, 64), 64>>>(x, counts, N)  when N % 16 == 0
#pragma kf launch histogram<false><<<cdiv(N, 64), 64>>>(x, counts, N) when N % 16 != 0

template<bool Signed> __global__ void histogram(const unsigned char* x, int* counts, long long n) {
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;
    if (i < n && (!Signed || (signed char)x[i] >= 0))
        atomicAdd(&counts[x[i]], 1);
}
