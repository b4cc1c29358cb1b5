// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluator/duel.h"

#include "core/base/random.h"

namespace kf {
namespace {

constexpr double call_seconds = 20; // deadline of one timed call

class SessionArm final : public TimedArm {
public:
    SessionArm(Device& device, const Task& task, const Contender& contender, const PlannedCase& planned,
               StopSignal& stop)
        : m_device(device), m_task(task), m_contender(contender), m_planned(planned), m_stop(stop) {}

    std::optional<Halt> begin_round(const CaseGolden& golden, bool fresh) override {
        if (fresh || !m_session) {
            m_session.reset();
            auto session = m_device.start(m_contender.binaries[m_planned.group], m_stop);
            if (!session)
                return std::move(session.halt());
            m_session = std::move(*session);
        }
        const CaseJob job{&m_task,      m_contender.candidate.get(), &m_planned.task_case, &m_planned.plan, golden.seed,
                          system_seed()};
        if (auto halted = m_session->open_case(job))
            return halted;
        // The first run touches all memory and prepares weights; it is not timed.
        return m_session->run(0, system_seed(), m_stop.within(call_seconds));
    }

    Attempt<double> time() override { return m_session->time(system_seed(), m_stop.within(call_seconds)); }

    std::optional<Halt> check(const CaseGolden& golden) override {
        if (auto halted = m_session->keep(0))
            return halted;
        auto comparisons = m_session->compare(0, golden);
        if (!comparisons)
            return std::move(comparisons.halt());
        for (const Comparison& comparison : *comparisons) {
            if (comparison.accepted)
                continue;
            Failure failure = make_failure(
                Stage::measure, FailureClass::after_timing, comparison.output,
                "output `" + comparison.output + "` of a timed call is wrong (" + std::to_string(comparison.bad) +
                    " of " + std::to_string(comparison.elements) + " elements), though it was right while verified",
                "the kernel must do the same work in every call");
            failure.pattern = comparison.pattern;
            CaseReport report;
            report.symbols = m_planned.task_case.symbols;
            report.regime = m_planned.task_case.regime;
            report.seed = golden.seed;
            report.comparisons.push_back(comparison);
            failure.failing_case = std::move(report);
            return failure;
        }
        return std::nullopt;
    }

    std::optional<Halt> end_round() override { return m_session->check_after(); }
    double prepare_seconds() const override { return m_session ? m_session->prepare_seconds() : 0; }

private:
    Device& m_device;
    const Task& m_task;
    const Contender& m_contender;
    const PlannedCase& m_planned;
    StopSignal& m_stop;
    std::unique_ptr<DeviceSession> m_session;
};

class EagerArm final : public TimedArm {
public:
    EagerArm(OracleClient& oracle, const Task& task, const TaskCase& task_case, StopSignal& stop)
        : m_oracle(oracle), m_task(task), m_case(task_case), m_stop(stop) {}

    std::optional<Halt> begin_round(const CaseGolden& golden, bool) override {
        m_seed = golden.seed;
        auto warm = time();
        return warm ? std::nullopt : std::optional<Halt>(std::move(warm.halt()));
    }
    Attempt<double> time() override { return m_oracle.time_eager(m_task, m_case, m_seed, 1, m_stop); }
    std::optional<Halt> check(const CaseGolden&) override { return std::nullopt; } // it made the trusted answer itself
    std::optional<Halt> end_round() override { return std::nullopt; }

private:
    OracleClient& m_oracle;
    const Task& m_task;
    const TaskCase& m_case;
    StopSignal& m_stop;
    std::uint64_t m_seed = 0;
};

} // namespace

std::unique_ptr<TimedArm> make_session_arm(Device& device, const Task& task, const Contender& contender,
                                           const PlannedCase& planned, StopSignal& stop) {
    return std::make_unique<SessionArm>(device, task, contender, planned, stop);
}

std::unique_ptr<TimedArm> make_eager_arm(OracleClient& oracle, const Task& task, const TaskCase& task_case,
                                         StopSignal& stop) {
    return std::make_unique<EagerArm>(oracle, task, task_case, stop);
}

ArmPairs::ArmPairs(TimedArm& champion, TimedArm& candidate, GoldenStore& goldens, const Task& task,
                   const TaskCase& task_case, TimerFacts facts, StopSignal& stop, bool same_inputs)
    : m_champion(champion), m_candidate(candidate), m_goldens(goldens), m_task(task), m_case(task_case),
      m_facts(std::move(facts)), m_stop(stop), m_same_inputs(same_inputs) {}

Status ArmPairs::stopped(std::optional<Halt> halt, Arm arm) {
    if (!halt)
        return {};
    if (const auto* failure = std::get_if<Failure>(&*halt); failure && arm == Arm::champion)
        halt = InfrastructureFault{"the champion failed while it was compared with: " + failure->message, false};
    m_halt = std::move(halt);
    return make_error("arm-stopped", "an arm of the comparison stopped");
}

Status ArmPairs::do_begin_round(const RoundRequest& request) {
    if (!m_golden || !m_same_inputs) {
        auto golden = m_goldens.take(m_task, m_case, m_stop);
        if (!golden)
            return stopped(std::move(golden.halt()));
        m_golden = std::move(*golden);
    }
    m_pair = 0;
    for (const Arm arm : {Arm::champion, Arm::candidate})
        if (auto status = stopped(side(arm).begin_round(*m_golden, request.fresh_process), arm); !status)
            return status;
    return {};
}

Result<PairSample> ArmPairs::do_time_pair(Arm first) {
    PairSample sample;
    sample.first = first;
    // Which calls of a round are verified is drawn here, where no candidate can see it: the first pair always, the n-th
    // with chance 1/n. What a call wrote is looked at before the next one begins.
    ++m_pair;
    const bool chosen = SplitMix64(system_seed()).below(static_cast<std::uint64_t>(m_pair)) == 0;
    for (const Arm arm : {first, other(first)}) {
        auto seconds = side(arm).time();
        if (!seconds)
            return stopped(std::move(seconds.halt()), arm).error();
        (arm == Arm::champion ? sample.champion_s : sample.candidate_s) = *seconds;
        m_seconds += *seconds;
        if (chosen)
            if (auto status = stopped(side(arm).check(*m_golden), arm); !status)
                return status.error();
    }
    return sample;
}

Result<RoundEnd> ArmPairs::do_end_round() {
    for (const Arm arm : {Arm::champion, Arm::candidate})
        if (auto status = stopped(side(arm).end_round(), arm); !status)
            return status.error();
    return RoundEnd{};
}

Result<double> ArmPairs::do_estimate_pair_seconds() {
    const Deadline start = std::chrono::steady_clock::now();
    constexpr int tries = 2;
    for (int i = 0; i < tries; ++i)
        for (const Arm arm : {Arm::champion, Arm::candidate}) {
            auto seconds = side(arm).time();
            if (!seconds)
                return stopped(std::move(seconds.halt()), arm).error();
            m_seconds += *seconds;
        }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / tries;
}

} // namespace kf
