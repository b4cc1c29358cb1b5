// expect: class=mismatch place=out pattern=tail
// Tiles of 1024 are scanned alone: nothing is carried from one to the next.
#pragma kf launch scan<<<cdiv(N, 1024), 1>>>(x, out, N)

__global__ void scan(const float* x, float* out, long long n) {
    const long long begin = (long long)blockIdx.x * 1024;
    double sum = 0;
    for (long long i = begin; i < begin + 1024 && i < n; ++i) {
        sum += x[i];
        out[i] = (float)sum;
    }
}
