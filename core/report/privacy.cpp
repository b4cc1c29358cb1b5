// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/privacy.h"

#include <algorithm>
#include <cctype>

namespace kf {
namespace {

constexpr int deepest = 64; // as deep as a journal's line may be

bool secret_name(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* word :
         {"password", "passwd", "secret", "authorization", "bearer", "credential", "cookie", "apikey"})
        if (lower.find(word) != std::string::npos)
            return true;
    const auto ends = [&](std::string_view end) { return lower.ends_with(end); };
    return ends("key") || ends("token"); // "max_tokens" and "tokens_in" are counts
}

bool ends_address(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`';
}

Json cleaned(const Json& json, int depth) {
    if (json.is_string())
        return without_credentials(json.get_ref<const std::string&>());
    if (!json.is_structured() || depth > deepest)
        return json;
    Json clean = json;
    if (clean.is_array()) {
        for (Json& item : clean)
            item = cleaned(item, depth + 1);
        return clean;
    }
    for (auto& [name, value] : clean.items())
        value = secret_name(name) && !value.is_number() && !value.is_boolean() ? Json("(left out)")
                                                                               : cleaned(value, depth + 1);
    return clean;
}

} // namespace

std::string without_credentials(std::string_view text) {
    std::string clean;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t at = text.find("://", from);
        if (at == std::string_view::npos)
            break;
        const std::size_t host = at + 3;
        std::size_t end = host;
        while (end < text.size() && !ends_address(text[end]))
            ++end;
        std::string_view address = text.substr(host, end - host);
        address = address.substr(0, address.find_first_of("?#"));
        // A user's name ends at the last "@" before the path.
        const std::string_view authority = address.substr(0, address.find('/'));
        const std::size_t user = authority.rfind('@');
        clean += text.substr(from, host - from);
        clean += user == std::string_view::npos ? address : address.substr(user + 1);
        from = end;
    }
    clean += text.substr(std::min(from, text.size()));
    return clean;
}

Json without_secrets(const Json& json) {
    return cleaned(json, 0);
}

} // namespace kf
