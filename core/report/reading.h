// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of read_report(), one file each. Private to core/report.
#pragma once

#include "core/report/facts.h"

namespace kf {

// The evaluation as it was judged: from its event, or from the blob that the event names. Errors: those of the reader,
// "json-…", those of evaluation_from_json().
Result<Json> read_evaluation(const JournalReader& reader, const EvaluationState& evaluation);

// Sources, diffs and exchanges of the detailed turns, the champion's first, as long as there is room.
void read_texts(const JournalReader& reader, const ReportLimits& limits, RunReport& report);
// Figures and autopsy of one turn. `source`: of the candidate, empty when it is not known.
void read_judgement(const JournalReader& reader, ReportTurn& turn);
void read_duel(const JournalReader& reader, const ReportLimits& limits, RunReport& report);
// Device, versions, settings, budget, commands, conditions, shapes, end, warnings.
void read_surroundings(const JournalReader& reader, LockState lock, RunReport& report);
void read_speedups(RunReport& report);

// "turn 7", "the start kernel".
std::string turn_name(int turn);

} // namespace kf
