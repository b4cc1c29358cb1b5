// SPDX-License-Identifier: GPL-3.0-or-later
// Word, shape and tint of a verdict, and the disc that shows how much evidence there is. No two share a shape.
#pragma once

#include "core/journal/projection.h"
#include "core/render/terminal_text.h"

#include <string>
#include <string_view>

namespace kf {

enum class VerdictKind {
    faster,
    slower,
    equivalent,
    inconclusive,
    correct, // verified, compared with nothing
    wrong,
    error, // of the text, the compiler or at run time
    timeout,
    suspect,
    infrastructure,
    cancelled,
    duplicate, // of a candidate that was judged before
    start,     // the start kernel, accepted
    none,      // nothing is known
};

// Of an evaluation's verdict: a word of Evaluation::verdict(). Unknown words are `none`.
VerdictKind verdict_kind(std::string_view verdict);
// Of a finished turn; `shown` is the evaluation that speaks for it, or null.
VerdictKind verdict_kind(const TurnState& turn, const EvaluationState* shown);

struct VerdictMark {
    std::string_view shape; // one cell
    std::string_view word;
    Tint tint = Tint::none;
};
VerdictMark mark_of(VerdictKind kind);
// Of a finished turn: also what is no verdict, because nothing was judged (a duplicate of an earlier turn).
VerdictMark mark_of(const TurnState& turn, const EvaluationState* shown);

// ◔ screen, ◑ duel, ◕ certify, ● promote; a blank for anything else. One cell.
std::string_view evidence_mark(std::string_view level);

// The evaluation that speaks for a turn: the champion's own where the turn made one, else TurnState::decisive().
const EvaluationState* shown_evaluation(const RunState& state, const TurnState& turn);

} // namespace kf
