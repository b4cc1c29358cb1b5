// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/pane.h"

namespace kf::ui {

Pane::Pane(const QString& id, const QString& title, const QString& icon, QWidget* parent)
    : QWidget(parent), m_id(id), m_title(title), m_icon(icon) {
    setObjectName(id);
    setAccessibleName(title);
}

Result<QByteArray> Pane::export_as(const QString& format) const {
    return make_error("export-failed", m_title.toStdString() + " cannot be exported as " + format.toStdString());
}

void Pane::set_badge(const QString& badge) {
    if (badge == m_badge)
        return;
    m_badge = badge;
    Q_EMIT badge_changed(badge);
}

} // namespace kf::ui
