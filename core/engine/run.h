// SPDX-License-Identifier: GPL-3.0-or-later
// A run: the start kernel, then turns until something says stop. Blocking, in one thread; people steer it through the
// SteeringQueue.
#pragma once

#include "core/engine/activity.h"
#include "core/engine/evaluator_client.h"
#include "core/engine/live_reply.h"
#include "core/engine/model_asker.h"
#include "core/engine/record.h"
#include "core/engine/run_journal.h"
#include "core/engine/run_settings.h"
#include "core/engine/steering.h"
#include "core/engine/synthesizer.h"
#include "core/llm/extract.h"
#include "core/llm/prompt.h"
#include "core/measure/early_stop.h"
#include "core/search/tune_search.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

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
    std::string reason;      // of the stop
    std::string text;        // one sentence
    std::string remedy = {}; // what a person can do; may be empty
};

class Run {
public:
    // A new run folder below `runs`. The task's texts are stored in the journal: a resumed run does not depend on the
    // files. Errors: those of RunJournal, and of reading the start kernel.
    // A run that asks a model needs `transports`; one that repeats a record without going on live does not.
    static Result<std::unique_ptr<Run>> create(const Task& task, const RunSettings& settings,
                                               const std::filesystem::path& runs,
                                               std::shared_ptr<ModelTransports> transports = {});
    // Goes on where the journal ends. Errors: also "run-finished" (it ended in order) and "run-invalid".
    // `model_change`: fields of docs/protocol.md, `model`, and `then_live`; `budget_change`: those of `budget`; both
    // are noted in the journal as a person's. A run that a budget ended needs a larger one: "budget-used-up".
    static Result<std::unique_ptr<Run>> resume(const std::filesystem::path& folder,
                                               std::shared_ptr<ModelTransports> transports = {},
                                               const Json& model_change = {}, const Json& budget_change = {});

    // What people tell a run that asks a model; from any thread. Errors: "not-a-model-run", "turn-unknown",
    // "turn-empty", "settings-…", those of ModelTransports::check.
    Result<Json> fork(const std::string& who, int turn, const std::string& hint);
    Result<Json> change_model(const std::string& who, const Json& change);
    Result<Json> change_budget(const std::string& who, const Json& change);
    // Whether it asks a model; what people may know of it (docs/protocol.md, `status`).
    bool asks_model() const { return m_settings.synthesizer == SynthesizerKind::model; }
    Json model_status() const;
    const LiveReply& live_reply() const { return m_live; }

    RunResult run();
    SteeringQueue& steering() { return m_steering; }
    RunJournal& journal() { return *m_journal; }
    const ActivityBoard& activity() const { return m_activity; }
    const EvaluatorClient& evaluator() const { return m_evaluator; }
    const Task& task() const { return m_task; }
    const RunSettings& settings() const { return m_settings; }

private:
    Run(Task task, RunSettings settings, std::unique_ptr<RunJournal> journal,
        std::shared_ptr<ModelTransports> transports);

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

    // How a turn came out: for the early stop, and for its end in the journal.
    struct Taken {
        TurnOutcome outcome = TurnOutcome::infrastructure;
        std::string name; // of `turn_finished`; empty: by the outcome
        std::string text;
    };

    RunResult loop();
    RunResult end(RunEnd how, const std::string& reason, const std::string& text, const std::string& remedy = {});
    Status begin();
    void replay_early_stop();
    Result<Proposed> propose();

    // Turns (turn.cpp, sweep.cpp)
    std::optional<RunResult> start_turn();
    TurnOutcome take_turn(int number, const Proposal& proposal);
    TurnOutcome single_turn(int number, const Proposal& proposal);
    // `points` evaluations at most.
    TurnOutcome sweep_turn(int number, const Proposal& proposal, int points);
    // Certifies what a screen found not slower; crowns it if it deserves that.
    TurnOutcome certify(int number, const Proposal& proposal);
    void finish_turn(int number, const std::string& outcome, const std::string& text);
    void crown(int number, const Evaluation& evaluation, const std::string& why);
    bool crowns(const Evaluation& evaluation) const;

    // A model's turn (model_turn.cpp, model_exchange.cpp)
    struct Asked { // an exchange that is over
        std::optional<ChatReply> reply;
        std::optional<ModelError> error; // none with neither: the run ends, or was stopped
    };
    Taken model_turn(int number, Proposal proposal);
    // The candidate of a model's turn, or how the turn ends without one.
    std::variant<Extraction, Taken> write_candidate(int number, const Proposal& proposal);
    Result<Prompt> prompt_for(int number, const Proposal& proposal, const std::string& repair,
                              const std::string& repaired_reply) const;
    Asked ask_model(int number, int exchange, const Proposal& proposal, const std::string& repair,
                    const std::string& repaired_reply);
    Asked one_attempt(int number, int exchange, int attempt, const ChatRequest& request, const Prompt& prompt);
    void record_exchange(int number, int exchange, int attempt, const ChatRequest& request, const Prompt& prompt,
                         const ChatOutcome& outcome);
    // Replies of the turn that are in the journal: they are not asked again.
    std::vector<ChatReply> replies_of(int number) const;
    Status open_model();
    bool go_live(const std::string& why);
    Taken model_failed(const ModelError& error);
    void wait_for_model(double seconds);
    // What the transport tries again by itself, for the journal and for who watches.
    void note_retries(int number);
    std::optional<Evaluation> decisive_of(int turn) const;
    void restore_orders();
    Status restore_record();

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
    void obey(const SteeringEntry& entry);
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

    std::shared_ptr<ModelTransports> m_transports;
    std::unique_ptr<ModelAsker> m_asker; // with the first exchange
    LiveReply m_live;
    bool m_reopen = true;             // a person changed the model
    ModelSettings m_turn_model;       // of the present turn
    int m_context_limit = 0;          // tokens: the model refused more; 0: it did not
    int m_model_failures = 0;         // in a row
    std::optional<RunResult> m_ended; // after the present turn: the model cannot be asked
    std::unique_ptr<DuplicateFinder> m_duplicates;
    int m_forced_parent = -1;
    mutable std::mutex m_told_mutex;
    ModelSettings m_told_model; // as people have told so far; the run follows at its next turn
    StopSettings m_told_stop;
    std::shared_ptr<Record> m_record;              // while it has something to repeat
    std::map<int, int> m_became{{-1, -1}, {0, 0}}; // turn of the record → ours
};

} // namespace kf
