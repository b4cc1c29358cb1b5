// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/base64.h"

#include <array>
#include <cstdint>

namespace kf {
namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_reverse() {
    std::array<std::int8_t, 256> reverse{};
    for (auto& value : reverse)
        value = -1;
    for (int i = 0; i < 64; ++i)
        reverse[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    return reverse;
}

constexpr std::array<std::int8_t, 256> reverse_alphabet = make_reverse();

Error bad(std::size_t position) {
    return make_error("base64-syntax", "not valid base64 at byte " + std::to_string(position),
                      "use the standard alphabet with padding and no line breaks");
}

} // namespace

std::string base64_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = (word << 8) | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        text += alphabet[word >> 18];
        text += alphabet[(word >> 12) & 63];
        text += n > 1 ? alphabet[(word >> 6) & 63] : '=';
        text += n > 2 ? alphabet[word & 63] : '=';
    }
    return text;
}

Result<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0)
        return bad(text.size());
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        int padding = 0;
        if (last && text[i + 3] == '=')
            padding = text[i + 2] == '=' ? 2 : 1;
        std::uint32_t word = 0;
        for (int k = 0; k < 4; ++k) {
            const int value = k >= 4 - padding ? 0 : reverse_alphabet[static_cast<unsigned char>(text[i + k])];
            if (value < 0)
                return bad(i + k);
            word = (word << 6) | static_cast<std::uint32_t>(value);
        }
        if ((padding == 1 && (word & 0xff)) || (padding == 2 && (word & 0xffff)))
            return bad(i);
        bytes += static_cast<char>(word >> 16);
        if (padding < 2)
            bytes += static_cast<char>((word >> 8) & 0xff);
        if (padding < 1)
            bytes += static_cast<char>(word & 0xff);
    }
    return bytes;
}

} // namespace kf
