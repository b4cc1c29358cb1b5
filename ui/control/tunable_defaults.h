// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel whose `tune` statements begin with the given values: the first value of a statement is its default, so the
// text alone then is the point that was found.
#pragma once

#include "core/base/json.h"

#include <string>

namespace kf::ui {

// `tunables`: {"BLOCK": 256, …}, as an event has them. A statement that does not offer the value is left as it is.
std::string with_tunable_defaults(const std::string& source, const Json& tunables);

} // namespace kf::ui
