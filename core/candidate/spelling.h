// SPDX-License-Identifier: GPL-3.0-or-later
// Help for a mistyped word: the nearest known spelling.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kf::detail {

// The known word with the fewest edits (insert, delete, replace, swap of neighbours; case counts little), or "" when
// none is near: at most one edit for short words, two from five letters, three from nine.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// "a, b, c": at most `limit` of them, then how many more.
std::string list_of(const std::vector<std::string>& words, std::size_t limit = 12);

// "did you mean `launch`?" when something is near, else "accepted: a, b, c"; both when both help.
std::string suggestion(std::string_view word, const std::vector<std::string>& known,
                       std::string_view what = "accepted");

} // namespace kf::detail
