// SPDX-License-Identifier: GPL-3.0-or-later
// A run: the start kernel, then turns until something says stop. Blocking, in one thread; people steer it through the
// SteeringQueue.
#pragma once

#include "core/engine/activity.h"
#include "core/engine/evaluator_client.h"
#include "core/engine/run_journal.h"
#include "core/engine/run_settings.h"
#include "core/engine/steering.h"
#include "core/engine/synthesizer.h"
#include "core/measure/early_stop.h"
#include "core/search/tune_search.h"

#include <memory>
#include <string>

namespace kf {

// Which of a task's cases an evaluation runs (docs/evaluator.md).
enum class CasePart { all, first, rest };

enum class RunEnd {
    champion,       // ended in order with a champion
    no_champion,    // the start kernel was not accepted
    infrastructure, // the evaluator could not be had, or the journal not be written
    stopped,        // by a person, with or without a champion
};

struct RunResult {
    RunEnd end = RunEnd::infrastructure;
    std::string reason; // of the stop
    std::string text;   // one sentence
};

class Run {
public:
    // A new run folder below `runs`. The task's texts are stored in the journal: a resumed run does not depend on the
    // files. Errors: those of RunJournal, and of reading the start kernel.
    static Result<std::unique_ptr<Run>> create(const Task& task, const RunSettings& settings,
                                               const std::filesystem::path& runs);
    // Goes on where the journal ends. Errors: also "run-finished" (it ended in order) and "run-invalid".
    static Result<std::unique_ptr<Run>> resume(const std::filesystem::path& folder);

    RunResult run();
    SteeringQueue& steering() { return m_steering; }
    RunJournal& journal() { return *m_journal; }
    const ActivityBoard& activity() const { return m_activity; }
    const EvaluatorClient& evaluator() const { return m_evaluator; }
    const Task& task() const { return m_task; }
    const RunSettings& settings() const { return m_settings; }

private:
    Run(Task task, RunSettings settings, std::unique_ptr<RunJournal> journal);

    struct Judged {
        EvaluationOutcome outcome;
        std::string id; // of the evaluation's event
    };
    // What differs between evaluations of the loop and of a person.
    struct Order {
        CasePart cases = CasePart::all;
        int cases_before = 0; // judged already: they count in what is told of this one
        bool measure = true;
        bool urgent = false; // served before what runs, at its next boundary
        std::stop_token stop;
        std::string id; // of the evaluation; empty: a new one
        std::function<void(const Json&)> progress;
    };
    struct Champion {
        std::string source, file_name, hash;
        TunableValues tunables;
        int turn = -1;
    };

    RunResult loop();
    RunResult end(RunEnd how, const std::string& reason, const std::string& text);
    Status begin();
    void replay_early_stop();

    // Turns (turn.cpp, sweep.cpp)
    std::optional<RunResult> start_turn();
    TurnOutcome take_turn(int number, const Proposal& proposal);
    TurnOutcome single_turn(int number, const Proposal& proposal);
    TurnOutcome sweep_turn(int number, const Proposal& proposal);
    // Certifies what a screen found not slower; crowns it if it deserves that.
    TurnOutcome certify(int number, const Proposal& proposal);
    void finish_turn(int number, const std::string& outcome, const std::string& text);
    void crown(int number, const Evaluation& evaluation, const std::string& why);
    bool crowns(const Evaluation& evaluation) const;

    // People (human.cpp)
    // A quick bench is answered after its first cases; the others are the turn's completion.
    struct Completion {
        int turn = -1;
        Proposal proposal;
        Evaluation first;
    };
    void human_turn(const BenchRequest& request);
    int take_human_turn(const BenchRequest& request, const Proposal& proposal, const EvaluationOutcome& outcome);
    void complete(const Completion& completion);
    // Between evaluations: benches, then what is left of the newest one.
    void serve_people();
    // Inside an evaluation of the loop, at its boundaries: quick benches, which can crown nothing.
    void serve_quick_benches();

    // Evaluations (evaluate.cpp)
    Judged evaluate(int turn, const Proposal& proposal, Level level, const Champion* against,
                    CasePart cases = CasePart::all);
    // `turn` -1: nothing of it is journaled (a person's turn takes its number at the verdict).
    EvaluationOutcome ask(int turn, const Proposal& proposal, Level level, const Champion* against, const Order& order);
    void record(int turn, const Evaluation& evaluation, double device_s);
    void put_candidate(int turn, const Proposal& proposal);

    // Between evaluations (boundary.cpp): steering, benches, pause, budgets.
    void note_steering();
    // Set when the run ends here. Inside a sweep only budgets and "stop now" end it.
    std::optional<RunResult> boundary(bool between_turns);
    Usage usage() const;
    double idle_s() const;
    Champion champion() const;

    Task m_task;
    RunSettings m_settings;
    std::unique_ptr<RunJournal> m_journal;
    EvaluatorClient m_evaluator;
    SteeringQueue m_steering;
    EarlyStop m_early_stop;
    std::unique_ptr<Synthesizer> m_synthesizer;
    ActivityBoard m_activity;
    std::optional<Completion> m_completion;
    bool m_serving = false;      // a person's evaluation runs
    double m_seconds_before = 0; // of the parts of the run before this one
    Deadline m_started;
    std::optional<RunResult> m_end; // decided inside a turn
};

} // namespace kf
