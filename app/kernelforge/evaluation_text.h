// SPDX-License-Identifier: GPL-3.0-or-later
// One evaluation's outcome, as `eval` and `attach --bench` show it.
#pragma once

#include "core/autopsy/evaluation.h"

namespace kf::cli {

// Lines on standard output, errors on standard error; gives the exit code. With `json` only the exit code: the caller
// has shown it. Candidate and task, where given, make the autopsy say more.
int show_outcome(const EvaluationOutcome& outcome, bool json, const Candidate* candidate, const Task* task);

} // namespace kf::cli
