// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/note_sheet.h"

#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace kf::ui {

NoteSheet::NoteSheet(QWidget* window)
    : Sheet(window, QStringLiteral("Note"), 480), m_heading(new QLabel(panel())), m_text(new QPlainTextEdit(panel())) {
    setObjectName(QStringLiteral("note_sheet"));
    m_heading->setFont(text_font(15, Weight::semibold));
    m_text->setObjectName(QStringLiteral("note.text"));
    m_text->setAccessibleName(QStringLiteral("Note"));
    m_text->setPlaceholderText(QStringLiteral("What should be remembered about this turn?"));
    m_text->setTabChangesFocus(true);
    m_text->setMinimumHeight(120);
    m_text->document()->setDocumentMargin(8);
    m_text->installEventFilter(this);
    auto* cancel = new QPushButton(QStringLiteral("Cancel"), panel());
    auto* keep = new QPushButton(QStringLiteral("Keep note"), panel());
    keep->setObjectName(QStringLiteral("note.keep"));
    set_look(*keep, ButtonLook::primary);
    cancel->setAccessibleName(cancel->text());
    keep->setAccessibleName(keep->text());
    keep->setToolTip(QStringLiteral("Ctrl+Enter"));
    auto* row = new QHBoxLayout;
    row->addWidget(cancel);
    row->addStretch(1);
    row->addWidget(keep);
    panel_layout()->addWidget(m_heading);
    panel_layout()->addWidget(m_text);
    panel_layout()->addLayout(row);
    connect(cancel, &QPushButton::clicked, this, &Sheet::close_sheet);
    connect(keep, &QPushButton::clicked, this, &NoteSheet::keep);
}

void NoteSheet::ask(int turn, const QString& present) {
    m_turn = turn;
    m_heading->setText(turn == 0 ? QStringLiteral("Note on the start kernel")
                                 : QStringLiteral("Note on turn %1").arg(turn));
    m_text->setPlainText(present);
    m_text->selectAll();
    open(m_text);
}

void NoteSheet::keep() {
    close_sheet();
    Q_EMIT written(m_turn, m_text->toPlainText());
}

bool NoteSheet::eventFilter(QObject* object, QEvent* event) {
    if (object == m_text && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers().testFlag(Qt::ControlModifier)) {
            keep();
            return true;
        }
    }
    return Sheet::eventFilter(object, event);
}

} // namespace kf::ui
