// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a candidate's own mutable variables from const data and from what headers bring along.
#pragma once

#include "core/helpers/nvrtc/messages.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace kf::nvrtc {

// Sets origin and constant of each symbol. Headers are read only for names that the candidate's text does not hold.
void judge_state(std::vector<StateSymbol>& symbols, std::string_view source,
                 const std::vector<std::filesystem::path>& headers);

struct Declared {
    bool occurs = false;      // the identifier stands in the text, outside comments and strings
    bool as_constant = false; // some declaration makes it const or constexpr
    bool as_variable = false; // some declaration makes it a variable
};
Declared find_declarations(std::string_view source, std::string_view identifier);

} // namespace kf::nvrtc
