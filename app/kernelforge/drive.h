// SPDX-License-Identifier: GPL-3.0-or-later
// A run with everything around it: its thread, the control socket, the view that follows its journal, and Ctrl-C.
#pragma once

#include "core/engine/run.h"

namespace kf::cli {

struct DriveResult {
    int code = 0;
    bool wrote_nothing = false; // the run ended before its first event
};

// To the end of the run. The first interrupt stops it in order, a second one at once. `folder_file`, where one is
// named, gets the run's folder as a line as soon as the run can be steered, before the evaluator is started.
DriveResult drive(Run& run, bool json, const std::string& folder_file = {});

} // namespace kf::cli
