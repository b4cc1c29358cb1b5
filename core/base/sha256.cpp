// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include "core/base/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kf {
namespace {

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t load_big_endian(const std::byte* p) {
    return (std::to_integer<std::uint32_t>(p[0]) << 24) | (std::to_integer<std::uint32_t>(p[1]) << 16) |
           (std::to_integer<std::uint32_t>(p[2]) << 8) | std::to_integer<std::uint32_t>(p[3]);
}

} // namespace

Sha256::Sha256()
    : m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::compress(const std::byte* block) {
    std::array<std::uint32_t, 64> w;
    for (int i = 0; i < 16; ++i)
        w[i] = load_big_endian(block + 4 * i);
    for (int i = 16; i < 64; ++i) {
        const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = m_state;
    for (int i = 0; i < 64; ++i) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> next = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i)
        m_state[i] += next[i];
}

void Sha256::update(std::span<const std::byte> data) {
    m_total += data.size();
    while (!data.empty()) {
        if (m_filled == 0 && data.size() >= 64) {
            compress(data.data());
            data = data.subspan(64);
            continue;
        }
        const std::size_t take = std::min(data.size(), 64 - m_filled);
        std::memcpy(m_block.data() + m_filled, data.data(), take);
        m_filled += take;
        data = data.subspan(take);
        if (m_filled == 64) {
            compress(m_block.data());
            m_filled = 0;
        }
    }
}

std::string Sha256::finish() {
    const std::uint64_t bits = m_total * 8;
    const std::byte one{0x80};
    const std::byte zero{0};
    update(std::span(&one, 1));
    while (m_filled != 56)
        update(std::span(&zero, 1));
    std::array<std::byte, 8> length;
    for (int i = 0; i < 8; ++i)
        length[i] = static_cast<std::byte>((bits >> (56 - 8 * i)) & 0xff);
    update(length);
    static constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    for (const std::uint32_t word : m_state)
        for (int shift = 28; shift >= 0; shift -= 4)
            hex += digits[(word >> shift) & 15];
    return hex;
}

std::string sha256(std::span<const std::byte> data) {
    Sha256 hash;
    hash.update(data);
    return hash.finish();
}

std::string sha256(std::string_view text) {
    return sha256(std::as_bytes(std::span(text)));
}

std::string sha256_of_parts(std::span<const std::string_view> parts) {
    Sha256 hash;
    for (const std::string_view part : parts) {
        hash.update(std::to_string(part.size()) + ":");
        hash.update(part);
    }
    return hash.finish();
}

namespace {

constexpr std::uint64_t k1 = 0x9e3779b97f4a7c15ull;
constexpr std::uint64_t k2 = 0xc2b2ae3d27d4eb4full;

// Four independent multiply-rotate lanes over 32-byte blocks, then the tail byte by byte; a changed bit changes its lane
// for good.
std::uint64_t sum_of_chunk(std::span<const std::byte> data) {
    std::uint64_t lanes[4] = {k1, k2, k1 ^ k2, k1 + k2};
    std::size_t i = 0;
    for (; i + 32 <= data.size(); i += 32) {
        std::uint64_t words[4];
        std::memcpy(words, data.data() + i, 32);
        for (int lane = 0; lane < 4; ++lane)
            lanes[lane] = std::rotl(lanes[lane] ^ (words[lane] * k1), 31) * k2;
    }
    std::uint64_t sum = data.size() * k1;
    for (const std::uint64_t lane : lanes)
        sum = std::rotl(sum ^ lane, 27) * k1 + k2;
    for (; i < data.size(); ++i)
        sum = std::rotl(sum ^ (std::to_integer<std::uint64_t>(data[i]) * k2), 11) * k1;
    return sum;
}

} // namespace

std::uint64_t checksum64(std::span<const std::byte> data) {
    Checksum64 sum(data.size());
    for (std::size_t i = 0; i < data.size(); i += Checksum64::chunk)
        sum.add(sum_of_chunk(data.subspan(i, std::min(Checksum64::chunk, data.size() - i))));
    return sum.finish();
}

Checksum64::Checksum64(std::uint64_t bytes) : m_sum(bytes * k1) {}

void Checksum64::add(std::uint64_t chunk_sum) {
    m_sum = std::rotl(m_sum ^ chunk_sum, 27) * k1 + k2;
}

std::uint64_t Checksum64::finish() const {
    const std::uint64_t sum = (m_sum ^ (m_sum >> 29)) * k2;
    return sum ^ (sum >> 32);
}

} // namespace kf
