// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/poison.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace kf {
namespace {

constexpr std::size_t max_ranges = 16;

struct PoisonPair {
    std::uint64_t first, second;
};

PoisonPair pair_of(DType dtype) {
    switch (dtype) {
    case DType::f64:
        return {0x7ffa5ac396e17b2d, 0xfffd3c691e84d2b1};
    case DType::f32:
        return {0x7fd35ac9, 0xffe6a537};
    case DType::f16:
        return {0x7e5a, 0xfea5};
    case DType::bf16:
        return {0x7fda, 0xffe5};
    case DType::e4m3: // its only two NaN
        return {0x7f, 0xff};
    case DType::e5m2:
        return {0x7e, 0xff};
    case DType::i64:
        return {0x5ac396e17b2d4f81, 0xa53c691e84d2b07e};
    case DType::i32:
        return {0x5ac396e1, 0xa53c691e};
    case DType::i8:
    case DType::u8:
    case DType::boolean:
        return {0x5a, 0xa5};
    }
    return {0x5a, 0xa5};
}

std::array<std::byte, 8> bytes_of(DType dtype, Poison poison) {
    const std::uint64_t bits = poison_bits(dtype, poison);
    std::array<std::byte, 8> bytes{};
    for (std::size_t k = 0; k < bytes.size(); ++k) // little-endian, like every device we know
        bytes[k] = static_cast<std::byte>(bits >> (8 * k));
    return bytes;
}

// Collects ascending elements into runs.
class Runs {
public:
    void add(std::int64_t i) {
        ++m_result.count;
        if (m_length > 0 && m_first + m_length == i) {
            ++m_length;
            return;
        }
        close();
        m_first = i;
        m_length = 1;
    }
    Unwritten finish(std::int64_t elements) {
        close();
        m_result.elements = elements;
        return std::move(m_result);
    }

private:
    void close() {
        if (m_length == 0)
            return;
        if (m_result.ranges.size() < max_ranges)
            m_result.ranges.push_back({m_first, m_length});
        else
            ++m_result.more_ranges;
        m_length = 0;
    }
    Unwritten m_result;
    std::int64_t m_first = 0, m_length = 0;
};

template<class IsPoison> Unwritten collect(std::int64_t elements, IsPoison is_poison) {
    Runs runs;
    for (std::int64_t i = 0; i < elements; ++i)
        if (is_poison(static_cast<std::size_t>(i)))
            runs.add(i);
    return runs.finish(elements);
}

} // namespace

std::uint64_t poison_bits(DType dtype, Poison poison) {
    const PoisonPair pair = pair_of(dtype);
    return poison == Poison::first ? pair.first : pair.second;
}

void fill_poison(std::span<std::byte> buffer, DType dtype, Poison poison) {
    const auto pattern = bytes_of(dtype, poison);
    const std::size_t size = size_of(dtype);
    assert(buffer.size() % size == 0);
    if (buffer.empty())
        return;
    // Doubling copies: the first element, then all that is filled already.
    std::size_t filled = std::min(size, buffer.size());
    std::memcpy(buffer.data(), pattern.data(), filled);
    while (filled < buffer.size()) {
        const std::size_t n = std::min({filled, buffer.size() - filled, std::size_t{1} << 16});
        std::memcpy(buffer.data() + filled, buffer.data(), n);
        filled += n;
    }
}

Unwritten find_unwritten(std::span<const std::byte> after_first, std::span<const std::byte> after_second, DType dtype) {
    assert(after_first.size() == after_second.size());
    const auto first = bytes_of(dtype, Poison::first), second = bytes_of(dtype, Poison::second);
    const std::size_t size = size_of(dtype);
    return collect(static_cast<std::int64_t>(after_first.size() / size), [&](std::size_t i) {
        return std::memcmp(&after_first[i * size], first.data(), size) == 0 &&
               std::memcmp(&after_second[i * size], second.data(), size) == 0;
    });
}

Unwritten find_unwritten(std::span<const std::byte> after, DType dtype, Poison poison) {
    const auto pattern = bytes_of(dtype, poison);
    const std::size_t size = size_of(dtype);
    return collect(static_cast<std::int64_t>(after.size() / size),
                   [&](std::size_t i) { return std::memcmp(&after[i * size], pattern.data(), size) == 0; });
}

std::string to_string(const Unwritten& unwritten) {
    if (!unwritten.any())
        return "every element was written";
    std::string text = std::to_string(unwritten.count) + " of " + std::to_string(unwritten.elements) +
                       (unwritten.elements == 1 ? " element was" : " elements were") + " never written: ";
    for (std::size_t k = 0; k < unwritten.ranges.size() && k < 4; ++k) {
        const ElementRange& range = unwritten.ranges[k];
        text += (k ? ", " : "") + std::to_string(range.first) +
                (range.count > 1 ? "–" + std::to_string(range.first + range.count - 1) : "");
    }
    if (unwritten.ranges.size() > 4 || unwritten.more_ranges > 0)
        text += ", …";
    return text;
}

} // namespace kf
