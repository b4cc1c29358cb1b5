// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/system_look.h"

#include <QGuiApplication>

namespace kf::ui {

ThemeName system_theme() {
    static const ThemeName found = [] {
        const QPalette palette = QGuiApplication::palette();
        return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness()
                   ? ThemeName::dark
                   : ThemeName::light;
    }();
    return found;
}

} // namespace kf::ui
