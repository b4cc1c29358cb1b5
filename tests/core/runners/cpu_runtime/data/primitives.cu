#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cmath>
#include <cassert>
#include <cstdio>
namespace cg = cooperative_groups;

__constant__ int primes[4] = {2, 3, 5, 7};

__global__ void indices(int* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = threadIdx.x + 100 * threadIdx.y + 10000 * blockIdx.x + primes[threadIdx.x & 3] * 1000000;
}

template<int BLOCK> __global__ void block_sum(const float* in, float* out, int n) {
    __shared__ alignas(16) float s[BLOCK];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
        sum += in[i];
    s[t] = sum;
    __syncthreads();
    for (int o = BLOCK / 2; o > 0; o /= 2) {
        if (t < o)
            s[t] += s[t + o];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}

template<int TILE, class T> __global__ void matmul(const T* a, const T* b, float* c, int n) {
    __shared__ T as[TILE][TILE];
    __shared__ T bs[TILE][TILE];
    const int row = blockIdx.x / (n / TILE) * TILE + threadIdx.y, column = blockIdx.x % (n / TILE) * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += static_cast<float>(as[threadIdx.y][i]) * static_cast<float>(bs[i][threadIdx.x]);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void shuffles(int* out) {
    const int lane = threadIdx.x;
    int* o = out + lane;
    o[0] = __shfl_sync(~0u, lane * 10, 5);
    o[32] = __shfl_up_sync(~0u, lane, 3, 8);
    o[64] = __shfl_down_sync(~0u, lane, 2, 16);
    o[96] = __shfl_xor_sync(~0u, lane, 7);
    o[128] = static_cast<int>(__shfl_sync(~0u, lane * 1.5, 2, 4) * 2);
    o[160] = static_cast<int>(__low2float(__shfl_xor_sync(~0u, __float2half2_rn(static_cast<float>(lane)), 1)));
    o[192] = static_cast<int>(__shfl_xor_sync(~0u, static_cast<long long>(lane) << 33, 2) >> 33);
    o[224] = __ballot_sync(~0u, lane % 3 == 0);
    o[256] = __any_sync(~0u, lane == 7) + 2 * __all_sync(~0u, lane < 32) + 4 * __all_sync(~0u, lane < 31);
    o[288] = __match_any_sync(~0u, lane / 8);
    int same = 0;
    o[320] = __match_all_sync(~0u, 5, &same) + same;
    o[352] = __reduce_add_sync(~0u, lane) + __reduce_max_sync(~0u, lane - 40) + __reduce_min_sync(~0u, -lane);
    o[384] = lane < 16 ? __reduce_or_sync(0xffffu, 1u << lane) : __popc(__activemask());
    o[416] = __syncthreads_count(lane & 1) + 100 * __syncthreads_or(lane == 3) + 1000 * __syncthreads_and(lane == 3);
}

__global__ void groups(float* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    const int t = block.thread_rank();
    out[t] = cg::reduce(tile, static_cast<float>(t), cg::plus<float>());
    out[64 + t] = cg::reduce(tile, t ^ 5, cg::greater<int>());
    out[128 + t] = tile.shfl_up(t, 1) + tile.meta_group_rank() * 1000;
    if (t % 3 == 0) {
        auto some = cg::coalesced_threads();
        out[192 + t] = some.size() * 100 + some.thread_rank();
        out[256 + t] = some.shfl(t, 0);
    }
    out[320 + t] = cg::inclusive_scan(tile, t);
    cg::sync(block);
}

__global__ void grid_phases(int* data, int n) {
    auto grid = cg::this_grid();
    for (int phase = 0; phase < 5; ++phase) {
        const int i = grid.thread_rank();
        const int v = data[(i + 1) % n];
        grid.sync();
        data[i] = v;
        grid.sync();
    }
}

__global__ void dynamic(int* out, int n) {
    int* const buffer = static_cast<int*>(::kf_simt::dynamic_shared());
    if (threadIdx.x == 0)
        out[n] = buffer[n - 1]; // poisoned
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        buffer[n - 1 - i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = buffer[i];
}

__global__ void poisoned(float* out) {
    __shared__ float s[32];
    __shared__ half h[32];
    out[threadIdx.x] = s[threadIdx.x];
    out[32 + threadIdx.x] = h[threadIdx.x];
    __syncthreads();
    s[threadIdx.x] = 1;
    h[threadIdx.x] = 1;
}

__global__ void atomics(unsigned int* u, float* f, int* i, unsigned long long* l, double* d, half* h) {
    atomicAdd(&u[0], 2u);
    atomicInc(&u[1], 9u);
    atomicMax(&u[2], threadIdx.x);
    atomicOr(&u[3], 1u << (threadIdx.x & 31));
    atomicXor(&u[4], threadIdx.x);
    atomicDec(&u[5], 5u);
    atomicSub(&i[0], 1);
    atomicMin(&i[1], -static_cast<int>(threadIdx.x));
    atomicAdd(f, 0.5f);
    atomicAdd(l, 1ull << 33);
    atomicAdd(d, 0.25);
    atomicAdd(h, half(1.0f));
    int old = i[2], seen;
    do {
        seen = old;
        old = atomicCAS(&i[2], seen, seen + 3);
    } while (old != seen);
}

__global__ void exits(int* out) {
    if (threadIdx.x % 3 == 0)
        return;
    __syncthreads();
    if (threadIdx.x % 3 == 1) {
        out[threadIdx.x] = __popc(__ballot_sync(0xffffffffu & ~0x49249249u, 1));
        return;
    }
    out[threadIdx.x] = __popc(__ballot_sync(0xffffffffu & ~0x49249249u, 1)) + 100;
    __syncthreads();
}

// A prefix sum over blocks with tickets: a block waits for the one before it.
__global__ void look_back(int* ticket, int* sums, int* out) {
    __shared__ int block;
    if (threadIdx.x == 0) {
        block = atomicAdd(ticket, 1);
        int before = 0;
        if (block > 0) {
            while ((before = atomicAdd(&sums[block - 1], 0)) == 0) {
            }
        }
        __threadfence();
        atomicExch(&sums[block], before + block + 1);
    }
    __syncthreads();
    if (threadIdx.x == 3)
        out[block] = sums[block];
}

__global__ void intrinsics(int* o) {
    o[0] = __popc(0xf0f0u) + __clz(1) * 100 + __ffs(8) * 10000;
    o[1] = __brev(1u) == 0x80000000u && __byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311;
    o[2] = __dp4a(0x01020304, 0x01010101, 5);
    o[3] = __umulhi(0x80000000u, 6u) + __funnelshift_l(0x80000000u, 1u, 1) * 10;
    o[4] = __float2int_rn(2.5f) + 10 * __float2int_ru(2.1f) + 100 * __float2int_rd(-0.5f) + 10000 * __float2int_rz(3e9f);
    o[5] = static_cast<int>(rsqrtf(0.25f) * 10 + __saturatef(7.0f) + fmaxf(1.0f, NAN) + max(3, 4) + std::sqrt(16.0f));
    o[6] = __float_as_int(1.0f) == 0x3f800000 && __double2loint(__hiloint2double(7, 9)) == 9;
    o[7] = static_cast<int>(float(__nv_fp8_e4m3(448.9f)) + float(__nv_fp8_e5m2(3.0f)) + float(__nv_fp8_e4m3(-1e9f)));
    __shared__ __align__(16) float4 staged[1];
    __pipeline_memcpy_async(staged, o + 8, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    o[12] = static_cast<int>(staged[0].x);
}

__global__ void divergent(int* out) {
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    out[0] = 1;
}
__global__ void half_warp(int* out) {
    if (threadIdx.x < 16)
        out[0] = __shfl_sync(0xffffffffu, 1, 0);
}
__global__ void not_named() { __syncwarp(1u << ((threadIdx.x + 1) & 31)); }
__global__ void waits(int* flag) {
    while (atomicAdd(flag, 0) == 0) {
    }
}
__global__ void misaligned(float* p, float* out) {
    const float4 v = *reinterpret_cast<const float4*>(p + threadIdx.x);
    out[threadIdx.x] = v.w;
}
__global__ void misaligned_half2(half* p) { reinterpret_cast<half2*>(p + 1)[0] = half2(1, 2); }
__global__ void asserts(int n) {
    assert(n > static_cast<int>(threadIdx.x));
    printf("thread %d of %d\n", threadIdx.x, n);
}
__global__ void traps() {
    if (threadIdx.x == 5)
        __trap();
}
__global__ void null_pointer(int* p) { p[0] = 1; }
__device__ int counter;
__global__ void keeps_state() { ++counter; }
__device__ __noinline__ int deep(int n, int* p) {
    volatile int local[256];
    local[n & 255] = n;
    return n == 0 ? 0 : deep(n - 1, p) + local[n & 255];
}
__global__ void recursion(int* p, int n) { p[0] = deep(n, p); }
__global__ void no_cooperation() { cg::this_grid().sync(); }
__global__ void divides(int* p, int by) { p[0] = 7 / by; }
__global__ void some_sync(int blocks) {
    if (static_cast<int>(blockIdx.x) < blocks)
        cg::this_grid().sync();
}
__global__ void two_masks() { __syncwarp(threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u | 1u); }
static constexpr ::kf_simt::DynamicShared<float> everywhere{};
__global__ void named_outside(float* out) {
    everywhere[threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    float* p = everywhere;
    out[threadIdx.x] = p[31 - threadIdx.x];
}
