// SPDX-License-Identifier: GPL-3.0-or-later
// Stage *measure*: the candidate timed alone, against the champion it was given, and against baselines. What decides is
// core/measure; here are the rounds: fresh inputs, buffers that move, new processes, and one randomly chosen timed call
// a round whose outputs are verified.
#pragma once

#include "core/evaluator/pipeline.h"
#include "core/measure/round_source.h"

#include <memory>

namespace kf {

// One side of a comparison.
class TimedArm {
public:
    virtual ~TimedArm() = default;
    // New inputs of this golden's seed; a new process first if `fresh`.
    virtual std::optional<Halt> begin_round(const CaseGolden& golden, bool fresh) = 0;
    virtual Attempt<double> time() = 0; // seconds of one call
    // Verifies what the last timed call wrote. Halts with class after-timing.
    virtual std::optional<Halt> check(const CaseGolden& golden) = 0;
    virtual std::optional<Halt> end_round() = 0;
    virtual double prepare_seconds() const { return 0; } // of the last round
};

// A contender in its own process.
std::unique_ptr<TimedArm> make_session_arm(Device& device, const Task& task, const Contender& contender,
                                           const PlannedCase& planned, StopSignal& stop);
// PyTorch eager in kf-oracle's process.
std::unique_ptr<TimedArm> make_eager_arm(OracleClient& oracle, const Task& task, const TaskCase& task_case,
                                         StopSignal& stop);

// Two arms as a source of rounds. With `same_inputs` all rounds use the inputs of the first one, in buffers that move:
// a screen, which makes no champion, is to be quick.
class ArmPairs final : public PairTimer {
public:
    ArmPairs(TimedArm& champion, TimedArm& candidate, GoldenStore& goldens, const Task& task, const TaskCase& task_case,
             TimerFacts facts, StopSignal& stop, bool same_inputs);
    // Why a round failed; the driver only knows that it did.
    const std::optional<Halt>& halt() const { return m_halt; }

private:
    Status do_begin_round(const RoundRequest& request) override;
    Result<PairSample> do_time_pair(Arm first) override;
    Result<RoundEnd> do_end_round() override;
    Result<double> do_estimate_pair_seconds() override;
    double do_device_seconds() const override { return m_seconds; }
    TimerFacts do_facts() const override { return m_facts; }
    TimedArm& side(Arm arm) { return arm == Arm::champion ? m_champion : m_candidate; }
    // Keeps why an arm stopped. What the champion does wrong is not the candidate's fault.
    Status stopped(std::optional<Halt> halt, Arm arm = Arm::candidate);

    TimedArm& m_champion;
    TimedArm& m_candidate;
    GoldenStore& m_goldens;
    const Task& m_task;
    const TaskCase& m_case;
    TimerFacts m_facts;
    StopSignal& m_stop;
    bool m_same_inputs;
    std::optional<CaseGolden> m_golden;
    std::optional<Halt> m_halt;
    double m_seconds = 0;
    int m_pair = 0; // of this round
};

std::optional<Halt> measure_contenders(const PipelineServices& services, const EvaluateRequest& request,
                                       StopSignal& stop, const Contender& candidate, const Contender* against,
                                       Evaluation& evaluation, StageReport& report);

} // namespace kf
