// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of the judge's kernels, as resources/cuda/judge declares them. The device text and this one must agree byte
// for byte; kf-cuda compares the sizes with what the loaded module says before anything runs.
#pragma once

#include "core/runners/cuda/driver.h"

#include <cstdint>

namespace kf::cuda {

struct JudgeFloatFill {
    std::uint64_t seed = 0, count = 0, row_length = 1, forced = 0;
    double a = 0, b = 1, limit = 0, scale_low = 1, scale_high = 1, smallest = 0, first_whole = 0, wholes = 0;
    std::uint32_t tensor = 0, regime = 0;
    int dtype = 0, uniform = 0, sparse = 0, scaled = 0, cancels = 1, unused = 0;
};
static_assert(sizeof(JudgeFloatFill) == 128);

struct JudgeIntegerFill {
    std::uint64_t seed = 0, count = 0, row_length = 1, width = 1;
    std::int64_t low = 0;
    double exponent = 0;
    std::uint32_t tensor = 0, regime = 0;
    int dtype = 0, kind = 0, codes = 0, half_bits = 1;
};
static_assert(sizeof(JudgeIntegerFill) == 72);

struct JudgeCloseArguments {
    DevicePointer got = 0, golden = 0, trusted = 0;
    std::uint64_t elements = 0, row = 1, rows = 1, segment = 1, segments_a_row = 1;
    double atol = 0, rtol = 0, largest = 0;
    int dtype = 0, golden_integers = 0;
};
static_assert(sizeof(JudgeCloseArguments) == 96);

struct JudgeSegment {
    double max_error, squares, max_trusted, trusted_squares, largest, max_relative;
    std::uint64_t left_out, trusted_left_out;
};
static_assert(sizeof(JudgeSegment) == 64);

struct JudgeCounters {
    std::uint64_t nan_got = 0, nan_expected = 0, inf_got = 0, inf_expected = 0, bad = 0, bad_nonfinite = 0, one_off = 0;
    std::uint64_t max_error_bits = 0, max_relative_bits = 0;
};
static_assert(sizeof(JudgeCounters) == 72);

} // namespace kf::cuda
