// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts compared line by line: counts, and the changed places with a little of what stands around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kf::ui {

struct DiffLine {
    enum class Kind { context, added, removed, gap } kind = Kind::context; // gap: lines left out
    int old_line = 0, new_line = 0;                                        // from 1; 0: not in that text
    std::string text;
};

struct LineDiff {
    int added = 0, removed = 0;
    bool exact = true; // false: too different to be lined up, the differing part is shown as replaced
    std::vector<DiffLine> lines;
    bool same() const { return added == 0 && removed == 0; }
};

LineDiff line_diff(std::string_view before, std::string_view after, int context = 2);
// A unified diff as a journal keeps it.
LineDiff parse_unified(std::string_view text);

} // namespace kf::ui
