// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon_button.h"

#include "ui/theme/icons.h"
#include "ui/widgets/style.h"

namespace kf::ui {

IconButton::IconButton(const QString& icon, const QString& text, QWidget* parent) : QToolButton(parent) {
    setAutoRaise(true);
    set_look(*this, ButtonLook::flat);
    setToolButtonStyle(Qt::ToolButtonIconOnly);
    setIconSize({16, 16});
    setFocusPolicy(Qt::TabFocus);
    setFixedSize(metrics::control_height, metrics::control_height);
    set_icon(icon);
    set_text(text);
}

void IconButton::set_icon(const QString& icon) {
    setIcon(kf::ui::icon(icon));
}

void IconButton::set_text(const QString& text, const QString& keys) {
    setAccessibleName(text);
    setToolTip(keys.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, keys));
}

} // namespace kf::ui
