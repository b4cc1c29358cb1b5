// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of an autopsy card as rich text in the theme's colours: marks hang before their lines, confidences stand
// behind theirs, links lead where their lines say.
#pragma once

#include "ui/models/autopsy_data.h"

#include <QString>

namespace kf::ui {

QString card_html(const AutopsyCard& card);
// The changed places of a source, one line a line, added and removed in their colours.
QString diff_html(const LineDiff& diff, std::size_t most_lines);

} // namespace kf::ui
