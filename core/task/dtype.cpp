// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/dtype.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace kf {
namespace {

constexpr std::uint64_t double_mantissa_mask = (std::uint64_t{1} << 52) - 1;

// Rounds a right shift by `shift` (1…63) bits to nearest, ties to even.
std::uint64_t shift_to_even(std::uint64_t value, int shift) {
    const std::uint64_t quotient = value >> shift;
    const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)) ? 1 : 0);
}

// A binary format with E exponent and M mantissa bits, without its sign: rounds |value| once, straight from double.
// The result may run over the largest finite code: the caller knows what stands there (infinity, or saturation).
template<int E, int M> std::uint32_t encode_magnitude(std::uint64_t bits) {
    constexpr int bias = (1 << (E - 1)) - 1;
    const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023 + bias;
    const std::uint64_t mantissa = bits & double_mantissa_mask;
    if (exponent >= (1 << E))
        return 1u << (E + M); // beyond every code of the format
    if (exponent > 0) {
        const std::uint64_t joined = (static_cast<std::uint64_t>(exponent) << 52) | mantissa;
        return static_cast<std::uint32_t>(shift_to_even(joined, 52 - M));
    }
    // Subnormal in the format: the hidden bit becomes visible. Doubles that are subnormal themselves end here as well
    // and are too small for any of our formats.
    const int shift = 52 - M + 1 - exponent;
    if (shift > 54)
        return 0;
    return static_cast<std::uint32_t>(shift_to_even(mantissa | (std::uint64_t{1} << 52), shift));
}

bool is_nan_bits(std::uint64_t bits) {
    return (bits & ~(std::uint64_t{1} << 63)) > (std::uint64_t{0x7ff} << 52);
}

// Formats with infinity at the code (2^E - 1) << M: half, bfloat16, e5m2.
template<int E, int M> std::uint32_t encode_ieee(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (E + M);
    constexpr std::uint32_t infinity = ((1u << E) - 1) << M;
    if (is_nan_bits(bits)) // quiet, with as much of the payload as there is room for
        return sign | infinity | (1u << (M - 1)) |
               static_cast<std::uint32_t>((bits & double_mantissa_mask) >> (52 - M));
    const std::uint32_t magnitude = encode_magnitude<E, M>(bits);
    return sign | (magnitude > infinity ? infinity : magnitude);
}

template<int E, int M> double decode_ieee(std::uint32_t code) {
    constexpr int bias = (1 << (E - 1)) - 1;
    const std::uint64_t sign = static_cast<std::uint64_t>(code >> (E + M)) << 63;
    const std::uint32_t exponent = (code >> M) & ((1u << E) - 1);
    const std::uint64_t mantissa = code & ((1u << M) - 1);
    if (exponent == 0)
        return std::copysign(std::ldexp(static_cast<double>(mantissa), 1 - bias - M), sign ? -1.0 : 1.0);
    const std::uint64_t wide = exponent == (1u << E) - 1 ? 0x7ff : exponent - bias + 1023;
    return std::bit_cast<double>(sign | (wide << 52) | (mantissa << (52 - M)));
}

// Half to float without branches, so that loops over it are vectorised: the exponent is moved into place by one exact
// multiplication, which also normalises subnormals.
float half_bits_to_float(std::uint16_t bits) {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
    const float finite = std::bit_cast<float>(magnitude) * 0x1p112f;
    const std::uint32_t special = magnitude | 0x7f800000u;
    const std::uint32_t joined = (bits & 0x7c00) == 0x7c00 ? special : std::bit_cast<std::uint32_t>(finite);
    return std::bit_cast<float>(joined | (static_cast<std::uint32_t>(bits & 0x8000) << 16));
}

template<class T> T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
template<class T> void store(std::byte* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

template<class T> T saturate(double value) {
    if (std::isnan(value))
        return 0;
    value = std::nearbyint(value);
    if (value <= static_cast<double>(std::numeric_limits<T>::min()))
        return std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) // 2^63 for int64: not below means too large
        return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}
template<class T> T saturate(std::int64_t value) {
    if (value < static_cast<std::int64_t>(std::numeric_limits<T>::min()))
        return std::numeric_limits<T>::min();
    if (value > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
        return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

struct FloatFormat {
    int min_exponent; // of the smallest normal value
    int max_exponent; // of the largest finite value
    int mantissa_bits;
};
FloatFormat format_of(DType dtype) {
    switch (dtype) {
    case DType::f32:
        return {-126, 127, 23};
    case DType::f16:
        return {-14, 15, 10};
    case DType::bf16:
        return {-126, 127, 7};
    case DType::e4m3:
        return {-6, 8, 3};
    case DType::e5m2:
        return {-14, 15, 2};
    default:
        return {-1022, 1023, 52};
    }
}

struct DTypeFacts {
    DType dtype;
    std::string_view name;
    std::size_t size;
};
constexpr std::array facts = {
    DTypeFacts{DType::f64, "f64", 8},   DTypeFacts{DType::f32, "f32", 4},     DTypeFacts{DType::f16, "f16", 2},
    DTypeFacts{DType::bf16, "bf16", 2}, DTypeFacts{DType::e4m3, "e4m3", 1},   DTypeFacts{DType::e5m2, "e5m2", 1},
    DTypeFacts{DType::i64, "i64", 8},   DTypeFacts{DType::i32, "i32", 4},     DTypeFacts{DType::i8, "i8", 1},
    DTypeFacts{DType::u8, "u8", 1},     DTypeFacts{DType::boolean, "bool", 1}};

const DTypeFacts& facts_of(DType dtype) {
    const DTypeFacts& found = facts[static_cast<std::size_t>(dtype)];
    assert(found.dtype == dtype);
    return found;
}

} // namespace

std::size_t size_of(DType dtype) {
    return facts_of(dtype).size;
}

std::string_view to_string(DType dtype) {
    return facts_of(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
    for (const DTypeFacts& fact : facts)
        if (fact.name == name)
            return fact.dtype;
    return std::nullopt;
}

bool is_float(DType dtype) {
    return dtype <= DType::e5m2;
}

std::uint16_t float_to_half(double value) {
    return static_cast<std::uint16_t>(encode_ieee<5, 10>(value));
}
double half_to_float(std::uint16_t bits) {
    return half_bits_to_float(bits);
}
std::uint16_t float_to_bfloat16(double value) {
    return static_cast<std::uint16_t>(encode_ieee<8, 7>(value));
}
double bfloat16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint8_t float_to_e4m3(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << 7;
    if (is_nan_bits(bits))
        return static_cast<std::uint8_t>(sign | 0x7f);
    const std::uint32_t magnitude = encode_magnitude<4, 3>(bits);
    return static_cast<std::uint8_t>(sign | (magnitude > 0x7e ? 0x7e : magnitude));
}
double e4m3_to_float(std::uint8_t bits) {
    const double sign = bits & 0x80 ? -1.0 : 1.0;
    if ((bits & 0x7f) == 0x7f)
        return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    const int exponent = (bits >> 3) & 15;
    const int mantissa = bits & 7;
    return sign * (exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10));
}

std::uint8_t float_to_e5m2(double value) {
    return static_cast<std::uint8_t>(encode_ieee<5, 2>(value));
}
double e5m2_to_float(std::uint8_t bits) {
    return decode_ieee<5, 2>(bits);
}

double load_element(std::span<const std::byte> buffer, DType dtype, std::size_t index) {
    assert((index + 1) * size_of(dtype) <= buffer.size());
    const std::byte* at = buffer.data() + index * size_of(dtype);
    switch (dtype) {
    case DType::f64:
        return load<double>(at);
    case DType::f32:
        return load<float>(at);
    case DType::f16:
        return half_to_float(load<std::uint16_t>(at));
    case DType::bf16:
        return bfloat16_to_float(load<std::uint16_t>(at));
    case DType::e4m3:
        return e4m3_to_float(load<std::uint8_t>(at));
    case DType::e5m2:
        return e5m2_to_float(load<std::uint8_t>(at));
    default:
        return static_cast<double>(load_integer(buffer, dtype, index));
    }
}

std::int64_t load_integer(std::span<const std::byte> buffer, DType dtype, std::size_t index) {
    assert((index + 1) * size_of(dtype) <= buffer.size());
    const std::byte* at = buffer.data() + index * size_of(dtype);
    switch (dtype) {
    case DType::i64:
        return load<std::int64_t>(at);
    case DType::i32:
        return load<std::int32_t>(at);
    case DType::i8:
        return load<std::int8_t>(at);
    case DType::u8:
        return load<std::uint8_t>(at);
    case DType::boolean:
        return load<std::uint8_t>(at) != 0;
    default:
        return saturate<std::int64_t>(load_element(buffer, dtype, index));
    }
}

void store_element(std::span<std::byte> buffer, DType dtype, std::size_t index, double value) {
    assert((index + 1) * size_of(dtype) <= buffer.size());
    std::byte* at = buffer.data() + index * size_of(dtype);
    switch (dtype) {
    case DType::f64:
        return store(at, value);
    case DType::f32:
        return store(at, static_cast<float>(value));
    case DType::f16:
        return store(at, float_to_half(value));
    case DType::bf16:
        return store(at, float_to_bfloat16(value));
    case DType::e4m3:
        return store(at, float_to_e4m3(value));
    case DType::e5m2:
        return store(at, float_to_e5m2(value));
    case DType::i64:
        return store(at, saturate<std::int64_t>(value));
    case DType::i32:
        return store(at, saturate<std::int32_t>(value));
    case DType::i8:
        return store(at, saturate<std::int8_t>(value));
    case DType::u8:
        return store(at, saturate<std::uint8_t>(value));
    case DType::boolean:
        return store(at, static_cast<std::uint8_t>(value != 0));
    }
}

void store_integer(std::span<std::byte> buffer, DType dtype, std::size_t index, std::int64_t value) {
    assert((index + 1) * size_of(dtype) <= buffer.size());
    std::byte* at = buffer.data() + index * size_of(dtype);
    switch (dtype) {
    case DType::i64:
        return store(at, value);
    case DType::i32:
        return store(at, saturate<std::int32_t>(value));
    case DType::i8:
        return store(at, saturate<std::int8_t>(value));
    case DType::u8:
        return store(at, saturate<std::uint8_t>(value));
    case DType::boolean:
        return store(at, static_cast<std::uint8_t>(value != 0));
    default:
        return store_element(buffer, dtype, index, static_cast<double>(value));
    }
}

void load_elements(std::span<const std::byte> buffer, DType dtype, std::size_t first, std::span<double> out) {
    assert((first + out.size()) * size_of(dtype) <= buffer.size());
    const std::byte* from = buffer.data() + first * size_of(dtype);
    const std::size_t n = out.size();
    switch (dtype) {
    case DType::f64:
        if (n > 0)
            std::memcpy(out.data(), from, n * sizeof(double));
        return;
    case DType::f32:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = load<float>(from + 4 * i);
        return;
    case DType::f16:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = half_bits_to_float(load<std::uint16_t>(from + 2 * i));
        return;
    case DType::bf16:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from + 2 * i)) << 16);
        return;
    case DType::i32:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = load<std::int32_t>(from + 4 * i);
        return;
    case DType::u8:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = std::to_integer<std::uint8_t>(from[i]);
        return;
    default:
        for (std::size_t i = 0; i < n; ++i)
            out[i] = load_element(buffer, dtype, first + i);
    }
}

void store_elements(std::span<const double> values, DType dtype, std::size_t first, std::span<std::byte> buffer) {
    assert((first + values.size()) * size_of(dtype) <= buffer.size());
    std::byte* to = buffer.data() + first * size_of(dtype);
    const std::size_t n = values.size();
    switch (dtype) {
    case DType::f32:
        for (std::size_t i = 0; i < n; ++i)
            store(to + 4 * i, static_cast<float>(values[i]));
        return;
    case DType::f16:
        for (std::size_t i = 0; i < n; ++i)
            store(to + 2 * i, float_to_half(values[i]));
        return;
    case DType::bf16:
        for (std::size_t i = 0; i < n; ++i)
            store(to + 2 * i, float_to_bfloat16(values[i]));
        return;
    default:
        for (std::size_t i = 0; i < n; ++i)
            store_element(buffer, dtype, first + i, values[i]);
    }
}

double unit_in_last_place(DType dtype, double value) {
    assert(is_float(dtype));
    if (std::isnan(value))
        return value;
    const FloatFormat format = format_of(dtype);
    int exponent = format.min_exponent;
    if (std::isinf(value))
        exponent = format.max_exponent;
    else if (value != 0)
        exponent = std::min(std::max(std::ilogb(value), format.min_exponent), format.max_exponent);
    return std::ldexp(1.0, exponent - format.mantissa_bits);
}

} // namespace kf
