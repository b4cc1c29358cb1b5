// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/exact_math.h"
#include "core/task/input_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kf::inputs_detail {
namespace {

constexpr std::size_t chunk = 1024;
constexpr std::uint64_t tile_rows = 8, tile_columns = 32;
constexpr std::uint64_t cancel_block = 64;

double unit(std::uint32_t word) { // inside (0, 1)
    return (static_cast<double>(word) + 0.5) * 0x1p-32;
}

double largest_value(DType dtype) {
    switch (dtype) {
    case DType::f16:
        return 65504;
    case DType::bf16:
        return 0x1.fep127;
    case DType::f32:
        return std::numeric_limits<float>::max();
    case DType::e4m3:
        return 448;
    case DType::e5m2:
        return 57344;
    default:
        return std::numeric_limits<double>::max();
    }
}

// Factor from a log-uniform distribution over [low, high].
double log_uniform(double low, double high, std::uint32_t word) {
    return low == high ? low : low * exact_math::exponential(exact_math::logarithm(high / low) * unit(word));
}

class FloatGenerator {
public:
    explicit FloatGenerator(const Target& target)
        : m_target(target), m_fill(target.spec.fill), m_source(target.source), m_setup(float_setup(target)),
          m_uniform(m_setup.uniform), m_limit(m_setup.limit), m_sparse(m_setup.sparse), m_forced(m_setup.forced) {}

    // Values of elements first … first + n as doubles.
    void values(std::uint64_t first, std::span<double> out) {
        std::uint32_t words[chunk];
        m_source.words(Stream::values, first, std::span(words, out.size()));
        if (m_uniform)
            draw_uniform(words, out);
        else if (m_target.regime == Regime::integers)
            draw_integers(words, out);
        else
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = m_fill.a + m_fill.b * exact_math::normal_quantile(unit(words[i]));
        switch (m_target.regime) {
        case Regime::spiky:
            add_spikes(first, words, out);
            break;
        case Regime::cancel:
            if (m_setup.cancels)
                add_cancelling(first, out);
            break;
        case Regime::mixed:
            scale_tiles(first, out);
            break;
        default:
            break;
        }
        if (m_fill.row_scale && m_target.regime != Regime::integers)
            scale_rows(first, out);
        for (double& value : out)
            value = std::min(std::max(value, -m_limit), m_limit);
        if (m_target.regime == Regime::specials)
            add_specials(first, words, out);
    }

private:
    double middle() const { return m_uniform ? 0.5 * (m_fill.a + m_fill.b) : 0; }

    void draw_uniform(const std::uint32_t* words, std::span<double> out) const {
        const double low = m_fill.a, width = m_fill.b - m_fill.a;
        const double first_whole = m_setup.first_whole, wholes = m_setup.wholes;
        const bool whole = m_target.regime == Regime::integers && wholes >= 1;
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = whole ? first_whole + std::floor(wholes * unit(words[i])) : low + width * unit(words[i]);
    }

    void draw_integers(const std::uint32_t* words, std::span<double> out) const {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint32_t word = words[i];
            if (m_sparse) {
                const std::uint32_t die = word >> 26;
                out[i] = die < 3 ? 1 : die == 3 ? -1 : 0;
            } else {
                const auto five = static_cast<int>((std::uint64_t{word} * 5) >> 32); // 0 … 4
                out[i] = five - 2 + ((word & 15) == 0 ? 1 : 0);
            }
        }
    }

    void add_spikes(std::uint64_t first, const std::uint32_t* words, std::span<double> out) const {
        for (std::size_t i = 0; i < out.size(); ++i) {
            if ((words[i] & 1023) != 0 && first + i != m_forced)
                continue;
            const auto dice = m_source.block(Stream::spike, first + i);
            const bool negative = (dice[0] & 1) != 0;
            if (m_uniform) { // high is exclusive
                out[i] = negative ? m_fill.a : m_fill.b - (m_fill.b - m_fill.a) * 0x1p-12;
            } else {
                const double spike = m_fill.b * log_uniform(16, 128, dice[1]);
                out[i] = negative ? -spike : spike;
            }
        }
    }

    void add_cancelling(std::uint64_t first, std::span<double> out) const {
        std::uint64_t block_index = std::numeric_limits<std::uint64_t>::max();
        std::array<std::uint32_t, 4> block{};
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t row = (first + i) / m_target.row_length;
            const std::uint64_t column = (first + i) % m_target.row_length;
            const std::uint64_t begin = column / cancel_block * cancel_block;
            const std::uint64_t half = std::min(cancel_block, m_target.row_length - begin) / 2;
            const std::uint64_t inside = column - begin;
            if (inside >= 2 * half) // the odd one out
                continue;
            const bool second = inside >= half;
            const std::uint64_t partner = row * m_target.row_length + begin + (second ? inside - half : inside);
            const bool equal_pairs = m_sparse && !m_uniform;
            if (equal_pairs && !second)
                continue;
            if (partner / 4 != block_index) {
                block_index = partner / 4;
                block = m_source.block(equal_pairs ? Stream::values : Stream::pair, block_index);
            }
            const double shared = unit(block[partner % 4]);
            if (equal_pairs) {
                const double partner_value = m_fill.a + m_fill.b * exact_math::normal_quantile(shared);
                out[i] = partner_value + (out[i] - m_fill.a) * 0x1p-5;
            } else if (m_uniform) {
                const double width = m_fill.b - m_fill.a;
                const double offset = width * (0.45 + 0.04 * shared) + 0.01 * (out[i] - middle());
                out[i] = middle() + (second ? -offset : offset);
            } else {
                const double large = m_fill.b * 32 * (1 + std::fabs(exact_math::normal_quantile(shared)));
                out[i] += second ? -large : large;
            }
        }
    }

    void scale_tiles(std::uint64_t first, std::span<double> out) const {
        const std::uint64_t tiles_a_row = (m_target.row_length + tile_columns - 1) / tile_columns;
        for (std::size_t i = 0; i < out.size();) {
            const std::uint64_t row = (first + i) / m_target.row_length;
            const std::uint64_t column = (first + i) % m_target.row_length;
            const std::uint64_t in_tile = std::min(tile_columns - column % tile_columns, m_target.row_length - column);
            const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(in_tile, out.size() - i));
            const std::uint64_t tile = row / tile_rows * tiles_a_row + column / tile_columns;
            const std::uint32_t word = m_source.block(Stream::tile, tile)[0];
            const int exponent = static_cast<int>((std::uint64_t{word} * 10) >> 32) - 7; // -7 … 2
            const double factor = std::ldexp(1.0, m_uniform ? std::min(exponent, 0) : exponent);
            for (std::size_t k = i; k < i + n; ++k)
                out[k] = middle() + (out[k] - middle()) * factor;
            i += n;
        }
    }

    void scale_rows(std::uint64_t first, std::span<double> out) {
        const auto [low, high] = *m_fill.row_scale;
        for (std::size_t i = 0; i < out.size();) {
            const std::uint64_t row = (first + i) / m_target.row_length;
            const std::uint64_t rest = m_target.row_length - (first + i) % m_target.row_length;
            const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(rest, out.size() - i));
            const double factor = log_uniform(low, high, m_source.block(Stream::row_scale, row)[0]);
            for (std::size_t k = i; k < i + n; ++k)
                out[k] *= factor;
            i += n;
        }
    }

    void add_specials(std::uint64_t first, const std::uint32_t* words, std::span<double> out) const {
        const double smallest = unit_in_last_place(m_target.spec.dtype, 0);
        const double infinity = std::numeric_limits<double>::infinity();
        const double specials[] = {std::numeric_limits<double>::quiet_NaN(),
                                   infinity,
                                   -infinity,
                                   -0.0,
                                   smallest,
                                   -smallest,
                                   2 * m_limit,
                                   -2 * m_limit};
        for (std::size_t i = 0; i < out.size(); ++i)
            if ((words[i] & 63) == 0 || first + i == m_forced)
                out[i] = specials[m_source.block(Stream::spike, first + i)[0] & 7];
    }

    const Target& m_target;
    const Fill& m_fill;
    const WordSource& m_source;
    FloatSetup m_setup;
    bool m_uniform;
    double m_limit;
    bool m_sparse;
    std::uint64_t m_forced;
};

} // namespace

FloatSetup float_setup(const Target& target) {
    FloatSetup setup;
    setup.uniform = target.spec.fill.kind == FillKind::uniform;
    setup.sparse = target.spec.role == Role::weight && target.spec.shape.size() >= 2;
    // A bias or a norm's scale goes in element by element and is summed by nobody: large values there cancel nothing, they
    // only make what is right larger than an absolute tolerance was meant for.
    setup.cancels = target.spec.role != Role::weight || target.spec.shape.size() >= 2;
    setup.limit = largest_value(target.spec.dtype) * 0.5;
    const auto forced = target.source.block(Stream::forced, 0);
    setup.forced = ((std::uint64_t{forced[0]} << 32) | forced[1]) % std::max<std::uint64_t>(target.count, 1);
    setup.first_whole = std::ceil(target.spec.fill.a);
    setup.wholes = std::ceil(target.spec.fill.b) - setup.first_whole; // whole numbers in [low, high)
    return setup;
}

void generate_floats(const Target& target, std::uint64_t first, std::span<std::byte> out) {
    FloatGenerator generator(target);
    const DType dtype = target.spec.dtype;
    const std::size_t count = out.size() / size_of(dtype);
    double buffer[chunk];
    for (std::size_t done = 0; done < count;) {
        const std::size_t n = std::min(chunk, count - done);
        generator.values(first + done, std::span(buffer, n));
        store_elements(std::span<const double>(buffer, n), dtype, done, out);
        done += n;
    }
}

} // namespace kf::inputs_detail
