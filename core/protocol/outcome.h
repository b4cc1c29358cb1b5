// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation ends with. A fault of the candidate and a fault of the infrastructure are different kinds, so that
// no caller can take one for the other. On the wire: {"outcome": "...", ...}.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace kf {

enum class Outcome {
    verdict,        // judged to the end: `verdict` holds it
    failed,         // the candidate's fault: stage, class, evidence
    infrastructure, // not the candidate's fault: what, and whether a retry is sensible
    cancelled,      // nobody's fault: reason
};

std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome_from_string(std::string_view text);

struct TypedOutcome {
    Outcome kind = Outcome::infrastructure;
    Json verdict;              // verdict
    std::string stage;         // failed
    std::string failure_class; // failed: a word of the autopsy's closed list
    Json evidence;             // failed
    std::string what;          // infrastructure: what broke; cancelled: why
    bool retry = false;        // infrastructure
    Json extra = Json::object();
};

TypedOutcome outcome_verdict(Json verdict);
TypedOutcome outcome_failed(std::string stage, std::string failure_class, Json evidence);
TypedOutcome outcome_infrastructure(std::string what, bool retry);
TypedOutcome outcome_cancelled(std::string reason);

Json to_json(const TypedOutcome& outcome);
// Error: "outcome-invalid" when the kind is missing or unknown, or when a field that the kind needs is missing.
Result<TypedOutcome> outcome_from_json(const Json& value);

} // namespace kf
