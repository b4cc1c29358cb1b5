// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/desktop_notice.h"

#include "ui/theme/icons.h"

#include <QSystemTrayIcon>
#include <QTimer>

namespace kf::ui {
namespace {

constexpr int shown_ms = 8000;

} // namespace

void DesktopNotice::show(const QString& title, const QString& text) {
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages())
        return;
    if (!m_tray)
        m_tray = new QSystemTrayIcon(icon(QStringLiteral("timeline")), this);
    m_tray->show(); // the tray's protocol shows messages only for a visible icon
    m_tray->showMessage(title, text, QSystemTrayIcon::Information, shown_ms);
    QTimer::singleShot(shown_ms, m_tray, &QSystemTrayIcon::hide);
}

} // namespace kf::ui
