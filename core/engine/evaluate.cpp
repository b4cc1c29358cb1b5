// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/autopsy.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/engine/run.h"
#include "core/engine/unified_diff.h"

#include <thread>

namespace kf {
namespace {

constexpr std::size_t inline_result_bytes = std::size_t{600} << 10;

Json tunables_json(const TunableValues& tunables) {
    Json json = Json::object();
    for (const auto& [name, value] : tunables)
        json[name] = value;
    return json;
}

Json speedup_json(const Decision& decision) {
    Json json = {{"estimate", decision.interval.estimate}};
    if (decision.interval.bounded()) {
        json["low"] = decision.interval.low;
        json["high"] = decision.interval.high;
    }
    return json;
}

std::string summary_of(const Evaluation& evaluation) {
    if (evaluation.failure) {
        const Failure& failure = *evaluation.failure;
        return std::string(to_string(failure.failure)) + (failure.place.empty() ? "" : " at " + failure.place) + ": " +
               failure.message;
    }
    return "";
}

} // namespace

void Run::put_candidate(int turn, const Proposal& proposal) {
    CandidateEvent event;
    event.turn = turn;
    event.source = m_journal->put_blob(proposal.source);
    event.file_name = proposal.file_name;
    event.tunables = tunables_json(proposal.tunables);
    event.note = proposal.note;
    const auto& turns = m_journal->state().turns;
    const auto own = turns.find(turn);
    const int parent = own != turns.end() ? own->second.parent : proposal.parent;
    if (const auto grown = turns.find(parent); grown != turns.end() && !grown->second.source.empty())
        if (const std::string diff = unified_diff(m_journal->blob(grown->second.source), proposal.source,
                                                  "turn " + std::to_string(parent), "turn " + std::to_string(turn));
            !diff.empty())
            event.diff = m_journal->put_blob(diff);
    if (auto parsed = parse_candidate(proposal.source, proposal.file_name))
        event.plan = Json{{"text", parsed->plan.print(parsed->language)}, {"kernels", parsed->kernels}};
    m_journal->append(event);
}

void Run::record(int turn, const Evaluation& evaluation, double device_s) {
    EvaluationEvent event;
    event.turn = turn;
    event.evaluation = evaluation.id;
    event.candidate = evaluation.candidate_hash;
    event.tunables = tunables_json(evaluation.tunables);
    event.level = std::string(to_string(evaluation.level));
    event.verdict = evaluation.verdict();
    event.summary = summary_of(evaluation);
    event.failed = evaluation.failure.has_value();
    if (!evaluation.timings.empty()) {
        event.seconds_per_call = evaluation.timings.front().median;
        event.low = evaluation.timings.front().q1;
        event.high = evaluation.timings.front().q3;
    }
    if (evaluation.duel)
        event.vs_champion = speedup_json(evaluation.duel->decision);
    event.vs_baselines = Json::object();
    for (const Duel& baseline : evaluation.baselines)
        event.vs_baselines[baseline.against] = speedup_json(baseline.decision);
    event.stages = Json::array();
    for (const StageReport& stage : evaluation.stages)
        event.stages.push_back(to_json(stage));
    event.flags = evaluation.flags;
    event.device_s = device_s;
    event.cases = static_cast<int>(evaluation.cases.size());
    event.cases_total = evaluation.cases_total;
    if (!evaluation.samples.is_null() && !evaluation.samples.empty())
        event.samples = m_journal->put_blob(dump_line(evaluation.samples));
    Evaluation without_samples = evaluation;
    without_samples.samples = Json();
    Json result = to_json(without_samples);
    std::string text = dump_line(result);
    if (text.size() > inline_result_bytes)
        event.result_blob = m_journal->put_blob(text);
    else
        event.result = std::move(result);
    m_journal->append(event);
}

EvaluationOutcome Run::ask(int turn, const Proposal& proposal, Level level, const Champion* against,
                           const Order& order) {
    // A certification has up to 20 rounds for each comparison.
    const double budget_s = m_settings.evaluation_budget_s * (level == Level::certify ? 4 : 1);
    static constexpr const char* parts[] = {"all", "first", "rest"};
    Json params = {{"task", task_to_wire(m_task)},
                   {"source", proposal.source},
                   {"file_name", proposal.file_name},
                   {"tunables", tunables_json(proposal.tunables)},
                   {"level", to_string(level)},
                   {"author", proposal.author},
                   {"cases", parts[static_cast<int>(order.cases)]},
                   {"measure", order.measure},
                   {"urgent", order.urgent},
                   {"budget_s", budget_s}};
    if (against)
        params["against"] = Json{{"source", against->source},
                                 {"file_name", against->file_name},
                                 {"tunables", tunables_json(against->tunables)},
                                 {"name", "champion"}};
    if (level == Level::certify)
        params["baselines"] = m_settings.baselines;
    // Progress goes into the journal so that whoever follows it sees the evaluation move; it is not flushed, and a lost
    // one costs nothing.
    const auto progress = [&](const Json& event) {
        m_activity.progress(event);
        if (order.progress)
            order.progress(event);
        if (auto stage = stage_of_progress(event); stage && turn >= 0) {
            stage->turn = turn;
            stage->evaluation = order.id;
            if (order.cases_before > 0 && stage->state == "case")
                for (const char* field : {"index", "total"})
                    stage->evidence[field] = get_int(stage->evidence, field) + order.cases_before;
            m_journal->append(*stage);
        }
        serve_quick_benches();
    };
    for (int attempt = 0;; ++attempt) {
        EvaluationOutcome outcome = m_evaluator.evaluate("evaluate", params, budget_s + 60, order.stop, progress);
        if (outcome.evaluation)
            outcome.evaluation->id = order.id; // one id from the first stage to the verdict
        if (outcome.outcome != Outcome::infrastructure)
            return outcome;
        Infrastructure event;
        event.turn = turn;
        event.evaluation = order.id;
        event.where = "evaluator";
        event.what = outcome.what;
        event.retry = outcome.retry_sensible && attempt < m_settings.infrastructure_retries;
        m_journal->append(event);
        if (!event.retry || m_steering.stopping() || order.stop.stop_requested())
            return outcome;
        std::this_thread::sleep_for(std::chrono::milliseconds(100 << attempt));
    }
}

Run::Judged Run::evaluate(int turn, const Proposal& proposal, Level level, const Champion* against, CasePart cases) {
    Order order;
    order.cases = cases;
    order.stop = m_steering.stop_token();
    order.id = random_id(12);
    const auto entry =
        m_activity.enter(Activity{"evaluation", turn, order.id, std::string(to_string(level)), proposal.file_name, 0});
    Judged judged{ask(turn, proposal, level, against, order), {}};
    if (judged.outcome.evaluation) {
        judged.id = order.id;
        record(turn, *judged.outcome.evaluation, judged.outcome.evaluation->seconds);
    }
    return judged;
}

} // namespace kf
