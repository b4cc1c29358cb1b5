// SPDX-License-Identifier: GPL-3.0-or-later
// What was changed between two texts, as `diff -u` says it: the journal keeps it beside each candidate.
#pragma once

#include <string>
#include <string_view>

namespace kf {

// Three lines of context. Empty when both are the same. Texts that are too different to be lined up (over 2000 changed
// lines) are one hunk that takes the old one away and puts the new one in its place.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& before_name,
                         const std::string& after_name);

} // namespace kf
