// SPDX-License-Identifier: GPL-3.0-or-later
// Our own SVG icons (resources/ui/icons, 16 × 16 grid, one path colour), tinted when drawn.
#pragma once

#include <QIcon>
#include <QString>

namespace kf::ui {

// An icon that follows the current theme (text colour; faint when disabled). `name`: the file's name without ".svg".
// An unknown name is a programmer's error (asserted) and gives an empty icon.
QIcon icon(const QString& name);
QPixmap icon_pixmap(const QString& name, int pixels, const QColor& colour, double device_ratio);
// All names, for tests.
QStringList icon_names();

} // namespace kf::ui
