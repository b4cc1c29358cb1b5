// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence of a mismatch: first and worst elements, the error map and the pattern that the bad elements form.
#pragma once

#include "core/verify/bad_mask.h"
#include "core/verify/output_view.h"

namespace kf {

inline constexpr int max_first_bad = 8, max_worst = 4, max_map_cells = 64;

// Fills bad, first_bad, worst and map of `comparison` from the mask. Non-finite errors count as the worst.
void describe_bad(const OutputView& view, const BadMask& bad, Comparison& comparison);

ErrorMap make_error_map(std::int64_t rows, std::int64_t columns, const BadMask& bad);

} // namespace kf
