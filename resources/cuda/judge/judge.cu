// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own kernels on a GPU: inputs, poison, checksums, and the comparison over every element. They only decide
// that an output is accepted; what is not accepted is looked at again on the host (core/verify), which also describes it.
#include "inputs.cuh"

extern "C" __global__ void kf_fill_pattern(void* out, u64 count, int size, u64 bits) {
    for (u64 i = first_thread(); i < count; i += all_threads())
        store_bits(out, size, i, bits);
}

// checksum64's sums of 4096-byte chunks (core/base/sha256.cpp); four threads a chunk, one a lane.
extern "C" __global__ void kf_checksum_chunks(const u8* data, u64 bytes, u64* sums) {
    const u64 k1 = 0x9e3779b97f4a7c15ull, k2 = 0xc2b2ae3d27d4eb4full;
    const u64 chunks = (bytes + 4095) / 4096;
    const bool aligned = ((u64)data & 7) == 0;
    const u32 lane = threadIdx.x & 3;
    for (u64 chunk = first_thread() / 4; chunk < (chunks + 7) / 8 * 8; chunk += all_threads() / 4) {
        u64 value = lane == 0 ? k1 : lane == 1 ? k2 : lane == 2 ? k1 ^ k2 : k1 + k2;
        const u64 begin = chunk * 4096;
        const u64 n = chunk >= chunks ? 0 : (bytes - begin < 4096 ? bytes - begin : 4096);
        for (u64 at = 0; at + 32 <= n; at += 32) {
            u64 word = 0;
            const u8* from = data + begin + at + 8 * lane;
            if (aligned)
                word = *(const u64*)from;
            else
                for (int k = 7; k >= 0; --k)
                    word = (word << 8) | from[k];
            value ^= word * k1;
            value = ((value << 31) | (value >> 33)) * k2;
        }
        u64 sum = n * k1;
        for (int k = 0; k < 4; ++k) { // every thread of the warp takes part in the shuffles
            sum ^= __shfl_sync(0xffffffffu, value, (threadIdx.x & 28) + k);
            sum = ((sum << 27) | (sum >> 37)) * k1 + k2;
        }
        if (lane != 0 || chunk >= chunks)
            continue;
        for (u64 at = n / 32 * 32; at < n; ++at) {
            sum ^= data[begin + at] * k2;
            sum = ((sum << 11) | (sum >> 53)) * k1;
        }
        sums[chunk] = sum;
    }
}

// found[0]: how many elements differ; found[1]: the first of them (initialised to the largest value).
extern "C" __global__ void kf_difference(const void* a, const void* b, u64 count, int size, u64* found) {
    for (u64 i = first_thread(); i < count; i += all_threads())
        if (load_bits(a, size, i) != load_bits(b, size, i)) {
            atomicAdd(found, (u64)1);
            atomicMin(found + 1, i);
        }
}

// Elements that still hold both runs' poison.
extern "C" __global__ void kf_unwritten(const void* first, const void* second, u64 count, int size, u64 first_poison,
                                        u64 second_poison, u64* found) {
    for (u64 i = first_thread(); i < count; i += all_threads())
        if (load_bits(first, size, i) == first_poison && load_bits(second, size, i) == second_poison) {
            atomicAdd(found, (u64)1);
            atomicMin(found + 1, i);
        }
}

struct CloseArguments { // laid out as JudgeCloseArguments
    const void *got, *golden, *trusted; // trusted may be null
    u64 elements, row, rows, segment, segments_a_row; // the last row takes what is left over
    double atol, rtol, largest;                       // largest finite value of the output's type
    int dtype, golden_integers;
};
struct Segment { // laid out as JudgeSegment
    double max_error, squares, max_trusted, trusted_squares, largest, max_relative;
    u64 left_out, trusted_left_out;
};
struct Counters { // laid out as JudgeCounters
    u64 nan_got, nan_expected, inf_got, inf_expected, bad, bad_nonfinite, one_off;
    u64 max_error_bits, max_relative_bits; // doubles; not negative, so their bits are in order
};

__device__ inline double warp_max(double value) {
    for (int step = 16; step > 0; step /= 2)
        value = fmax(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}
__device__ inline double warp_sum(double value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}
__device__ inline u64 warp_count(u64 value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}
__device__ inline bool same_value(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

// What the output should hold: the golden, or what it becomes in the output's type where it does not fit.
__device__ inline double fit(double golden, int dtype, double largest) {
    if (fabs(golden) <= largest || isnan(golden) || !is_float(dtype))
        return golden;
    return decode(dtype, encode(dtype, golden));
}
__device__ inline double golden_at(const void* golden, int is_integer, u64 i) {
    return is_integer ? (double)((const i64*)golden)[i] : ((const double*)golden)[i];
}

// The rule `close`, one warp a segment of a row.
extern "C" __global__ void kf_close(CloseArguments c, Segment* segments, Counters* counters) {
    const int lane = threadIdx.x & 31, size = size_of(c.dtype);
    const u64 all = c.rows * c.segments_a_row;
    for (u64 item = first_thread() / 32; item < all; item += all_threads() / 32) {
        const u64 row = item / c.segments_a_row, part = item % c.segments_a_row;
        const u64 row_end = row + 1 == c.rows ? c.elements : (row + 1) * c.row;
        const u64 begin = row * c.row + part * c.segment;
        u64 end = part + 1 == c.segments_a_row ? row_end : begin + c.segment;
        end = end < row_end ? end : row_end;
        Segment s = {0, 0, 0, 0, 0, 0, 0, 0};
        u64 bad = 0, nonfinite = 0;
        for (u64 i = begin + lane; i < end; i += 32) {
            const double y = decode(c.dtype, load_bits(c.got, size, i));
            const double expected = fit(golden_at(c.golden, c.golden_integers, i), c.dtype, c.largest);
            const bool finite = isfinite(expected) && isfinite(y);
            if (!finite) {
                ++s.left_out;
                if (isnan(y))
                    atomicAdd(&counters->nan_got, (u64)1);
                if (isnan(expected))
                    atomicAdd(&counters->nan_expected, (u64)1);
                if (isinf(y))
                    atomicAdd(&counters->inf_got, (u64)1);
                if (isinf(expected))
                    atomicAdd(&counters->inf_expected, (u64)1);
                if (!same_value(y, expected))
                    ++nonfinite;
            } else {
                const double magnitude = fabs(expected), difference = fabs(y - expected);
                if (!(difference <= add(c.atol, mul(c.rtol, magnitude))))
                    ++bad;
                s.max_error = fmax(s.max_error, difference);
                s.squares += difference * difference;
                s.largest = fmax(s.largest, magnitude);
                if (magnitude > 0)
                    s.max_relative = fmax(s.max_relative, difference / magnitude);
            }
            const double trusted =
                c.trusted ? fabs(decode(c.dtype, load_bits(c.trusted, size, i)) - expected) : 0.0;
            if (!isfinite(expected) || !isfinite(trusted)) {
                ++s.trusted_left_out;
            } else {
                s.max_trusted = fmax(s.max_trusted, trusted);
                s.trusted_squares += trusted * trusted;
            }
        }
        s.max_error = warp_max(s.max_error);
        s.squares = warp_sum(s.squares);
        s.max_trusted = warp_max(s.max_trusted);
        s.trusted_squares = warp_sum(s.trusted_squares);
        s.largest = warp_max(s.largest);
        s.max_relative = warp_max(s.max_relative);
        s.left_out = warp_count(s.left_out);
        s.trusted_left_out = warp_count(s.trusted_left_out);
        bad = warp_count(bad);
        nonfinite = warp_count(nonfinite);
        if (lane == 0) {
            segments[item] = s;
            if (bad)
                atomicAdd(&counters->bad, bad);
            if (nonfinite)
                atomicAdd(&counters->bad_nonfinite, nonfinite);
        }
    }
}

// Spacing of a type's values in the binade of |value| (dtype.cpp, unit_in_last_place).
__device__ inline double unit_in_last_place(int dtype, double value) {
    int least = -1022, most = 1023, mantissa = 52;
    if (dtype == f32) {
        least = -126, most = 127, mantissa = 23;
    } else if (dtype == f16) {
        least = -14, most = 15, mantissa = 10;
    } else if (dtype == bf16) {
        least = -126, most = 127, mantissa = 7;
    } else if (dtype == e4m3) {
        least = -6, most = 8, mantissa = 3;
    } else if (dtype == e5m2) {
        least = -14, most = 15, mantissa = 2;
    }
    int exponent = least;
    if (isinf(value))
        exponent = most;
    else if (value != 0)
        exponent = min(max(ilogb(value), least), most);
    return ldexp(1.0, exponent - mantissa);
}

// The rules `exact` (codes = 0) and `codes` (codes = 1). counters->bad: not equal, or more than a step away.
extern "C" __global__ void kf_exact(const void* got, const void* golden, u64 count, int dtype, int golden_integers,
                                    int codes, double largest, Counters* counters) {
    const int size = size_of(dtype);
    for (u64 i = first_thread(); i < count; i += all_threads()) {
        const u64 bits = load_bits(got, size, i);
        const double y = decode(dtype, bits);
        const double wide = golden_at(golden, golden_integers, i);
        double g = wide;
        bool equal, near = false;
        if (is_float(dtype)) {
            g = decode(dtype, encode(dtype, g));
            equal = same_value(y, g);
            if (isnan(y))
                atomicAdd(&counters->nan_got, (u64)1);
            if (isnan(g))
                atomicAdd(&counters->nan_expected, (u64)1);
            if (isinf(y))
                atomicAdd(&counters->inf_got, (u64)1);
            if (isinf(g))
                atomicAdd(&counters->inf_expected, (u64)1);
            if (!equal && !(isfinite(y) && isfinite(g)))
                atomicAdd(&counters->bad_nonfinite, (u64)1);
        } else {
            const i64 whole = dtype == i64_type  ? (i64)bits
                              : dtype == i32_type ? (i64)(int)(u32)bits
                              : dtype == i8_type  ? (i64)(signed char)(u8)bits
                                                  : (i64)(u8)bits;
            equal = golden_integers ? whole == ((const i64*)golden)[i] : (double)whole == g;
        }
        if (codes && !equal) {
            const double step = is_float(dtype) ? unit_in_last_place(dtype, fmin(fabs(y), fabs(g))) : 1.0;
            near = fabs(y - g) <= step;
        }
        if (equal)
            continue;
        atomicAdd(near ? &counters->one_off : &counters->bad, (u64)1);
        const double expected = codes ? g : fit(wide, dtype, largest);
        const double error = fabs(y - expected);
        if (isfinite(error)) {
            atomicMax(&counters->max_error_bits, bits_of(error));
            if (expected != 0)
                atomicMax(&counters->max_relative_bits, bits_of(error / fabs(expected)));
        }
    }
}

// Shared memory keeps what the last block left in it: a NaN there, so that reading before writing shows. One block a
// multiprocessor with all it can have.
extern "C" __global__ void kf_poison_shared(u32 word, u32 words, u32* sink) {
    extern __shared__ volatile u32 shared[];
    for (u32 i = threadIdx.x; i < words; i += blockDim.x)
        shared[i] = word;
    __syncthreads();
    if (shared[(threadIdx.x * 977 + word) % words] != word) // keeps the writes
        *sink = 1;
}

// Everything is overwritten with one word: what leaves no golden behind.
extern "C" __global__ void kf_wipe(u64* data, u64 words, u64 word) {
    for (u64 i = first_thread(); i < words; i += all_threads())
        data[i] = word;
}
