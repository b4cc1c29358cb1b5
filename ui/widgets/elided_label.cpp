// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include "ui/theme/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>

namespace kf::ui {

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent, Qt::TextElideMode mode) : QWidget(parent), m_mode(mode) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    set_text(text);
}

void ElidedLabel::set_text(const QString& text) {
    m_text = text;
    m_text.replace(u'\n', u' ');
    setAccessibleName(m_text);
    retip();
    updateGeometry();
    update();
}

QString ElidedLabel::shown_text() const {
    return fontMetrics().elidedText(m_text, m_mode, contentsRect().width());
}

void ElidedLabel::set_tone(Tone tone) {
    m_tone = tone;
    update();
}

void ElidedLabel::set_alignment(Qt::Alignment alignment) {
    m_alignment = alignment;
    update();
}

void ElidedLabel::copy() const {
    QGuiApplication::clipboard()->setText(m_text);
}

void ElidedLabel::retip() {
    const bool cut = shown_text() != m_text;
    setToolTip(cut ? m_text.toHtmlEscaped() : QString());
}

QSize ElidedLabel::sizeHint() const {
    const QMargins around = contentsMargins();
    return QSize(fontMetrics().horizontalAdvance(m_text) + 1, fontMetrics().height() + 2).grownBy(around);
}

QSize ElidedLabel::minimumSizeHint() const {
    const QMargins around = contentsMargins();
    const int least = fontMetrics().horizontalAdvance(QStringLiteral("mm…mm")) + around.left() + around.right();
    return {std::min(sizeHint().width(), least), sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QColor colour = theme.text;
    switch (m_tone) {
    case Tone::text:
        break;
    case Tone::dim:
        colour = theme.dim;
        break;
    case Tone::faint:
        colour = theme.faint;
        break;
    case Tone::accent:
        colour = theme.accent;
        break;
    case Tone::error:
        colour = theme.error;
        break;
    case Tone::caution:
        colour = theme.stale;
        break;
    }
    QPainter painter(this);
    painter.setPen(isEnabled() ? colour : palette().color(QPalette::Disabled, QPalette::WindowText));
    painter.drawText(contentsRect(), static_cast<int>(m_alignment) | Qt::TextSingleLine, shown_text());
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    retip();
    QWidget::resizeEvent(event);
}

void ElidedLabel::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    connect(menu.addAction(tr("Copy")), &QAction::triggered, this, &ElidedLabel::copy);
    menu.exec(event->globalPos());
}

void ElidedLabel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        retip();
        updateGeometry();
    }
    QWidget::changeEvent(event);
}

} // namespace kf::ui
