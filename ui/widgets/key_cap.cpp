// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/key_cap.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <algorithm>

namespace kf::ui {
namespace {

QFont cap_font() {
    return mono_font(10);
}

} // namespace

double key_cap_width(const QString& key) {
    return key.isEmpty() ? 0 : std::max(18.0, QFontMetricsF(cap_font()).horizontalAdvance(key) + 10);
}

double draw_key_cap(QPainter& painter, const QRectF& rect, const QString& key, const QColor& text, const QColor& line) {
    const double width = key_cap_width(key);
    if (key.isEmpty())
        return 0;
    const double height = QFontMetricsF(cap_font()).height() + 4;
    const QRectF cap(rect.left() + 0.5, rect.center().y() - height / 2, width - 1, height);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(line, 1));
    painter.drawRoundedRect(QRectF(cap.left(), std::floor(cap.top()) + 0.5, cap.width(), std::floor(cap.height())), 3,
                            3);
    painter.setFont(cap_font());
    painter.setPen(text);
    painter.drawText(cap, Qt::AlignCenter, key);
    painter.restore();
    return width;
}

QString key_text(const QKeySequence& keys) {
    if (keys.isEmpty())
        return {};
    QStringList parts = keys.toString(QKeySequence::NativeText).split(u'+');
    // "Ctrl++" splits into two empty ends.
    if (parts.size() >= 2 && parts.back().isEmpty()) {
        parts.removeLast();
        parts.back() = QStringLiteral("+");
    }
    QString text;
    for (QString part : parts) {
        bool tight = false;
        if (part == QLatin1String("Shift")) {
            part = QStringLiteral("⇧");
            tight = true;
        } else if (part == QLatin1String("Return") || part == QLatin1String("Enter")) {
            part = QStringLiteral("⏎");
        } else if (part == QLatin1String("Up")) {
            part = QStringLiteral("↑");
        } else if (part == QLatin1String("Down")) {
            part = QStringLiteral("↓");
        } else if (part == QLatin1String("Left")) {
            part = QStringLiteral("←");
        } else if (part == QLatin1String("Right")) {
            part = QStringLiteral("→");
        }
        text += part;
        if (&part != &parts.back() && !tight)
            text += u' ';
    }
    return text.trimmed();
}

KeyCap::KeyCap(const QString& key, QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    set_key(key);
}

void KeyCap::set_key(const QString& key) {
    m_key = key;
    setAccessibleName(key);
    updateGeometry();
    update();
}

QSize KeyCap::sizeHint() const {
    return {static_cast<int>(std::ceil(key_cap_width(m_key))), QFontMetrics(cap_font()).height() + 6};
}

void KeyCap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw_key_cap(painter, QRectF(rect()), m_key, Theme::current().dim, Theme::current().outline);
}

} // namespace kf::ui
