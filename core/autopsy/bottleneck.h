// SPDX-License-Identifier: GPL-3.0-or-later
// The one thing that most likely holds a correct kernel back, from what is known without hardware counters: the
// compiler's figures, the plan, the task's least traffic, the time.
#pragma once

#include "core/autopsy/autopsy.h"

namespace kf {

// Fills bottleneck, headline, evidence, causes, tries and unknowns.
void find_bottleneck(const Evaluation& evaluation, const Candidate* candidate, const Task* task, Autopsy& autopsy);

} // namespace kf
