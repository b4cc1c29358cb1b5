// SPDX-License-Identifier: GPL-3.0-or-later
// The decision rules. A plan takes rounds one by one and looks at them only at its planned looks; a question in between
// has no answer, a look that decided is final, and rounds can be appended but never taken back. So the false-verdict
// rate holds however often somebody asks. Running a candidate again means continuing its plan (plan_from_json), not a
// new one: a plan that ended keeps its decision.
//
// A look counts the rounds that were not dropped. *faster* / *slower*: the mean log ratio exceeds limit standard errors
// and the timer's resolution; where rounds are tied (a quantised timer) the exact sign test has to agree at the look's
// own level. Rounds that are all equal decide nothing. While over a quarter of the rounds is dropped a look is void.
#pragma once

#include "core/measure/decision.h"
#include "core/measure/round.h"

#include <optional>
#include <span>
#include <vector>

namespace kf {

struct Look {
    int rounds;   // counted rounds at which it is taken
    double limit; // of |t|
};

class RoundPlan {
public:
    // Errors: "plan-ended" when the plan has its decision, "round-invalid" for a round that counts without a finite
    // log ratio.
    Status add_round(Round round);

    // The decision of the planned look that the rounds have just reached (inconclusive with reason between_looks if the
    // plan goes on after it), or the final one once the plan has ended; nothing between looks.
    const std::optional<Decision>& look() const { return m_decision; }

    // Counted rounds at the next planned look; 0 when the plan has ended.
    int next_look() const;
    bool ended() const { return m_ended; }
    // No end after a first round that was much slower: a person who waits for the number gets it with its interval.
    // Before the first round.
    void play_all_rounds() { m_futility = 0; }
    // Ends the plan where it stands, always inconclusive. Does nothing to a plan that has ended.
    void stop_for_budget();

    Level level() const { return m_level; }
    const Delta& delta() const { return m_delta; }
    int counted() const { return m_counted; }
    int dropped() const { return static_cast<int>(m_rounds.size()) - m_counted; }
    const std::vector<Round>& rounds() const { return m_rounds; }

protected:
    RoundPlan(Level level, std::vector<Look> looks, Delta delta, double futility);

private:
    friend Result<RoundPlan> plan_from_json(const Json& json);
    friend Json to_json(const RoundPlan& plan);

    void take_look();
    void end_without_look(Ratio verdict, Reason reason);
    bool hopeless() const;

    Level m_level;
    std::vector<Look> m_looks;
    Delta m_delta;
    double m_futility; // first round slower by this fraction ends it; 0 = never
    std::vector<Round> m_rounds;
    int m_counted = 0;
    std::size_t m_next = 0; // index into m_looks
    std::optional<Decision> m_decision;
    bool m_ended = false;
};

// Six short rounds of one process, |t(5)| > 2.571; never makes a champion.
class ScreenPlan : public RoundPlan {
public:
    explicit ScreenPlan(Delta delta = {});
};

// Exactly six rounds, |t(5)| > 2.571; ends at once when the first round is 10 % slower.
class DuelPlan : public RoundPlan {
public:
    explicit DuelPlan(Delta delta = {});
};

// Looks at 6, 12 and 20 rounds with limits 6.869, 3.106 and 2.205: 2.3 % false *faster* over all three together.
// *equivalent* only at the last.
class CertifyPlan : public RoundPlan {
public:
    explicit CertifyPlan(Delta delta = {});
};

// Level, delta and rounds. Reading replays the rounds, so a stored verdict cannot differ from its rounds.
Json to_json(const RoundPlan& plan);
// Errors: "plan-invalid", "round-invalid", "plan-ended" (rounds after the decision).
Result<RoundPlan> plan_from_json(const Json& json);

} // namespace kf
