// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop says about colours, as far as Qt 6.4 knows it.
#pragma once

#include "ui/theme/theme.h"

namespace kf::ui {

// By the palette that the platform gave before ours was set; call it once early. Light when nothing is known.
ThemeName system_theme();

} // namespace kf::ui
