// SPDX-License-Identifier: GPL-3.0-or-later
// Where plan lines stand in a text and which of their words are plan words, found by core's own scanner: what is
// coloured is what is read. Pure; a quarter megabyte takes about a millisecond.
#pragma once

#include "core/candidate/candidate.h"

#include <string>
#include <string_view>
#include <vector>

namespace kf::ui {

enum class PlanSpanKind { text, word, number };

struct PlanSpan { // bytes of the source
    int begin = 0, end = 0;
    PlanSpanKind kind = PlanSpanKind::text;
};

struct PlanLayout {
    std::vector<PlanSpan> spans;      // in order; within one statement `word` and `number` lie between `text`
    std::vector<int> statement_lines; // first line of each statement, from 0
    std::vector<int> launch_lines;    // of launch statements
    std::vector<std::string> kernels; // names, each once
};

PlanLayout plan_layout(std::string_view source, Language language);

} // namespace kf::ui
