// SPDX-License-Identifier: GPL-3.0-or-later
// checksum64 (sha256.h) out of sums of its chunks, for whoever makes those in parallel (a GPU).
#pragma once

#include <cstddef>
#include <cstdint>

namespace kf {

class Checksum64 {
public:
    static constexpr std::size_t chunk = 4096; // bytes; the last chunk is what is left
    explicit Checksum64(std::uint64_t bytes);
    void add(std::uint64_t chunk_sum); // in order
    std::uint64_t finish() const;

private:
    std::uint64_t m_sum;
};

} // namespace kf
