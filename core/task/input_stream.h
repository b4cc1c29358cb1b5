// SPDX-License-Identifier: GPL-3.0-or-later
// Random words of one tensor by position, and what a generator must know of it. Private to core/task.
#pragma once

#include "core/task/inputs.h"

#include <array>
#include <cstdint>
#include <span>

namespace kf::inputs_detail {

// Independent sequences within a tensor.
enum class Stream : std::uint32_t {
    values = 0,
    high_words,
    row_scale,
    spike,
    forced,
    tile,
    pair,
    hot,
    runs,
    permutation,
    offsets
};

inline std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c[2];
        c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return c;
}

struct WordSource {
    std::uint64_t seed = 0;
    std::uint32_t tensor = 0;
    std::uint32_t regime = 0;

    std::array<std::uint32_t, 4> block(Stream stream, std::uint64_t index) const {
        return philox_block({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                             tensor | (static_cast<std::uint32_t>(stream) << 16), regime},
                            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    }
    // Words first … first + out.size() of a stream, four to a block.
    void words(Stream stream, std::uint64_t first, std::span<std::uint32_t> out) const {
        std::size_t i = 0;
        if (const std::uint64_t skip = first % 4; skip != 0) {
            const auto head = block(stream, first / 4);
            for (std::uint64_t k = skip; k < 4 && i < out.size(); ++k)
                out[i++] = head[k];
        }
        for (; i + 4 <= out.size(); i += 4) {
            const auto four = block(stream, (first + i) / 4);
            out[i] = four[0];
            out[i + 1] = four[1];
            out[i + 2] = four[2];
            out[i + 3] = four[3];
        }
        if (i < out.size()) {
            const auto rest = block(stream, (first + i) / 4);
            for (std::size_t k = 0; i < out.size(); ++k)
                out[i++] = rest[k];
        }
    }
};

struct Target {
    const InputSpec& spec;
    Regime regime = Regime::normal;
    WordSource source;
    std::uint64_t count = 1;      // elements of the whole tensor
    std::uint64_t row_length = 1; // last axis; 1 for a scalar
    std::int64_t bound = 0;       // value of spec.fill.bound, 0 without
};

// Input number `input` of the task at these symbols. Errors as generate_input.
Result<Target> make_target(const Task& task, std::size_t input, const Symbols& symbols, Regime regime,
                           std::uint64_t seed);
// Whether its values are drawn as real numbers (generate_floats) or as integers.
bool draws_floats(const Target& target);

// What all elements of a tensor share, so that each of them can be made alone.
struct FloatSetup {
    bool uniform = false;               // else normal
    bool sparse = false;                // weights of two or more axes
    bool cancels = true;                // in the regime `cancel`; weights of one axis do not
    double limit = 0;                   // half of the type's largest value
    std::uint64_t forced = 0;           // the one element that is special whatever the dice say
    double first_whole = 0, wholes = 0; // whole numbers in the range of `uniform`
};
FloatSetup float_setup(const Target& target);

struct IntegerSetup {
    std::int64_t low = 0;
    std::uint64_t width = 1; // values are low … low + width - 1; of a permutation its bound, of offsets their total
    bool offsets = false;    // a value depends on its whole row
    bool codes = false;      // bytes of a one-byte float
};
// Error "task-range".
Result<IntegerSetup> integer_setup(const Target& target);
// Half the bits of the Feistel network that permutes [0, bound).
int permutation_half_bits(std::uint64_t bound);

// Both write elements first … of the tensor into `out`, whose size is a multiple of the element size.
void generate_floats(const Target& target, std::uint64_t first, std::span<std::byte> out);
Status generate_integers(const Target& target, std::uint64_t first, std::span<std::byte> out);

} // namespace kf::inputs_detail
