// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/distribution_data.h"

#include "core/journal/event_types.h"
#include "core/measure/statistics.h"
#include "core/render/figures.h"
#include "core/render/marks.h"
#include "ui/models/conditions_data.h"
#include "ui/models/plot_axis.h"
#include "ui/models/sample_shapes.h"
#include "ui/models/texts.h"

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr std::size_t most_blob_bytes = std::size_t{256} << 20;

const EvaluationState* find(const TurnState& turn, const std::string& id) {
    for (const EvaluationState& evaluation : turn.evaluations)
        if (evaluation.id == id)
            return &evaluation;
    return nullptr;
}

const EvaluationState* resolve(const RunState& state, const Chosen& chosen) {
    const auto turn = state.turns.find(chosen.turn);
    if (turn == state.turns.end())
        return nullptr;
    return chosen.evaluation.empty() ? shown_evaluation(state, turn->second) : find(turn->second, chosen.evaluation);
}

SideOrder order_side(const RunState& state, const Chosen& chosen) {
    SideOrder order;
    order.chosen = chosen;
    order.name = chosen.turn == 0 ? u"start kernel"_s : u"turn %1"_s.arg(chosen.turn);
    const auto turn = state.turns.find(chosen.turn);
    if (turn == state.turns.end())
        return order;
    order.running = !turn->second.finished;
    order.waiting = order.running && turn->second.evaluations.empty();
    const EvaluationState* evaluation = resolve(state, chosen);
    if (!evaluation)
        return order;
    if (!chosen.evaluation.empty() && turn->second.evaluations.size() > 1)
        order.name += u", point %1"_s.arg(evaluation - turn->second.evaluations.data() + 1);
    order.found = evaluation->done;
    order.running = !evaluation->done && !evaluation->abandoned && !turn->second.finished;
    order.evaluation = evaluation->id;
    order.samples = evaluation->samples;
    order.timed = evaluation->seconds_per_call > 0;
    order.place = evaluation->place;
    if (evaluation->failed)
        order.why_not = verdict_text(*evaluation, verdict_kind(evaluation->verdict), nullptr).toStdString();
    return order;
}

// Whether the evaluation's duel was against what `other` judged: the champion when it was measured is the same source
// with the same values.
bool met(const RunState& state, const EvaluationState& evaluation, const EvaluationState& other) {
    if (!evaluation.vs_champion.known())
        return false;
    const ChampionState* opponent = nullptr;
    for (const ChampionState& champion : state.champions)
        if (champion.place.sequence < evaluation.place.sequence &&
            !(champion.candidate == evaluation.candidate && champion.tunables == evaluation.tunables))
            opponent = &champion; // nobody is measured against itself: a promotion meets the one before
    if (!opponent)
        return false;
    return opponent->evaluation == other.id ||
           (opponent->candidate == other.candidate && opponent->tunables == other.tunables);
}

const Contest* contest_of(const SideSamples& side, const std::string& against) {
    for (const Contest& contest : side.contests)
        if (contest.against == against)
            return &contest;
    return nullptr;
}

// The contest that shows an evaluation's own times best: its duel, else the first baseline.
const Contest* own_contest(const SideSamples& side) {
    if (side.evaluation && side.evaluation->duel)
        if (const Contest* duel = contest_of(side, side.evaluation->duel->against))
            return duel;
    return side.contests.empty() ? nullptr : &side.contests.front();
}

const SizeSamples* size_of(const Contest* contest, const QString& size) {
    if (contest)
        for (const SizeSamples& one : contest->samples.sizes)
            if (plain(one.size) == size)
                return &one;
    return nullptr;
}

void fill(DistributionSide& side, const SizeSamples& samples, Arm arm) {
    int invalid = 0;
    for (const auto& round : samples.rounds) {
        side.rounds.push_back(side.series.size());
        for (const PairSample& pair : round) {
            const double seconds = arm == Arm::champion ? pair.champion_s : pair.candidate_s;
            if (pair.drop != Drop::none)
                ++side.dropped;
            else if (credible_seconds(seconds))
                side.series.push_back(seconds);
            else
                ++invalid;
        }
    }
    side.summary = summarise(side.series);
    side.summary.invalid = invalid;
    side.sorted = credible_sorted(side.series);
}

QStringList sizes_of(const Contest* contest) {
    QStringList sizes;
    if (contest)
        for (const SizeSamples& size : contest->samples.sizes)
            sizes << plain(size.size);
    return sizes;
}

void add_rows(DistributionData& data) {
    const auto add = [&](const QString& what, auto&& text) {
        data.rows.push_back(
            {what, data.a.empty() ? QString() : text(data.a), data.b.empty() ? QString() : text(data.b)});
    };
    // One unit for both columns, so that they can be compared at a glance.
    const AxisUnit unit = unit_for(std::max(data.a.summary.median_s, data.b.summary.median_s));
    const double least = std::min(data.a.empty() ? HUGE_VAL : data.a.summary.median_s,
                                  data.b.empty() ? HUGE_VAL : data.b.summary.median_s) /
                         seconds_of(unit);
    const int decimals =
        std::isfinite(least) && least > 0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(least))), 0, 6) : 3;
    const auto time = [=](double seconds) { return figure_text(seconds, unit, decimals) + u' ' + to_string(unit); };
    add(u"median"_s, [&](const DistributionSide& side) { return time(side.summary.median_s); });
    add(u"P90"_s, [&](const DistributionSide& side) { return time(side.summary.p90_s); });
    add(u"P99"_s, [&](const DistributionSide& side) { return time(side.summary.p99_s); });
    add(u"CV"_s, [](const DistributionSide& side) { return QString::number(100 * side.summary.cv, 'f', 1) + u" %"_s; });
    add(u"samples"_s, [](const DistributionSide& side) { return count_text(side.summary.n); });
    if (data.a.summary.invalid + data.b.summary.invalid + data.a.dropped + data.b.dropped > 0)
        add(u"left out"_s,
            [](const DistributionSide& side) { return count_text(side.summary.invalid + side.dropped); });
}

void add_decision_lines(DistributionData& data, const Decision& decision) {
    QString rounds = decision.rounds == 1 ? u"1 round"_s : u"%1 rounds"_s.arg(decision.rounds);
    if (decision.processes > 1)
        rounds += u" in %1 processes"_s.arg(decision.processes);
    data.lines.push_back({rounds + u" · "_s + evidence_word(to_string(decision.level)) + u" · order effect "_s +
                              signed_text(100 * decision.order_effect, 1) + u" %"_s,
                          TextTone::dim});
    if (decision.order_dependent)
        data.lines.push_back({u"The ratio depends on which of the two ran first."_s, TextTone::caution});
    if (decision.dropped > 0)
        data.lines.push_back({decision.dropped == 1
                                  ? u"1 round was dropped before its ratio was seen."_s
                                  : u"%1 rounds were dropped before their ratios were seen."_s.arg(decision.dropped),
                              TextTone::dim});
    if (decision.verdict == Ratio::inconclusive && decision.minimum_detectable_effect > 0)
        data.lines.push_back(
            {u"These rounds would have found %1 % or more."_s.arg(100 * decision.minimum_detectable_effect, 0, 'f', 1),
             TextTone::dim});
    if (!decision.delta.measured)
        data.lines.push_back({u"No A/A record of this device: %1 % is assumed as the least change that counts."_s.arg(
                                  100 * decision.delta.value, 0, 'f', 2),
                              TextTone::dim});
}

void add_timer_lines(DistributionData& data, const SizeSamples& samples, Arm arm) {
    QString line = u"timer: "_s + (samples.timer.empty() ? u"unknown"_s : plain(samples.timer));
    if (samples.floor_s > 0)
        line += u" · floor "_s + short_time(samples.floor_s, 3) + u", not subtracted"_s;
    if (samples.l2 == "cold" || samples.l2 == "hot")
        line += u" · L2 "_s + plain(samples.l2);
    data.lines.push_back({line, TextTone::dim});
    if (samples.at_floor(arm) ||
        (arm == Arm::candidate && data.relation != Relation::alone && samples.at_floor(Arm::champion)))
        data.lines.push_back(
            {u"A median is below three times the floor: the timer is measured as much as the kernel."_s,
             TextTone::caution});
}

void set_verdict(DistributionData& data, const Decision& decision, const QString& subject) {
    data.decision = decision;
    data.verdict = verdict_kind(to_string(decision.verdict));
    data.headline = decision_headline(decision, subject);
    data.reason = reason_sentence(decision);
    add_decision_lines(data, decision);
}

void compare_by_duel(DistributionData& data, const SideSamples& winner, const QString& size, const QString& subject) {
    const Duel& duel = *winner.evaluation->duel;
    const Contest* contest = contest_of(winner, duel.against);
    data.sizes = sizes_of(contest);
    data.size = data.sizes.contains(size) ? size : data.sizes.value(0);
    const bool b_is_candidate = data.relation == Relation::b_against_a;
    if (const SizeSamples* samples = size_of(contest, data.size)) {
        fill(b_is_candidate ? data.b : data.a, *samples, Arm::candidate);
        fill(b_is_candidate ? data.a : data.b, *samples, Arm::champion);
        const auto own = std::find_if(duel.sizes.begin(), duel.sizes.end(),
                                      [&](const auto& one) { return plain(one.first) == data.size; });
        set_verdict(data, own == duel.sizes.end() ? duel.decision : own->second, subject);
        if (data.sizes.size() > 1)
            data.lines.push_back({u"all sizes: "_s + decision_headline(duel.decision, subject), TextTone::plain});
        add_timer_lines(data, *samples, Arm::candidate);
    } else { // the decision is in the journal even where the samples are lost
        set_verdict(data, duel.decision, subject);
        data.unavailable = u"The samples of this duel are missing from the run's folder."_s;
    }
    data.lines.push_back({u"same conditions: both were timed in turn, in the same rounds"_s, TextTone::dim});
    if (const QString clocks = contest ? clocks_text(contest->rounds) : QString(); !clocks.isEmpty())
        data.lines.push_back({clocks, TextTone::dim});
}

void show_side(DistributionSide& side, DistributionData& data, const SideSamples& samples, bool lines) {
    if (const SizeSamples* own = size_of(own_contest(samples), data.size)) {
        fill(side, *own, Arm::candidate);
        if (lines)
            add_timer_lines(data, *own, Arm::candidate);
    }
}

QString unavailable(const SideOrder& order) {
    const QString name = order.chosen.turn == 0 ? u"the "_s + order.name : order.name;
    if (order.waiting)
        return u"%1 waits for its candidate."_s.arg(name);
    if (order.running)
        return u"%1 is being measured."_s.arg(name);
    if (!order.why_not.empty())
        return u"%1 was not timed: %2."_s.arg(name, QString::fromStdString(order.why_not));
    if (!order.found)
        return u"%1 has no evaluation that is done."_s.arg(name);
    if (order.samples.empty() && order.timed)
        return u"%1 was timed, but the journal names no samples of it."_s.arg(name);
    return order.samples.empty() ? u"%1 was judged without being timed."_s.arg(name)
                                 : u"the samples of %1 are missing from the run's folder."_s.arg(name);
}

QString capitalised(QString text) {
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

void show_apart(DistributionData& data, const DistributionOrder& order, const SideSamples& a, const SideSamples& b,
                const QString& size) {
    data.sizes = sizes_of(own_contest(b));
    for (const QString& one : sizes_of(own_contest(a)))
        if (!data.sizes.contains(one))
            data.sizes << one;
    data.size = data.sizes.contains(size) ? size : data.sizes.value(0);
    show_side(data.b, data, b, true);
    if (data.relation == Relation::not_compared)
        show_side(data.a, data, a, false);
    if (data.b.empty() && order.b)
        data.unavailable = capitalised(unavailable(*order.b));
    const QString median = data.b.empty() ? QString() : short_time(data.b.summary.median_s);
    if (data.relation == Relation::not_compared) {
        data.headline = u"Not compared with each other"_s;
        data.reason = data.a.empty() && order.a
                          ? capitalised(unavailable(*order.a))
                          : u"The medians are from different duels: their difference may be the machine's."_s;
        for (const QString& line : differing_conditions(a, b, data.size))
            data.lines.push_back({line, line.startsWith(u"input seeds"_s) ? TextTone::dim : TextTone::caution});
    } else if (data.relation == Relation::same) {
        data.headline = u"A and B are the same evaluation"_s;
        data.reason = u"Select another turn to compare it with the pinned one."_s;
    } else if (order.b) {
        data.headline = capitalised(order.b->name) + (median.isEmpty() ? QString() : u": "_s + median);
    }
    if (const Contest* contest = own_contest(b))
        if (const QString clocks = clocks_text(contest->rounds); !clocks.isEmpty())
            data.lines.push_back({clocks, TextTone::dim});
}

bool is_compared(Relation relation) {
    return relation == Relation::a_against_b || relation == Relation::b_against_a;
}

} // namespace

DistributionOrder order_distribution(const RunState& state, const Chosen& pinned, const Chosen& selected) {
    DistributionOrder order;
    if (selected.turn >= 0)
        order.b = order_side(state, selected);
    if (pinned.turn < 0)
        return order;
    order.a = order_side(state, pinned);
    const EvaluationState* a = resolve(state, pinned);
    const EvaluationState* b = resolve(state, selected);
    order.relation = Relation::not_compared;
    if (!a || !b)
        return order;
    if (a == b)
        order.relation = Relation::same;
    else if (met(state, *b, *a))
        order.relation = Relation::b_against_a;
    else if (met(state, *a, *b))
        order.relation = Relation::a_against_b;
    return order;
}

Result<std::vector<Contest>> contests_from_json(const Json& samples) {
    std::vector<Contest> contests;
    if (!samples.is_object())
        return contests;
    for (const auto& [name, json] : samples.items()) {
        auto parsed = samples_from_json(json);
        if (!parsed)
            return parsed.error();
        Contest contest{name, std::move(*parsed), {}};
        if (const Json& rounds = get_member(json, "rounds"); rounds.is_array())
            for (const Json& round : rounds)
                if (auto read = round_from_json(round))
                    contest.rounds.push_back(std::move(*read));
        contests.push_back(std::move(contest));
    }
    return contests;
}

Result<SideSamples> read_side(const RunBlobs& blobs, const SideOrder& order) {
    SideSamples side;
    if (!order.found)
        return side;
    auto event = blobs.event_at(order.place);
    if (!event)
        return event.error();
    const auto fields = from_fields<EvaluationEvent>(event->fields);
    Json json = fields.result;
    if (!fields.result_blob.empty()) {
        auto text = blobs.blob(fields.result_blob);
        if (!text)
            return text.error();
        auto parsed = parse_json(*text, "evaluation", most_blob_bytes);
        if (!parsed)
            return parsed.error();
        json = std::move(*parsed);
    }
    if (auto evaluation = evaluation_from_json(json))
        side.evaluation = std::make_shared<const Evaluation>(std::move(*evaluation));
    const std::string& hash = order.samples.empty() ? fields.samples : order.samples;
    if (hash.empty())
        return side;
    auto text = blobs.blob(hash);
    if (!text)
        return side; // what the journal itself says can still be shown
    auto parsed = parse_json(*text, "samples", most_blob_bytes);
    if (!parsed)
        return parsed.error();
    auto contests = contests_from_json(*parsed);
    if (!contests)
        return contests.error();
    side.contests = std::move(*contests);
    return side;
}

DistributionData make_distribution(const DistributionOrder& order, const SideSamples& a, const SideSamples& b,
                                   const QString& size) {
    DistributionData data;
    data.relation = order.relation;
    if (order.a)
        data.a.name = order.a->name;
    if (order.b)
        data.b.name = order.b->name;
    // The journal's order says that they met; the duel itself names the source it was against.
    const SideSamples& later = data.relation == Relation::a_against_b ? a : b;
    const SideSamples& earlier = data.relation == Relation::a_against_b ? b : a;
    if (is_compared(data.relation) && !(later.evaluation && later.evaluation->duel &&
                                        (!earlier.evaluation || later.evaluation->duel->against_hash.empty() ||
                                         later.evaluation->duel->against_hash == earlier.evaluation->candidate_hash)))
        data.relation = Relation::not_compared;
    if (is_compared(data.relation))
        compare_by_duel(data, later, size, data.relation == Relation::b_against_a ? u"B"_s : u"A"_s);
    else
        show_apart(data, order, a, b, size);
    if (!data.a.empty() || !data.b.empty())
        add_rows(data);
    if (b.evaluation)
        for (const std::string& flag : b.evaluation->flags)
            data.lines.push_back({plain(flag), TextTone::dim});
    return data;
}

QString decision_headline(const Decision& decision, const QString& subject) {
    QString change = change_text(speedup_of(decision));
    if (decision.rounds == 0 || change.isEmpty())
        change = u"nothing was measured"_s;
    switch (decision.verdict) {
    case Ratio::faster:
        return u"%1 is faster: %2"_s.arg(subject, change);
    case Ratio::slower:
        return u"%1 is slower: %2"_s.arg(subject, change);
    case Ratio::equivalent:
        return u"A and B are equivalent: %1"_s.arg(change);
    case Ratio::inconclusive:
        break;
    }
    return u"Inconclusive: %1"_s.arg(change);
}

QString reason_sentence(const Decision& decision) {
    switch (decision.reason) {
    case Reason::beyond_limit:
        return u"Beyond the limit of a planned look: t %1, limit %2."_s.arg(signed_text(decision.t, 1, false),
                                                                            signed_text(decision.limit, 2, false));
    case Reason::within_delta:
        return u"The 90 % interval lies inside ±%1 %."_s.arg(100 * decision.delta.value, 0, 'f', 2);
    case Reason::first_round_slower:
        return u"The first round was so much slower that the others were spared."_s;
    case Reason::not_significant:
        return u"No difference stood out at the last look."_s;
    case Reason::between_looks:
        return u"More rounds belong to the plan."_s;
    case Reason::no_rounds:
        return u"Nothing was measured."_s;
    case Reason::too_many_dropped:
        return u"More than a quarter of the rounds were dropped."_s;
    case Reason::zero_variance:
        return u"All rounds are equal: the timer's steps were measured, not the kernel."_s;
    case Reason::too_coarse:
        return u"The difference is not larger than the timer's resolution."_s;
    case Reason::budget:
        return u"The time was over before the plan was."_s;
    case Reason::process_dependent:
        return u"Rounds of one process resemble each other, and too few processes agree."_s;
    case Reason::size_regressed:
        return u"Faster together, but one size is slower by more than allowed."_s;
    }
    return {};
}

QString distribution_text(const DistributionData& data) {
    QStringList lines;
    if (!data.headline.isEmpty())
        lines << data.headline;
    if (!data.reason.isEmpty())
        lines << data.reason;
    if (!data.unavailable.isEmpty())
        lines << data.unavailable;
    if (!data.size.isEmpty() && data.sizes.size() > 1)
        lines << u"size: "_s + data.size;
    if (!data.a.name.isEmpty() && !data.b.name.isEmpty())
        lines << u"A is %1, B is %2"_s.arg(data.a.name, data.b.name);
    else if (const QString name = data.a.name + data.b.name; !name.isEmpty())
        lines << u"times of "_s + name;
    for (const FigureRow& row : data.rows) {
        QString line = row.what + u':';
        if (!row.a.isEmpty())
            line += u" A "_s + row.a;
        if (!row.b.isEmpty())
            line += (row.a.isEmpty() ? u" "_s : u", B "_s) + row.b;
        lines << line;
    }
    for (const TextLine& line : data.lines)
        lines << line.text;
    return lines.isEmpty() ? u"Distribution: nothing is selected."_s : lines.join(u'\n');
}

QByteArray distribution_csv(const DistributionData& data) {
    QByteArray csv = "side,round,sample,seconds\n";
    const auto add = [&](const char* name, const DistributionSide& side) {
        std::size_t round = 0;
        for (std::size_t i = 0; i < side.series.size(); ++i) {
            while (round + 1 < side.rounds.size() && side.rounds[round + 1] <= i)
                ++round;
            csv += name + QByteArray(",") + QByteArray::number(static_cast<qulonglong>(round + 1)) + ',' +
                   QByteArray::number(static_cast<qulonglong>(i + 1)) + ',' +
                   QByteArray::number(side.series[i], 'g', 9) + '\n';
        }
    };
    add("A", data.a);
    add("B", data.b);
    return csv;
}

} // namespace kf::ui
