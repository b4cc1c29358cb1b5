// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the style share: boxes, rings, chevrons, the layout of a button's content.
#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/style.h"

#include <QPainter>
#include <QRectF>
#include <QStyle>

class QStyleOption;

namespace kf::ui::draw {

class Saved {
public:
    explicit Saved(QPainter& painter) : m_painter(painter) { m_painter.save(); }
    ~Saved() { m_painter.restore(); }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;

private:
    QPainter& m_painter;
};

QColor disabled_text(const Theme& theme);
// Ground of fields that one types into.
QColor field(const Theme& theme);
// `surface` while it is pointed at, and while it is pressed.
QColor hovered(const Theme& theme, const QColor& surface);
QColor pressed(const Theme& theme, const QColor& surface);

// A rounded box whose line lies on whole pixels; an invalid colour: not drawn.
void box(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line, double radius = metrics::radius,
         double width = 1);
// The 2 px ring of what has the keyboard, inside `rect`.
void focus_ring(QPainter& painter, const QRect& rect, double radius = metrics::radius);
// The same on an accent surface: a gap lets it be seen.
void focus_ring_on_accent(QPainter& painter, const QRect& rect);
bool keyboard_focus(const QStyleOption& option);

enum class Direction { up, down, left, right };
void chevron(QPainter& painter, const QRectF& area, Direction direction, const QColor& colour, double size = 8);
void check(QPainter& painter, const QRectF& area, const QColor& colour);

// A picture in one colour (icons on the accent, disabled icons).
QPixmap tinted(const QPixmap& pixmap, const QColor& colour);

// Of a button: its look, with the defaults of tool buttons.
ButtonLook look(const QWidget* widget, bool auto_raise);
QString detail(const QWidget* widget);
QString key_hint(const QWidget* widget);
// Draws the surface and returns the colour of its text.
QColor button_surface(QPainter& painter, const QRect& rect, QStyle::State state, ButtonLook look, bool is_default);

struct Content {
    QIcon icon;
    QSize icon_size;
    QString text;   // with mnemonic
    QString detail; // dim
    QString key;    // key cap
    bool arrow = false;
    bool icon_above = false;
};
QSize content_size(const Content& content, const QFont& font);
void draw_content(QPainter& painter, const QRect& area, const Content& content, const QColor& colour, bool enabled,
                  bool on_accent, bool show_mnemonic, const QStyle& style);

} // namespace kf::ui::draw
