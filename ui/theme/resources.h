// SPDX-License-Identifier: GPL-3.0-or-later
// The window's files (theme, fonts, icons) lie in a static library; this makes them known to Qt, once.
#pragma once

namespace kf::ui {

void load_resources();

} // namespace kf::ui
