// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers on the wire: 64-bit values travel as decimal strings, small ones may be JSON numbers.
#pragma once

#include "core/base/json.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace kf::cpu {

inline std::optional<std::uint64_t> to_u64(const Json& value) {
    if (value.is_number_unsigned())
        return value.get<std::uint64_t>();
    if (value.is_number_integer()) {
        const std::int64_t number = value.get<std::int64_t>();
        return number >= 0 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(number)) : std::nullopt;
    }
    if (!value.is_string())
        return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return number;
}

} // namespace kf::cpu
