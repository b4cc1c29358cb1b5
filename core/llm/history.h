// SPDX-License-Identifier: GPL-3.0-or-later
// A run's turns as a model is told of them: a line each, the best and the latest with their lesson, old ones counted.
// Drawn from verdicts and autopsies alone: summaries and texts of events may name held-out cases and are never used.
#pragma once

#include "core/llm/prompt.h"

namespace kf {

struct HistoryLimits {
    std::size_t details = 8; // turns with their lesson: half the best, half the latest
    std::size_t lines = 48;  // turns in a line each
};

// Markdown lines; "" when there is no finished turn but the start kernel's. `left_out` gets what was only counted.
std::string history_text(const PromptInputs& inputs, const HistoryLimits& limits, std::string& left_out);

} // namespace kf
