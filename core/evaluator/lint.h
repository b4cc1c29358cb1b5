// SPDX-License-Identifier: GPL-3.0-or-later
// The linter admits a task only when trivial answers are rejected on it, its start kernel is accepted on every case
// (held-out ones included), its figures agree, and each kernel of wrong/ is rejected for the reason that its first line
// gives.
#pragma once

#include "core/evaluator/golden_store.h"
#include "core/evaluator/oracle_client.h"

#include <functional>

namespace kf {

// params: {"task": task, "start": {"source", "file_name"} | null, "wrong": [{"source", "file_name"}], "trivial": true}.
// Result: {"ok", "findings": [{"severity", "check", "message"}]}. Errors: infrastructure only.
Result<Json> lint_task(const Json& params, Device& device, GoldenStore& goldens, OracleClient& oracle, StopSignal& stop,
                       const std::function<void(const Json&)>& progress);

// "// expect: class=mismatch place=out pattern=tail", the first line of a kernel in wrong/.
struct Expectation {
    std::string failure, place, pattern;
};
Result<Expectation> parse_expectation(const std::string& source, const std::string& file_name);

} // namespace kf
