// SPDX-License-Identifier: GPL-3.0-or-later
// A notification of the desktop, where it has a place for such; else nothing happens (the toast is there anyway).
#pragma once

#include <QObject>

class QSystemTrayIcon;

namespace kf::ui {

class DesktopNotice : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void show(const QString& title, const QString& text);

private:
    QSystemTrayIcon* m_tray = nullptr;
};

} // namespace kf::ui
