// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256 (FIPS 180-4). Our own because evaluator and helpers must build on GPU nodes that carry no libraries beyond
// libc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kf {

class Sha256 {
public:
    Sha256();
    void update(std::span<const std::byte> data);
    void update(std::string_view text) { update(std::as_bytes(std::span(text))); }
    // Lower-case hexadecimal digest of all that was given; the object is spent afterwards.
    std::string finish();

private:
    void compress(const std::byte* block);

    std::array<std::uint32_t, 8> m_state;
    std::array<std::byte, 64> m_block{};
    std::size_t m_filled = 0;
    std::uint64_t m_total = 0;
};

std::string sha256(std::string_view text);
std::string sha256(std::span<const std::byte> data);

// A hash of several parts that cannot be confused by moving a byte from one part to the next (each is preceded by its
// length).
std::string sha256_of_parts(std::span<const std::string_view> parts);
inline std::string sha256_of_parts(std::initializer_list<std::string_view> parts) {
    return sha256_of_parts(std::span(parts.begin(), parts.size()));
}

// 64-bit checksum for buffers in memory (order-dependent, fast; not cryptographic).
std::uint64_t checksum64(std::span<const std::byte> data);

} // namespace kf
