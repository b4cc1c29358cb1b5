// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/spelling.h"

#include "core/candidate/scanner.h"

#include <algorithm>

namespace kf::detail {

namespace {

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> rows(3, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t j = 0; j <= b.size(); ++j)
        rows[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t>& row = rows[i % 3];
        const std::vector<std::size_t>& up = rows[(i + 2) % 3];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
        }
    }
    return rows[a.size() % 3][b.size()];
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    if (word.empty() || word.size() > 64)
        return {};
    const std::size_t allowed = word.size() < 5 ? 1 : word.size() < 9 ? 2 : 3;
    const std::string lower = lower_case(word);
    std::string best;
    std::size_t best_distance = allowed + 1;
    for (const std::string& candidate : known) {
        if (candidate.size() > word.size() + allowed || word.size() > candidate.size() + allowed)
            continue;
        const std::size_t edits = distance(lower, lower_case(candidate));
        if (edits < best_distance) {
            best_distance = edits;
            best = candidate;
        }
    }
    return best;
}

std::string list_of(const std::vector<std::string>& words, std::size_t limit) {
    std::string text;
    for (std::size_t i = 0; i < words.size() && i < limit; ++i)
        text += (i == 0 ? "" : ", ") + words[i];
    if (words.size() > limit)
        text += " and " + std::to_string(words.size() - limit) + " more";
    return text;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string_view what) {
    const std::string near = nearest(word, known);
    std::string text;
    if (!near.empty() && near != word)
        text = "did you mean `" + near + "`?";
    if (!known.empty())
        text += (text.empty() ? "" : " ") + std::string(what) + ": " + list_of(known);
    return text;
}

} // namespace kf::detail
