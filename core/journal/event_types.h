// SPDX-License-Identifier: GPL-3.0-or-later
// Typed views of the events' fields (docs/journal.md has the table). Writing leaves out what is empty; reading is
// tolerant: a missing field, or one of another type, keeps its default. Times and durations in seconds, blobs by their
// SHA-256.
#pragma once

#include "core/journal/event.h"

#include <optional>
#include <string>
#include <vector>

namespace kf {

struct RunStarted {
    static constexpr EventType type = EventType::run_started;
    std::string run; // the folder's name
    std::string task, task_hash;
    std::string title; // for people; may be empty
    Json device;       // facts and measured ceilings
    Json versions;     // this program, compiler, driver, …
    Json settings;     // without secrets
    Json budgets;      // {turns, seconds, device_seconds, tokens, money, …}: what is missing is unlimited
    Json seed_policy;
    Json baselines;         // measured at start: name → {seconds, low, high}
    std::string parent_run; // of a fork
    int parent_turn = 0;
};

// What a turn has cost so far; only ever added up.
struct Cost {
    std::int64_t tokens_in = 0, tokens_out = 0;
    double money = 0; // in the currency of the settings
    double device_s = 0;
    double queue_s = 0; // waiting for the device: apart, because nobody used it
    double model_s = 0;
    Cost& operator+=(const Cost& other);
    bool operator==(const Cost&) const = default;
};
Json to_json(const Cost& cost);
Cost cost_from_json(const Json& json);

struct TurnStarted {
    static constexpr EventType type = EventType::turn_started;
    int turn = 0;       // the start kernel is turn 0
    int parent = -1;    // turn whose candidate this one grew from; -1: none
    std::string author; // model, human, tuner, file
    std::string strategy, hint;
};

struct TurnFinished {
    static constexpr EventType type = EventType::turn_finished;
    int turn = 0;
    std::string outcome; // verdict, failed, infrastructure, cancelled, no_candidate
    std::string text;    // why, when it is not a verdict
    Json cost;           // Cost
};

struct CandidateEvent {
    static constexpr EventType type = EventType::candidate;
    int turn = 0;
    std::string source; // blob
    std::string file_name;
    Json plan;
    Json tunables;
    std::string diff; // blob: unified, to the parent's source
    std::string note; // the author's own words on it
};

// Progress of an evaluation that is not done.
struct StageProgress {
    static constexpr EventType type = EventType::stage;
    int turn = 0;
    std::string evaluation;
    std::string stage;   // parse, compile, …
    std::string state;   // started, ended, case, round; dropped: the rest of a quick bench's cases is not run
    std::string outcome; // of an ended stage
    double seconds = 0;
    Json evidence;
};

// An evaluator's `progress` (docs/evaluator.md) as the journal keeps it; nothing for what the journal does not keep.
std::optional<StageProgress> stage_of_progress(const Json& progress);

struct EvaluationEvent {
    static constexpr EventType type = EventType::evaluation;
    int turn = 0;
    std::string evaluation; // its id
    std::string candidate;  // hash of the source
    Json tunables;
    std::string level;           // screen, duel, certify, promote
    std::string verdict;         // faster, slower, equivalent, inconclusive, verified, or the failure's class
    std::string summary;         // one line for people
    bool failed = false;         // the candidate's fault
    double seconds_per_call = 0; // median at the headline size; 0: not measured
    double low = 0, high = 0;    // its interval
    Json vs_champion;            // {estimate, low, high}: speed-up, above 1 is faster
    Json vs_baselines;           // name → {estimate, low, high}
    Json stages;                 // [{stage, outcome, seconds, note, evidence}]
    Json flags;                  // texts
    Json result;                 // the evaluation as the evaluator gave it; opaque here
    std::string result_blob;     // instead of `result` when that is too large for a line
    std::string samples;         // blob
    double device_s = 0, queue_s = 0;
    int cases = 0, cases_total = 0; // how many were judged, of how many; 0: not told
};

struct ModelExchange {
    static constexpr EventType type = EventType::model_exchange;
    int turn = 0;
    std::string model;
    std::string request; // blob
    std::string reply;   // blob: the text with the time of every streamed piece
    std::string error;   // when there is no usable reply
    std::int64_t tokens_in = 0, tokens_out = 0, tokens_reasoning = 0;
    double seconds = 0, first_token_s = 0, money = 0;
};

struct Steering {
    static constexpr EventType type = EventType::steering;
    std::string who;  // workbench, attach, terminal, …
    std::string what; // pause, continue, stop, hint, fork, pin, bench, model
    Json data;
    std::string effect; // what came of it, and when ("turn 11")
};

struct ChampionEvent {
    static constexpr EventType type = EventType::champion;
    int turn = 0;
    std::string evaluation;
    std::string candidate; // hash of the source
    Json tunables;
    std::string level; // certify, promote
    std::string why;
    double seconds_per_call = 0;
};

struct Training {
    static constexpr EventType type = EventType::training;
    std::int64_t step = 0;
    std::string group, episode;
    int turn = 0;
    std::optional<double> reward; // none: infrastructure failure, masked
    std::string reward_name, reward_version;
    Json inputs;      // of the reward
    Json evaluations; // hashes
    Json stage_move;  // {from, to, why}
    Json metrics;     // pass rate, win rate, loss, …
};

struct Budget {
    static constexpr EventType type = EventType::budget;
    Json spent;            // Cost, turns, seconds: totals so far
    std::string exhausted; // name of the budget that is used up; may be empty
};

struct Note {
    static constexpr EventType type = EventType::note;
    std::string level; // info, warning
    std::string text;
    int turn = -1;
};

struct Resumed {
    static constexpr EventType type = EventType::resumed;
    std::int64_t torn_bytes = 0;   // of an incomplete last line, dropped
    std::int64_t previous_pid = 0; // of the writer that was lost; 0: it ended in order
};

struct Stop {
    static constexpr EventType type = EventType::stop;
    std::string reason; // no_progress, failed_turns, reachable, budget, user, infrastructure, …
    std::string text;
    int turn = -1;
};

struct RunFinished {
    static constexpr EventType type = EventType::run_finished;
    std::string summary;
    int champion = -1; // turn
    int turns = 0;
    Json cost;
};

struct Infrastructure {
    static constexpr EventType type = EventType::infrastructure;
    int turn = -1;
    std::string evaluation;
    std::string where; // evaluator, kf-nvrtc, model, …
    std::string what;
    bool retry = false;
};

// Fields of the journal line; and back.
template<class T> Json to_fields(const T& value);
template<class T> T from_fields(const Json& fields);

} // namespace kf
