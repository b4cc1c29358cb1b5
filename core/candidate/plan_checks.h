// SPDX-License-Identifier: GPL-3.0-or-later
// What can be refused about a plan with neither task nor device: names given twice, kernels that are not in the text,
// statements in the wrong place.
#pragma once

#include "core/candidate/candidate.h"

#include <vector>

namespace kf::detail {

// `all_read`: every statement was understood, so that what is missing is really missing.
void check_plan(const Candidate& candidate, bool all_read, std::vector<Error>& errors);

} // namespace kf::detail
