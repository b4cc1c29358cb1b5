// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/status_chip.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

namespace kf::ui {
namespace {

constexpr int padding = 6;
constexpr int icon_side = 14;

} // namespace

StatusChip::StatusChip(QWidget* parent, bool clickable) : QAbstractButton(parent), m_clickable(clickable) {
    setFocusPolicy(clickable ? Qt::TabFocus : Qt::NoFocus);
    setAttribute(Qt::WA_Hover, clickable);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    if (clickable)
        setCursor(Qt::PointingHandCursor);
    hide();
}

void StatusChip::set(const QString& text, Tone tone, const QString& icon, const QString& tool_tip) {
    m_tone = tone;
    m_icon = icon;
    QString label = text;
    setText(label.replace(u'&', QStringLiteral("&&")));
    setAccessibleName(text);
    setToolTip(tool_tip);
    setVisible(!text.isEmpty());
    updateGeometry();
    update();
}

QColor StatusChip::colour() const {
    const Theme& theme = Theme::current();
    switch (m_tone) {
    case Tone::normal:
        return theme.dim;
    case Tone::accent:
        return theme.accent;
    case Tone::caution:
        return theme.stale;
    case Tone::error:
        return theme.error;
    }
    return theme.dim;
}

QSize StatusChip::sizeHint() const {
    const QFontMetrics font_metrics(text_font(12));
    const int icon_width = m_icon.isEmpty() ? 0 : icon_side + 5;
    return {font_metrics.horizontalAdvance(accessibleName()) + icon_width + 2 * padding + 1,
            std::max(24, font_metrics.height() + 4)};
}

QSize StatusChip::minimumSizeHint() const {
    return {std::min(sizeHint().width(), 48), sizeHint().height()};
}

void StatusChip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(1, 1, -1, -1);
    if (m_clickable && (underMouse() || isDown())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isDown() ? theme.selection : theme.raised);
        painter.drawRoundedRect(box, 4, 4);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRoundedRect(box, 4, 4);
    }
    const QColor tint = isEnabled() ? colour() : palette().color(QPalette::Disabled, QPalette::WindowText);
    QRect area = rect().adjusted(padding, 0, -padding, 0);
    if (!m_icon.isEmpty()) {
        painter.drawPixmap(QPoint(area.left(), (height() - icon_side) / 2),
                           icon_pixmap(m_icon, icon_side, tint, devicePixelRatioF()));
        area.setLeft(area.left() + icon_side + 5);
    }
    painter.setFont(text_font(12));
    painter.setPen(tint);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(accessibleName(), Qt::ElideMiddle, area.width()));
}

void StatusChip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    QAbstractButton::changeEvent(event);
}

} // namespace kf::ui
