// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/close_sheet.h"

#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace kf::ui {

CloseSheet::CloseSheet(QWidget* window)
    : Sheet(window, QStringLiteral("A run is going"), 500), m_text(new QLabel(panel())),
      m_keep(new QPushButton(QStringLiteral("Keep running"), panel())) {
    setObjectName(QStringLiteral("close_sheet"));
    auto* heading = new QLabel(QStringLiteral("The run is still going"), panel());
    heading->setFont(text_font(15, Weight::semibold));
    m_text->setWordWrap(true);
    auto* stop = new QPushButton(QStringLiteral("Stop after this turn"), panel());
    auto* cancel = new QPushButton(QStringLiteral("Cancel"), panel());
    set_look(*m_keep, ButtonLook::primary);
    m_keep->setObjectName(QStringLiteral("close.keep"));
    stop->setObjectName(QStringLiteral("close.stop"));
    cancel->setObjectName(QStringLiteral("close.cancel"));
    m_keep->setToolTip(QStringLiteral("Close the window; the run goes on and is there when you come back"));
    stop->setToolTip(QStringLiteral("Close the window; the run ends when the present turn is judged"));
    cancel->setToolTip(QStringLiteral("Back to the window  (Esc)"));
    for (QPushButton* button : {m_keep, stop, cancel})
        button->setAccessibleName(button->text());
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(cancel);
    row->addStretch(1);
    row->addWidget(stop);
    row->addWidget(m_keep);
    panel_layout()->addWidget(heading);
    panel_layout()->addWidget(m_text);
    panel_layout()->addSpacing(6);
    panel_layout()->addLayout(row);
    connect(cancel, &QPushButton::clicked, this, &Sheet::close_sheet);
    connect(m_keep, &QPushButton::clicked, this, [this] {
        close_sheet();
        Q_EMIT keep_running();
    });
    connect(stop, &QPushButton::clicked, this, [this] {
        close_sheet();
        Q_EMIT stop_after_turn();
    });
}

void CloseSheet::ask(const QString& what) {
    m_text->setText(
        QStringLiteral("%1 is being worked on. The run does not need this window: it goes on by itself, and "
                       "is shown where it is when you come back.")
            .arg(what));
    open(m_keep);
}

} // namespace kf::ui
