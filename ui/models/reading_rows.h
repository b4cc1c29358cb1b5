// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of everything that is read from top to bottom (transcript, prompt): what a row is, and the roles that a
// view of such rows asks for. Rows are short pieces, so that a view lays out only what is seen.
#pragma once

#include <Qt>

namespace kf::ui {

enum class ReadingKind {
    heading, // of a turn or a message: foldable; verdict mark, text, and a detail at the right
    card,    // filled like a selection: what was sent; `title`, text, `note`
    human,   // the same for what a person said
    fold,    // "reasoning, 1,204 tokens": foldable
    thought, // dim prose with a bar at its left
    prose,
    code,    // mono, numbered lines, coloured
    error,   // a card with the error's edge: `title`, text, `note` is the remedy
    note,    // one dim line
    verdict, // mark and words
    busy,    // one line about what is going on
};

namespace ReadingRole {
enum Value {
    kind = Qt::UserRole + 1, // int ReadingKind
    title,                   // QString
    note,                    // QString
    detail,                  // QString, right-aligned
    turn,                    // int; −1: none
    verdict,                 // int VerdictKind; −1: none
    level,                   // int Level; −1: none
    open,                    // bool, of what can be folded
    current,                 // bool: of the selected turn
    first,                   // bool: begins its block (code, reasoning)
    last,                    // bool: ends its block
    first_line,              // int: number of its first line (code)
    language,                // QString (code)
    in_comment,              // bool (code)
    whole,                   // QString: all of the block that the row belongs to, for copying
    link,                    // QString: what a click on the row's link does; "": it has none
    link_text,               // QString
    human,                   // bool: a person's turn
    star,                    // bool: promoted
};
}

} // namespace kf::ui
