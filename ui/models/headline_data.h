// SPDX-License-Identifier: GPL-3.0-or-later
// The one figure that stands for the selected turn, with its own words: the speed against eager where that was
// measured, else against the start kernel, else against the champion it met, else its time. Taken from the journal's
// projection alone.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/journal/projection.h"
#include "core/render/marks.h"
#include "ui/models/selection.h"

#include <QString>

#include <optional>
#include <vector>

namespace kf::ui {

struct HeadlineData {
    QString figure; // "1.16×", "2.3 ms", "–"
    QString words;  // what the figure is: "eager's speed"
    QString second; // another figure with its words, or ""
    QString turn;   // "turn 8 · champion"; "" when no turn is shown
    VerdictKind verdict = VerdictKind::none;
    QString verdict_word; // "faster", "mismatch", …; "" when there is no verdict: no chip
    bool ringed = false;  // a human's turn
    // Parts of the detail line, in order.
    std::vector<QString> details;
    std::optional<Level> level; // of the evidence, at the end of the line
    bool promoted = false;
    bool running = false; // the turn is being judged

    bool has_figure() const { return figure != QStringLiteral("–"); }
    QString text() const; // all of it, for screen readers and copying
};

// `evaluation`: the whole one that is shown, where it could be read (rounds, reasons).
HeadlineData make_headline(const RunState& state, RunStatus status, const Chosen& chosen,
                           const Evaluation* evaluation = nullptr);

// "1.16×", "12.3×", "0.44×": as a headline writes it.
QString big_ratio(double ratio);
// The evaluation that a choice means: the named one, else the one that speaks for the turn; null: none is done.
const EvaluationState* chosen_evaluation(const RunState& state, const Chosen& chosen);

} // namespace kf::ui
