// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_data.h"

#include "core/measure/statistics.h"
#include "core/render/figures.h"
#include "ui/models/texts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

const EvaluationState* evaluation_of(const RunState& state, const TimelinePoint& point) {
    const auto turn = state.turns.find(point.chosen.turn);
    if (turn == state.turns.end())
        return nullptr;
    if (point.chosen.evaluation.empty())
        return shown_evaluation(state, turn->second);
    for (const EvaluationState& evaluation : turn->second.evaluations)
        if (evaluation.id == point.chosen.evaluation)
            return &evaluation;
    return nullptr;
}

QString word_of(const TimelinePoint& point) {
    if (point.state == PointState::running)
        return u"being measured"_s;
    if (point.state == PointState::interrupted)
        return u"interrupted"_s;
    return text_of(mark_of(point.kind).word);
}

// Ids come from the journal, which may come from a stranger.
QByteArray field(const QString& text) {
    QByteArray quoted = text.toUtf8();
    if (quoted.contains('"') || quoted.contains(',') || quoted.contains('\n'))
        quoted = '"' + quoted.replace('"', "\"\"") + '"';
    return quoted;
}

QByteArray number(double seconds) {
    return seconds > 0 ? QByteArray::number(seconds, 'g', 9) : QByteArray();
}

} // namespace

bool TimelinePoint::failed() const {
    return kind == VerdictKind::wrong || kind == VerdictKind::error || kind == VerdictKind::timeout ||
           kind == VerdictKind::suspect || kind == VerdictKind::infrastructure || kind == VerdictKind::duplicate;
}

int TimelineData::slot_of(const Chosen& chosen) const {
    const auto turn = std::lower_bound(turns.begin(), turns.end(), chosen.turn,
                                       [](const TimelineTurn& a, int b) { return a.turn < b; });
    if (turn == turns.end() || turn->turn != chosen.turn)
        return -1;
    int speaker = turn->first;
    for (int slot = turn->first; slot <= turn->last; ++slot) {
        const TimelinePoint& point = points[static_cast<std::size_t>(slot)];
        if (!chosen.evaluation.empty() && point.chosen.evaluation == chosen.evaluation)
            return slot;
        if (point.speaks)
            speaker = slot;
    }
    // A turn that is one point stands for all of its evaluations.
    return chosen.evaluation.empty() || turn->first == turn->last ? speaker : -1;
}

QString TimelineData::turn_text(int turn) {
    return turn == 0 ? u"start"_s : QString::number(turn);
}

QString TimelineData::point_text(const TimelinePoint& point) const {
    const QString turn = point.chosen.turn == 0 ? u"start kernel"_s : u"turn %1"_s.arg(point.chosen.turn);
    return point.number > 0 ? u"%1, point %2"_s.arg(turn).arg(point.number) : turn;
}

Axis timeline_axis(const TimelineData& data, int first, int last, int ticks) {
    double low = HUGE_VAL, high = -HUGE_VAL, whisker_low = HUGE_VAL, whisker_high = -HUGE_VAL;
    const auto size = static_cast<int>(data.points.size());
    for (int slot = std::max(0, first); slot <= std::min(last, size - 1); ++slot) {
        const TimelinePoint& point = data.points[static_cast<std::size_t>(slot)];
        if (!point.timed())
            continue;
        low = std::min(low, point.seconds);
        high = std::max(high, point.seconds);
        whisker_low = std::min(whisker_low, point.low);
        whisker_high = std::max(whisker_high, point.high);
    }
    for (const TimelineStep& step : data.steps) // the line that runs through the range
        if (step.slot <= last) {
            low = std::min(low, step.slot >= first || &step == &data.steps.back() ? step.seconds : low);
            high = std::max(high, step.slot >= first ? step.seconds : high);
        }
    if (high < low) { // nothing was timed: the references alone
        for (const TimelineReference& reference : data.references) {
            low = std::min(low, reference.seconds);
            high = std::max(high, reference.seconds);
        }
        return high < low ? make_axis(0, 1e-3, ticks, false, true) : make_axis(low, high * 1.1, ticks, false, true);
    }
    const double room = std::max(0.6 * (high - low), 0.5 * high);
    low = std::min(low, std::max(whisker_low, low - room));
    high = std::max(high, std::min(whisker_high, high + room));
    const double most = std::max(3 * (high - low), 0.75 * high);
    for (bool grown = true; grown;) { // the nearest first
        grown = false;
        for (const TimelineReference& reference : data.references) {
            const double new_low = std::min(low, reference.seconds), new_high = std::max(high, reference.seconds);
            if (new_high - new_low <= most && (new_low < low || new_high > high)) {
                low = new_low;
                high = new_high;
                grown = true;
            }
        }
    }
    const double margin = 0.04 * (high - low);
    return make_axis(low - margin, high + margin, ticks, false, true);
}

std::vector<TimelineBin> bin_points(const TimelineData& data, int first, int last, int most) {
    first = std::max(0, first);
    last = std::min(last, static_cast<int>(data.points.size()) - 1);
    std::vector<TimelineBin> bins;
    if (last < first || most < 1)
        return bins;
    const std::int64_t slots = last - first + 1;
    const std::int64_t count = std::min<std::int64_t>(most, slots);
    std::vector<double> times;
    for (std::int64_t i = 0; i < count; ++i) {
        TimelineBin bin;
        bin.first = first + static_cast<int>(slots * i / count);
        bin.last = first + static_cast<int>(slots * (i + 1) / count) - 1;
        times.clear();
        for (int slot = bin.first; slot <= bin.last; ++slot) {
            const TimelinePoint& point = data.points[static_cast<std::size_t>(slot)];
            bin.champion = bin.champion || point.champion;
            if (point.timed())
                times.push_back(point.seconds);
            else
                bin.failed += point.failed();
        }
        bin.timed = static_cast<int>(times.size());
        if (!times.empty()) {
            bin.median = median(times);
            const auto [least, greatest] = std::minmax_element(times.begin(), times.end());
            bin.best = *least;
            bin.worst = *greatest;
        }
        bins.push_back(bin);
    }
    return bins;
}

QStringList key_facts(const RunState& state, const TimelinePoint& point) {
    QStringList facts;
    const EvaluationState* evaluation = evaluation_of(state, point);
    QString verdict = word_of(point);
    if (evaluation && !evaluation->level.empty())
        verdict += u" · "_s + (point.promoted ? u"promoted"_s : evidence_word(evaluation->level));
    if (point.champion)
        verdict += u" · champion"_s;
    facts << verdict;
    if (point.timed())
        facts << (point.high > point.low ? u"%1, half of the samples in %2 … %3"_s.arg(
                                               short_time(point.seconds), short_time(point.low), short_time(point.high))
                                         : short_time(point.seconds));
    if (evaluation && !evaluation->failed) {
        if (evaluation->vs_champion.known())
            facts << u"%1 against the champion of then"_s.arg(change_text(evaluation->vs_champion));
        if (const auto eager = evaluation->vs_baselines.find("eager");
            eager != evaluation->vs_baselines.end() && eager->second.known())
            facts << u"%1 eager's speed"_s.arg(speed_text(eager->second.estimate));
    }
    QString what;
    if (evaluation && evaluation->failed && !evaluation->summary.empty())
        what = plain(evaluation->summary);
    else if (evaluation && !format_tunables(evaluation->tunables).empty())
        what = text_of(format_tunables(evaluation->tunables));
    else if (const auto turn = state.turns.find(point.chosen.turn); turn != state.turns.end())
        what = plain(turn->second.text.empty() ? turn->second.strategy : turn->second.text);
    if (!what.isEmpty())
        facts << (what.size() > 96 ? what.left(95) + QChar(0x2026) : what);
    return facts;
}

QString fold_summary(const std::vector<VerdictKind>& folded) {
    std::vector<std::pair<VerdictKind, int>> counts;
    for (const VerdictKind kind : folded) {
        const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == kind; });
        if (known == counts.end())
            counts.emplace_back(kind, 1);
        else
            ++known->second;
    }
    std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    QStringList parts;
    for (const auto& [kind, count] : counts)
        parts << u"%1 %2"_s.arg(count).arg(text_of(mark_of(kind).word));
    return folded.empty() ? QString() : u"+%1: %2"_s.arg(folded.size()).arg(parts.join(u", "_s));
}

std::set<int> champion_ancestry(const RunState& state) {
    std::set<int> turns;
    if (!state.champion())
        return turns;
    for (int turn = state.champion()->turn; turn >= 0 && turns.insert(turn).second;) {
        const auto found = state.turns.find(turn);
        turn = found == state.turns.end() ? -1 : found->second.parent;
    }
    return turns;
}

QString timeline_text(const TimelineData& data, int most) {
    QStringList lines;
    lines << u"Timeline: %1 points, %2 timed, %3 failed%4; lower is better."_s.arg(data.points.size())
                 .arg(data.timed)
                 .arg(data.failed)
                 .arg(data.conditions.isEmpty() ? QString() : u"; "_s + data.conditions);
    for (const TimelineReference& reference : data.references)
        lines << u"line %1: %2"_s.arg(reference.name, short_time(reference.seconds));
    for (const TimelineStep& step : data.steps)
        lines << u"champion from %1: %2"_s.arg(step.turn == 0 ? u"the start kernel"_s : u"turn %1"_s.arg(step.turn),
                                               short_time(step.seconds));
    const auto total = static_cast<int>(data.points.size());
    for (const TimelineBand& band : data.bands)
        if (band.siblings && band.last >= total - most)
            lines << u"%1 to %2 grew from %3"_s.arg(data.point_text(data.points[static_cast<std::size_t>(band.first)]),
                                                    data.point_text(data.points[static_cast<std::size_t>(band.last)]),
                                                    band.turn == 0 ? u"the start kernel"_s
                                                                   : u"turn %1"_s.arg(band.turn));
    if (total > most) // the newest are what one looks for
        lines << u"%1 earlier points are left out here."_s.arg(total - most);
    for (int slot = std::max(0, total - most); slot < total; ++slot) {
        const TimelinePoint& point = data.points[static_cast<std::size_t>(slot)];
        QString line = data.point_text(point) + u": "_s + word_of(point);
        if (point.timed())
            line += u", %1 (%2 … %3)"_s.arg(short_time(point.seconds), short_time(point.low), short_time(point.high));
        if (point.human)
            line += u", by hand"_s;
        if (point.champion)
            line += u", champion"_s;
        lines << line;
    }
    return lines.join(u'\n');
}

QByteArray timeline_csv(const TimelineData& data) {
    QByteArray csv = "turn,point,evaluation,verdict,seconds,low,high,champion,human\n";
    for (const TimelinePoint& point : data.points) {
        csv += QByteArray::number(point.chosen.turn) + ',' + (point.number ? QByteArray::number(point.number) : "") +
               ',' + field(plain(point.chosen.evaluation)) + ',' + field(word_of(point)) + ',' + number(point.seconds) +
               ',' + number(point.low) + ',' + number(point.high) + ',' + (point.champion ? "1" : "0") + ',' +
               (point.human ? "1" : "0") + '\n';
    }
    return csv;
}

} // namespace kf::ui
