// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/api_key.h"

#include <algorithm>

namespace kf {

ApiKey::~ApiKey() {
    // A volatile pointer, so that the compiler does not drop writes to what is about to go.
    volatile char* bytes = m_text.data();
    for (std::size_t i = 0; i < m_text.size(); ++i)
        bytes[i] = 0;
}

Result<ApiKey> ApiKey::make(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos)
        return make_error("key-empty", "the key is empty", "paste the key that the provider gave you");
    text = text.substr(first, text.find_last_not_of(blank) - first + 1);
    if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c == '\x7f'; }))
        return make_error("key-unusable", "the key holds a space, a line break or a character that is no ASCII",
                          "copy the key alone, without what stands around it");
    ApiKey key;
    key.m_text = text;
    return key;
}

std::string to_string(const ApiKey& key) {
    return key.present() ? "(hidden)" : "none";
}

} // namespace kf
