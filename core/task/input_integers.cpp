// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/exact_math.h"
#include "core/task/input_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace kf::inputs_detail {
namespace {

constexpr std::uint64_t hot_tile = 4096, run_length = 32;
__extension__ using Wide = unsigned __int128;

// A keyed permutation of [0, bound): a Feistel network over the next even power of two, walked until inside.
class Permutation {
public:
    Permutation(std::uint64_t bound, const std::array<std::uint32_t, 4>& keys)
        : m_bound(bound), m_keys(keys), m_half_bits(permutation_half_bits(bound)) {}

    std::uint64_t operator()(std::uint64_t value) const {
        const std::uint64_t mask = (std::uint64_t{1} << m_half_bits) - 1;
        do {
            std::uint64_t left = value >> m_half_bits, right = value & mask;
            for (int round = 0; round < 6; ++round) {
                const std::uint64_t mixed = (right + m_keys[round % 4] + round) * 0x9e3779b97f4a7c15ull;
                const std::uint64_t next = left ^ (((mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9ull >> 32) & mask);
                left = right;
                right = next;
            }
            value = (left << m_half_bits) | right;
        } while (value >= m_bound);
        return value;
    }

private:
    std::uint64_t m_bound;
    std::array<std::uint32_t, 4> m_keys;
    int m_half_bits;
};

// Rank of a continuous power law over [1, bound + 1), cut to whole numbers: rank 0 is the most frequent.
std::uint64_t zipf_rank(double exponent, std::uint64_t bound, double u) {
    using namespace exact_math;
    const double top = static_cast<double>(bound) + 1;
    double x = 0;
    if (std::fabs(exponent - 1) < 1e-6) {
        x = exponential(logarithm(top) * u);
    } else {
        const double power = 1 - exponent;
        const double base = 1 + u * (exponential(power * logarithm(top)) - 1);
        x = exponential(logarithm(std::max(base, 1e-300)) / power);
    }
    const double rank = std::floor(x) - 1;
    return rank <= 0 ? 0 : std::min(static_cast<std::uint64_t>(rank), bound - 1);
}

struct IntegerRange {
    std::int64_t least = 0, most = 0;
};
IntegerRange range_of(DType dtype) {
    switch (dtype) {
    case DType::boolean:
        return {0, 1};
    case DType::i8:
        return {-128, 127};
    case DType::u8:
    case DType::e4m3: // codes
    case DType::e5m2:
        return {0, 255};
    case DType::i32:
        return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default:
        return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    }
}

// index, zipf, bytes, uniform: independent values in [low, low + width), bent by the regime.
class DrawnIntegers {
public:
    DrawnIntegers(const Target& target, std::int64_t low, std::uint64_t width)
        : m_target(target), m_low(low), m_width(width), m_scatter(width, target.source.block(Stream::permutation, 0)) {}

    void generate(std::uint64_t first, std::span<std::int64_t> out) const {
        std::vector<std::uint32_t> words(out.size()), high;
        m_target.source.words(Stream::values, first, words);
        if (m_width > std::uint64_t{1} << 32) {
            high.resize(out.size());
            m_target.source.words(Stream::high_words, first, high);
        }
        std::uint64_t hot_index = std::numeric_limits<std::uint64_t>::max(), hot_value = 0;
        std::uint64_t run_index = hot_index, run_value = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t index = first + i;
            std::uint64_t value = 0;
            if (m_target.regime == Regime::integers) {
                value = static_cast<std::uint64_t>(Wide{index} * m_width / m_target.count);
            } else if (m_target.regime == Regime::mixed) {
                if (index / run_length != run_index) {
                    run_index = index / run_length;
                    run_value = draw(m_target.source.block(Stream::runs, run_index));
                }
                value = run_value;
            } else if (m_target.regime == Regime::spiky && (words[i] & 15) != 0) {
                if (index / hot_tile != hot_index) {
                    hot_index = index / hot_tile;
                    hot_value = draw(m_target.source.block(Stream::hot, hot_index));
                }
                value = hot_value;
            } else {
                value = draw({words[i], high.empty() ? 0 : high[i], 0, 0});
            }
            out[i] = m_low + static_cast<std::int64_t>(value);
        }
    }

private:
    std::uint64_t draw(const std::array<std::uint32_t, 4>& words) const {
        if (m_target.spec.fill.kind == FillKind::zipf) {
            const double u = (static_cast<double>(words[0]) + 0.5) * 0x1p-32;
            return m_scatter(zipf_rank(m_target.spec.fill.a, m_width, u));
        }
        if (m_width <= std::uint64_t{1} << 32)
            return (std::uint64_t{words[0]} * m_width) >> 32;
        return static_cast<std::uint64_t>((Wide{(std::uint64_t{words[1]} << 32) | words[0]} * m_width) >> 64);
    }

    const Target& m_target;
    std::int64_t m_low;
    std::uint64_t m_width;
    Permutation m_scatter;
};

void permutation_values(const Target& target, std::uint64_t bound, std::uint64_t first, std::span<std::int64_t> out) {
    const std::uint64_t length = target.row_length;
    for (std::size_t i = 0; i < out.size();) {
        const std::uint64_t row = (first + i) / length;
        const Permutation permutation(bound, target.source.block(Stream::permutation, row));
        for (std::uint64_t column = (first + i) % length; column < length && i < out.size(); ++column, ++i) {
            if (target.regime == Regime::integers)
                out[i] = static_cast<std::int64_t>(column);
            else if (target.regime == Regime::spiky)
                out[i] = static_cast<std::int64_t>(bound - 1 - column);
            else
                out[i] = static_cast<std::int64_t>(permutation(column));
        }
    }
}

// Share of segment `segment` of a row: widely different, one in four empty.
std::uint64_t segment_share(const Target& target, std::uint64_t row, std::uint64_t segment, std::uint64_t segments) {
    if (target.regime == Regime::integers)
        return 1;
    if (target.regime == Regime::spiky) {
        const auto words = target.source.block(Stream::offsets, (row << 1) | 1);
        return segment == ((std::uint64_t{words[0]} << 32) | words[1]) % segments ? 1 : 0;
    }
    const auto words = target.source.block(Stream::hot, row * segments + segment);
    return (words[0] & 3) == 0 && segments > 1 ? 0 : 1 + (words[1] >> (8 + words[2] % 20));
}

void offset_values(const Target& target, std::uint64_t total, std::uint64_t first, std::span<std::int64_t> out) {
    const std::uint64_t length = target.row_length, segments = length - 1;
    for (std::size_t i = 0; i < out.size();) {
        const std::uint64_t row = (first + i) / length;
        const std::uint64_t begin = (first + i) % length;
        std::uint64_t sum = 0, before = 0; // shares of all segments, and of those before the current one
        for (std::uint64_t s = 0; s < segments; ++s) {
            const std::uint64_t share = segment_share(target, row, s, segments);
            sum += share;
            before += s < begin ? share : 0;
        }
        for (std::uint64_t column = begin; column < length && i < out.size(); ++column, ++i) {
            if (column == 0)
                out[i] = 0;
            else if (column == segments || sum == 0) // all segments empty by chance: the last one takes everything
                out[i] = static_cast<std::int64_t>(column == segments ? total : 0);
            else
                out[i] = static_cast<std::int64_t>(Wide{before} * total / sum);
            if (column < segments)
                before += segment_share(target, row, column, segments);
        }
    }
}

// Codes of one-byte floats that mean NaN or infinity become finite ones, except where specials are wanted.
std::uint8_t finite_code(DType dtype, Regime regime, std::uint8_t code) {
    const bool special = dtype == DType::e4m3 ? (code & 0x7f) == 0x7f : (code & 0x7c) == 0x7c;
    return special && regime != Regime::specials ? static_cast<std::uint8_t>(code & ~0x40) : code;
}

} // namespace

int permutation_half_bits(std::uint64_t bound) {
    return (std::bit_width(std::max<std::uint64_t>(bound - 1, 1)) + 1) / 2;
}

Result<IntegerSetup> integer_setup(const Target& target) {
    const DType dtype = target.spec.dtype;
    const Fill& fill = target.spec.fill;
    const IntegerRange range = range_of(dtype);
    std::int64_t low = 0, high = target.bound; // exclusive
    if (fill.kind == FillKind::index)
        low = static_cast<std::int64_t>(fill.a);
    if (fill.kind == FillKind::uniform) {
        low = static_cast<std::int64_t>(std::ceil(std::max(fill.a, -0x1p62)));
        high = static_cast<std::int64_t>(std::ceil(std::min(fill.b, 0x1p62)));
    }
    if (fill.kind == FillKind::bytes) {
        low = range.least;
        high = range.most + 1;
    }
    const auto length = static_cast<std::int64_t>(target.row_length);
    if (fill.kind == FillKind::permutation && !fill.bound)
        high = length;
    const bool is_offsets = fill.kind == FillKind::offsets;
    const bool too_short = fill.kind == FillKind::permutation && high < length;
    if (low < range.least || (is_offsets ? high : high - 1) > range.most || (is_offsets ? high < 0 : high <= low) ||
        too_short)
        return make_error("task-range",
                          "input '" + target.spec.name + "': values from " + std::to_string(low) + " to " +
                              std::to_string(high) + " do not fit " + std::string(to_string(dtype)) +
                              (too_short ? " rows of " + std::to_string(length) + " distinct values" : ""),
                          "choose another bound or dtype",
                          target.spec.fill.bound ? target.spec.fill.bound->place() : Place{});
    IntegerSetup setup;
    setup.low = low;
    setup.width = static_cast<std::uint64_t>(high - low);
    setup.offsets = is_offsets;
    setup.codes = fill.kind == FillKind::bytes && is_float(dtype);
    return setup;
}

Status generate_integers(const Target& target, std::uint64_t first, std::span<std::byte> out) {
    const auto setup = integer_setup(target);
    if (!setup)
        return setup.error();
    const DType dtype = target.spec.dtype;
    const Fill& fill = target.spec.fill;
    const bool is_offsets = setup->offsets;
    constexpr std::size_t chunk = 16384;
    std::vector<std::int64_t> values;
    const DrawnIntegers drawn(target, setup->low, std::max<std::uint64_t>(setup->width, 1));
    const std::size_t count = out.size() / size_of(dtype);
    // Offsets depend on their whole row: all at once, so that a row is summed once.
    for (std::size_t done = 0; done < count; done += values.size()) {
        values.resize(is_offsets ? count : std::min(chunk, count - done));
        if (is_offsets)
            offset_values(target, setup->width, first, values);
        else if (fill.kind == FillKind::permutation)
            permutation_values(target, setup->width, first + done, values);
        else
            drawn.generate(first + done, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (setup->codes)
                out[done + i] = std::byte{finite_code(dtype, target.regime, static_cast<std::uint8_t>(values[i]))};
            else
                store_integer(out, dtype, done + i, values[i]);
        }
    }
    return {};
}

} // namespace kf::inputs_detail
