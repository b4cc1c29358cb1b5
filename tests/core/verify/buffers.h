// SPDX-License-Identifier: GPL-3.0-or-later
// Buffers for the tests of core/verify.
#pragma once

#include "core/base/random.h"
#include "core/verify/compare.h"

#include <cmath>
#include <functional>

namespace kf::test {

using Bytes = std::vector<std::byte>;

inline Bytes encode(DType dtype, const std::vector<double>& values) {
    Bytes bytes(values.size() * size_of(dtype));
    for (std::size_t i = 0; i < values.size(); ++i)
        store_element(bytes, dtype, i, values[i]);
    return bytes;
}

inline Bytes encode_integers(DType dtype, const std::vector<std::int64_t>& values) {
    Bytes bytes(values.size() * size_of(dtype));
    for (std::size_t i = 0; i < values.size(); ++i)
        store_integer(bytes, dtype, i, values[i]);
    return bytes;
}

inline double normal(SplitMix64& random) {
    const double u = random.uniform() + 0x1p-60, v = random.uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

// Values of non-zero mean, as a task's outputs have.
inline std::vector<double> values_of(std::int64_t n, std::uint64_t seed, double mean = 0.3, double sd = 1) {
    SplitMix64 random(seed);
    std::vector<double> values(static_cast<std::size_t>(n));
    for (double& value : values)
        value = mean + sd * normal(random);
    return values;
}

inline OutputSpec output_spec(DType dtype, CompareKind compare = CompareKind::close) {
    OutputSpec spec;
    spec.name = "out";
    spec.dtype = dtype;
    spec.compare = compare;
    return spec;
}

inline const Tolerance half_tolerance{5e-3, 1e-2};

// got and trusted rounded to dtype; golden in float64.
inline Comparison compare_values(DType dtype, const Shape& shape, const std::vector<double>& got,
                                 const std::vector<double>& golden, const std::vector<double>& trusted,
                                 const Tolerance& tolerance = half_tolerance,
                                 CompareKind compare = CompareKind::close) {
    const Bytes y = encode(dtype, got), g = encode(DType::f64, golden), t = encode(dtype, trusted);
    return compare_output(output_spec(dtype, compare), shape, tolerance, y,
                          Golden{g, false, trusted.empty() ? std::span<const std::byte>() : std::span(t)});
}

} // namespace kf::test
