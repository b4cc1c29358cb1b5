// SPDX-License-Identifier: GPL-3.0-or-later
// A report is passed on: what could let somebody in is taken out, even where the journal should not hold it.
#pragma once

#include "core/base/json.h"

#include <string>
#include <string_view>

namespace kf {

// Every http(s) address in the text without user, password, query and fragment.
std::string without_credentials(std::string_view text);
// Members whose name speaks of a key, token, password or secret hold "(left out)"; texts as above. Counts of tokens
// stay.
Json without_secrets(const Json& json);

} // namespace kf
