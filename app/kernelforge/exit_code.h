// SPDX-License-Identifier: GPL-3.0-or-later
// What the program ends with (docs/cli.md), and the one line that says why.
#pragma once

#include "core/base/result.h"

namespace kf::cli {

enum ExitCode : int {
    exit_ok = 0,
    exit_not_accepted = 1,   // not accepted, no champion, findings of the linter
    exit_bad_input = 2,      // usage, or an input that cannot be used
    exit_infrastructure = 3, // evaluator, disk: nobody's candidate is at fault
    exit_stopped = 4,        // by a person
};

// "kernelforge: place: message (remedy)" on stderr, in one line; gives `code` back.
int fail(ExitCode code, const Error& error);

// The code for an error of a method that may fail for bad input or for infrastructure.
ExitCode code_of(const Error& error);

} // namespace kf::cli
