// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

namespace kf {

std::string to_string(const Place& place) {
    std::string text = place.file;
    if (place.line > 0) {
        text += (text.empty() ? "line " : ":") + std::to_string(place.line);
        if (place.column > 0)
            text += ":" + std::to_string(place.column);
    }
    return text;
}

std::string to_string(const Error& error) {
    std::string text = to_string(error.place);
    if (!text.empty())
        text += ": ";
    text += error.message;
    if (!error.remedy.empty())
        text += " (" + error.remedy + ")";
    return text;
}

} // namespace kf
