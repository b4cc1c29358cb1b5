// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/combine.h"

#include "core/measure/judge.h"
#include "core/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kf {
namespace {

constexpr double kFamilyError = 0.025; // one-sided, all sizes together

Round combine_round(std::span<const Round> rounds, std::span<const SizeRounds> sizes) {
    Round all;
    all.log_ratio = all.log_ratio_champion_first = all.log_ratio_candidate_first = 0;
    all.order_seed = rounds[0].order_seed;
    all.process = rounds[0].process;
    all.conditions = rounds[0].conditions;
    double champion = 0;
    double candidate = 0;
    double resolution = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        const Round& round = rounds[i];
        const double weight = sizes[i].size.weight;
        all.log_ratio += weight * round.log_ratio;
        all.log_ratio_champion_first += weight * round.log_ratio_champion_first;
        all.log_ratio_candidate_first += weight * round.log_ratio_candidate_first;
        all.pairs += round.pairs;
        all.pairs_dropped += round.pairs_dropped;
        all.champion.samples += round.champion.samples;
        all.candidate.samples += round.candidate.samples;
        all.conditions.power_limited |= round.conditions.power_limited;
        champion += weight * to_log(round.champion.median_s);
        candidate += weight * to_log(round.candidate.median_s);
        resolution += weight * log_resolution(round);
        if (round.dropped() && !all.dropped())
            all.drop = round.drop;
    }
    all.champion.median_s = to_ratio(champion);
    all.candidate.median_s = to_ratio(candidate);
    // The step that gives the combined medians the combined resolution.
    if (resolution > 0)
        all.resolution_s = 2 * resolution / (1 / all.champion.median_s + 1 / all.candidate.median_s);
    return all;
}

} // namespace

SizesPlan::SizesPlan(RoundPlan plan, std::vector<Size> sizes, double allowed_regression)
    : m_plan(std::move(plan)), m_allowed_regression(allowed_regression) {
    double sum = 0;
    for (const Size& size : sizes)
        sum += size.weight;
    for (Size& size : sizes) {
        size.weight /= sum;
        m_sizes.push_back({std::move(size), {}});
    }
}

Result<SizesPlan> SizesPlan::create(Level level, std::vector<Size> sizes, Delta delta, double allowed_regression) {
    if (sizes.empty())
        return make_error("sizes-invalid", "a comparison needs at least one size");
    for (const Size& size : sizes)
        if (!(size.weight > 0 && size.weight < 1e12))
            return make_error("sizes-invalid", "the weight of size \"" + size.name + "\" is not a positive number",
                              "give each timed size a weight above 0");
    switch (level) {
    case Level::screen:
        return SizesPlan(ScreenPlan(delta), std::move(sizes), allowed_regression);
    case Level::duel:
        return SizesPlan(DuelPlan(delta), std::move(sizes), allowed_regression);
    case Level::certify:
        return SizesPlan(CertifyPlan(delta), std::move(sizes), allowed_regression);
    case Level::promote:
        break;
    }
    return make_error("level-invalid", "promotion has no comparison of its own", "certify, then promote");
}

Status SizesPlan::add_round(std::vector<Round> rounds) {
    if (rounds.size() != m_sizes.size())
        return make_error("sizes-invalid", "a round has " + std::to_string(rounds.size()) + " sizes where " +
                                               std::to_string(m_sizes.size()) + " are compared");
    if (Status status = m_plan.add_round(combine_round(rounds, m_sizes)); !status)
        return status;
    const Round& all = m_plan.rounds().back();
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        if (all.dropped() && !rounds[i].dropped())
            rounds[i].drop = all.drop; // the sizes keep the same rounds
        m_sizes[i].rounds.push_back(std::move(rounds[i]));
    }
    judge_sizes();
    return {};
}

void SizesPlan::stop_for_budget() {
    if (m_plan.ended())
        return;
    m_plan.stop_for_budget();
    judge_sizes();
}

void SizesPlan::judge_sizes() {
    m_combined.reset();
    const std::optional<Decision>& decision = m_plan.look();
    if (!decision)
        return;
    Combined combined;
    combined.decision = *decision;
    const bool at_look = decision->look > 0;
    std::vector<double> p_values;
    double worst = -std::log1p(m_allowed_regression);
    for (std::size_t i = 0; i < m_sizes.size(); ++i) {
        Decision size =
            internal::judge(m_sizes[i].rounds, {m_plan.level(), decision->look, decision->limit, m_plan.ended(),
                                                m_plan.level() == Level::certify, m_plan.delta()});
        if (!at_look) {
            // The plan ended without reaching a look: no verdict of a part either.
            size.verdict = Ratio::inconclusive;
            size.reason = decision->reason;
            size.interval = Interval::unbounded(size.interval.log_estimate);
            size.p = 1;
        }
        if (size.verdict == Ratio::slower && size.interval.log_estimate < worst) {
            worst = size.interval.log_estimate;
            combined.regressed = static_cast<int>(i);
        }
        p_values.push_back(size.faster() ? size.p : 1);
        combined.sizes.push_back(std::move(size));
    }
    combined.holm_p = holm(p_values);
    for (const double p : combined.holm_p)
        combined.faster_after_holm.push_back(p <= kFamilyError);
    combined.faster_on_all = std::all_of(combined.faster_after_holm.begin(), combined.faster_after_holm.end(),
                                         [](bool holds) { return holds; });
    if (combined.decision.faster() && combined.regressed >= 0) {
        combined.decision.verdict = Ratio::inconclusive;
        combined.decision.reason = Reason::size_regressed;
    }
    m_combined = std::move(combined);
}

Result<Combined> combine_sizes(std::span<const SizeRounds> sizes, Level level, Delta delta) {
    std::vector<Size> names;
    for (const SizeRounds& size : sizes) {
        names.push_back(size.size);
        if (size.rounds.size() != sizes[0].rounds.size())
            return make_error("sizes-invalid",
                              "size \"" + size.size.name + "\" has another number of rounds than \"" +
                                  sizes[0].size.name + "\"",
                              "measure every size in every round");
    }
    Result<SizesPlan> plan = SizesPlan::create(level, std::move(names), delta);
    if (!plan)
        return plan.error();
    for (std::size_t r = 0; r < sizes[0].rounds.size() && !plan->ended(); ++r) {
        std::vector<Round> rounds;
        for (const SizeRounds& size : sizes)
            rounds.push_back(size.rounds[r]);
        if (Status status = plan->add_round(std::move(rounds)); !status)
            return status.error();
    }
    if (const std::optional<Combined>& combined = plan->look())
        return *combined;
    // Between looks: figures of how far it is, nothing to conclude from.
    Combined open;
    open.decision.level = level;
    open.decision.delta = delta;
    open.decision.rounds = plan->plan().counted();
    open.decision.dropped = plan->plan().dropped();
    open.decision.reason = sizes[0].rounds.empty() ? Reason::no_rounds : Reason::between_looks;
    return open;
}

Json to_json(const Combined& combined) {
    Json sizes = Json::array();
    for (std::size_t i = 0; i < combined.sizes.size(); ++i)
        sizes.push_back({{"decision", to_json(combined.sizes[i])},
                         {"holm_p", combined.holm_p[i]},
                         {"faster_after_holm", static_cast<bool>(combined.faster_after_holm[i])}});
    return Json{{"decision", to_json(combined.decision)},
                {"sizes", std::move(sizes)},
                {"faster_on_all", combined.faster_on_all},
                {"regressed", combined.regressed}};
}

} // namespace kf
