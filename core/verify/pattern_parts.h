// SPDX-License-Identifier: GPL-3.0-or-later
// The finder's parts: tests on values (permuted, shifted, repeated, imprecise) and on geometry. Each looks for its own
// patterns and returns nothing when it finds none; pattern.cpp asks them in order of how specific they are.
#pragma once

#include "core/verify/pattern.h"

#include <optional>

namespace kf::pattern_parts {

struct Samples {
    std::vector<std::int64_t> bad;  // evenly spaced bad elements
    std::vector<std::int64_t> good; // evenly spaced accepted elements
    std::vector<std::int64_t> all;  // evenly spaced elements
};
Samples take_samples(const OutputView& view, const BadMask& bad);

using Found = std::optional<PatternFinding>;

Found find_constant(const OutputView& view);
Found find_common_factor(const OutputView& view, const BadMask& bad, const Samples& samples);
Found find_transposed(const OutputView& view, const BadMask& bad, const Samples& samples);
Found find_shift(const OutputView& view, const BadMask& bad, const Samples& samples);
Found find_broadcast(const OutputView& view, const BadMask& bad, const Samples& samples);
Found find_accumulation(const OutputView& view, const BadMask& bad, const Samples& samples);
Found find_tail(const OutputView& view, const BadMask& bad);
Found find_lines(const OutputView& view, const BadMask& bad); // rows and columns
Found find_tiles(const OutputView& view, const BadMask& bad);

// A figure as people write it: "0.5", "3e-05", "NaN".
std::string figure(double value);
// Strides of a row-major shape.
std::vector<std::int64_t> strides_of(const Shape& shape);
// "axis 1 (16 long)"; for the last axis "the last axis".
std::string axis_name(const Shape& shape, std::size_t axis);
double share_of(const OutputView& view, const BadMask& bad);

} // namespace kf::pattern_parts
