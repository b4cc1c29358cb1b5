// Histogram of bytes: every block counts its share in shared memory with atomics and adds its counts to the result.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune   BLOCK in {256, 128, 64, 32}
#pragma kf tune   PACKS in {8, 32, 128}
#pragma kf fill   counts = 0
#pragma kf launch histogram<BLOCK, PACKS, 16><<<cdiv(N, BLOCK*PACKS*16), BLOCK>>>(x, counts, N) when N % 16 == 0
#pragma kf launch histogram<BLOCK, PACKS, 1><<<cdiv(N, BLOCK*PACKS), BLOCK>>>(x, counts, N)     when N % 16 != 0

// A thread reads Packs packs of Width bytes.
template<int Threads, int Packs, int Width> __global__ void histogram(const unsigned char* x, int* counts, long long n) {
    struct alignas(Width) Pack {
        unsigned char value[Width];
    };
    __shared__ int local[256];
    for (int bin = threadIdx.x; bin < 256; bin += Threads)
        local[bin] = 0;
    __syncthreads();
    const Pack* in = reinterpret_cast<const Pack*>(x);
    const long long begin = (long long)blockIdx.x * Threads * Packs + threadIdx.x;
    for (int k = 0; k < Packs; ++k) {
        const long long i = begin + (long long)k * Threads;
        if (i * Width >= n)
            break;
        const Pack pack = in[i];
        for (int v = 0; v < Width; ++v)
            atomicAdd(&local[pack.value[v]], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += Threads)
        if (local[bin] != 0)
            atomicAdd(&counts[bin], local[bin]);
}
