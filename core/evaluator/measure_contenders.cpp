// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/duel.h"

#include "core/base/random.h"
#include "core/measure/driver.h"
#include "core/measure/statistics.h"

#include <algorithm>

namespace kf {
namespace {

constexpr int alone_samples = 48;
constexpr double alone_seconds = 1.0;

TimingSummary summary_of(std::vector<double> seconds, const std::string& size, const Symbols& symbols,
                         const TimerFacts& facts) {
    TimingSummary summary;
    summary.size = size;
    summary.symbols = symbols;
    summary.timer = facts.timer;
    summary.floor = facts.floor_s;
    summary.samples = static_cast<int>(seconds.size());
    if (seconds.empty())
        return summary;
    summary.median = quantile(seconds, 0.5);
    summary.q1 = quantile(seconds, 0.25);
    summary.q3 = quantile(seconds, 0.75);
    summary.p90 = quantile(seconds, 0.9);
    summary.at_floor = summary.median < 3 * facts.floor_s;
    return summary;
}

class ContenderMeasurement {
public:
    ContenderMeasurement(const PipelineServices& services, const EvaluateRequest& request, StopSignal& stop,
                         const Contender& candidate, Evaluation& evaluation)
        : m_services(services), m_request(request), m_stop(stop), m_candidate(candidate), m_evaluation(evaluation),
          m_size(services.device->size_name(request.task)), m_planned(*candidate.timed_case(m_size)) {}

    std::optional<Halt> read_floor() {
        auto session = m_services.device->start(m_candidate.binaries[m_planned.group], m_stop);
        if (!session)
            return std::move(session.halt());
        auto floor = (*session)->floor();
        if (!floor)
            return std::move(floor.halt());
        m_facts = TimerFacts{m_services.device->timer(), m_services.device->id() == "cpu" ? "cpu" : "cold", *floor, 0};
        return std::nullopt;
    }

    std::optional<Halt> alone() {
        auto arm = make_session_arm(*m_services.device, m_request.task, m_candidate, m_planned, m_stop);
        auto golden = m_services.goldens->take(m_request.task, m_planned.task_case, m_stop);
        if (!golden)
            return std::move(golden.halt());
        if (auto halted = arm->begin_round(*golden, true))
            return halted;
        std::vector<double> seconds;
        const Deadline end = deadline_after(alone_seconds);
        const auto chosen = SplitMix64(system_seed()).below(8);
        while (seconds.size() < 9 || (seconds.size() < alone_samples && std::chrono::steady_clock::now() < end)) {
            auto sample = arm->time();
            if (!sample)
                return std::move(sample.halt());
            seconds.push_back(*sample);
            if (seconds.size() == chosen + 1)
                if (auto halted = arm->check(*golden))
                    return halted;
        }
        if (auto halted = arm->end_round())
            return halted;
        tell_prepare(*arm);
        m_evaluation.timings.push_back(summary_of(std::move(seconds), m_size, m_planned.task_case.symbols, m_facts));
        return std::nullopt;
    }

    // Rounds against another arm at the level asked for; the champion may be a baseline.
    Attempt<Duel> against(TimedArm& champion, const std::string& name, const std::string& hash, Level level) {
        auto arm = make_session_arm(*m_services.device, m_request.task, m_candidate, m_planned, m_stop);
        ArmPairs source(champion, *arm, *m_services.goldens, m_request.task, m_planned.task_case, m_facts, m_stop,
                        level == Level::screen);
        auto outcome = run(source, level);
        if (!outcome) {
            if (source.halt())
                return *source.halt();
            if (auto halted = m_stop.check())
                return std::move(*halted);
            return InfrastructureFault{"the measurement failed: " + to_string(outcome.error()), true};
        }
        tell_prepare(*arm);
        Duel duel;
        duel.against = name;
        duel.against_hash = hash;
        duel.decision = outcome->decision;
        duel.sizes.emplace_back(m_size, outcome->decision);
        if (!outcome->samples.sizes.empty()) {
            outcome->samples.sizes.front().size = m_size;
            const SizeSamples& samples = outcome->samples.sizes.front();
            duel.against_timings.push_back(
                summary_of(samples.times(Arm::champion), m_size, m_planned.task_case.symbols, m_facts));
            m_own = summary_of(samples.times(Arm::candidate), m_size, m_planned.task_case.symbols, m_facts);
        }
        m_evaluation.samples[name] = to_json(outcome->samples);
        Json rounds = Json::array();
        for (const Round& round : outcome->rounds)
            rounds.push_back(to_json(round));
        m_evaluation.samples[name]["rounds"] = std::move(rounds);
        return duel;
    }

    const TimingSummary& own() const { return m_own; }
    const PlannedCase& planned() const { return m_planned; }

private:
    void tell_prepare(const TimedArm& arm) {
        if (arm.prepare_seconds() > 0)
            m_evaluation.conditions["prepare_seconds"] = arm.prepare_seconds();
    }

    Result<RunOutcome> run(RoundSource& source, Level level) {
        const auto prepare = [&](auto settings) {
            settings.seed = system_seed();
            settings.on_round = [&](const RoundProgress& progress) {
                m_services.progress(Json{{"event", "round"},
                                         {"round", progress.rounds_done},
                                         {"of", std::max(progress.next_look, progress.rounds_done)},
                                         {"log_ratio", progress.round ? Json(progress.round->log_ratio) : Json()},
                                         {"size", m_size}});
                m_services.between();
            };
            settings.cancelled = [&] { return m_stop.cancelled(); };
            return settings;
        };
        // Where a process is cheap every round gets its own, at every level: what differs between processes then cannot
        // pass for a difference between candidates.
        const int per_process = m_services.device->rounds_per_process();
        ScreenSettings screen;
        DuelSettings duel;
        CertifySettings certify;
        certify.rounds_per_process = per_process;
        if (per_process == 1)
            screen.rounds_per_process = duel.rounds_per_process = 1;
        screen.full_rounds = m_request.author == "human"; // who looks at the number wants its interval, too
        if (level == Level::screen)
            return run_screen(source, prepare(screen));
        if (level == Level::duel)
            return run_duel(source, prepare(duel));
        return run_certify(source, prepare(certify));
    }

    const PipelineServices& m_services;
    const EvaluateRequest& m_request;
    StopSignal& m_stop;
    const Contender& m_candidate;
    Evaluation& m_evaluation;
    std::string m_size;
    const PlannedCase& m_planned;
    TimerFacts m_facts;
    TimingSummary m_own;
};

} // namespace

std::optional<Halt> measure_contenders(const PipelineServices& services, const EvaluateRequest& request,
                                       StopSignal& stop, const Contender& candidate, const Contender* against,
                                       Evaluation& evaluation, StageReport& report) {
    ContenderMeasurement measurement(services, request, stop, candidate, evaluation);
    if (auto halted = measurement.read_floor())
        return halted;
    if (against) {
        const PlannedCase* planned = against->timed_case(services.device->size_name(request.task));
        if (!planned)
            return InfrastructureFault{"the champion has no case at the timed size", false};
        auto champion = make_session_arm(*services.device, request.task, *against, *planned, stop);
        auto duel = measurement.against(*champion, against->name, against->candidate->hash(), request.level);
        if (!duel)
            return std::move(duel.halt());
        evaluation.timings.push_back(measurement.own());
        evaluation.duel = std::move(*duel);
        report.note = describe(evaluation.duel->decision);
    } else {
        if (auto halted = measurement.alone())
            return halted;
    }
    for (const std::string& baseline : request.baselines) {
        if (baseline != "eager") {
            evaluation.flags.push_back("baseline " + baseline + " not checked: not available on this device");
            continue;
        }
        auto eager = make_eager_arm(*services.oracle, request.task, measurement.planned().task_case, stop);
        auto duel = measurement.against(*eager, "eager", "", request.level);
        if (!duel)
            return std::move(duel.halt());
        evaluation.baselines.push_back(std::move(*duel));
    }
    for (const TimingSummary& timing : evaluation.timings)
        if (timing.at_floor)
            evaluation.flags.push_back("at floor: " + timing.size);
    report.evidence["timer"] = services.device->timer();
    return std::nullopt;
}

} // namespace kf
