// Inclusive prefix sum in three launches: sum of every tile, scan of the tile sums by one block, scan inside the tiles.
// Sums are kept in double: a float carry over a hundred million elements would lose the small ones.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma kf tune    BLOCK in {128, 64, 32, 256}
#pragma kf tune    ITEMS in {8, 16, 32}
#pragma kf scratch sums: f64[cdiv(N, BLOCK*ITEMS)]
#pragma kf launch  tile_sums<BLOCK, ITEMS><<<cdiv(N, BLOCK*ITEMS), BLOCK>>>(x, sums, N)
#pragma kf launch  scan_sums<BLOCK><<<1, BLOCK>>>(sums, cdiv(N, BLOCK*ITEMS))
#pragma kf launch  scan_tiles<BLOCK, ITEMS, 4><<<cdiv(N, BLOCK*ITEMS), BLOCK>>>(x, sums, out, N) when N % 4 == 0
#pragma kf launch  scan_tiles<BLOCK, ITEMS, 1><<<cdiv(N, BLOCK*ITEMS), BLOCK>>>(x, sums, out, N) when N % 4 != 0

// Sum of what the threads before this one hold; `total` is the sum over the block. `shared` holds two rows of Threads.
template<int Threads> __device__ double sum_before(double value, double* shared, double& total) {
    double* from = shared;
    double* to = shared + Threads;
    from[threadIdx.x] = value;
    __syncthreads();
    for (int step = 1; step < Threads; step *= 2) {
        to[threadIdx.x] = from[threadIdx.x] + (threadIdx.x >= step ? from[threadIdx.x - step] : 0.0);
        __syncthreads();
        double* const last = from;
        from = to;
        to = last;
    }
    const double before = threadIdx.x > 0 ? from[threadIdx.x - 1] : 0.0;
    total = from[Threads - 1];
    __syncthreads();
    return before;
}

template<int Threads, int Items> __global__ void tile_sums(const float* x, double* sums, long long n) {
    __shared__ double partial[Threads];
    const long long begin = (long long)blockIdx.x * Threads * Items;
    double sum = 0;
    for (int item = 0; item < Items; ++item) {
        const long long i = begin + item * Threads + threadIdx.x;
        if (i < n)
            sum += x[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = Threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

// Sums of tiles become sums of all tiles before.
template<int Threads> __global__ void scan_sums(double* sums, long long tiles) {
    __shared__ double shared[2 * Threads];
    double carry = 0;
    for (long long begin = 0; begin < tiles; begin += Threads) {
        const long long i = begin + threadIdx.x;
        const double value = i < tiles ? sums[i] : 0.0;
        double total;
        const double before = sum_before<Threads>(value, shared, total);
        if (i < tiles)
            sums[i] = carry + before;
        carry += total;
    }
}

// A thread scans Items neighbours, read and written Width at a time.
template<int Threads, int Items, int Width>
__global__ void scan_tiles(const float* x, const double* sums, float* out, long long n) {
    struct alignas(4 * Width) Pack {
        float value[Width];
    };
    __shared__ double shared[2 * Threads];
    const long long begin = ((long long)blockIdx.x * Threads + threadIdx.x) * Items;
    double running[Items];
    double sum = 0;
    for (int item = 0; item < Items; item += Width) {
        Pack pack = {};
        if (begin + item < n)
            pack = *reinterpret_cast<const Pack*>(x + begin + item);
        for (int k = 0; k < Width; ++k) {
            sum += pack.value[k];
            running[item + k] = sum;
        }
    }
    double total;
    const double before = sums[blockIdx.x] + sum_before<Threads>(sum, shared, total);
    for (int item = 0; item < Items; item += Width) {
        Pack pack;
        for (int k = 0; k < Width; ++k)
            pack.value[k] = (float)(before + running[item + k]);
        if (begin + item < n)
            *reinterpret_cast<Pack*>(out + begin + item) = pack;
    }
}
