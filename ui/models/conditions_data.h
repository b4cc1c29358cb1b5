// SPDX-License-Identifier: GPL-3.0-or-later
// What two measurements were made under, as sentences: clocks, and what differs.
#pragma once

#include "core/measure/round.h"
#include "ui/models/distribution_data.h"

#include <QStringList>

#include <vector>

namespace kf::ui {

// "clocks 1980 MHz · 71 °C · power-limited in 3 of 12 rounds"; "" when none of it could be read.
QString clocks_text(const std::vector<Round>& rounds);

// What differs between the conditions of two evaluations, one line each; equal ones are left out.
QStringList differing_conditions(const SideSamples& a, const SideSamples& b, const QString& size);

} // namespace kf::ui
