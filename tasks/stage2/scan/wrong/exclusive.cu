// expect: class=mismatch place=out pattern=off-by-one
// An exclusive sum: every element holds the sum before it.
#pragma kf launch scan<<<1, 1>>>(x, out, N)

__global__ void scan(const float* x, float* out, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) {
        out[i] = (float)sum;
        sum += x[i];
    }
}
