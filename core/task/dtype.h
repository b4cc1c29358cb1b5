// SPDX-License-Identifier: GPL-3.0-or-later
// Element types of tensors, their sizes, and conversion of single elements to and from double / int64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kf {

enum class DType { f64, f32, f16, bf16, e4m3, e5m2, i64, i32, i8, u8, boolean };

std::size_t size_of(DType dtype);        // bytes an element
std::string_view to_string(DType dtype); // "f16", …; boolean is "bool"
std::optional<DType> parse_dtype(std::string_view name);
bool is_float(DType dtype); // f64 … e5m2

// IEEE conversions, round to nearest even, subnormals and NaN kept; e4m3 is the finite-only OCP form (saturating), e5m2
// has Inf.
std::uint16_t float_to_half(double value);
double half_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat16(double value);
double bfloat16_to_float(std::uint16_t bits);
std::uint8_t float_to_e4m3(double value);
double e4m3_to_float(std::uint8_t bits);
std::uint8_t float_to_e5m2(double value);
double e5m2_to_float(std::uint8_t bits);

// Element `index` of a buffer; out of the buffer is a programmer's error (assert). i64 above 2^53 loses bits as double:
// use load_integer for integer types. Stores into integer types round to nearest even and saturate, NaN becomes 0; bool
// is "not zero". load_integer of a float type rounds likewise.
double load_element(std::span<const std::byte> buffer, DType dtype, std::size_t index);
std::int64_t load_integer(std::span<const std::byte> buffer, DType dtype, std::size_t index);
void store_element(std::span<std::byte> buffer, DType dtype, std::size_t index, double value);
void store_integer(std::span<std::byte> buffer, DType dtype, std::size_t index, std::int64_t value);

// Bulk conversion to double, the fast path of comparisons (out.size() elements from `first`).
void load_elements(std::span<const std::byte> buffer, DType dtype, std::size_t first, std::span<double> out);

// Bulk conversion from double (rounded once, as store_element does) into the elements from `first` on.
void store_elements(std::span<const double> values, DType dtype, std::size_t first, std::span<std::byte> buffer);

// Spacing of this type's values in the binade of |value| (float types only): one unit in the last place. `value` need
// not be representable: a float64 golden is measured in the units of the output's type. Zero and subnormals give the
// smallest spacing, values above the largest finite one and infinity that of the top binade, NaN gives NaN.
double unit_in_last_place(DType dtype, double value);

} // namespace kf
