// SPDX-License-Identifier: GPL-3.0-or-later
// core/task/input_floats.cpp and input_integers.cpp on the device, one thread an element: the same bits as there (a GPU
// test compares checksums over every task, size and regime). `offsets` fills depend on whole rows and come from the host.
#pragma once

#include "exact.cuh"

struct FloatFill { // laid out as JudgeFloatFill (core/runners/cuda/judge_abi.h)
    u64 seed, count, row_length, forced;
    double a, b, limit, scale_low, scale_high, smallest, first_whole, wholes;
    u32 tensor, regime;
    int dtype, uniform, sparse, scaled, cancels, unused;
};

__device__ inline double drawn(const FloatFill& f, u32 word) {
    if (f.uniform) {
        if (f.regime == integers && f.wholes >= 1)
            return add(f.first_whole, floor(mul(f.wholes, unit(word))));
        return add(f.a, mul(sub(f.b, f.a), unit(word)));
    }
    if (f.regime == integers) {
        if (f.sparse) {
            const u32 die = word >> 26;
            return die < 3 ? 1 : die == 3 ? -1 : 0;
        }
        const int five = (int)(((u64)word * 5) >> 32);
        return five - 2 + ((word & 15) == 0 ? 1 : 0);
    }
    return add(f.a, mul(f.b, normal_quantile(unit(word))));
}

__device__ inline double cancelling(const FloatFill& f, const WordSource& source, u64 index, double value,
                                    double middle) {
    const u64 row = index / f.row_length, column = index % f.row_length, begin = column / 64 * 64;
    const u64 rest = f.row_length - begin, half = (rest < 64 ? rest : 64) / 2, inside = column - begin;
    if (inside >= 2 * half)
        return value;
    const bool second = inside >= half;
    const bool equal_pairs = f.sparse && !f.uniform;
    if (equal_pairs && !second)
        return value;
    const u64 partner = row * f.row_length + begin + (second ? inside - half : inside);
    const double shared = unit(source.word(equal_pairs ? values : pair, partner));
    if (equal_pairs)
        return add(add(f.a, mul(f.b, normal_quantile(shared))), mul(sub(value, f.a), 0x1p-5));
    if (f.uniform) {
        const double offset = add(mul(sub(f.b, f.a), add(0.45, mul(0.04, shared))), mul(0.01, sub(value, middle)));
        return add(middle, second ? -offset : offset);
    }
    const double large = mul(mul(f.b, 32.0), add(1.0, fabs(normal_quantile(shared))));
    return add(value, second ? -large : large);
}

extern "C" __global__ void kf_fill_floats(FloatFill f, void* out) {
    const WordSource source{f.seed, f.tensor, f.regime};
    const double middle = f.uniform ? mul(0.5, add(f.a, f.b)) : 0;
    const int size = size_of(f.dtype);
    for (u64 quad = first_thread(); quad * 4 < f.count; quad += all_threads()) {
        const Words words = source.block(values, quad);
        for (u64 k = 0; k < 4 && quad * 4 + k < f.count; ++k) {
            const u64 index = quad * 4 + k;
            const u32 word = words.w[k];
            double value = drawn(f, word);
            if (f.regime == spiky && ((word & 1023) == 0 || index == f.forced)) {
                const Words dice = source.block(spike, index);
                const bool negative = (dice.w[0] & 1) != 0;
                if (f.uniform) {
                    value = negative ? f.a : sub(f.b, mul(sub(f.b, f.a), 0x1p-12));
                } else {
                    const double large = mul(f.b, log_uniform(16, 128, dice.w[1]));
                    value = negative ? -large : large;
                }
            } else if (f.regime == cancel && f.cancels) {
                value = cancelling(f, source, index, value, middle);
            } else if (f.regime == mixed) {
                const u64 tiles_a_row = (f.row_length + 31) / 32;
                const u64 row = index / f.row_length, column = index % f.row_length;
                const u32 die = source.block(tile, row / 8 * tiles_a_row + column / 32).w[0];
                int exponent = (int)(((u64)die * 10) >> 32) - 7;
                if (f.uniform && exponent > 0)
                    exponent = 0;
                value = add(middle, mul(sub(value, middle), double_of((u64)(exponent + 1023) << 52)));
            }
            if (f.scaled && f.regime != integers)
                value = mul(value, log_uniform(f.scale_low, f.scale_high,
                                               source.block(row_scale, index / f.row_length).w[0]));
            value = value < -f.limit ? -f.limit : value;
            value = f.limit < value ? f.limit : value;
            if (f.regime == specials && ((word & 63) == 0 || index == f.forced)) {
                switch (source.block(spike, index).w[0] & 7) {
                case 0:
                    value = double_of(0x7ff8000000000000ull);
                    break;
                case 1:
                    value = double_of(0x7ff0000000000000ull);
                    break;
                case 2:
                    value = double_of(0xfff0000000000000ull);
                    break;
                case 3:
                    value = -0.0;
                    break;
                case 4:
                    value = f.smallest;
                    break;
                case 5:
                    value = -f.smallest;
                    break;
                case 6:
                    value = mul(2, f.limit);
                    break;
                default:
                    value = mul(-2, f.limit);
                }
            }
            store_bits(out, size, index, encode(f.dtype, value));
        }
    }
}

struct IntegerFill { // laid out as JudgeIntegerFill
    u64 seed, count, row_length, width; // width: values are low … low + width - 1; of a permutation: its bound
    i64 low;
    double exponent; // of zipf
    u32 tensor, regime;
    int dtype, kind; // kind: 0 drawn evenly, 1 zipf, 2 permutation of each row
    int codes;       // bytes of a float type: NaN and infinity become finite codes
    int half_bits;   // of the Feistel network
};

struct Feistel {
    u64 bound;
    u32 keys[4];
    int half_bits;
    __device__ u64 operator()(u64 value) const {
        const u64 mask = ((u64)1 << half_bits) - 1;
        do {
            u64 left = value >> half_bits, right = value & mask;
            for (int round = 0; round < 6; ++round) {
                const u64 mixed_bits = (right + keys[round % 4] + round) * 0x9e3779b97f4a7c15ull;
                const u64 next = left ^ (((mixed_bits ^ (mixed_bits >> 29)) * 0xbf58476d1ce4e5b9ull >> 32) & mask);
                left = right;
                right = next;
            }
            value = (left << half_bits) | right;
        } while (value >= bound);
        return value;
    }
};

__device__ inline Feistel feistel(const IntegerFill& f, const Words& keys) {
    return {f.width, {keys.w[0], keys.w[1], keys.w[2], keys.w[3]}, f.half_bits};
}

__device__ inline u64 zipf_rank(double exponent, u64 bound, double u) {
    const double top = add((double)bound, 1);
    double x;
    if (fabs(sub(exponent, 1)) < 1e-6) {
        x = exponential(mul(logarithm(top), u));
    } else {
        const double power = sub(1, exponent);
        const double base = add(1, mul(u, sub(exponential(mul(power, logarithm(top))), 1)));
        x = exponential(div(logarithm(base < 1e-300 ? 1e-300 : base), power));
    }
    const double rank = sub(floor(x), 1);
    if (rank <= 0)
        return 0;
    return (u64)rank < bound - 1 ? (u64)rank : bound - 1;
}

// (a · b) / c of 128 bits; the quotient fits 64.
__device__ inline u64 multiply_divide(u64 a, u64 b, u64 c) {
    u64 high = __umul64hi(a, b), low = a * b;
    if (high == 0)
        return low / c;
    u64 quotient = 0, rest = high % c;
    for (int bit = 63; bit >= 0; --bit) {
        const bool carry = rest >> 63;
        rest = (rest << 1) | ((low >> bit) & 1);
        if (carry || rest >= c) {
            rest -= c;
            quotient |= (u64)1 << bit;
        }
    }
    return quotient;
}

__device__ inline u64 draw_integer(const IntegerFill& f, const Feistel& scatter, u32 low, u32 high) {
    if (f.kind == 1)
        return scatter(zipf_rank(f.exponent, f.width, mul(add((double)low, 0.5), 0x1p-32)));
    if (f.width <= (u64)1 << 32)
        return ((u64)low * f.width) >> 32;
    return __umul64hi(((u64)high << 32) | low, f.width);
}

extern "C" __global__ void kf_fill_integers(IntegerFill f, void* out) {
    const WordSource source{f.seed, f.tensor, f.regime};
    const int size = size_of(f.dtype);
    const Feistel scatter = feistel(f, source.block(permutation, 0));
    for (u64 index = first_thread(); index < f.count; index += all_threads()) {
        u64 value;
        if (f.kind == 2) {
            const u64 row = index / f.row_length, column = index % f.row_length;
            value = f.regime == integers  ? column
                    : f.regime == spiky   ? f.width - 1 - column
                                          : feistel(f, source.block(permutation, row))(column);
        } else if (f.regime == integers) {
            value = multiply_divide(index, f.width, f.count);
        } else if (f.regime == mixed) {
            const Words run = source.block(runs, index / 32);
            value = draw_integer(f, scatter, run.w[0], run.w[1]);
        } else {
            const u32 word = source.word(values, index);
            if (f.regime == spiky && (word & 15) != 0) {
                const Words tile_words = source.block(hot, index / 4096);
                value = draw_integer(f, scatter, tile_words.w[0], tile_words.w[1]);
            } else {
                value = draw_integer(f, scatter, word,
                                     f.width > (u64)1 << 32 ? source.word(high_words, index) : 0);
            }
        }
        u64 bits = (u64)f.low + value;
        if (f.codes && f.regime != specials) {
            const bool special = f.dtype == e4m3 ? (bits & 0x7f) == 0x7f : (bits & 0x7c) == 0x7c;
            if (special)
                bits &= ~(u64)0x40;
        }
        store_bits(out, size, index, bits);
    }
}
