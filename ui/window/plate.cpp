// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/plate.h"

#include <QPaintEvent>
#include <QPainter>

namespace kf::ui {

Plate::Plate(QColor Theme::*fill, Qt::Edges lines, QWidget* parent) : QWidget(parent), m_fill(fill), m_lines(lines) {}

void Plate::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(event->rect(), theme.*m_fill);
    const QColor line = theme.line;
    if (m_lines.testFlag(Qt::TopEdge))
        painter.fillRect(QRect(0, 0, width(), 1), line);
    if (m_lines.testFlag(Qt::BottomEdge))
        painter.fillRect(QRect(0, height() - 1, width(), 1), line);
    if (m_lines.testFlag(Qt::LeftEdge))
        painter.fillRect(QRect(0, 0, 1, height()), line);
    if (m_lines.testFlag(Qt::RightEdge))
        painter.fillRect(QRect(width() - 1, 0, 1, height()), line);
}

Divider::Divider(QWidget* parent) : QWidget(parent) {
    setFixedWidth(1);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

void Divider::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), Theme::current().line);
}

} // namespace kf::ui
