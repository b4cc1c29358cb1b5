// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a run, folded from its events one after another. Live, replay, resume and attach share this fold; the
// window's models sit on it. Large fields stay in the file: an evaluation says where its event stands
// (JournalReader::event_at).
#pragma once

#include "core/journal/event_types.h"
#include "core/journal/lock.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kf {

// A speed-up with its interval; above 1 is faster.
struct Speedup {
    double estimate = 0, low = 0, high = 0; // 0: not compared
    bool known() const { return estimate > 0; }
    static Speedup from_json(const Json& json);
};

// The event that something was read from.
struct EventPlace {
    std::int64_t sequence = 0;
    double time = 0;
    std::uint64_t offset = 0, bytes = 0;
};

struct StageState {
    std::string stage, state, outcome;
    double seconds = 0;
    int rounds = 0; // "round" events seen
};

struct EvaluationState {
    std::string id, candidate, level, verdict, summary;
    bool done = false;      // false: only progress so far
    bool abandoned = false; // the writer was lost before it was done
    bool failed = false;
    double seconds_per_call = 0, low = 0, high = 0; // 0: not measured
    Speedup vs_champion;
    std::map<std::string, Speedup> vs_baselines;
    std::vector<StageState> stages;
    std::vector<std::string> flags;
    Json tunables;
    std::string samples; // blob
    double device_s = 0, queue_s = 0;
    // How many cases were judged of how many. A person's quick bench is done after the first ones; while the rest runs,
    // `cases` counts on and `completing` is set. The event of the same id that ends it says how it came out.
    int cases = 0, cases_judged = 0, cases_total = 0; // judged: as the last event of it says
    bool completing = false;
    bool complete() const { return cases >= cases_total; }
    EventPlace place;
};

// "faster · 1.42 ms · 1.065× [1.050, 1.081] · certify"; the evaluation's own summary where it has one.
std::string one_line(const EvaluationState& evaluation);
// Seconds in the unit that reads best: "1.42 ms".
std::string format_seconds(double seconds);

enum class TurnMark { none, champion, promoted };

struct TurnState {
    int number = 0;
    int parent = -1;
    std::string author, strategy, hint;
    bool started = false; // false: events name it, but its start is missing
    bool finished = false;
    std::string outcome, text; // of a finished turn
    double started_at = 0, finished_at = 0;
    Cost cost;                           // as told at its end, else what its exchanges and evaluations add up to
    std::string source, file_name, diff; // blobs; of its last candidate
    int candidates = 0;
    std::vector<EvaluationState> evaluations;
    std::vector<EventPlace> exchanges; // with the model
    std::vector<std::string> infrastructure;
    TurnMark mark = TurnMark::none;
    // The evaluation that speaks for the turn: the highest level that is done, the latest of those; null when none is.
    const EvaluationState* decisive() const;
};

struct ChampionState {
    int turn = -1;
    std::string evaluation, candidate, level, why;
    Json tunables;
    double seconds_per_call = 0;
    EventPlace place;
};

struct StopState {
    std::string reason, text;
    int turn = -1;
    double time = 0;
};

enum class RunStatus {
    empty,       // no run_started yet
    running,     //
    stopping,    // the reason for stopping is there, the end is not
    finished,    //
    interrupted, // no end, and no writer lives: it can be resumed
};
std::string_view to_string(RunStatus status);

class RunState {
public:
    void apply(const Event& event);
    void apply(const std::vector<Event>& events);

    // By the events alone (never `interrupted`), and with what the lock says.
    RunStatus status() const;
    RunStatus status(LockState lock) const;

    RunStarted start; // as given, empty before
    double started_at = 0, last_event_at = 0, finished_at = 0;
    std::int64_t last_sequence = 0, events = 0;
    std::map<int, TurnState> turns;       // in order of their numbers
    std::vector<ChampionState> champions; // in order; the last is the present one
    const ChampionState* champion() const { return champions.empty() ? nullptr : &champions.back(); }
    // Fastest champion's seconds a call; 0 while there is none.
    double best_so_far() const;
    // Turns that were begun and have no end, in order: resume goes on with them.
    std::vector<int> unfinished_turns() const;
    int next_turn() const;         // the next free number
    Cost spent() const;            // all turns
    Json told_budget;              // last `budget` event: {spent, exhausted}
    std::optional<StopState> stop; // of the present or last part of the run; a resumed run has none
    std::optional<RunFinished> end;
    bool paused = false; // last of steering "pause" and "continue"
    std::vector<Steering> steering;
    std::vector<Training> training;
    std::vector<Note> notes;
    int resumed = 0; // times
    // What a reader should know about the file: unreadable lines, gaps in the numbers, types of a newer program.
    std::int64_t unreadable_lines = 0, gaps = 0;
    std::map<std::string, std::int64_t> unknown_types;

private:
    TurnState& turn(int number);
    EvaluationState& evaluation(TurnState& turn, const std::string& id);
    void apply_evaluation(const Event& event);
    void apply_stage(const Event& event);
    void apply_resumed(const Event& event);

    std::map<std::pair<int, std::string>, std::size_t> m_evaluations; // (turn, id) → place in the turn's list
};

// A short form for `status` of the control socket and for scripts; documented in docs/journal.md.
Json to_json(const RunState& state, RunStatus status);

} // namespace kf
