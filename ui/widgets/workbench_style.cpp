// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/workbench_style.h"

namespace kf::ui {

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

} // namespace kf::ui
