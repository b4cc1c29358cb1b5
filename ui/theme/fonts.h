// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled fonts (Inter, JetBrains Mono). Sizes in pixels of a 1× screen times the user's text scale.
#pragma once

#include <QFont>

namespace kf::ui {

// Registers the bundled fonts; once, after the QGuiApplication is there. What cannot be loaded falls back to DejaVu.
void load_fonts();

enum class Weight { regular, medium, semibold, bold };
// Sizes used: 11 small labels, 12 secondary, 13 body, 15 headings, 34 the headline figure.
QFont text_font(int pixels = 13, Weight weight = Weight::regular);
// Code, and figures that have to align.
QFont mono_font(int pixels = 12, Weight weight = Weight::regular);
// The font of source text, in the size that the person chose for it (times the text scale); 13 by default.
QFont source_font();
void set_source_pixels(int pixels);
// 1 by default; Ctrl+= and Ctrl+- of the window.
void set_text_scale(double scale);
double text_scale();

} // namespace kf::ui
