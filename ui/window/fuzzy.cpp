// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/fuzzy.h"

#include <limits>

namespace kf::ui {
namespace {

constexpr int max_pattern = 64, max_text = 256;
constexpr int none = std::numeric_limits<int>::min() / 2;

bool begins_word(QStringView text, int at) {
    return at == 0 || !text[at - 1].isLetterOrNumber() || (text[at].isUpper() && text[at - 1].isLower());
}

} // namespace

std::optional<FuzzyMatch> fuzzy_match(QStringView pattern, QStringView text) {
    QString wanted;
    for (const QChar letter : pattern.left(max_pattern))
        if (!letter.isSpace())
            wanted += letter.toCaseFolded();
    const QStringView looked = text.left(max_text);
    const int rows = static_cast<int>(wanted.size()), columns = static_cast<int>(looked.size());
    if (rows == 0)
        return FuzzyMatch{};
    if (columns < rows)
        return std::nullopt;
    // best[r][c]: best score when letter r of the pattern sits on character c.
    std::vector<std::vector<int>> best(static_cast<std::size_t>(rows),
                                       std::vector<int>(static_cast<std::size_t>(columns), none));
    std::vector<std::vector<int>> from(static_cast<std::size_t>(rows),
                                       std::vector<int>(static_cast<std::size_t>(columns), -1));
    for (int r = 0; r < rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        int before = none, before_at = -1; // best of the row above, left of this column
        for (int c = 0; c < columns; ++c) {
            const auto column = static_cast<std::size_t>(c);
            if (looked[c].toCaseFolded() == wanted[r]) {
                const int here = 1 + (begins_word(looked, c) ? 8 : 0);
                if (r == 0) {
                    best[row][column] = here - std::min(c, 12) / 3;
                } else {
                    const int in_row = c > 0 && best[row - 1][column - 1] > none ? best[row - 1][column - 1] + 9 : none;
                    if (in_row >= before && in_row > none) {
                        best[row][column] = here + in_row;
                        from[row][column] = c - 1;
                    } else if (before > none) {
                        best[row][column] = here + before;
                        from[row][column] = before_at;
                    }
                }
            }
            if (r > 0 && best[row - 1][column] > before) {
                before = best[row - 1][column];
                before_at = c;
            }
        }
    }
    const auto& last = best.back();
    int at = -1;
    for (int c = 0; c < columns; ++c)
        if (last[static_cast<std::size_t>(c)] > none &&
            (at < 0 || last[static_cast<std::size_t>(c)] > last[static_cast<std::size_t>(at)]))
            at = c;
    if (at < 0)
        return std::nullopt;
    FuzzyMatch match{last[static_cast<std::size_t>(at)] - columns / 16, {}};
    for (int r = rows - 1; r >= 0; --r) {
        match.characters.insert(match.characters.begin(), at);
        at = from[static_cast<std::size_t>(r)][static_cast<std::size_t>(at)];
    }
    return match;
}

} // namespace kf::ui
