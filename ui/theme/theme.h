// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour of the window. There is one current theme; widgets read it while they paint and hear of a change by
// QEvent::PaletteChange. No colour stands anywhere else.
#pragma once

#include "core/render/marks.h"

#include <QColor>
#include <QPalette>
#include <QString>

namespace kf::ui {

enum class ThemeName { dark, light, contrast };
QString to_string(ThemeName name);
std::optional<ThemeName> parse_theme(const QString& name);

struct Theme {
    ThemeName name = ThemeName::dark;
    // Surfaces, from the back to the front; lines between them.
    QColor window, panel, raised, line, selection;
    // Outline of a control, 3:1 against every surface.
    QColor outline;
    // Text, by importance; text on `accent`.
    QColor text, dim, faint, on_accent;
    QColor accent;
    // Verdicts and states.
    QColor faster, slower, equivalent, inconclusive, wrong, error, timeout, suspect, infrastructure, human, pending,
        stale, bound;
    // Source.
    QColor keyword, string, comment, number, plan, added, removed;

    QColor of(VerdictKind kind) const;
    QPalette palette() const;

    static const Theme& current();
    // All of them, for tests and the settings page.
    static const Theme& get(ThemeName name);
};

// Makes it the current one; with a QGuiApplication also its palette. The widgets' style is set by
// widgets/style.h::apply_style.
void set_current_theme(ThemeName name);

// WCAG 2 contrast of two opaque colours, 1 … 21.
double contrast(const QColor& a, const QColor& b);
// `over` with the given opacity on `under`.
QColor blend(const QColor& under, const QColor& over, double opacity);

} // namespace kf::ui
