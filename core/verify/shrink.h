// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a failing case small while it still fails: sizes toward 1 and the first sizes that matter, then simpler values.
// Deterministic: the same answers of `still_fails` lead to the same case.
#pragma once

#include "core/task/task.h"
#include "core/verify/verdict.h"

#include <functional>

namespace kf {

// Runs the case with this seed and tells whether the candidate still fails. A case that the candidate's plan refuses
// does not count as failing. An error (infrastructure) ends the shrinking.
using StillFails = std::function<Result<bool>(const TaskCase& task_case, std::uint64_t seed)>;

struct ShrinkSettings {
    int max_attempts = 64;
    std::function<bool()> out_of_time; // asked before each attempt; empty: never
};

struct ShrinkResult {
    TaskCase smallest; // the failing case itself when nothing smaller fails
    std::uint64_t seed = 0;
    int attempts = 0;
    bool shrunk = false; // smaller than what it began with
    // Why it ended: nothing smaller fails ("minimal"), "attempts", "time", or the error of still_fails, which is also
    // in `error`. The smallest case found so far stands in every case.
    std::string ended;
    std::optional<Error> error;

    ShrunkCase report() const; // without elements: the caller adds what the last failing run showed
};

// Only cases that are valid for the task are tried: every shape computable, non-empty where the failing case's was, and
// no buffer larger than the failing case's largest. `failing` is taken to fail already; it is not run again.
ShrinkResult shrink_case(const Task& task, const TaskCase& failing, std::uint64_t seed, const StillFails& still_fails,
                         const ShrinkSettings& settings = {});

} // namespace kf
