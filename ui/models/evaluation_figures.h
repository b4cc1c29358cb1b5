// SPDX-License-Identifier: GPL-3.0-or-later
// The few figures of an evaluation that lists show and that the projection leaves in the file: taken from its event as
// it passes, so that no list ever reads the journal again.
#pragma once

#include "core/base/json.h"

#include <string>

namespace kf::ui {

struct EvaluationFigures {
    int registers = -1;     // of the kernel that needs the most; -1: not known
    int spills = -1;        // bytes, of the kernel that spills the most
    bool compared = false;  // outputs were compared with the golden
    bool correct = false;   // all of them accepted
    double max_error = 0;   // largest absolute error found; may be infinite
    double error_ratio = 0; // against the trusted implementation's, worst row; 0: not known
    int cases = 0, cases_total = 0;
    int rounds = 0;      // of the duel against the champion
    std::string reason;  // of that duel's decision: "not-significant", …
    std::string pattern; // of a failure: "tail", …
    std::string place;   // of a failure: an output, "line:12", …
    std::string message; // of a failure: one sentence
};

// Of the fields of an `evaluation` event. Nothing in them can make it fail; what is not there stays unknown.
EvaluationFigures evaluation_figures(const Json& fields);
// An evaluator's answer without what evaluation_figures() does not read: error maps and elements are large.
Json slim_result(const Json& result);

} // namespace kf::ui
