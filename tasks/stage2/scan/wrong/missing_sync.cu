// expect: class=race place=line:13 pattern=unstable
// No barrier between writing the threads' sums and reading those of others: what is read depends on who came first.
#pragma kf launch scan<<<1, 64>>>(x, out, N)    when N > 64
#pragma kf launch scan_any<<<1, 1>>>(x, out, N) when N <= 64

__global__ void scan(const float* x, float* out, long long n) {
    __shared__ double sums[64];
    const long long share = (n + 63) / 64;
    const long long begin = threadIdx.x * share;
    double sum = 0;
    for (long long i = begin; i < begin + share && i < n; ++i)
        sum += x[i];
    sums[threadIdx.x] = sum;
    double running = 0;
    for (int t = 0; t < threadIdx.x; ++t)
        running += sums[t];
    for (long long i = begin; i < begin + share && i < n; ++i) {
        running += x[i];
        out[i] = (float)running;
    }
}

__global__ void scan_any(const float* x, float* out, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) {
        sum += x[i];
        out[i] = (float)sum;
    }
}
