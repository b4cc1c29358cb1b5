// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate: one text file of device code with its launch plan in plan lines. Parsing checks form; resolve.h checks
// it against a task, a device and every case.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/candidate/plan.h"
#include "core/task/task.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kf {

using TunableValues = std::map<std::string, std::int64_t>; // to_string: "BLOCK=256 VEC=4" (task.h, as for Symbols)

struct Kernel {
    std::string name;  // unqualified: "swiglu"
    std::string scope; // enclosing namespaces: "ops::detail", "" at file scope
    bool is_template = false;
    bool extern_c = false;
    Place place;
};

// "start.py" is Triton, everything else CUDA C++.
Language language_of(std::string_view file_name);

struct Candidate {
    Language language = Language::cuda;
    std::string file_name; // for places: "start.cu"
    std::string source;    // the whole text
    Plan plan;
    std::vector<Kernel> kernel_list;  // __global__ functions / @triton.jit functions found in the text, in order
    bool kernels_complete = true;     // false when macros or CUTLASS headers may define more
    std::vector<std::string> kernels; // their names, each once

    std::string hash() const; // sha256 of the source
};

// Limits of a text; more is refused with the figures.
inline constexpr std::size_t max_source_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_statements = 512;
inline constexpr std::size_t max_launches = 64;
inline constexpr std::size_t max_tune_values = 64; // of one tunable

// The first error, or, with `errors`, all errors of the text in file order (an editor marks them all); those are empty
// exactly when there is a candidate. Codes: docs/candidate.md.
Result<Candidate> parse_candidate(std::string_view source, const std::string& file_name);
std::optional<Candidate> parse_candidate(std::string_view source, const std::string& file_name,
                                         std::vector<Error>& errors);

// The values that `tune` statements get: defaults overridden by `chosen`; refuses names and values outside the space.
Result<TunableValues> complete_tunables(const Plan& plan, const TunableValues& chosen);
// Does the point satisfy every `where`? `scope` holds symbols and device facts; defines that a `where` names are
// evaluated for the point.
Result<bool> tune_allows(const Plan& plan, const Scope& scope, const TunableValues& values);
// Every point of the tune space that satisfies all `where` conditions, the default first when it does. Points follow in
// file order, the last tunable fastest. Error "limits-tune-space" when there are more than `limit`.
Result<std::vector<TunableValues>> tune_space(const Plan& plan, const Scope& scope, std::size_t limit = 4096);

} // namespace kf
