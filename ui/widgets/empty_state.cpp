// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace kf::ui {

EmptyState::EmptyState(const QString& icon, const QString& sentence, const QString& action, QWidget* parent)
    : QWidget(parent), m_picture(new QLabel(this)), m_sentence(new QLabel(this)), m_detail(new QLabel(this)),
      m_busy(new QProgressBar(this)), m_button(new QPushButton(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(0);
    column->addStretch(4);
    m_picture->setAlignment(Qt::AlignCenter);
    column->addWidget(m_picture);
    column->addSpacing(10);
    for (QLabel* label : {m_sentence, m_detail}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
        column->addSpacing(4);
    }
    m_detail->setForegroundRole(QPalette::PlaceholderText);
    column->addSpacing(8);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedSize(160, 4);
    m_busy->setAccessibleName(tr("Loading"));
    column->addWidget(m_busy, 0, Qt::AlignHCenter);
    m_busy_gap = new QSpacerItem(0, 0, QSizePolicy::Minimum, QSizePolicy::Fixed);
    column->addItem(m_busy_gap);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    column->addStretch(5);
    m_detail->hide();
    m_busy->hide();
    connect(m_button, &QPushButton::clicked, this, &EmptyState::action_triggered);
    set(icon, sentence, action);
    restyle();
}

void EmptyState::set(const QString& icon, const QString& sentence, const QString& action) {
    m_icon = icon;
    m_sentence->setText(sentence);
    m_button->setText(action);
    m_button->setVisible(!action.isEmpty());
    setAccessibleName(sentence);
    restyle();
}

void EmptyState::set_detail(const QString& detail) {
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    setAccessibleDescription(detail);
}

void EmptyState::set_busy(bool busy) {
    m_busy->setVisible(busy);
    m_busy_gap->changeSize(0, busy ? 14 : 0, QSizePolicy::Minimum, QSizePolicy::Fixed);
    layout()->invalidate();
}

QString EmptyState::sentence() const {
    return m_sentence->text();
}

void EmptyState::restyle() {
    m_picture->setPixmap(icon_pixmap(m_icon, static_cast<int>(28 * std::max(1.0, text_scale())), Theme::current().faint,
                                     devicePixelRatioF()));
    m_sentence->setFont(text_font(13));
    m_detail->setFont(text_font(12));
}

void EmptyState::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange ||
        event->type() == QEvent::PaletteChange)
        restyle();
    QWidget::changeEvent(event);
}

} // namespace kf::ui
