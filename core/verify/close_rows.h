// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the rule `close` (compare.h): how elements form them, what one row adds up to, and which rows are
// outside. Whoever makes the sums (a loop over memory, a GPU) has them judged here.
#pragma once

#include "core/task/dtype.h"
#include "core/verify/verdict.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kf {

// Rows of at least 32 elements: shorter ones are joined, the last one takes what is left over.
struct CloseRows {
    std::int64_t elements = 0, row = 1, rows = 1;
    // `row_elements`: of a row as the task has them, at least 1.
    CloseRows(std::int64_t elements, std::int64_t row_elements);
    std::int64_t begin_of(std::int64_t r) const { return r * row; }
    std::int64_t end_of(std::int64_t r) const { return r + 1 == rows ? elements : (r + 1) * row; }
    std::int64_t length_of(std::int64_t r) const { return end_of(r) - begin_of(r); }
};

// What one row, or a part of one, adds up to. Errors against the golden as it fits the output's type.
struct RowSums {
    double max_error = 0, squares = 0, max_trusted = 0, trusted_squares = 0, largest = 0;
    std::int64_t left_out = 0, trusted_left_out = 0; // not finite: judged apart

    void add(const RowSums& other) {
        max_error = std::max(max_error, other.max_error);
        max_trusted = std::max(max_trusted, other.max_trusted);
        largest = std::max(largest, other.largest);
        squares += other.squares;
        trusted_squares += other.trusted_squares;
        left_out += other.left_out;
        trusted_left_out += other.trusted_left_out;
    }
};

// A row that is outside, and the error above which its elements are to blame.
struct RowLimit {
    std::int64_t row = 0;
    double limit = 0;
};

// Fills the comparison's row figures and failed_row. `sums` has one entry a row.
std::vector<RowLimit> judge_close_rows(const CloseRows& rows, const std::vector<RowSums>& sums, DType dtype,
                                       bool with_trusted, Comparison& comparison);

} // namespace kf
