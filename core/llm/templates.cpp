// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/templates.h"

#include "core/base/sha256.h"

#include <algorithm>
#include <cassert>

namespace kf {
namespace {

// Length of the UTF-8 sequence at `i`; 0 when it is none.
std::size_t sequence_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(i);
    const std::size_t length = first < 0x80                     ? 1
                               : first >= 0xc2 && first <= 0xdf ? 2
                               : first >= 0xe0 && first <= 0xef ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    if (length == 0 || i + length > text.size())
        return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(i + k) & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates and values beyond Unicode.
    if ((first == 0xe0 && byte(i + 1) < 0xa0) || (first == 0xed && byte(i + 1) > 0x9f) ||
        (first == 0xf0 && byte(i + 1) < 0x90) || (first == 0xf4 && byte(i + 1) > 0x8f))
        return 0;
    return length;
}

} // namespace

const std::string& prompt_template(std::string_view name) {
    const auto found = prompt_templates().find(name);
    assert(found != prompt_templates().end());
    return found->second;
}

const std::string& prompt_version() {
    static const std::string version = [] {
        std::vector<std::string_view> parts;
        for (const auto& [name, text] : prompt_templates()) {
            parts.push_back(name);
            parts.push_back(text);
        }
        std::string number = prompt_template("VERSION");
        number.erase(number.find_last_not_of(" \n") + 1);
        return number + "-" + sha256_of_parts(parts).substr(0, 8);
    }();
    return version;
}

std::string fill_template(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t open = text.find("{{", i);
        const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
        if (close == std::string_view::npos) {
            out += text.substr(i);
            break;
        }
        out += text.substr(i, open - i);
        const std::string_view name = text.substr(open + 2, close - open - 2);
        const auto value =
            std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == name; });
        assert(value != values.end());
        if (value != values.end())
            out += value->second;
        i = close + 2;
    }
    return out;
}

std::string harmless(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        const char c = text[i];
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++i;
        } else if (length > 1) {
            out += text.substr(i, length);
            i += length;
        } else {
            const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
            if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
                ++i;
                continue;
            }
            out += control ? ' ' : c;
            if (c == '<' && i + 1 < text.size() && text[i + 1] == '|')
                out += ' ';
            ++i;
        }
    }
    return out;
}

std::string fenced(std::string_view text, std::string_view language) {
    const std::string body = harmless(text);
    std::size_t longest = 2, run = 0;
    for (const char c : body) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    std::string out = fence + std::string(language) + "\n" + body;
    if (out.back() != '\n')
        out += '\n';
    return out + fence + "\n";
}

std::string shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit)
        return std::string(text);
    static constexpr std::string_view mark = " …";
    std::size_t end = limit > mark.size() ? limit - mark.size() : 0;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    return std::string(text.substr(0, end)) + std::string(mark);
}

} // namespace kf
