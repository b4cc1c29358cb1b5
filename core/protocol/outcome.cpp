// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/outcome.h"

#include <array>
#include <utility>

namespace kf {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 4> names = {{
    {Outcome::verdict, "verdict"},
    {Outcome::failed, "failed"},
    {Outcome::infrastructure, "infrastructure"},
    {Outcome::cancelled, "cancelled"},
}};

Error invalid(const std::string& message) {
    return make_error("outcome-invalid", message);
}

} // namespace

std::string_view to_string(Outcome outcome) {
    return names[static_cast<std::size_t>(outcome)].second;
}

std::optional<Outcome> outcome_from_string(std::string_view text) {
    for (const auto& [outcome, name] : names)
        if (name == text)
            return outcome;
    return std::nullopt;
}

TypedOutcome outcome_verdict(Json verdict) {
    TypedOutcome outcome;
    outcome.kind = Outcome::verdict;
    outcome.verdict = std::move(verdict);
    return outcome;
}

TypedOutcome outcome_failed(std::string stage, std::string failure_class, Json evidence) {
    TypedOutcome outcome;
    outcome.kind = Outcome::failed;
    outcome.stage = std::move(stage);
    outcome.failure_class = std::move(failure_class);
    outcome.evidence = std::move(evidence);
    return outcome;
}

TypedOutcome outcome_infrastructure(std::string what, bool retry) {
    TypedOutcome outcome;
    outcome.kind = Outcome::infrastructure;
    outcome.what = std::move(what);
    outcome.retry = retry;
    return outcome;
}

TypedOutcome outcome_cancelled(std::string reason) {
    TypedOutcome outcome;
    outcome.kind = Outcome::cancelled;
    outcome.what = std::move(reason);
    return outcome;
}

Json to_json(const TypedOutcome& outcome) {
    Json object = outcome.extra.is_object() ? outcome.extra : Json::object();
    object["outcome"] = to_string(outcome.kind);
    switch (outcome.kind) {
    case Outcome::verdict:
        object["verdict"] = outcome.verdict;
        break;
    case Outcome::failed:
        object["stage"] = outcome.stage;
        object["class"] = outcome.failure_class;
        object["evidence"] = outcome.evidence;
        break;
    case Outcome::infrastructure:
        object["what"] = outcome.what;
        object["retry"] = outcome.retry;
        break;
    case Outcome::cancelled:
        object["reason"] = outcome.what;
        break;
    }
    return object;
}

Result<TypedOutcome> outcome_from_json(const Json& value) {
    const auto kind = outcome_from_string(get_string(value, "outcome"));
    if (!kind)
        return invalid("\"outcome\" is missing or none of verdict, failed, infrastructure, cancelled");
    TypedOutcome outcome;
    outcome.kind = *kind;
    outcome.extra = value;
    outcome.extra.erase("outcome");
    const auto take = [&](const char* key) {
        Json member = get_member(value, key);
        outcome.extra.erase(key);
        return member;
    };
    switch (*kind) {
    case Outcome::verdict:
        outcome.verdict = take("verdict");
        if (!outcome.verdict.is_object())
            return invalid("a verdict has no object \"verdict\"");
        break;
    case Outcome::failed:
        outcome.stage = get_string(value, "stage");
        outcome.failure_class = get_string(value, "class");
        outcome.evidence = take("evidence");
        take("stage");
        take("class");
        if (outcome.stage.empty() || outcome.failure_class.empty())
            return invalid("a failed candidate has no \"stage\" or no \"class\"");
        break;
    case Outcome::infrastructure:
        outcome.what = get_string(value, "what");
        outcome.retry = get_bool(value, "retry");
        take("what");
        take("retry");
        if (outcome.what.empty())
            return invalid("an infrastructure failure does not say \"what\"");
        break;
    case Outcome::cancelled:
        outcome.what = get_string(value, "reason");
        take("reason");
        break;
    }
    return outcome;
}

} // namespace kf
