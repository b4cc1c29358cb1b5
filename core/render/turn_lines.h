// SPDX-License-Identifier: GPL-3.0-or-later
// One line a turn, in columns that align under a header: number, author, verdict, time, against champion with interval
// and evidence, speed against eager, note. A narrow terminal gets the note on a line of its own and loses the eager
// column first.
#pragma once

#include "core/render/marks.h"

#include <string>
#include <vector>

namespace kf {

std::string turn_header(const TextStyle& style);
// Of a finished turn; one line, or two where the note does not fit beside it.
std::vector<std::string> turn_lines(const RunState& state, const TurnState& turn, const TextStyle& style);
// One point of a sweep: shorter, indented.
std::string point_line(int point, const EvaluationState& evaluation, const TextStyle& style);

} // namespace kf
