// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/judge.h"

#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace kf::internal {
namespace {

struct Evidence {
    std::vector<double> ratios;        // log ratios of the rounds that count
    std::vector<double> order_effects; // log(champion first / candidate first) of those that have both orders
    double resolution = 0;             // worst of the rounds, log terms
    bool ties = false;
    std::map<int, std::vector<double>> by_process;
};

// Ratios this close come from the same timer steps: noise of a continuous timer never repeats to 12 digits.
constexpr double kSame = 1e-12;

Evidence gather(std::span<const Round> rounds) {
    Evidence evidence;
    for (const Round& round : rounds) {
        if (round.dropped() || !std::isfinite(round.log_ratio))
            continue;
        evidence.ratios.push_back(round.log_ratio);
        evidence.by_process[round.process].push_back(round.log_ratio);
        const double effect = round.log_ratio_champion_first - round.log_ratio_candidate_first;
        if (std::isfinite(effect))
            evidence.order_effects.push_back(effect);
        evidence.resolution = std::max(evidence.resolution, log_resolution(round));
    }
    std::vector<double> sorted = evidence.ratios;
    std::sort(sorted.begin(), sorted.end());
    evidence.ties = std::adjacent_find(sorted.begin(), sorted.end(),
                                       [](double a, double b) { return b - a <= kSame; }) != sorted.end();
    return evidence;
}

// The order matters when it does so consistently over the rounds and by more than the noise floor.
void judge_order(const Evidence& evidence, double limit, double delta, Decision& decision) {
    const std::size_t n = evidence.order_effects.size();
    if (n < 3)
        return;
    const double centre = mean(evidence.order_effects);
    const double error = standard_deviation(evidence.order_effects) / std::sqrt(static_cast<double>(n));
    decision.order_effect = std::expm1(centre);
    decision.order_dependent = std::abs(centre) > limit * error && std::abs(centre) > std::log1p(delta);
}

// Where rounds share a process, what only a new process redraws (layout, placement of the context) is shared by them
// too, and twenty rounds of five processes are not twenty replicates. An analysis of variance looks for that; where it
// is found the processes are the replicates. This limits the damage and does not undo it: at five processes a share of
// the cases goes unseen, and a laxer level would cost comparisons without such an effect their power. A new process
// every round needs none of this. Returns the half width of the processes' interval, 0 where the rounds stand for
// themselves.
constexpr double kSuspicion = 0.05;

double process_reach(const Evidence& evidence, double alpha, Decision& decision) {
    const std::size_t groups = evidence.by_process.size();
    const std::size_t n = evidence.ratios.size();
    decision.processes = static_cast<int>(groups);
    if (groups < 2 || groups == n)
        return 0;
    const double centre = decision.interval.log_estimate;
    double between = 0;
    double within = 0;
    for (const auto& [process, ratios] : evidence.by_process) {
        const double group_centre = mean(ratios);
        between += static_cast<double>(ratios.size()) * (group_centre - centre) * (group_centre - centre);
        for (const double ratio : ratios)
            within += (ratio - group_centre) * (ratio - group_centre);
    }
    const auto above = static_cast<double>(groups - 1);
    const auto below = static_cast<double>(n - groups);
    between /= above;
    within /= below;
    if (!(within > 0) || !(f_upper_tail(between / within, above, below) < kSuspicion))
        return 0;
    decision.process_dependent = true;
    // The mean square between processes over n is the squared error of the mean when processes are what varies.
    return t_quantile(1 - alpha, above) * std::sqrt(between / static_cast<double>(n));
}

void conclude(Ratio verdict, Reason reason, Decision& decision) {
    decision.verdict = verdict;
    decision.reason = reason;
}

// Ties come from a quantised timer, for which the t statistic promises too much: the exact sign test has to agree.
bool borne_out_by_signs(const Evidence& evidence, const LookRule& rule, const Decision& decision) {
    if (!evidence.ties)
        return true;
    const int with = decision.interval.log_estimate > 0 ? decision.rounds_faster : decision.rounds_slower;
    return sign_test_greater(with, decision.rounds - with) <= t_upper_tail(rule.limit, decision.rounds - 1.0);
}

void judge_verdict(const Evidence& evidence, const LookRule& rule, double process_reach_log, Decision& decision) {
    const double centre = decision.interval.log_estimate;
    const bool varies = decision.sd > kSame;
    const double error = decision.sd / std::sqrt(static_cast<double>(decision.rounds));
    const bool significant = varies && std::abs(centre) > rule.limit * error;
    if (significant && std::abs(centre) <= process_reach_log)
        return conclude(Ratio::inconclusive, Reason::process_dependent, decision);
    // A difference that is shown wins over one that is small: it is *faster*, if not by enough for a champion.
    if (significant && std::abs(centre) > evidence.resolution && borne_out_by_signs(evidence, rule, decision))
        return conclude(centre > 0 ? Ratio::faster : Ratio::slower, Reason::beyond_limit, decision);
    if (rule.equivalence && rule.last) {
        // Symmetric in log terms, so that swapping the arms cannot change the verdict. Ties show equality only when
        // the timer is known to be finer than delta.
        const double reach = std::abs(centre) + t_quantile(0.95, decision.rounds - 1.0) * error + evidence.resolution;
        if (reach < std::log1p(rule.delta.value) && (!evidence.ties || evidence.resolution > 0))
            return conclude(Ratio::equivalent, Reason::within_delta, decision);
    }
    if (!varies)
        return conclude(Ratio::inconclusive, Reason::zero_variance, decision);
    if (significant)
        return conclude(Ratio::inconclusive, Reason::too_coarse, decision);
    conclude(Ratio::inconclusive, rule.last ? Reason::not_significant : Reason::between_looks, decision);
}

} // namespace

bool over_a_quarter(int dropped, int all) {
    return dropped * 4 > all;
}

Decision judge(std::span<const Round> rounds, const LookRule& rule) {
    const Evidence evidence = gather(rounds);
    Decision decision;
    decision.level = rule.level;
    decision.look = rule.number;
    decision.limit = rule.limit;
    decision.delta = rule.delta;
    decision.rounds = static_cast<int>(evidence.ratios.size());
    decision.dropped = static_cast<int>(rounds.size()) - decision.rounds;
    decision.resolution = std::expm1(evidence.resolution);
    if (decision.rounds == 0) {
        decision.reason = decision.dropped > 0 ? Reason::too_many_dropped : Reason::no_rounds;
        return decision;
    }
    const double centre = mean(evidence.ratios);
    decision.interval = Interval::unbounded(centre);
    decision.hodges_lehmann = to_ratio(hodges_lehmann(evidence.ratios));
    for (const double ratio : evidence.ratios) {
        decision.rounds_faster += ratio > kSame ? 1 : 0;
        decision.rounds_slower += ratio < -kSame ? 1 : 0;
    }
    decision.sign_p = sign_test(decision.rounds_faster, decision.rounds_slower);
    if (decision.rounds < 2) {
        decision.reason = rule.last ? Reason::not_significant : Reason::between_looks;
        return decision;
    }
    decision.sd = standard_deviation(evidence.ratios);
    const double error = decision.sd / std::sqrt(static_cast<double>(decision.rounds));
    const auto freedom = static_cast<double>(decision.rounds - 1);
    // The resolution is a systematic error that no number of rounds averages away.
    const double shared = process_reach(evidence, t_upper_tail(rule.limit, freedom), decision);
    const double reach = std::max(rule.limit * error, shared) + evidence.resolution;
    decision.interval = Interval::from_logs(centre, centre - reach, centre + reach);
    if (decision.sd > kSame) {
        decision.t = centre / error;
        decision.p = t_upper_tail(decision.t, freedom);
        decision.minimum_detectable_effect =
            std::expm1((rule.limit + t_quantile(0.8, freedom)) * error + evidence.resolution);
    } else if (!(evidence.resolution > 0)) {
        decision.interval = Interval::unbounded(centre); // nothing tells how wrong equal rounds may be
    }
    judge_order(evidence, rule.limit, rule.delta.value, decision);
    if (over_a_quarter(decision.dropped, static_cast<int>(rounds.size())))
        conclude(Ratio::inconclusive, Reason::too_many_dropped, decision);
    else
        judge_verdict(evidence, rule, shared, decision);
    return decision;
}

} // namespace kf::internal
