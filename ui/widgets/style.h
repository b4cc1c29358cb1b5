// SPDX-License-Identifier: GPL-3.0-or-later
// The look of every control: a QProxyStyle over Fusion that reads Theme while it paints. A widget tells what it is by
// the small functions below (dynamic properties); there are no style sheets.
#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QString>

class QApplication;

namespace kf::ui {

// Sets theme, palette, fonts (at the current text scale) and style. Again after a change of theme or text scale.
void apply_style(QApplication& application, ThemeName theme);

// Nothing moves by itself: a bar that waits stands still, the text cursor does not blink.
void set_reduced_motion(bool reduced);
bool reduced_motion();

enum class ButtonLook {
    normal,  // raised, outlined
    primary, // filled with the accent; one in a row of buttons
    danger,  // outlined in the error colour
    flat,    // no surface until it is pointed at
    link,    // text in the accent
    segment, // one of a Segmented
};
void set_look(QAbstractButton& button, ButtonLook look);
ButtonLook look_of(const QWidget* widget);

// Secondary, dim text after the label ("f16 · 4096×14336").
void set_detail(QAbstractButton& button, const QString& detail);
// The key that does the same, drawn as a key cap after the label ("F9").
void set_key_hint(QAbstractButton& button, const QString& key);

// The surface that a container is filled with.
enum class Surface { window, panel, raised };
void set_surface(QWidget& widget, Surface surface);

// Sizes that the style and the painting of widgets share, in pixels of a 1× screen at text scale 1.
namespace metrics {
constexpr int control_height = 28;
constexpr int row_height = 28;
constexpr int radius = 5;
constexpr int tab_height = 34;
constexpr int gap = 8;
constexpr int scroll_bar = 10;
} // namespace metrics

} // namespace kf::ui
