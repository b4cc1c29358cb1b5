// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as people read them; what is not a number is a dash, never "nan".
#pragma once

#include "core/journal/projection.h"
#include "core/measure/decision.h"

#include <string>

namespace kf {

// "1.065×"; "–" when it is not known.
std::string format_ratio(double ratio);
// "1.065× [1.050, 1.081]", without the interval where it is unbounded.
std::string format_speedup(const Speedup& speedup);
// Of a duel or a comparison; ends that are not bounded are 0, which says "unknown" here.
Speedup speedup_of(const Decision& decision);
// "0:07", "12:05", "1:02:03".
std::string format_elapsed(double seconds);
// "BLOCK=256 VEC=4"; "" for anything but an object.
std::string format_tunables(const Json& tunables);

// How much faster the present champion is than the first one, over the chain of champions: the product of their
// certified speed-ups, the interval's ends the products of the ends (which is never too narrow). Unknown while the
// start kernel is the champion or a link is missing.
Speedup against_start(const RunState& state);

} // namespace kf
