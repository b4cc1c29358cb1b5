// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/search_field.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>

namespace kf::ui {

SearchField::SearchField(const QString& placeholder, QWidget* parent) : QLineEdit(parent) {
    setPlaceholderText(placeholder);
    setAccessibleName(placeholder);
    QAction* glass = addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    glass->setEnabled(false);
    setClearButtonEnabled(true);
    m_pause.setSingleShot(true);
    m_pause.setInterval(120);
    connect(&m_pause, &QTimer::timeout, this, &SearchField::tell);
    connect(this, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            tell();
        else
            m_pause.start();
    });
}

void SearchField::tell() {
    m_pause.stop();
    if (text() == m_told)
        return;
    m_told = text();
    Q_EMIT searched(m_told);
}

void SearchField::set_result(const QString& result) {
    m_result = result;
    setAccessibleDescription(result);
    fit_margins();
    update();
}

void SearchField::fit_margins() {
    const int room = m_result.isEmpty() ? 0 : QFontMetrics(text_font(11)).horizontalAdvance(m_result) + 6;
    setTextMargins(0, 0, room, 0);
}

void SearchField::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Escape:
        if (text().isEmpty())
            Q_EMIT escaped();
        else
            clear();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        tell();
        if (event->modifiers().testFlag(Qt::ShiftModifier))
            Q_EMIT previous();
        else
            Q_EMIT next();
        return;
    case Qt::Key_Down:
        tell();
        Q_EMIT next();
        return;
    case Qt::Key_Up:
        tell();
        Q_EMIT previous();
        return;
    default:
        QLineEdit::keyPressEvent(event);
    }
}

void SearchField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (m_result.isEmpty())
        return;
    QPainter painter(this);
    painter.setFont(text_font(11));
    painter.setPen(Theme::current().dim);
    const int clear_button = text().isEmpty() ? 8 : 28;
    painter.drawText(rect().adjusted(0, 0, -clear_button, 0), Qt::AlignRight | Qt::AlignVCenter, m_result);
}

void SearchField::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fit_margins();
    QLineEdit::changeEvent(event);
}

} // namespace kf::ui
