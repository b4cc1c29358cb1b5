// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/level.h"

namespace kf {

std::string_view to_string(Level level) {
    switch (level) {
    case Level::screen:
        return "screen";
    case Level::duel:
        return "duel";
    case Level::certify:
        return "certify";
    case Level::promote:
        return "promote";
    }
    return "screen";
}

std::optional<Level> parse_level(std::string_view name) {
    for (const Level level : {Level::screen, Level::duel, Level::certify, Level::promote})
        if (to_string(level) == name)
            return level;
    return std::nullopt;
}

} // namespace kf
