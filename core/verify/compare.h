// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of an output with the golden: every element, both tolerance rules of task.md, NaN and Inf counted, written
// `err <= tol`.
//
// close     |y - g| <= atol + rtol·|g| for every element, and for each row (last axis, or the `row_axes` last ones)
//             max error <= 4 · max(E, ½ ulp)      and      RMS error <= 2 · max(E_rms, ¼ ulp)
//           where E and E_rms are the trusted implementation's own error in that row, floored by the median row's, and
//           the ulp is that of the row's largest value. Where the golden does not fit the output's type, what it rounds
//           to there is expected (Inf; the largest value in e4m3).
//           Rows shorter than 32 elements are joined with their neighbours until they have 32: so few elements say too
//           little about E. An output of fewer than 32 elements in all is judged by the first of the two row rules with
//           the ulp floor widened by 32/n, and its RMS is not judged.
//           For integer types an ulp is 1.
// exact     integers: the same bits; floats: the same value, -0 == 0, NaN at the same places.
// codes     differs by at most one step (integers: 1; floats: one ulp), and that in at most 0.1 % of the elements.
// index_of  the output holds indices into the last axis of the input `values` names: got's indices must gather the same
//           values as the golden's, lie in range and be unique in each row; ties are free. With `rows: 0` each element
//           is a row of its own (argmax).
#pragma once

#include "core/task/task.h"
#include "core/verify/verdict.h"

#include <span>

namespace kf {

// The golden in float64 (or int64 for integer outputs) and the trusted implementation's answer in the output's dtype.
struct Golden {
    std::span<const std::byte> golden;  // f64 or i64 elements
    bool integers = false;              // golden holds i64
    std::span<const std::byte> trusted; // output's dtype; empty: E is taken as 0 and only the ulp floors count
};

// `got` has the output's dtype and exactly the shape's elements. `values`: for index_of, the float64 view of the input
// `values` names. Buffers of a wrong size are never accepted; pattern_text then says which one.
Comparison compare_output(const OutputSpec& spec, const Shape& shape, const Tolerance& tolerance,
                          std::span<const std::byte> got, const Golden& golden, std::span<const double> values = {});

// Two runs of the same plan on the same inputs: bitwise equal, else not accepted with pattern `unstable`. The first run
// takes the golden's part in the description.
Comparison compare_runs(const OutputSpec& spec, const Shape& shape, std::span<const std::byte> first,
                        std::span<const std::byte> second);

// Elements of a row as the task has it: of the `row_axes` last axes; at least 1.
std::int64_t row_elements(const OutputSpec& spec, const Shape& shape);

// Index along each axis of element number `flat`.
std::vector<std::int64_t> unravel(std::int64_t flat, const Shape& shape);

} // namespace kf
