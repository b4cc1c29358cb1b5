// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/terminal_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace kf {
namespace {

struct Range {
    std::uint32_t first, last;
};

// Unicode 15: general categories Mn, Me and Cf that fonts draw over the character before, or not at all.
constexpr Range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},  {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x0900, 0x0902},  {0x093c, 0x093c}, {0x0941, 0x0948}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},  {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064},
    {0x2066, 0x2069}, {0x20d0, 0x20ff},  {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};

// East Asian Width W and F, and the emoji that terminals draw two cells wide.
constexpr Range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
    {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
    {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
    {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
    {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d7},
    {0x1f6dc, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff},
    {0x20000, 0x3fffd}};

bool inside(std::span<const Range> table, std::uint32_t code) {
    const auto it = std::upper_bound(table.begin(), table.end(), code,
                                     [](std::uint32_t value, const Range& range) { return value < range.first; });
    return it != table.begin() && code <= std::prev(it)->last;
}

constexpr std::uint32_t invalid = 0xfffd;

// The code point at `at`, which moves behind it; an invalid byte is one U+FFFD.
std::uint32_t next_code(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(at++);
    if (lead < 0x80)
        return lead;
    const int more = lead >= 0xf0 && lead < 0xf5   ? 3
                     : lead >= 0xe0 && lead < 0xf0 ? 2
                     : lead >= 0xc2 && lead < 0xe0 ? 1
                                                   : 0;
    if (more == 0 || at + static_cast<std::size_t>(more) > text.size())
        return invalid;
    std::uint32_t code = lead & (0x3fu >> more);
    for (int i = 0; i < more; ++i) {
        const std::uint32_t next = byte(at + static_cast<std::size_t>(i));
        if ((next & 0xc0) != 0x80)
            return invalid;
        code = code << 6 | (next & 0x3f);
    }
    constexpr std::uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    if (code < smallest[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return invalid;
    at += static_cast<std::size_t>(more);
    return code;
}

int width_of(std::uint32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || inside(zero_width, code))
        return 0;
    return inside(wide, code) ? 2 : 1;
}

// Bytes at the front of `text` that take at most `cells`; combining characters stay with theirs.
std::size_t fitting(std::string_view text, int cells) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size(); end = at) {
        cells -= width_of(next_code(text, at));
        if (cells < 0)
            break;
    }
    return end;
}

} // namespace

int display_width(std::string_view text) {
    int cells = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\x1b' && at + 1 < text.size() && text[at + 1] == '[') {
            at = text.find('m', at);
            if (at == std::string_view::npos)
                break;
            ++at;
            continue;
        }
        cells += width_of(next_code(text, at));
    }
    return cells;
}

std::string plain_text(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const std::uint32_t code = next_code(text, at);
        if (code == invalid && text.substr(begin, at - begin) != "\xef\xbf\xbd")
            plain += "\xef\xbf\xbd";
        else if (code == '\n' || code == '\r' || code == '\t')
            plain += ' ';
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
                 (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029)
            continue;
        else
            plain += text.substr(begin, at - begin);
    }
    return plain;
}

std::string pad_right(std::string_view text, int cells) {
    return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, cells - display_width(text))), ' ');
}

std::string pad_left(std::string_view text, int cells) {
    return std::string(static_cast<std::size_t>(std::max(0, cells - display_width(text))), ' ') + std::string(text);
}

std::string elide_end(std::string_view text, int cells) {
    if (display_width(text) <= cells)
        return std::string(text);
    if (cells < 1)
        return "";
    return std::string(text.substr(0, fitting(text, cells - 1))) + "…";
}

std::string elide_middle(std::string_view text, int cells) {
    const int whole = display_width(text);
    if (whole <= cells)
        return std::string(text);
    if (cells < 3)
        return elide_end(text, cells);
    const int tail = (cells - 1) / 2;
    const std::size_t front = fitting(text, cells - 1 - tail);
    // The tail begins at the first character from which on no more than `tail` cells are left.
    std::size_t back = front;
    int left = whole - display_width(text.substr(0, front));
    while (left > tail && back < text.size())
        left -= width_of(next_code(text, back));
    return std::string(text.substr(0, front)) + "…" + std::string(text.substr(back));
}

std::string paint(std::string_view text, Tint tint, const TextStyle& style) {
    if (!style.colour || tint == Tint::none || text.empty())
        return std::string(text);
    const char* code = "0";
    switch (tint) {
    case Tint::none:
        break;
    case Tint::bold:
        code = "1";
        break;
    case Tint::dim:
        code = "2";
        break;
    case Tint::accent:
        code = "36";
        break;
    case Tint::faster:
        code = "94";
        break;
    case Tint::slower:
        code = "33";
        break;
    case Tint::wrong:
        code = "35";
        break;
    case Tint::error:
        code = "31";
        break;
    case Tint::caution:
        code = "33";
        break;
    case Tint::suspect:
        code = "95";
        break;
    }
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

} // namespace kf
