// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to core/measure: what one look does. Calling it between planned looks is peeking; use plan.h.
#pragma once

#include "core/measure/decision.h"
#include "core/measure/plan.h"
#include "core/measure/round.h"

#include <span>

namespace kf::internal {

struct LookRule {
    Level level = Level::screen;
    int number = 0;    // 1-based
    double limit = 0;  // of |t|
    bool last = false; // of the plan
    bool equivalence = false;
    Delta delta;
};

// Figures and verdict of all the rounds (dropped ones included) at one planned look.
Decision judge(std::span<const Round> rounds, const LookRule& rule);

bool over_a_quarter(int dropped, int all);

} // namespace kf::internal
