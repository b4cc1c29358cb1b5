// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/segmented.h"

#include "ui/widgets/style.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QToolButton>

namespace kf::ui {

Segmented::Segmented(const QStringList& items, QWidget* parent)
    : QWidget(parent), m_row(new QHBoxLayout(this)), m_group(new QButtonGroup(this)) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(0);
    m_group->setExclusive(true);
    int id = 0;
    for (const QString& item : items) {
        auto* button = new QToolButton(this);
        button->setText(item);
        button->setCheckable(true);
        button->setChecked(id == 0);
        button->setAccessibleName(item);
        button->installEventFilter(this);
        // One stop for Tab: the button that is down.
        button->setFocusPolicy(id == 0 ? Qt::TabFocus : Qt::NoFocus);
        set_look(*button, ButtonLook::segment);
        m_row->addWidget(button);
        m_group->addButton(button, id++);
    }
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(m_group, &QButtonGroup::idToggled, this, [this](int toggled, bool checked) {
        m_group->button(toggled)->setFocusPolicy(checked ? Qt::TabFocus : Qt::NoFocus);
    });
    connect(m_group, &QButtonGroup::idClicked, this, &Segmented::index_changed);
}

int Segmented::index() const {
    return m_group->checkedId();
}

QString Segmented::text(int index) const {
    const QAbstractButton* button = m_group->button(index);
    return button ? button->text() : QString();
}

int Segmented::count() const {
    return static_cast<int>(m_group->buttons().size());
}

void Segmented::set_index(int index) {
    if (QAbstractButton* button = m_group->button(index))
        button->setChecked(true);
}

void Segmented::set_item_enabled(int index, bool enabled, const QString& tool_tip) {
    if (QAbstractButton* button = m_group->button(index)) {
        button->setEnabled(enabled);
        button->setToolTip(tool_tip);
    }
}

void Segmented::walk(int step) {
    for (int i = index() + step; i >= 0 && i < count(); i += step) {
        QAbstractButton* button = m_group->button(i);
        if (!button->isEnabled())
            continue;
        button->setChecked(true);
        button->setFocus(Qt::TabFocusReason);
        Q_EMIT index_changed(i);
        return;
    }
}

void Segmented::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(isEnabled() ? theme.outline : theme.line, 1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::radius + 1, metrics::radius + 1);
}

bool Segmented::eventFilter(QObject* watched, QEvent* event) {
    // The group would move the focus without choosing.
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            walk((key == Qt::Key_Right) == (layoutDirection() == Qt::LeftToRight) ? 1 : -1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace kf::ui
