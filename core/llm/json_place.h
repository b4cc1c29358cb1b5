// SPDX-License-Identifier: GPL-3.0-or-later
// Where a value stands in the text of a JSON file, so that a message about a wrong field names its line.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kf {

using JsonStep = std::variant<std::string, std::size_t>; // a member's name, an element's number

// The place where the value at `path` begins; of the last step that exists when the path leads nowhere. `text` must be
// valid JSON.
Place place_in_json(std::string_view text, const std::vector<JsonStep>& path, const std::string& file);
// "providers[2].base_url"
std::string to_string(const std::vector<JsonStep>& path);

} // namespace kf
