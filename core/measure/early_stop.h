// SPDX-License-Identifier: GPL-3.0-or-later
// When a run ends by itself: a pure state machine over the turns' outcomes and what was used. The reason is a value
// that goes into the journal and is shown.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kf {

enum class TurnAuthor { model, human, tuner, file };

enum class TurnOutcome {
    faster,        // verified, and *faster* than the champion
    not_faster,    // verified, any other verdict
    failed,        // the candidate did not come through (parse, compile, verify, ...)
    infrastructure // ours, not the candidate's
};

enum class StopReason {
    no_progress, // verified turns in a row that were not faster
    failures,    // failed turns in a row
    reachable,   // the champion is at the share of *reachable*
    turns,       // budgets
    seconds,
    device_seconds,
    tokens,
    money,
    usage_unknown // a budget is set for something whose use is not a number
};
std::string_view to_string(StopReason reason);

struct StopSettings {
    int not_faster_limit = 2; // 0 = no limit, as everywhere here
    int failed_limit = 4;
    double reachable_share = 0.95;
    std::int64_t turns = 0;
    double seconds = 0;
    double device_seconds = 0;
    std::int64_t tokens = 0;
    double money = 0;
};
// Errors: "stop-settings-invalid" naming the field (negative, not a number, a share above 1).
Status check(const StopSettings& settings);

// Totals of the run so far.
struct Usage {
    std::int64_t turns = 0;
    double seconds = 0;
    double device_seconds = 0;
    std::int64_t tokens = 0;
    double money = 0;
};

struct StopDecision {
    StopReason reason = StopReason::no_progress;
    std::string text; // one sentence with figures
    double value = 0; // what was reached ...
    double limit = 0; // ... of what
};
Json to_json(const StopDecision& stop);

class EarlyStop {
public:
    explicit EarlyStop(const StopSettings& settings) : m_settings(settings) {}

    // After a turn. Two streaks are kept: of verified turns that were not faster (a failed turn between two of them
    // neither counts nor breaks it) and of failed turns (any verified turn breaks it). Turns of a human or a tuner and
    // infrastructure failures touch neither.
    std::optional<StopDecision> after_turn(TurnAuthor author, TurnOutcome outcome, const Usage& usage);

    // Whenever the champion or the ceilings change, with cold device times. Unknown (0, NaN) times stop nothing.
    std::optional<StopDecision> at_champion(double champion_s, double reachable_s);

    // Before a turn starts and while one runs.
    std::optional<StopDecision> check_budgets(const Usage& usage);

    // The first reason stays; everything after it answers the same.
    const std::optional<StopDecision>& stopped() const { return m_stop; }
    // A human goes on after a stop: the streaks start again, the budgets stay.
    void resume();

    // A person gives other budgets (turns, seconds, device_seconds, tokens, money); everything else stays.
    void set_budgets(const StopSettings& settings);

    int not_faster_streak() const { return m_not_faster; }
    int failed_streak() const { return m_failed; }

private:
    std::optional<StopDecision> stop(StopReason reason, std::string text, double value, double limit);

    StopSettings m_settings;
    int m_not_faster = 0;
    int m_failed = 0;
    bool m_reachable_accepted = false;
    std::optional<StopDecision> m_stop;
};

} // namespace kf
