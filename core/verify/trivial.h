// SPDX-License-Identifier: GPL-3.0-or-later
// Answers that take no understanding of the task. The linter admits a task only when its comparison refuses each of
// them on the task's own inputs; one that happens to equal the golden is named, not counted.
//
// zeros             nothing was computed
// constant-mean     one value everywhere: the golden's mean (rounded for integers)
// constant-common   one value everywhere: the golden's most frequent one (integers and few-valued outputs)
// copy:NAME         input NAME, converted, when it has as many elements
// row-mean          each row's mean in place of its values (rows of two or more)
// transposed        the last two axes exchanged (both of two or more)
// skipped-tail      right, but the columns after the last multiple of 8 (or the last eighth of them) stay 0
// skipped-rows      right, but the last row (or the last eighth) stays 0
// iota              0, 1, 2, … along each row (index outputs)
// half-accumulation a stand-in for sums kept in 16 bits, see below
//
// What a half-precision sum would have given cannot be recomputed here without the task's formula, so the golden is
// disturbed by less than such a sum would be: rounding each of `terms` partial sums (growing linearly toward the
// result) to p bits is off by about |g| · 2^-p · 0.29 · sqrt(terms / 3) in RMS; cancellation and swamped terms only add
// to it. A comparison that accepts the stand-in is thus at least that loose; one that refuses it may still be. p is 11,
// and 8 for bfloat16 outputs. It is left out where that disturbance is under an ulp of the output's type, for there
// such a sum is as good as any.
#pragma once

#include "core/verify/compare.h"

#include <string>
#include <vector>

namespace kf {

struct TensorView {
    std::string name;
    DType dtype = DType::f32;
    Shape shape;
    std::span<const std::byte> bytes;
};

struct TrivialAnswer {
    std::string name;
    std::vector<std::byte> bytes; // in the output's dtype
    bool equals_golden = false;   // the same as the golden rounded to the dtype, in every element
};

// `terms`: how many terms are summed up for one element (the task's flops / 2 / output elements is a fair guess).
// Deterministic.
std::vector<TrivialAnswer> trivial_answers(const OutputSpec& spec, const Shape& shape, const Golden& golden,
                                           std::span<const TensorView> inputs, double terms);

struct TrivialVerdict {
    std::string name;
    bool equals_golden = false;
    bool accepted = false; // by compare_output
    // The comparison cannot tell it from a right answer although it is wrong.
    bool is_fault() const { return accepted && !equals_golden; }
};
std::vector<TrivialVerdict> judge_trivial_answers(const OutputSpec& spec, const Shape& shape,
                                                  const Tolerance& tolerance, const Golden& golden,
                                                  std::span<const TrivialAnswer> answers,
                                                  std::span<const double> values = {});

} // namespace kf
