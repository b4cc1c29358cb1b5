// expect: class=state place=line:5 pattern=none
// The carry between blocks lives in a global variable that outlives the launch.
#pragma kf launch scan<<<1, 1>>>(x, out, N)

__device__ double carry = 0;

__global__ void scan(const float* x, float* out, long long n) {
    double sum = carry;
    for (long long i = 0; i < n; ++i) {
        sum += x[i];
        out[i] = (float)sum;
    }
    carry = 0;
}
