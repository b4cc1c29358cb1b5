// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of an error over the output, recognised from which elements are bad and from the values they hold.
//
// all           nearly every element is wrong, without more structure (or all by the same factor or offset)
// constant      the whole output holds one value
// tail          the last elements, rows, columns or slices along an axis
// row, column   some whole rows (columns) of the output seen as all leading axes × last axis
// tile          rectangles, or blocks of a one-dimensional output
// transposed    the right values with two axes exchanged
// off_by_one    each element holds its neighbour's value
// broadcast     the output does not change along an axis, or the error is one vector too many, too few, or along the
//               wrong axis
// accumulation  small errors everywhere, the accepted elements included
// scattered     none of these
// (unstable comes from compare_runs: a single answer cannot show it)
#pragma once

#include "core/verify/bad_mask.h"
#include "core/verify/output_view.h"

#include <string>

namespace kf {

struct PatternFinding {
    Pattern pattern = Pattern::none;
    std::string text; // "the last 87 of 343 columns of every row; they hold 0"
};

// Deterministic. Costs a few passes over the mask and looks at a few thousand values.
PatternFinding find_pattern(const OutputView& view, const BadMask& bad, const Tolerance& tolerance);

} // namespace kf
