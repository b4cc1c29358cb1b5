// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate: one text file of device code with its launch plan in plan lines. Parsing checks form; resolve.h checks
// it against a task, a device and every case.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/candidate/plan.h"
#include "core/task/task.h"

#include <map>
#include <string>
#include <vector>

namespace kf {

using TunableValues = std::map<std::string, std::int64_t>;

struct Candidate {
    Language language = Language::cuda;
    std::string file_name; // for places: "start.cu"
    std::string source;    // the whole text
    Plan plan;
    std::vector<std::string>
        kernels; // names of __global__ functions / @triton.jit functions found in the text, in order

    std::string hash() const; // sha256 of the source
};

// All errors of the text, not only the first (an editor marks them all); empty when ok. Limits: 1 MiB, 64 launches.
struct CandidateErrors {
    std::vector<Error> errors;
};
Result<Candidate> parse_candidate(std::string_view source, const std::string& file_name); // the first error
std::optional<Candidate> parse_candidate(std::string_view source, const std::string& file_name,
                                         std::vector<Error>& errors);

// The values that `tune` statements get: defaults overridden by `chosen`; refuses names and values outside the space.
Result<TunableValues> complete_tunables(const Plan& plan, const TunableValues& chosen);
// Every point of the tune space that satisfies all `where` conditions, the default first; at most `limit` points.
Result<std::vector<TunableValues>> tune_space(const Plan& plan, const Scope& scope, std::size_t limit = 4096);
std::string to_string(const TunableValues& values); // "BLOCK=256 VEC=4", "" when there are none

} // namespace kf
