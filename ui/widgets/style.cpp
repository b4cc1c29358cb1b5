// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/style.h"

#include "ui/theme/fonts.h"
#include "ui/widgets/workbench_style.h"

#include <QApplication>
#include <QToolTip>

namespace kf::ui {
namespace {

constexpr const char* look_property = "kf_look";
bool motion_is_reduced = false;

} // namespace

void apply_style(QApplication& application, ThemeName theme) {
    load_fonts();
    set_current_theme(theme);
    QApplication::setFont(text_font(13));
    for (const char* small : {"QHeaderView", "QStatusBar", "QToolTip", "QGroupBox"})
        QApplication::setFont(text_font(12), small);
    QToolTip::setFont(text_font(12));
    // A new one each time, so that every widget measures itself again.
    QApplication::setStyle(new WorkbenchStyle);
    const QPalette palette = Theme::current().palette();
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
    application.setEffectEnabled(Qt::UI_AnimateMenu, false);
    application.setEffectEnabled(Qt::UI_FadeMenu, false);
    application.setEffectEnabled(Qt::UI_AnimateCombo, false);
}

void set_reduced_motion(bool reduced) {
    static const int usual_flash = QApplication::cursorFlashTime();
    motion_is_reduced = reduced;
    QApplication::setCursorFlashTime(reduced ? 0 : usual_flash);
}

bool reduced_motion() {
    return motion_is_reduced;
}

void set_look(QAbstractButton& button, ButtonLook look) {
    button.setProperty(look_property, static_cast<int>(look));
    button.updateGeometry();
    button.update();
}

ButtonLook look_of(const QWidget* widget) {
    const QVariant look = widget ? widget->property(look_property) : QVariant();
    return look.isValid() ? static_cast<ButtonLook>(look.toInt()) : ButtonLook::normal;
}

void set_detail(QAbstractButton& button, const QString& detail) {
    button.setProperty("kf_detail", detail);
    button.updateGeometry();
    button.update();
}

void set_key_hint(QAbstractButton& button, const QString& key) {
    button.setProperty("kf_key", key);
    button.updateGeometry();
    button.update();
}

void set_surface(QWidget& widget, Surface surface) {
    widget.setAutoFillBackground(true);
    switch (surface) {
    case Surface::window:
        widget.setBackgroundRole(QPalette::Shadow);
        return;
    case Surface::panel:
        widget.setBackgroundRole(QPalette::Window);
        return;
    case Surface::raised:
        widget.setBackgroundRole(QPalette::Button);
        return;
    }
}

} // namespace kf::ui
