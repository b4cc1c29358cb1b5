// SPDX-License-Identifier: GPL-3.0-or-later
// What was checked of a candidate, and what was not.
#pragma once

#include "ui/models/autopsy_data.h"

namespace kf::ui {

std::vector<AutopsyLine> check_lines(const Evaluation& evaluation);

} // namespace kf::ui
