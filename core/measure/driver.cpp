// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/driver.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kf {
namespace {

Status check(const ComparisonSettings& settings) {
    const bool good = settings.budget_s > 0 && settings.round_s > 0 && settings.fewest_pairs >= 2 &&
                      settings.pairs >= settings.fewest_pairs && settings.rounds_per_process >= 0 &&
                      settings.delta.value > 0 && settings.delta.value < 1;
    if (good)
        return {};
    return make_error("settings-invalid", "the settings of a comparison do not fit together",
                      "give a positive budget_s and round_s, 2 <= fewest_pairs <= pairs, 0 < delta < 1");
}

Error cancelled_error() {
    return make_error("cancelled", "the comparison was cancelled");
}

// One comparison of one or more sizes while it runs.
class Run {
public:
    Run(std::vector<SizeSource> sources, SizesPlan plan, ComparisonSettings settings)
        : m_sources(std::move(sources)), m_plan(std::move(plan)), m_settings(std::move(settings)),
          m_random(m_settings.seed), m_started_at(device_seconds()) {
        m_settings.round_s /= static_cast<double>(m_sources.size());
        for (const SizeSource& source : m_sources) {
            const TimerFacts facts = source.source->facts();
            m_outcome.samples.sizes.push_back(
                {source.size.name, facts.timer, facts.l2, facts.floor_s, facts.resolution_s, {}});
        }
    }

    Result<RunOutcome> finish() {
        int index = 0;
        while (!m_plan.ended()) {
            if (is_cancelled())
                return cancelled_error();
            Result<bool> done = one_round(index);
            if (!done)
                return done.error();
            if (!*done)
                m_plan.stop_for_budget();
            else
                report(++index);
        }
        m_outcome.combined = *m_plan.look();
        m_outcome.decision = m_outcome.combined.decision;
        m_outcome.rounds = m_plan.plan().rounds();
        m_outcome.sizes = m_plan.sizes();
        m_outcome.device_seconds = used();
        return std::move(m_outcome);
    }

private:
    double device_seconds() const {
        // Sizes of one device share a clock; distinct sources each count their own.
        double sum = 0;
        std::vector<const RoundSource*> seen;
        for (const SizeSource& source : m_sources)
            if (std::find(seen.begin(), seen.end(), source.source) == seen.end()) {
                seen.push_back(source.source);
                sum += source.source->device_seconds();
            }
        return sum;
    }
    double used() const { return device_seconds() - m_started_at; }
    bool is_cancelled() const { return m_settings.cancelled && m_settings.cancelled(); }

    // False when the budget does not allow the round. It is asked before a round starts, never inside one.
    Result<bool> one_round(int index) {
        if (index > 0 && used() + m_longest_round_s > m_settings.budget_s)
            return false;
        const double before = used();
        const int process = m_settings.rounds_per_process > 0 ? index / m_settings.rounds_per_process : 0;
        const bool fresh =
            index == 0 || (m_settings.rounds_per_process > 0 && index % m_settings.rounds_per_process == 0);
        std::vector<Round> rounds;
        for (std::size_t i = 0; i < m_sources.size(); ++i) {
            Result<Round> round = time_round(i, {index, fresh, m_random.next()});
            if (!round)
                return round.error();
            round->process = process;
            rounds.push_back(std::move(round).value());
            if (index == 0 && !first_look_fits())
                return false;
        }
        m_longest_round_s = std::max(m_longest_round_s, used() - before);
        if (Status status = m_plan.add_round(std::move(rounds)); !status)
            return status.error();
        return true;
    }

    // Known from the estimates of the sizes seen so far.
    bool first_look_fits() const { return m_round_estimate_s * m_plan.next_look() <= m_settings.budget_s; }

    Result<Round> time_round(std::size_t i, const RoundRequest& request) {
        RoundSource& source = *m_sources[i].source;
        if (Status status = source.begin_round(request); !status)
            return status.error();
        if (request.index == 0) {
            if (Status status = plan_pairs(source); !status)
                return status.error();
            if (!first_look_fits())
                return Round{};
        }
        if (is_cancelled())
            return cancelled_error();
        const std::uint64_t order_seed = m_random.next();
        Result<std::vector<PairSample>> pairs = source.time_pairs(pair_order(m_outcome.pairs_per_round[i], order_seed));
        if (!pairs)
            return pairs.error();
        Result<RoundEnd> end = source.end_round();
        if (!end)
            return end.error();
        Round round = make_round(*pairs);
        if (end->drop != Drop::none)
            round.drop = end->drop;
        round.conditions = end->conditions;
        round.resolution_s = m_outcome.samples.sizes[i].resolution_s;
        round.order_seed = order_seed;
        if (m_settings.keep_samples)
            m_outcome.samples.sizes[i].rounds.push_back(std::move(pairs).value());
        return round;
    }

    Status plan_pairs(RoundSource& source) {
        const Result<double> pair_s = source.estimate_pair_seconds();
        if (!pair_s)
            return pair_s.error();
        if (!(*pair_s > 0) || !std::isfinite(*pair_s))
            return make_error("estimate-invalid", "the estimated time of a pair is not a positive number",
                              "the source has to time a call before the first round");
        m_outcome.pairs_per_round.push_back(pairs_that_fit(*pair_s, m_settings));
        m_round_estimate_s += m_outcome.pairs_per_round.back() * *pair_s;
        return {};
    }

    void report(int rounds_done) const {
        if (!m_settings.on_round)
            return;
        const RoundPlan& plan = m_plan.plan();
        m_settings.on_round({rounds_done, plan.counted(), plan.dropped(), m_plan.next_look(), used(),
                             &m_plan.sizes()[0].rounds.back()});
    }

    std::vector<SizeSource> m_sources;
    SizesPlan m_plan;
    ComparisonSettings m_settings;
    SplitMix64 m_random;
    double m_started_at;
    double m_longest_round_s = 0;
    double m_round_estimate_s = 0;
    RunOutcome m_outcome;
};

} // namespace

ScreenSettings::ScreenSettings() {
    budget_s = 1;
    round_s = 0.05;
    pairs = 16;
    fewest_pairs = 2;
}

DuelSettings::DuelSettings() {
    budget_s = 1.5;
    round_s = 0.2; // six rounds leave room for an estimate that was too small
    pairs = 32;
    fewest_pairs = 2;
}

CertifySettings::CertifySettings() {
    budget_s = 90;
    round_s = 1;
    pairs = 32;
    fewest_pairs = 8;
    rounds_per_process = 4;
}

int pairs_that_fit(double pair_s, const ComparisonSettings& settings) {
    const double fit = std::floor(settings.round_s / pair_s);
    const int pairs = fit >= settings.pairs ? settings.pairs : std::max(settings.fewest_pairs, static_cast<int>(fit));
    return pairs % 2 == 0 ? pairs : (pairs > settings.fewest_pairs ? pairs - 1 : pairs + 1);
}

Result<RunOutcome> run_sizes(std::vector<SizeSource> sizes, Level level, const ComparisonSettings& settings) {
    if (Status status = check(settings); !status)
        return status.error();
    std::vector<Size> names;
    for (const SizeSource& size : sizes) {
        if (size.source == nullptr)
            return make_error("settings-invalid", "size \"" + size.size.name + "\" has no source of rounds");
        names.push_back(size.size);
    }
    Result<SizesPlan> plan = SizesPlan::create(level, std::move(names), settings.delta);
    if (!plan)
        return plan.error();
    if (settings.full_rounds)
        plan->play_all_rounds();
    return Run(std::move(sizes), std::move(plan).value(), settings).finish();
}

namespace {

Result<RunOutcome> run_one(RoundSource& source, Level level, const ComparisonSettings& settings) {
    Result<RunOutcome> outcome = run_sizes({{Size{}, &source}}, level, settings);
    if (outcome)
        outcome->sizes.clear();
    return outcome;
}

} // namespace

Result<RunOutcome> run_screen(RoundSource& source, const ScreenSettings& settings) {
    return run_one(source, Level::screen, settings);
}
Result<RunOutcome> run_duel(RoundSource& source, const DuelSettings& settings) {
    return run_one(source, Level::duel, settings);
}
Result<RunOutcome> run_certify(RoundSource& source, const CertifySettings& settings) {
    return run_one(source, Level::certify, settings);
}

} // namespace kf
