// expect: class=mismatch place=out pattern=off-by-one
// An exclusive sum where the length is a multiple of four: every element holds the sum before it.
#pragma kf launch scan<<<1, 1>>>(x, out, N)     when N % 4 == 0
#pragma kf launch scan_any<<<1, 1>>>(x, out, N) when N % 4 != 0

__global__ void scan(const float* x, float* out, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) {
        out[i] = (float)sum;
        sum += x[i];
    }
}

__global__ void scan_any(const float* x, float* out, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) {
        sum += x[i];
        out[i] = (float)sum;
    }
}
