// SPDX-License-Identifier: GPL-3.0-or-later
// Why a stage ended an evaluation: the candidate's fault, the infrastructure's, or because it was told to. The three
// are never mixed up.
#pragma once

#include "core/base/deadline.h"
#include "core/verify/verdict.h"

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

namespace kf {

struct InfrastructureFault {
    std::string what;
    bool retry_sensible = true;
};
struct Cancelled {
    std::string why;
};

using Halt = std::variant<Failure, InfrastructureFault, Cancelled>;

// A value, or why there is none.
template<class T> class [[nodiscard]] Attempt {
public:
    Attempt(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Attempt(Halt halt) : m_state(std::in_place_index<1>, std::move(halt)) {}
    Attempt(Failure failure) : m_state(std::in_place_index<1>, std::move(failure)) {}
    Attempt(InfrastructureFault fault) : m_state(std::in_place_index<1>, std::move(fault)) {}
    Attempt(Cancelled cancelled) : m_state(std::in_place_index<1>, std::move(cancelled)) {}
    explicit operator bool() const { return m_state.index() == 0; }
    T& value() { return std::get<0>(m_state); }
    T& operator*() { return std::get<0>(m_state); }
    T* operator->() { return &std::get<0>(m_state); }
    Halt& halt() { return std::get<1>(m_state); }

private:
    std::variant<T, Halt> m_state;
};

// Cancellation and the evaluation's own deadline, asked for between steps and inside every wait.
class StopSignal {
public:
    StopSignal(std::stop_token token, Deadline deadline) : m_token(std::move(token)), m_deadline(deadline) {}
    const std::stop_token& token() const { return m_token; }
    bool cancelled() const { return m_token.stop_requested(); }
    Deadline deadline() const { return m_deadline; }
    // Time that it had to wait for others is given back.
    void extend(double seconds) { m_deadline += deadline_after(seconds) - deadline_after(0); }
    // The earlier of the evaluation's deadline and `seconds` from now.
    Deadline within(double seconds) const { return std::min(m_deadline, deadline_after(seconds)); }
    // Set when the evaluation was cancelled or its whole budget is spent.
    std::optional<Halt> check() const;

private:
    std::stop_token m_token;
    Deadline m_deadline;
};

Failure make_failure(Stage stage, FailureClass failure, std::string place, std::string message,
                     std::string remedy = {});
// An error of parsing or resolving as the candidate's failure: its code says the class.
Failure failure_of_error(Stage stage, const Error& error);

} // namespace kf
