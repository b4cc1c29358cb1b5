// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep: one turn, n evaluations over a candidate's tune space, the best of them certified. The tuner's turn is one;
// a model's turn has one when its structure is worth it.
#include "core/base/sha256.h"
#include "core/candidate/resolve.h"
#include "core/engine/run.h"

#include <algorithm>

namespace kf {
namespace {

struct Scored {
    TunableValues values;
    double score = 0; // time as a share of the champion's; below 1 is faster
};

TunableValues tunables_of(const Json& json) {
    TunableValues values;
    if (json.is_object())
        for (const auto& [name, value] : json.items())
            if (value.is_number_integer())
                values[name] = value.get<std::int64_t>();
    return values;
}

// With the defaults of what was not named.
TunableValues completed(const Plan& plan, const TunableValues& values) {
    auto complete = complete_tunables(plan, values);
    return complete ? std::move(*complete) : values;
}

std::optional<double> score_of(const Speedup& speedup) {
    return speedup.known() ? std::optional(1 / speedup.estimate) : std::nullopt;
}

} // namespace

TurnOutcome Run::sweep_turn(int number, const Proposal& proposal, int points) {
    auto candidate = parse_candidate(proposal.source, proposal.file_name);
    if (!candidate)
        return TurnOutcome::failed;
    const DeviceLimits limits = limits_from_json(get_member(m_evaluator.device(), "limits"));
    const auto size = m_task.sizes.find(limits.kind == "cpu" ? "cpu" : "primary");
    const DeviceScope scope(limits, size != m_task.sizes.end() ? size->second : m_task.sizes.begin()->second);
    TuneSearch::Options options;
    options.seed = m_settings.seed;
    options.budget = static_cast<std::size_t>(std::max(1, points));
    auto search = TuneSearch::create(candidate->plan, scope, options);
    if (!search) {
        Note note;
        note.level = "warning";
        note.text = "the tune space cannot be searched: " + to_string(search.error());
        note.turn = number;
        m_journal->append(note);
        return TurnOutcome::failed;
    }

    // All points are measured against the champion of the sweep's beginning, so that their scores can be compared.
    const Champion reference = champion();
    const bool champions_own_space = reference.hash == sha256(proposal.source);
    auto reference_point = complete_tunables(candidate->plan, reference.tunables);

    // What was measured in this turn, by a lost run or before the sweep, is not paid for twice.
    std::vector<std::pair<TunableValues, std::optional<double>>> known;
    if (const auto turn = m_journal->state().turns.find(number); turn != m_journal->state().turns.end())
        for (const EvaluationState& evaluation : turn->second.evaluations)
            if (evaluation.done && evaluation.level == "screen")
                known.emplace_back(completed(candidate->plan, tunables_of(evaluation.tunables)),
                                   evaluation.failed ? std::nullopt : score_of(evaluation.vs_champion));

    std::vector<Scored> scored;
    int infrastructure_in_a_row = 0;
    int failed = 0;
    while (!search->done()) {
        auto point = search->next();
        if (!point)
            break;
        if (champions_own_space && reference_point && *point == *reference_point) {
            search->report(*point, 1.0);
            continue;
        }
        const auto before =
            std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == *point; });
        if (before != known.end()) {
            search->report(*point, before->second);
            if (before->second)
                scored.push_back(Scored{*point, *before->second});
            continue;
        }
        if ((m_end = boundary(false)))
            return TurnOutcome::not_faster;
        Proposal one = proposal;
        one.tunables = *point;
        const Judged judged = evaluate(number, one, Level::screen, &reference, CasePart::first);
        if (judged.outcome.outcome == Outcome::cancelled)
            return TurnOutcome::infrastructure;
        if (judged.outcome.outcome == Outcome::infrastructure) {
            if (++infrastructure_in_a_row >= 3)
                return TurnOutcome::infrastructure;
            search->report(*point, std::nullopt);
            continue;
        }
        infrastructure_in_a_row = 0;
        const Evaluation& evaluation = *judged.outcome.evaluation;
        std::optional<double> score;
        if (!evaluation.failure && evaluation.duel)
            score = 1 / evaluation.duel->decision.interval.estimate;
        failed += evaluation.failure.has_value();
        search->report(*point, score);
        if (score)
            scored.push_back(Scored{*point, *score});
    }
    if (scored.empty())
        return failed > 0 ? TurnOutcome::failed : TurnOutcome::not_faster;
    std::stable_sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) { return a.score < b.score; });
    TurnOutcome outcome = TurnOutcome::not_faster;
    for (int i = 0; i < m_settings.tuner_certified && i < static_cast<int>(scored.size()); ++i) {
        const Scored& best = scored[static_cast<std::size_t>(i)];
        if (best.score >= 1)
            break;
        if ((m_end = boundary(false)))
            return outcome;
        Proposal one = proposal;
        one.tunables = best.values;
        const TurnOutcome certified = certify(number, one);
        if (certified == TurnOutcome::faster)
            outcome = certified; // a second one is compared with this new champion
        if (m_steering.stop_token().stop_requested())
            return outcome;
    }
    return outcome;
}

} // namespace kf
