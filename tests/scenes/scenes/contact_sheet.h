// SPDX-License-Identifier: GPL-3.0-or-later
// Many pictures on few, with their names, so that all can be looked at.
#pragma once

#include <QString>
#include <QStringList>

namespace kf::scenes {

// Writes sheet-1.png … into `folder`, 3 × 4 pictures each; gives their names.
QStringList write_contact_sheets(const QStringList& pictures, const QString& folder, const QString& name);

} // namespace kf::scenes
