// SPDX-License-Identifier: GPL-3.0-or-later
// What the distribution pane tells of a pinned A and a selected B: their samples, the decision of the duel in which
// they met, and what differs between the conditions. No verdict is ever computed here: samples of different duels are
// not comparable, and then there is none.
#pragma once

#include "core/autopsy/evaluation.h"
#include "core/measure/samples.h"
#include "core/render/marks.h"
#include "ui/models/run_store.h"
#include "ui/models/selection.h"

#include <QStringList>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kf::ui {

enum class Relation {
    alone,        // B only: nothing is pinned
    same,         // A and B are the same evaluation
    b_against_a,  // B's duel was against A
    a_against_b,  // the other way round
    not_compared, // they never met
};

// One evaluation as it is asked for; cheap, made where the run's state is.
struct SideOrder {
    Chosen chosen;
    QString name; // "turn 8", "turn 1, point 3", "start kernel"
    bool found = false;
    std::string evaluation, samples; // id; blob
    EventPlace place;
    std::string why_not; // when it has no samples: the verdict's word
    bool running = false;
    bool timed = false;   // whether its samples were kept or not
    bool waiting = false; // there is nothing to judge yet
};
struct DistributionOrder {
    std::optional<SideOrder> a, b;
    Relation relation = Relation::alone;
};
DistributionOrder order_distribution(const RunState& state, const Chosen& pinned, const Chosen& selected);

// Samples of one contest: a duel, or a comparison with a baseline.
struct Contest {
    std::string against; // "champion", "eager"
    EvaluationSamples samples;
    std::vector<Round> rounds; // conditions of each
};
// Errors: "samples-invalid".
Result<std::vector<Contest>> contests_from_json(const Json& samples);

// Everything that was read for one side.
struct SideSamples {
    std::shared_ptr<const Evaluation> evaluation;
    std::vector<Contest> contests;
};

// A row of the table beside the plot.
struct FigureRow {
    QString what, a, b;
};
enum class TextTone { plain, dim, caution };
struct TextLine {
    QString text;
    TextTone tone = TextTone::dim;
};

struct DistributionSide {
    QString name;                    // "turn 8"
    std::vector<double> series;      // credible times in the order in which they were taken
    std::vector<std::size_t> rounds; // where in the series each round begins
    std::vector<double> sorted;
    SampleSummary summary; // n = sorted.size()
    int dropped = 0;       // pairs left out blind
    bool empty() const { return sorted.empty(); }
};

struct DistributionData {
    Relation relation = Relation::alone;
    DistributionSide a, b; // a is empty when alone
    QStringList sizes;     // timed sizes to choose from
    QString size;          // shown
    std::optional<Decision> decision;
    VerdictKind verdict = VerdictKind::none;
    QString headline;            // "B is faster: −6.7 % ± 0.2"
    QString reason;              // one sentence
    std::vector<FigureRow> rows; // median, P90, P99, CV, samples
    std::vector<TextLine> lines; // timer, conditions, what differs
    QString unavailable;         // why there is nothing to draw; "" when there is
};

// Any thread. `a` and `b` as ordered; a side that is not there is default.
DistributionData make_distribution(const DistributionOrder& order, const SideSamples& a, const SideSamples& b,
                                   const QString& size = {});
// Reads evaluation and samples of one side; without contests where the samples are lost. Any thread. Errors: those of
// the journal, "samples-invalid".
Result<SideSamples> read_side(const RunBlobs& blobs, const SideOrder& order);

// "B is faster: −6.7 % ± 0.2". `subject`: who the decision's candidate is.
QString decision_headline(const Decision& decision, const QString& subject);
QString reason_sentence(const Decision& decision);

QString distribution_text(const DistributionData& data);
// side,round,sample,seconds in the order in which they were taken.
QByteArray distribution_csv(const DistributionData& data);

} // namespace kf::ui
