// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/halt.h"

namespace kf {

std::optional<Halt> StopSignal::check() const {
    if (cancelled())
        return Halt(Cancelled{"cancelled on request"});
    if (std::chrono::steady_clock::now() > m_deadline)
        return Halt(InfrastructureFault{"the evaluation's time budget is spent", false});
    return std::nullopt;
}

Failure make_failure(Stage stage, FailureClass failure, std::string place, std::string message, std::string remedy) {
    Failure result;
    result.stage = stage;
    result.failure = failure;
    result.place = std::move(place);
    result.message = std::move(message);
    result.remedy = std::move(remedy);
    return result;
}

Failure failure_of_error(Stage stage, const Error& error) {
    const auto starts = [&](std::string_view prefix) {
        return std::string_view(error.code).substr(0, prefix.size()) == prefix;
    };
    FailureClass failure = FailureClass::plan;
    if (starts("parse-") || error.code == "expression-syntax")
        failure = FailureClass::parse;
    else if (error.code == "plan-needs-gpu")
        failure = FailureClass::needs_gpu;
    else if (starts("limits-"))
        failure = FailureClass::limits;
    Failure result =
        make_failure(stage, failure, error.place.line > 0 ? "line:" + std::to_string(error.place.line) : error.code,
                     error.message, error.remedy);
    result.source = error.place;
    result.diagnostics.push_back(Diagnostic{"error", error.place, error.message});
    return result;
}

} // namespace kf
