// SPDX-License-Identifier: GPL-3.0-or-later
// Text for a terminal: how many cells it takes, cut and padded to cells, and free of anything that steers a terminal.
// Journals, candidates and tasks come from strangers, so all their texts pass `plain_text` before they are shown.
#pragma once

#include <string>
#include <string_view>

namespace kf {

// Cells of a line in a terminal: 0 for combining characters, 2 for wide ones, 1 for an invalid byte. Escape sequences
// of `paint` count nothing.
int display_width(std::string_view text);

// One line without control characters, escape sequences and direction overrides; invalid UTF-8 becomes U+FFFD. Line
// feeds and tabs become blanks.
std::string plain_text(std::string_view text);

// Plain text in, at least (pad) or at most (elide) `cells` out.
std::string pad_right(std::string_view text, int cells);
std::string pad_left(std::string_view text, int cells);
std::string elide_end(std::string_view text, int cells);    // "a long na…"
std::string elide_middle(std::string_view text, int cells); // "a lon…ame": names differ at both ends

enum class Tint { none, bold, dim, accent, faster, slower, wrong, error, caution, suspect };

struct TextStyle {
    bool colour = false;
    int width = 0; // cells of a line; 0: unlimited (a pipe, a file)
};
std::string paint(std::string_view text, Tint tint, const TextStyle& style);

} // namespace kf
