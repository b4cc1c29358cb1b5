// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon_button.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/style.h"

#include <QEvent>
#include <algorithm>
#include <cmath>

namespace kf::ui {

IconButton::IconButton(const QString& icon, const QString& text, QWidget* parent) : QToolButton(parent) {
    setAutoRaise(true);
    set_look(*this, ButtonLook::flat);
    setToolButtonStyle(Qt::ToolButtonIconOnly);
    setFocusPolicy(Qt::TabFocus);
    fit();
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

void IconButton::fit() {
    const double scale = std::max(1.0, text_scale());
    const int icon = static_cast<int>(std::lround(16 * scale));
    const int side = static_cast<int>(std::lround(metrics::control_height * scale));
    setIconSize({icon, icon});
    setFixedSize(side, side);
}

void IconButton::changeEvent(QEvent* event) {
    if (event->type() == QEvent::StyleChange)
        fit();
    QToolButton::changeEvent(event);
}

} // namespace kf::ui
