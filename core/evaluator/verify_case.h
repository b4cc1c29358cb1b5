// SPDX-License-Identifier: GPL-3.0-or-later
// Stage *verify*: one case after another, smallest first. Each runs twice over different poison and in a different
// order; then the golden comes in and every element is compared.
#pragma once

#include "core/evaluator/contender.h"
#include "core/evaluator/golden_store.h"

#include <functional>

namespace kf {

struct VerifySettings {
    double case_deadline_s = 20; // one run of the plan
    int shrink_attempts = 24;
    double shrink_seconds = 4;
    double sanitize_seconds = 30;
    bool sanitize_accepted = false; // a right answer is looked at by the sanitizers, too: a race may have been lucky
};

// Runs one case in a session whose binary fits. The report comes back in both cases; `failed` says what was wrong.
struct CaseOutcome {
    CaseReport report;
    std::optional<Halt> halt; // failure, infrastructure or cancelled
};
CaseOutcome verify_case(DeviceSession& session, const Task& task, const Contender& contender,
                        const PlannedCase& planned, const CaseGolden& golden, const VerifySettings& settings,
                        StopSignal& stop);

// All cases of the contender. `on_case` is told each report as it comes. A failure comes back described, shrunk and,
// where the device has sanitizers, with the line that they name.
class Verifier {
public:
    Verifier(Device& device, GoldenStore& goldens, const Task& task, Contender& contender,
             const VerifySettings& settings, StopSignal& stop)
        : m_device(device), m_goldens(goldens), m_task(task), m_contender(contender), m_settings(settings),
          m_stop(stop) {}

    std::optional<Halt> run(const std::function<void(const CaseReport&, std::size_t index)>& on_case);
    std::vector<CaseReport>& reports() { return m_reports; }
    const std::vector<std::string>& notes() const { return m_notes; }

private:
    std::optional<Halt> session_for(std::size_t group);
    std::optional<Halt> sanitize_accepted();
    void shrink(Failure& failure, const CaseReport& report);
    void ask_sanitizers(Failure& failure, const PlannedCase& planned, const CaseReport& report);

    Device& m_device;
    GoldenStore& m_goldens;
    const Task& m_task;
    Contender& m_contender;
    VerifySettings m_settings;
    StopSignal& m_stop;
    std::vector<CaseReport> m_reports;
    std::vector<std::string> m_notes;
    std::vector<std::unique_ptr<DeviceSession>> m_sessions; // by group
};

} // namespace kf
