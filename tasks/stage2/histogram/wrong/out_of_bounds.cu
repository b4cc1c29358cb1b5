// expect: class=out-of-bounds place=counts:after pattern=none
// An extra bin behind the last one counts the bytes in all.
#pragma kf fill   counts = 0
#pragma kf launch histogram<<<1, 1>>>(x, counts, N)

__global__ void histogram(const unsigned char* x, int* counts, long long n) {
    for (long long i = 0; i < n; ++i)
        ++counts[x[i]];
    counts[256] = (int)n;
}
