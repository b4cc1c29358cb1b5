// SPDX-License-Identifier: GPL-3.0-or-later
// The rule `close` of compare.h.
#pragma once

#include "core/verify/bad_mask.h"
#include "core/verify/output_view.h"

namespace kf {

// Marks what is outside either rule in `bad` and fills the comparison's errors, ratios and counts. `row` is the number
// of elements that form a row (at least 1).
void apply_close(const OutputView& view, std::int64_t row, const Tolerance& tolerance, std::span<const std::byte> got,
                 const Golden& golden, BadMask& bad, Comparison& comparison);

} // namespace kf
