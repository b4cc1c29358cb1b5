// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/bar_button.h"

#include "ui/theme/icons.h"
#include "ui/widgets/key_cap.h"
#include "ui/widgets/style.h"

#include <QAction>
#include <QEvent>
#include <QStyleOptionButton>

namespace kf::ui {

BarButton::BarButton(const QString& name, QWidget* parent) : QPushButton(parent) {
    setObjectName(name);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setIconSize({14, 14});
}

void BarButton::show_action(QAction* action) {
    if (m_action == action)
        return;
    if (m_action) {
        m_action->disconnect(this);
        disconnect(this, &QPushButton::clicked, m_action, nullptr);
    }
    m_action = action;
    connect(action, &QAction::changed, this, &BarButton::refresh);
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    refresh();
}

void BarButton::set_texts(const QString& text, const QString& detail, const QString& icon) {
    m_text = text;
    m_detail = detail;
    m_icon = icon;
    refresh();
}

void BarButton::set_small(bool small) {
    m_small = small;
    refresh();
}

QSize BarButton::sizeHint() const {
    QStyleOptionButton option;
    initStyleOption(&option);
    return style()->sizeFromContents(QStyle::CT_PushButton, &option, {}, this);
}

void BarButton::changeEvent(QEvent* event) {
    QPushButton::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
}

void BarButton::refresh() {
    QString text = m_text, detail = m_detail, keys;
    if (m_action) {
        text = m_action->text();
        keys = key_text(m_action->shortcut());
        setIcon(m_action->icon());
        setToolTip(m_action->toolTip());
        setAccessibleDescription(m_action->statusTip());
        setEnabled(m_action->isEnabled());
    } else if (!m_icon.isEmpty()) {
        setIcon(kf::ui::icon(m_icon));
    }
    setAccessibleName(detail.isEmpty() ? text : text + QStringLiteral(", ") + detail);
    const bool bare = m_small && !icon().isNull();
    setText(bare ? QString() : text);
    set_detail(*this, bare ? QString() : detail);
    set_key_hint(*this, bare ? QString() : keys);
    updateGeometry();
}

} // namespace kf::ui
