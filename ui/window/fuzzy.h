// SPDX-License-Identifier: GPL-3.0-or-later
// How well a few typed letters fit a text: letters in order, better at the beginnings of words and in a row.
#pragma once

#include <QString>

#include <optional>
#include <vector>

namespace kf::ui {

struct FuzzyMatch {
    int score = 0;               // higher is better
    std::vector<int> characters; // of the text, that matched
};

// None: a letter of the pattern is missing. The empty pattern fits everything with score 0. Case does not count, blanks
// of the pattern are skipped.
std::optional<FuzzyMatch> fuzzy_match(QStringView pattern, QStringView text);

} // namespace kf::ui
