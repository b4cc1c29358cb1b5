// SPDX-License-Identifier: GPL-3.0-or-later
// Which elements of an output are bad: one bit each, allocated at the first bad one (most outputs have none).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace kf {

class BadMask {
public:
    explicit BadMask(std::int64_t elements = 0) : m_elements(elements) {}

    std::int64_t elements() const { return m_elements; }
    std::int64_t count() const { return m_count; }
    bool any() const { return m_count > 0; }

    void set(std::int64_t index) {
        if (m_words.empty())
            m_words.resize(static_cast<std::size_t>((m_elements + 63) / 64));
        std::uint64_t& word = m_words[static_cast<std::size_t>(index >> 6)];
        const std::uint64_t bit = std::uint64_t{1} << (index & 63);
        m_count += (word & bit) == 0;
        word |= bit;
    }
    bool test(std::int64_t index) const {
        return !m_words.empty() && ((m_words[static_cast<std::size_t>(index >> 6)] >> (index & 63)) & 1);
    }
    // Calls f(index) for each bad element in ascending order.
    template<class F> void for_each(F&& f) const {
        for (std::size_t w = 0; w < m_words.size(); ++w)
            for (std::uint64_t word = m_words[w]; word != 0; word &= word - 1)
                f(static_cast<std::int64_t>(w * 64) + std::countr_zero(word));
    }
    std::int64_t first() const {
        for (std::size_t w = 0; w < m_words.size(); ++w)
            if (m_words[w] != 0)
                return static_cast<std::int64_t>(w * 64) + std::countr_zero(m_words[w]);
        return -1;
    }
    std::int64_t last() const {
        for (std::size_t w = m_words.size(); w-- > 0;)
            if (m_words[w] != 0)
                return static_cast<std::int64_t>(w * 64) + 63 - std::countl_zero(m_words[w]);
        return -1;
    }

private:
    std::int64_t m_elements = 0, m_count = 0;
    std::vector<std::uint64_t> m_words;
};

} // namespace kf
