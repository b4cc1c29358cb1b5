// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a report tells, read once from a run's journal and blobs: the four forms (html.h, markdown.h,
// table.h) only lay it out. Nothing is measured or judged here; what is not in the journal is said to be missing.
#pragma once

#include "core/autopsy/autopsy.h"
#include "core/journal/projection.h"
#include "core/journal/reader.h"
#include "core/measure/samples.h"
#include "core/render/marks.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kf {

struct ReportLimits {
    std::size_t detailed_turns = 60;        // with sources, diffs and transcript; the others are summarised
    std::size_t all_detailed_up_to = 120;   // so many turns are told in full all the same
    std::size_t text_bytes = 96u << 10;     // of one source, diff or message
    std::size_t all_text_bytes = 3u << 20;  // of all of them
    std::size_t samples_bytes = 256u << 20; // of the blob with the samples
};

// A text from a blob, or why it is not there. Never both empty.
struct ReportText {
    std::string text;
    std::string missing;     // a sentence
    std::uint64_t whole = 0; // bytes of the whole text; more than text.size() when it was cut
    bool cut() const { return whole > text.size(); }
};

struct ReportMessage {
    std::string role; // system, user
    ReportText text;
    int same_as_turn = -1; // it was shown there already
};

// One question to a model and what came back.
struct ReportExchange {
    ModelExchange told;
    std::string provider, url, purpose, failure, finish_reason; // url without user, password and query
    bool recorded = false, estimated = false;
    std::vector<ReportMessage> request;
    ReportText content, reasoning;
};

// What an evaluation says beside its times; -1 or empty: not told.
struct ReportFigures {
    int registers = -1, spill_bytes = -1;
    std::string error;  // "✓", the largest error, "not finite", ""
    std::string reason; // why a comparison is inconclusive
};

struct ReportTurn {
    const TurnState* turn = nullptr;
    const EvaluationState* shown = nullptr; // speaks for the turn; null: nothing was judged
    VerdictKind kind = VerdictKind::none;
    bool champion = false; // it made one
    bool present = false;  // it is the champion at the end
    bool detailed = false; // texts below were read
    ReportFigures figures;
    std::optional<Autopsy> autopsy; // of a shown evaluation that could be read
    ReportText source, diff;
    std::vector<ReportExchange> exchanges;
};

// A speed-up and what it rests on.
struct ReportSpeedup {
    std::string against; // "the start kernel", "PyTorch eager", …
    std::string name;    // start, eager, …: for programs
    Speedup speedup;     // unknown: `missing` says why
    std::string level;   // evidence of the weakest link
    std::string how;     // "product of 3 certified duels", "a certified duel"
    std::string missing;
};

// Samples of one contender.
struct ReportSide {
    std::string name;
    int turn = -1;
    std::vector<double> sorted; // seconds, ascending, credible
    SampleSummary summary;
    int dropped = 0;
};

// The last champion (B) against the one before it (A), as they met in their duel.
struct ReportDuel {
    std::string missing; // why there is none; then the rest may be empty
    ReportSide a, b;
    std::string size, timer, l2;
    double floor_s = 0;
    std::optional<Decision> decision;
    std::vector<std::pair<std::string, Decision>> sizes;
};

struct ReportPair {
    std::string name, value;
};

struct RunReport {
    std::string name, program; // the run's; "kernelforge 0.1.0" that made this report
    RunState state;
    RunStatus status = RunStatus::empty;
    std::vector<ReportTurn> turns; // by number
    std::vector<ReportSpeedup> speedups;
    ReportDuel duel;
    std::vector<ReportPair> shapes;                                 // of the timed size: M 4096 …
    std::vector<ReportPair> device, versions, settings, conditions; // flat, without secrets
    std::vector<ReportPair> commands;                               // what it does, the command
    std::string budget;                                             // "20 turns"; empty: none
    std::string end;                                                // why it stopped, one sentence
    std::vector<std::string> warnings;                              // about journal and files
    std::size_t detailed = 0;
    const ReportTurn* champion() const;
};

// `program`: name and version of the program that makes the report. Error: "journal-unreadable" when there is no event
// in it that can be read; "journal-newer" when nothing before the newer part can be told.
Result<RunReport> read_report(JournalReader& reader, LockState lock, const std::string& program,
                              const ReportLimits& limits = {});

} // namespace kf
