// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autopsy/autopsy.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/engine/run.h"

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
    if (auto parsed = parse_candidate(proposal.source, proposal.file_name))
        event.plan = Json{{"text", parsed->plan.print(parsed->language)}, {"kernels", parsed->kernels}};
    m_journal->append(event);
}

void Run::record(int turn, const Evaluation& evaluation) {
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
    event.device_s = evaluation.seconds;
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

Run::Judged Run::evaluate(int turn, const Proposal& proposal, Level level, const Champion* against,
                          bool first_cases_only) {
    // A certification has up to 20 rounds for each comparison.
    const double budget_s = m_settings.evaluation_budget_s * (level == Level::certify ? 4 : 1);
    Json params = {{"task", task_to_wire(m_task)},
                   {"source", proposal.source},
                   {"file_name", proposal.file_name},
                   {"tunables", tunables_json(proposal.tunables)},
                   {"level", to_string(level)},
                   {"author", proposal.author},
                   {"cases", first_cases_only ? "first" : "all"},
                   {"budget_s", budget_s}};
    if (against)
        params["against"] = Json{{"source", against->source},
                                 {"file_name", against->file_name},
                                 {"tunables", tunables_json(against->tunables)},
                                 {"name", "champion"}};
    if (level == Level::certify)
        params["baselines"] = m_settings.baselines;
    const std::string progress_id = random_id(12);
    // Progress goes into the journal so that whoever follows it sees the evaluation move; it is not flushed, and a lost
    // one costs nothing.
    const auto progress = [&](const Json& event) {
        const std::string what = get_string(event, "event");
        StageProgress stage;
        stage.turn = turn;
        stage.evaluation = progress_id;
        if (what == "stage_started") {
            stage.stage = get_string(event, "stage");
            stage.state = "started";
        } else if (what == "stage_ended") {
            const Json& report = get_member(event, "report");
            stage.stage = get_string(report, "stage");
            stage.state = "ended";
            stage.outcome = get_string(report, "outcome");
            stage.seconds = get_double(report, "seconds");
        } else if (what == "round") {
            stage.stage = "measure";
            stage.state = "round";
            stage.evidence = Json{{"round", get_member(event, "round")}, {"of", get_member(event, "of")}};
        } else if (what == "case") {
            stage.stage = "verify";
            stage.state = "case";
            stage.evidence = Json{{"index", get_member(event, "index")}, {"total", get_member(event, "total")}};
        } else {
            return;
        }
        if (turn >= 0)
            m_journal->append(stage);
    };
    Judged judged;
    for (int attempt = 0;; ++attempt) {
        judged.outcome = m_evaluator.evaluate("evaluate", params, budget_s + 60, m_steering.stop_token(), progress);
        if (judged.outcome.outcome != Outcome::infrastructure)
            break;
        Infrastructure event;
        event.turn = turn;
        event.evaluation = progress_id;
        event.where = "evaluator";
        event.what = judged.outcome.what;
        event.retry = judged.outcome.retry_sensible && attempt < m_settings.infrastructure_retries;
        m_journal->append(event);
        if (!event.retry || m_steering.stopping())
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(100 << attempt));
    }
    if (judged.outcome.evaluation) {
        judged.outcome.evaluation->id = progress_id; // one id from the first stage to the verdict
        judged.id = progress_id;
        if (turn >= 0)
            record(turn, *judged.outcome.evaluation);
    }
    return judged;
}

} // namespace kf
