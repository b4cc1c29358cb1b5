// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/line_bar.h"

#include "ui/editor/code_editor.h"
#include "ui/editor/source_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>

namespace kf::ui {

LineBar::LineBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("line-bar"));
    set_surface(*this, Surface::window);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 10, 6);
    row->setSpacing(6);
    m_line = new QLineEdit(this);
    m_line->setPlaceholderText(QStringLiteral("Line, or line:column"));
    m_line->setAccessibleName(QStringLiteral("Go to line"));
    m_line->setMaximumWidth(200);
    m_range = new ElidedLabel({}, this, Qt::ElideRight);
    m_range->set_tone(ElidedLabel::Tone::dim);
    auto* close = new IconButton(QStringLiteral("close"), QStringLiteral("Close"), this);
    close->set_text(QStringLiteral("Close"), QStringLiteral("Esc"));
    row->addWidget(m_line);
    row->addWidget(m_range);
    row->addStretch(1);
    row->addWidget(close);
    connect(m_line, &QLineEdit::textEdited, this, &LineBar::go);
    connect(close, &QToolButton::clicked, this, &LineBar::close_bar);
    hide();
}

void LineBar::open(CodeEditor* editor) {
    m_editor = editor;
    if (!editor)
        return;
    m_range->set_text(QStringLiteral("1 … %1").arg(editor->lines()));
    m_line->setText(QString::number(editor->caret_line() + 1));
    show();
    m_line->setFocus();
    m_line->selectAll();
}

void LineBar::close_bar() {
    hide();
    if (m_editor)
        m_editor->setFocus();
}

void LineBar::go() {
    if (!m_editor)
        return;
    bool ok = false;
    const int line = m_line->text().section(QLatin1Char(':'), 0, 0).trimmed().toInt(&ok);
    if (!ok || line < 1)
        return;
    const int column = m_line->text().section(QLatin1Char(':'), 1).trimmed().toInt();
    const QByteArray bytes = m_editor->line_bytes(std::min(line, m_editor->lines()) - 1);
    m_editor->go_to(line - 1, byte_in_line(bytes, column, ColumnUnit::characters));
}

void LineBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        close_bar();
    } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        go();
        close_bar();
    } else {
        QWidget::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace kf::ui
