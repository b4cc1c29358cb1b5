// SPDX-License-Identifier: GPL-3.0-or-later
// A contender made ready for a device: parsed, screened, its plan resolved for every case, compiled once per distinct
// set of macros.
#pragma once

#include "core/evaluator/device.h"
#include "core/evaluator/halt.h"
#include "core/evaluator/request.h"

#include <memory>
#include <vector>

namespace kf {

struct PlannedCase {
    TaskCase task_case;
    ResolvedPlan plan;
    std::size_t group = 0; // index into Contender::jobs / binaries
};

struct Contender {
    std::string name; // "candidate", "champion"
    std::unique_ptr<Candidate> candidate;
    TunableValues tunables;
    std::vector<PlannedCase> cases; // in verifying order
    std::vector<CompileJob> jobs;
    std::vector<std::shared_ptr<Binary>> binaries; // as jobs, once compiled

    // The case that is timed: the device's size with ordinary values.
    const PlannedCase* timed_case(const std::string& size_name) const;
};

// Stage *parse*: text, plan, limits; everything is checked for every case before anything runs.
Attempt<Contender> plan_contender(const Task& task, const ContenderSource& source, const std::vector<TaskCase>& cases,
                                  const Device& device, bool untrusted);

// The plan of one more case (shrinking); its macros may need a compile of their own.
Attempt<PlannedCase> plan_case(Contender& contender, const Task& task, const TaskCase& task_case, const Device& device);

// Stage *compile*: every group that has no binary yet.
std::optional<Halt> compile_contender(Contender& contender, Device& device, StopSignal& stop);

} // namespace kf
