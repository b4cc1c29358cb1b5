// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes that stand for a verdict and for how much evidence there is. No two share a shape, so that they can be told
// apart without colour.
#pragma once

#include "core/base/level.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <QPointF>

namespace kf::ui {

// Draws the verdict's shape around `centre`, `size` pixels across, in the theme's colour; `ringed`: a human's turn.
void draw_mark(QPainter& painter, VerdictKind kind, QPointF centre, double size, bool ringed = false,
               const Theme& theme = Theme::current());
// The disc filled by quarters: screen 1, duel 2, certified 3, promoted 4.
void draw_evidence(QPainter& painter, Level level, QPointF centre, double size, const Theme& theme = Theme::current());
// The star of a promoted champion.
void draw_star(QPainter& painter, QPointF centre, double size, const QColor& colour);
// The star that a person gave: only its outline.
void draw_open_star(QPainter& painter, QPointF centre, double size, const QColor& colour);

QString mark_word(VerdictKind kind); // "faster", "compile error" is told by the turn, not here
QString evidence_word(Level level);  // "screen", "duel", "certified", "promoted"

} // namespace kf::ui
