// expect: class=mismatch place=counts pattern=scattered
// A block's counters have eight bits: a value that occurs more than 255 times wraps.
#pragma kf fill   counts = 0
#pragma kf launch histogram<<<cdiv(N, 4096), 1>>>(x, counts, N)

__global__ void histogram(const unsigned char* x, int* counts, long long n) {
    unsigned char local[256];
    for (int bin = 0; bin < 256; ++bin)
        local[bin] = 0;
    for (long long i = blockIdx.x * 4096ll; i < (blockIdx.x + 1) * 4096ll && i < n; ++i)
        ++local[x[i]];
    for (int bin = 0; bin < 256; ++bin)
        atomicAdd(&counts[bin], local[bin]);
}
