// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/early_stop.h"

#include "core/measure/statistics.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace kf {
namespace {

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

} // namespace

std::string_view to_string(StopReason reason) {
    switch (reason) {
    case StopReason::no_progress:
        return "no-progress";
    case StopReason::failures:
        return "failures";
    case StopReason::reachable:
        return "reachable";
    case StopReason::turns:
        return "turns";
    case StopReason::seconds:
        return "seconds";
    case StopReason::device_seconds:
        return "device-seconds";
    case StopReason::tokens:
        return "tokens";
    case StopReason::money:
        return "money";
    case StopReason::usage_unknown:
        return "usage-unknown";
    }
    return "no-progress";
}

Status check(const StopSettings& s) {
    const auto bad = [](const char* field) {
        return make_error("stop-settings-invalid", std::string("the limit ") + field + " is not a number of 0 or more",
                          "use 0 for no limit");
    };
    if (s.not_faster_limit < 0)
        return bad("not_faster_limit");
    if (s.failed_limit < 0)
        return bad("failed_limit");
    if (s.turns < 0)
        return bad("turns");
    if (s.tokens < 0)
        return bad("tokens");
    const std::array<std::pair<const char*, double>, 4> numbers{{{"reachable_share", s.reachable_share},
                                                                 {"seconds", s.seconds},
                                                                 {"device_seconds", s.device_seconds},
                                                                 {"money", s.money}}};
    for (const auto& [field, value] : numbers)
        if (!(value >= 0) || std::isinf(value))
            return bad(field);
    if (s.reachable_share > 1)
        return make_error("stop-settings-invalid", "reachable_share is above 1", "give a share, for example 0.95");
    return {};
}

Json to_json(const StopDecision& verdict) {
    return Json{{"reason", to_string(verdict.reason)},
                {"text", verdict.text},
                {"value", verdict.value},
                {"limit", verdict.limit}};
}

std::optional<StopDecision> EarlyStop::stop(StopReason reason, std::string text, double value, double limit) {
    m_stop = StopDecision{reason, std::move(text), value, limit};
    return m_stop;
}

std::optional<StopDecision> EarlyStop::after_turn(TurnAuthor author, TurnOutcome outcome, const Usage& usage) {
    if (m_stop)
        return m_stop;
    const bool counts = author != TurnAuthor::human && author != TurnAuthor::tuner;
    if (counts && outcome == TurnOutcome::failed)
        ++m_failed;
    if (counts && (outcome == TurnOutcome::faster || outcome == TurnOutcome::not_faster)) {
        m_failed = 0;
        m_not_faster = outcome == TurnOutcome::faster ? 0 : m_not_faster + 1;
    }
    if (m_settings.not_faster_limit > 0 && m_not_faster >= m_settings.not_faster_limit)
        return stop(StopReason::no_progress,
                    std::to_string(m_not_faster) + " verified turns in a row were not faster than the champion",
                    m_not_faster, m_settings.not_faster_limit);
    if (m_settings.failed_limit > 0 && m_failed >= m_settings.failed_limit)
        return stop(StopReason::failures, std::to_string(m_failed) + " turns in a row failed", m_failed,
                    m_settings.failed_limit);
    return check_budgets(usage);
}

std::optional<StopDecision> EarlyStop::at_champion(double champion_s, double reachable_s) {
    if (m_stop)
        return m_stop;
    if (!(m_settings.reachable_share > 0) || m_reachable_accepted || !credible_seconds(champion_s) ||
        !credible_seconds(reachable_s))
        return std::nullopt;
    const double share = reachable_s / champion_s;
    if (share < m_settings.reachable_share)
        return std::nullopt;
    return stop(StopReason::reachable, "the champion is at " + number(100 * share) + " % of what is reachable", share,
                m_settings.reachable_share);
}

std::optional<StopDecision> EarlyStop::check_budgets(const Usage& usage) {
    if (m_stop)
        return m_stop;
    struct Budget {
        StopReason reason;
        const char* what;
        double used;
        double limit;
    };
    const std::array<Budget, 5> budgets{
        {{StopReason::turns, "turns", static_cast<double>(usage.turns), static_cast<double>(m_settings.turns)},
         {StopReason::seconds, "seconds", usage.seconds, m_settings.seconds},
         {StopReason::device_seconds, "device seconds", usage.device_seconds, m_settings.device_seconds},
         {StopReason::tokens, "tokens", static_cast<double>(usage.tokens), static_cast<double>(m_settings.tokens)},
         {StopReason::money, "money", usage.money, m_settings.money}}};
    for (const auto& [reason, what, used, limit] : budgets) {
        if (!(limit > 0))
            continue;
        // What cannot be counted cannot be held to its budget: stopping is the safe side.
        if (std::isnan(used))
            return stop(StopReason::usage_unknown,
                        std::string("a budget of ") + what + " is set but their use is unknown", 0, limit);
        if (used >= limit)
            return stop(reason,
                        std::string("the budget of ") + what + " is used up: " + number(used) + " of " + number(limit),
                        used, limit);
    }
    return std::nullopt;
}

void EarlyStop::set_budgets(const StopSettings& settings) {
    m_settings.turns = settings.turns;
    m_settings.seconds = settings.seconds;
    m_settings.device_seconds = settings.device_seconds;
    m_settings.tokens = settings.tokens;
    m_settings.money = settings.money;
}

void EarlyStop::resume() {
    // Who goes on at the ceiling has been told; the same champion shall not stop the run again at once.
    m_reachable_accepted = m_reachable_accepted || (m_stop && m_stop->reason == StopReason::reachable);
    m_stop.reset();
    m_not_faster = 0;
    m_failed = 0;
}

} // namespace kf
