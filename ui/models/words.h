// SPDX-License-Identifier: GPL-3.0-or-later
// One word for one thing, wherever the window shows it; and what counts as a time at all.
#pragma once

#include "core/measure/statistics.h"

#include <QString>

#include <string_view>

namespace kf::ui {

// Name of a baseline for people: "TorchInductor" for whatever the journal calls it, others as they are.
QString baseline_word(std::string_view name);

// Whether a time of one call, in seconds, can be one: from a tenth of a nanosecond to eleven days. What is not (a
// stranger's journal may hold any number) is shown as "–" and nothing is derived from it.
inline bool is_time(double seconds) {
    return credible_seconds(seconds);
}

} // namespace kf::ui
