// SPDX-License-Identifier: GPL-3.0-or-later
// Figures and verdicts as the window writes them: times in one unit a run, changes in per cent of time (negative is
// faster), short words for what went wrong. What is not known is "", never "nan".
#pragma once

#include "core/journal/projection.h"
#include "core/render/marks.h"
#include "core/render/terminal_text.h"
#include "ui/models/evaluation_figures.h"

#include <QString>

namespace kf::ui {

// Text of a journal, which may come from a stranger: one line without control characters.
QString plain(std::string_view text);

// The unit that all times of a run are shown in, so that they can be compared at a glance.
struct TimeUnit {
    QString name = QStringLiteral("ms"); // s, ms, µs, ns
    double seconds = 1e-3;
    int decimals = 3;
    bool known = false; // false: nothing was measured yet
    bool operator==(const TimeUnit&) const = default;
};
// By the first time that was measured (the start kernel's, as a rule); with the decimals that the fastest champion
// needs for four digits (three below one).
TimeUnit time_unit(const RunState& state);
// The unit for times of which `seconds` is the least.
TimeUnit time_unit(double seconds);

QString time_text(double seconds, const TimeUnit& unit);      // "1.512"
QString time_with_unit(double seconds, const TimeUnit& unit); // "1.512 ms"
QString speed_text(double ratio);                             // "1.16×"

// A speed-up as a change of time: 1.072 is −6.7 %. `half` is half of the interval in per cent; negative: unbounded.
struct Change {
    bool known = false;
    double percent = 0, half = -1;
};
Change change_of(const Speedup& speedup);
QString change_text(const Speedup& speedup); // "−6.7 % ± 0.2"; "" when it is not known

QString evidence_word(std::string_view level); // screen, duel, certified, promoted; "" for anything else
// The same with how many cases it rests on so far, where that is not all of them: "screen · 2/18".
QString evidence_text(const EvaluationState& evaluation);
// "wrong · tail", "compile error", "inconclusive · clocks moved": of an evaluation that is done.
QString verdict_text(const EvaluationState& evaluation, VerdictKind kind, const EvaluationFigures* figures);
// "running · measure, round 3": of one that is not.
QString progress_text(const EvaluationState& evaluation);
QString error_text(const EvaluationFigures& figures);     // "✓", "14.453"
QString registers_text(const EvaluationFigures& figures); // "52 / 0"
QString author_word(std::string_view author);             // "the tuner", "a person"

} // namespace kf::ui
