// SPDX-License-Identifier: GPL-3.0-or-later
// An output beside its golden, element by element: what the comparison rules, the description of a mismatch and the
// pattern finder look at. Owns nothing.
#pragma once

#include "core/verify/compare.h"

#include <cmath>
#include <limits>

namespace kf {

class OutputView {
public:
    OutputView(DType dtype, const Shape& shape, std::span<const std::byte> got, const Golden& golden)
        : m_dtype(dtype), m_shape(shape), m_got(got), m_golden(golden), m_elements(element_count(shape)),
          m_largest(largest_finite(dtype)) {}

    DType dtype() const { return m_dtype; }
    const Shape& shape() const { return m_shape; }
    std::int64_t elements() const { return m_elements; }
    // Seen as a matrix: all leading axes × last axis. A scalar is 1 × 1.
    std::int64_t columns() const { return m_shape.empty() ? 1 : m_shape.back(); }
    std::int64_t rows() const { return columns() == 0 ? 0 : m_elements / columns(); }
    bool integers() const { return m_golden.integers; }

    double got(std::int64_t i) const { return load_element(m_got, m_dtype, static_cast<std::size_t>(i)); }
    // What the output should hold: the golden, or what it becomes in the output's type where it does not fit (Inf, or
    // the largest value of a type that saturates).
    double expected(std::int64_t i) const {
        if (m_golden.integers)
            return static_cast<double>(load_integer(m_golden.golden, DType::i64, static_cast<std::size_t>(i)));
        return fit(load_element(m_golden.golden, DType::f64, static_cast<std::size_t>(i)));
    }
    double fit(double golden) const {
        if (std::fabs(golden) <= m_largest || std::isnan(golden))
            return golden;
        return round_to(m_dtype, golden);
    }
    double largest() const { return m_largest; }

    static double round_to(DType dtype, double value) {
        std::byte storage[8];
        store_element(storage, dtype, 0, value);
        return load_element(storage, dtype, 0);
    }
    static double largest_finite(DType dtype) {
        switch (dtype) {
        case DType::f32:
            return std::numeric_limits<float>::max();
        case DType::f16:
            return 65504;
        case DType::bf16:
            return 0x1.FEp127;
        case DType::e4m3:
            return 448;
        case DType::e5m2:
            return 57344;
        default: // integers are never rounded to: what does not fit is simply not equal
            return std::numeric_limits<double>::infinity();
        }
    }

private:
    DType m_dtype;
    const Shape& m_shape;
    std::span<const std::byte> m_got;
    const Golden& m_golden;
    std::int64_t m_elements;
    double m_largest;
};

// Both NaN, or equal (infinities by sign, -0 == 0).
inline bool same_value(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

} // namespace kf
