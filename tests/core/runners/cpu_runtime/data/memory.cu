__global__ void over_global(float* x) {
    x[threadIdx.x + 1] = 1; // line 2
}
__global__ void over_shared(float* x, int by) {
    __shared__ float s[64];
    s[threadIdx.x + by] = 1; // line 6
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
}
template<bool SYNC> __global__ void neighbour(const float* x, float* out) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t]; // line 13
    if (SYNC)
        __syncthreads();
    out[blockIdx.x * 64 + t] = s[(t + 1) % 64]; // line 16
    if (SYNC)
        __syncthreads();
}
__global__ void across(int* p) {
    p[0] += 1; // line 21
}
__global__ void warp_order(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
    atomicAdd(&out[40], 1);
}
