// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/plan.h"

#include "core/measure/judge.h"
#include "core/measure/statistics.h"

#include <cmath>
#include <limits>
#include <utility>

namespace kf {
namespace {

constexpr double kSixRoundLimit = 2.571; // one-sided 2.5 % of t(5)
constexpr double kFutility = 0.10;

} // namespace

RoundPlan::RoundPlan(Level level, std::vector<Look> looks, Delta delta, double futility)
    : m_level(level), m_looks(std::move(looks)), m_delta(delta), m_futility(futility) {}

ScreenPlan::ScreenPlan(Delta delta) : RoundPlan(Level::screen, {{6, kSixRoundLimit}}, delta, kFutility) {}
DuelPlan::DuelPlan(Delta delta) : RoundPlan(Level::duel, {{6, kSixRoundLimit}}, delta, kFutility) {}
CertifyPlan::CertifyPlan(Delta delta) : RoundPlan(Level::certify, {{6, 6.869}, {12, 3.106}, {20, 2.205}}, delta, 0) {}

int RoundPlan::next_look() const {
    return m_ended ? 0 : m_looks[m_next].rounds;
}

Status RoundPlan::add_round(Round round) {
    if (m_ended)
        return make_error("plan-ended", "this comparison has its decision; a further round cannot change it",
                          "start a new comparison for a new candidate");
    if (!round.dropped() && !std::isfinite(round.log_ratio))
        return make_error("round-invalid", "a round that counts has no finite log ratio",
                          "mark it as dropped, with the reason");
    m_decision.reset();
    if (!round.dropped())
        ++m_counted;
    const bool counts = !round.dropped();
    m_rounds.push_back(std::move(round));
    const bool futile =
        m_futility > 0 && counts && m_counted == 1 && m_rounds.back().log_ratio <= -std::log1p(m_futility);
    if (futile)
        end_without_look(Ratio::slower, Reason::first_round_slower);
    else if (counts && m_counted == m_looks[m_next].rounds)
        take_look();
    else if (hopeless())
        end_without_look(Ratio::inconclusive, Reason::too_many_dropped);
    return {};
}

// More were dropped than the last look could still bear.
bool RoundPlan::hopeless() const {
    return internal::over_a_quarter(dropped(), m_looks.back().rounds + dropped());
}

void RoundPlan::take_look() {
    const Look& look = m_looks[m_next];
    ++m_next;
    const bool last = m_next == m_looks.size();
    Decision decision = internal::judge(
        m_rounds, {m_level, static_cast<int>(m_next), look.limit, last, m_level == Level::certify, m_delta});
    m_ended = last || decision.verdict != Ratio::inconclusive;
    if (!m_ended && decision.reason != Reason::too_many_dropped)
        decision.reason = Reason::between_looks;
    m_decision = decision;
}

void RoundPlan::end_without_look(Ratio verdict, Reason reason) {
    Decision decision = internal::judge(m_rounds, {m_level, 0, m_looks.back().limit, true, false, m_delta});
    decision.verdict = verdict;
    decision.reason = reason;
    // No interval: away from a planned look it would not hold what it promises.
    decision.interval = Interval::unbounded(decision.interval.log_estimate);
    m_decision = decision;
    m_ended = true;
}

void RoundPlan::stop_for_budget() {
    if (!m_ended)
        end_without_look(Ratio::inconclusive, Reason::budget);
}

Json to_json(const RoundPlan& plan) {
    Json rounds = Json::array();
    for (const Round& round : plan.rounds())
        rounds.push_back(to_json(round));
    return Json{{"level", to_string(plan.level())},
                {"delta", plan.delta().value},
                {"delta_measured", plan.delta().measured},
                {"full_rounds", plan.m_futility == 0},
                {"stopped", plan.ended() && plan.look()->reason == Reason::budget},
                {"rounds", std::move(rounds)}};
}

Result<RoundPlan> plan_from_json(const Json& json) {
    const Json& rounds = get_member(json, "rounds");
    if (!rounds.is_array())
        return make_error("plan-invalid", "a comparison has no list of rounds");
    const Delta delta{get_double(json, "delta", Delta{}.value), get_bool(json, "delta_measured")};
    if (!(delta.value > 0 && delta.value < 1))
        return make_error("plan-invalid", "the delta of a comparison is not between 0 and 1");
    const std::string level = get_string(json, "level");
    std::optional<RoundPlan> plan;
    if (level == to_string(Level::screen))
        plan = ScreenPlan(delta);
    else if (level == to_string(Level::duel))
        plan = DuelPlan(delta);
    else if (level == to_string(Level::certify))
        plan = CertifyPlan(delta);
    else
        return make_error("plan-invalid", "a comparison has the unknown level \"" + level + "\"",
                          "use screen, duel or certify");
    if (get_bool(json, "full_rounds"))
        plan->play_all_rounds();
    for (const Json& item : rounds) {
        Result<Round> round = round_from_json(item);
        if (!round)
            return round.error();
        if (Status status = plan->add_round(std::move(round).value()); !status)
            return status.error();
    }
    if (get_bool(json, "stopped"))
        plan->stop_for_budget();
    return std::move(*plan);
}

} // namespace kf
