// SPDX-License-Identifier: GPL-3.0-or-later
// How much evidence a number rests on; it travels with the number wherever that is shown.
#pragma once

#include <optional>
#include <string_view>

namespace kf {

enum class Level { screen, duel, certify, promote };

std::string_view to_string(Level level);
std::optional<Level> parse_level(std::string_view name);

} // namespace kf
