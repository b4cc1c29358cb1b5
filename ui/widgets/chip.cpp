// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chip.h"

#include "ui/theme/fonts.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

constexpr int padding = 8;

int mark_size() {
    return static_cast<int>(std::lround(9 * std::max(1.0, text_scale())));
}

QFont chip_font() {
    return text_font(11, Weight::bold);
}

} // namespace

Chip::Chip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void Chip::set_verdict(VerdictKind kind, const QString& text) {
    m_verdict = kind;
    m_level.reset();
    m_text = text.isEmpty() ? mark_word(kind) : text;
    tell();
}

void Chip::set_evidence(Level level, const QString& text) {
    m_verdict.reset();
    m_level = level;
    m_tint = Tint::neutral;
    m_text = text.isEmpty() ? evidence_word(level) : text;
    tell();
}

void Chip::set_text(const QString& text, Tint tint) {
    m_verdict.reset();
    m_level.reset();
    m_tint = tint;
    m_text = text;
    tell();
}

void Chip::set_progress(double done) {
    m_progress = std::isfinite(done) ? done : -1;
    update();
}

void Chip::tell() {
    setAccessibleName(m_text);
    updateGeometry();
    update();
}

QColor Chip::colour() const {
    const Theme& theme = Theme::current();
    if (m_verdict)
        return theme.of(*m_verdict);
    switch (m_tint) {
    case Tint::neutral:
        return theme.dim;
    case Tint::accent:
        return theme.accent;
    case Tint::good:
        return theme.faster;
    case Tint::caution:
        return theme.stale;
    case Tint::error:
        return theme.error;
    case Tint::wrong:
        return theme.wrong;
    }
    return theme.dim;
}

int Chip::mark_width() const {
    return m_verdict || m_level ? mark_size() + 5 : 0;
}

QSize Chip::sizeHint() const {
    const QFontMetrics font(chip_font());
    return {font.horizontalAdvance(m_text) + mark_width() + 2 * padding, std::max(20, font.height() + 6)};
}

QSize Chip::minimumSizeHint() const {
    const QFontMetrics font(chip_font());
    // Words are never cut ("REPLAY ×4"); only sentences are.
    const int text = std::min(font.horizontalAdvance(m_text), font.averageCharWidth() * 18);
    return {text + mark_width() + 2 * padding, sizeHint().height()};
}

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor tint = colour();
    const QRectF box = QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75);
    if (m_progress >= 0) {
        QPainterPath outline;
        outline.addRoundedRect(box, 4, 4);
        painter.save();
        painter.setClipPath(outline);
        painter.fillRect(QRectF(0, 0, width() * std::min(1.0, m_progress), height()),
                         blend(palette().color(backgroundRole()), tint, 0.18));
        painter.restore();
    }
    painter.setPen(QPen(tint, 1.25));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, 4, 4);
    const double middle = height() / 2.0;
    const int mark = mark_size();
    if (m_verdict)
        draw_mark(painter, *m_verdict, {padding + mark / 2.0, middle}, mark);
    else if (m_level)
        draw_evidence(painter, *m_level, {padding + mark / 2.0, middle}, mark);
    const QFont font = chip_font();
    painter.setFont(font);
    painter.setPen(tint);
    const int left = padding + mark_width();
    const QRect area(left, 0, width() - left - padding + 1, height());
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(font).elidedText(m_text, Qt::ElideRight, area.width()));
}

void Chip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    QWidget::changeEvent(event);
}

} // namespace kf::ui
