// SPDX-License-Identifier: GPL-3.0-or-later
// What the autopsy of a turn shows: cards of lines with typed links, the points of a sweep, the error maps. Pure:
// values of the journal in, values out; made on a worker thread. What nobody looked at is said, never left out.
#pragma once

#include "core/autopsy/autopsy.h"
#include "core/journal/projection.h"
#include "core/render/marks.h"
#include "ui/models/line_diff.h"
#include "ui/models/selection.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace kf::ui {

struct AutopsyLine {
    enum class Role {
        strong, // the sentence that matters
        body,
        dim,         // said for completeness
        code,        // figures and names that align
        cause,       // with `confidence`
        item,        // of a list
        passed,      // of checks, with a mark
        failed,      //
        skipped,     //
        not_checked, //
    };
    Role role = Role::body;
    QString text;
    // Where a click leads: "line:12:5", "element:out[3, 300]", "pane:timeline", "turn:3", "diff", "map"; "": nowhere.
    QString target;
    QString link;           // the words that are clicked, behind `text`; "" with a target: the text itself
    double confidence = -1; // 0 … 1, of a cause's rule
};

struct AutopsyCard {
    enum class Kind { note, changed, happened, why, next, sweep, map, checked, labels };
    Kind kind = Kind::happened;
    QString title;
    std::vector<AutopsyLine> lines; // none of sweep and map: those have data of their own
};

// A point of a tuner's sweep.
struct SweepPoint {
    std::string evaluation;
    QString tunables;                                // "BLOCK=256 VEC=4"
    std::vector<std::pair<QString, QString>> values; // the same by name
    double seconds = 0;                              // 0: not measured
    VerdictKind verdict = VerdictKind::none;
    QString word; // "faster", "mismatch"
    std::optional<Level> level;
    bool best = false;
};

// The bad elements of one output over at most 64 × 64 cells.
struct ErrorMapData {
    QString output;
    int rows = 0, columns = 0;                        // of cells
    std::int64_t output_rows = 0, output_columns = 0; // 0: not known
    std::vector<std::int64_t> shape;                  // of the output, where the task is at hand
    std::vector<std::uint32_t> bad;                   // row-major; exactly rows × columns
    std::uint32_t most = 0;                           // of a cell
    std::int64_t bad_elements = 0, elements = 0;
    QString pattern;   // in words
    QString test_case; // "R=3 C=2 · cancel"
    bool held_out = false;
    std::vector<BadElement> worst, first;

    bool empty() const { return rows <= 0 || columns <= 0; }
    // First and last row (column) of the output in a row (column) of cells; nothing when the size is not known.
    std::optional<std::pair<std::int64_t, std::int64_t>> rows_of(int cell_row) const;
    std::optional<std::pair<std::int64_t, std::int64_t>> columns_of(int cell_column) const;
    // The cell (row, column) of an element by its index in the output; nothing when it is outside or not known.
    std::optional<std::pair<int, int>> cell_of(const std::vector<std::int64_t>& index) const;
};

struct AutopsyData {
    int turn = -1;
    QString title; // "Autopsy · turn 8"
    VerdictKind verdict = VerdictKind::none;
    bool held_out = false; // for people only: not for a prompt
    std::vector<AutopsyCard> cards;
    std::vector<SweepPoint> sweep; // fastest first, what was not measured last
    std::vector<ErrorMapData> maps;
    LineDiff diff;
    int diff_parent = -1; // turn that `diff` is against; -1: there is none
    QString text() const; // all cards, for screen readers and copying
};

// Everything that an autopsy is made from, by value or shared, so that a worker can hold it.
struct AutopsySources {
    TurnState turn;
    std::string evaluation;                  // id of the one that is shown; "" none
    std::string best;                        // id of the one that speaks for the turn
    std::string device;                      // "cpu", of the run
    bool is_champion = false;                // the present one
    bool run_is_over = false;                // finished or interrupted: what is not there will not come
    bool explicit_point = false;             // a point of the sweep that is not `best`
    std::shared_ptr<const Evaluation> whole; // null: not there or not readable
    std::string unreadable;                  // why
    std::optional<std::string> source, parent_source, diff;
    QString note;          // what a person wrote about the turn
    std::string task_wire; // JSON text; "" when it is not kept
};

AutopsyData make_autopsy_data(const AutopsySources& sources);

// The error maps of an evaluation's failing case; the shape from the task where it is given.
std::vector<ErrorMapData> error_maps(const Evaluation& evaluation, const Task* task);
std::vector<SweepPoint> sweep_points(const TurnState& turn, const std::string& best);
QString index_text(const std::vector<std::int64_t>& index); // "[3, 300]"
QString value_text(double value);                           // "NaN", "Inf", six digits

} // namespace kf::ui
