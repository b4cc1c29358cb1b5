// SPDX-License-Identifier: GPL-3.0-or-later
// What a machine can see of a window: clipped text, cut-off and overlapping widgets, small targets, weak contrast,
// widgets that the keyboard cannot reach or a screen reader cannot name, blank plots and panes.
#pragma once

#include <QImage>
#include <QString>
#include <QWidget>

#include <vector>

namespace kf::scenes {

struct Flaw {
    QString check; // "clipped", "cut", "overlap", "squeezed", "target", "contrast", "tab", "name", "tip", "blank"
    QString where; // path of the widget: "timeline/QTableView/header"
    QString what;
};

// What the checks look at: the window, and a picture of it in device pixels.
struct View {
    QWidget& window;
    QImage picture;
    // Colours of `rect` (in the widget's coordinates) in the picture.
    QImage part(const QWidget& widget, const QRect& rect) const;
};
View look_at(QWidget& window);

std::vector<Flaw> check_text(const View& view);
std::vector<Flaw> check_geometry(const View& view);
std::vector<Flaw> check_targets(const View& view);
std::vector<Flaw> check_contrast(const View& view);
std::vector<Flaw> check_keyboard(const View& view);
std::vector<Flaw> check_names(const View& view);
std::vector<Flaw> check_blank(const View& view);
std::vector<Flaw> check_all(const View& view);

// Contrast of what stands out most in the picture against what most of it is; 1 when it is of one colour.
double strongest_contrast(const QImage& part);
// Share of pixels that differ visibly from the most frequent colour.
double ink(const QImage& part);

// All of the window, without what opens windows of its own (menus, completion lists).
QList<QWidget*> widgets_of(const View& view);
QString path_of(const QWidget& widget);
// Visible on the screen: not scrolled out, not behind another tab, not of no size.
bool is_on_screen(const QWidget& widget);
// What a person clicks, types into or chooses from.
bool is_interactive(const QWidget& widget);

} // namespace kf::scenes
