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

double time_or_none(double seconds) {
    return credible_seconds(seconds) ? seconds : 0;
}

void set_times(TimelinePoint& point, const EvaluationState& evaluation) {
    if (!evaluation.done || evaluation.failed)
        return;
    point.seconds = time_or_none(evaluation.seconds_per_call);
    if (!point.timed())
        return;
    point.low = credible_seconds(evaluation.low) ? std::min(evaluation.low, point.seconds) : point.seconds;
    point.high = credible_seconds(evaluation.high) ? std::max(evaluation.high, point.seconds) : point.seconds;
}

PointState state_of(bool done, bool running) {
    return done ? PointState::done : running ? PointState::running : PointState::interrupted;
}

bool has_points(const TurnState& turn) {
    if (turn.author == "tuner")
        return !turn.evaluations.empty();
    for (const EvaluationState& evaluation : turn.evaluations)
        if (evaluation.done && evaluation.tunables != turn.evaluations.front().tunables)
            return true;
    return false;
}

bool is_failure(const TimelinePoint& point) {
    return point.kind == VerdictKind::wrong || point.kind == VerdictKind::error || point.kind == VerdictKind::timeout ||
           point.kind == VerdictKind::suspect || point.kind == VerdictKind::infrastructure;
}

class Builder {
public:
    Builder(const RunState& state, bool running) : m_state(state), m_running(running) {
        for (const ChampionState& champion : state.champions)
            m_champions[champion.turn].push_back(&champion);
    }

    TimelineData build() {
        for (const auto& [number, turn] : m_state.turns)
            add(turn);
        for (const ChampionState& champion : m_state.champions)
            add_step(champion);
        std::stable_sort(m_data.steps.begin(), m_data.steps.end(),
                         [](const TimelineStep& a, const TimelineStep& b) { return a.slot < b.slot; });
        add_references();
        const Json& labels = get_member(m_state.start.device, "labels");
        if (labels.is_array())
            for (const Json& label : labels)
                if (label.is_string())
                    m_data.conditions +=
                        (m_data.conditions.isEmpty() ? ""_L1 : ", "_L1) + plain(label.get<std::string>());
        for (const TimelinePoint& point : m_data.points) {
            m_data.timed += point.timed();
            m_data.running += point.state == PointState::running;
            m_data.failed += is_failure(point);
            if (!point.timed() && point.state == PointState::done && !is_failure(point))
                m_data.only_failures_in_lane = false;
        }
        return std::move(m_data);
    }

private:
    const EvaluationState* shown(const TurnState& turn) const {
        // Asking the champions only for turns that made one keeps this linear.
        return m_champions.contains(turn.number) ? shown_evaluation(m_state, turn) : turn.decisive();
    }

    void add(const TurnState& turn) {
        const int first = static_cast<int>(m_data.points.size());
        const EvaluationState* speaker = shown(turn);
        if (has_points(turn)) {
            int number = 0;
            for (const EvaluationState& evaluation : turn.evaluations)
                add_point(turn, evaluation, ++number, speaker);
        } else {
            TimelinePoint point;
            point.chosen = {turn.number, {}};
            point.kind = verdict_kind(turn, speaker);
            point.state = state_of(turn.finished || speaker, m_running);
            if (speaker)
                set_times(point, *speaker);
            finish(turn, std::move(point));
        }
        const int last = static_cast<int>(m_data.points.size()) - 1;
        m_data.turns.push_back({turn.number, first, last});
        if (last > first)
            m_data.bands.push_back({turn.number, first, last});
    }

    void add_point(const TurnState& turn, const EvaluationState& evaluation, int number,
                   const EvaluationState* speaker) {
        TimelinePoint point;
        point.chosen = {turn.number, evaluation.id};
        point.number = number;
        point.kind = evaluation.done ? verdict_kind(evaluation.verdict) : VerdictKind::none;
        point.state = state_of(evaluation.done, m_running && !evaluation.abandoned && !turn.finished);
        point.speaks = &evaluation == speaker;
        set_times(point, evaluation);
        finish(turn, std::move(point));
    }

    void finish(const TurnState& turn, TimelinePoint point) {
        point.slot = static_cast<int>(m_data.points.size());
        point.human = turn.author == "human";
        if (const auto found = m_champions.find(turn.number); found != m_champions.end())
            for (const ChampionState* champion : found->second)
                if (point.number == 0 || champion->evaluation == point.chosen.evaluation) {
                    point.champion = true;
                    point.promoted = point.promoted || champion->level == "promote";
                }
        m_data.points.push_back(std::move(point));
    }

    void add_step(const ChampionState& champion) {
        const double seconds = time_or_none(champion.seconds_per_call);
        int slot = m_data.slot_of({champion.turn, champion.evaluation});
        if (slot < 0)
            slot = m_data.slot_of({champion.turn, {}});
        if (slot >= 0 && seconds > 0)
            m_data.steps.push_back({slot, champion.turn, seconds});
    }

    // Of the champion, which was compared with the baselines in duels; else of the last turn that was. Time of the
    // baseline as that speed-up has it, so that a point's distance from the line is its speed against it.
    void add_references() {
        std::map<std::string, double> seconds;
        const auto take = [&](const EvaluationState& evaluation) {
            if (evaluation.done && !evaluation.failed && credible_seconds(evaluation.seconds_per_call))
                for (const auto& [name, speedup] : evaluation.vs_baselines)
                    if (const double time = evaluation.seconds_per_call * speedup.estimate; credible_seconds(time))
                        seconds.try_emplace(name, time);
        };
        for (auto champion = m_state.champions.rbegin(); champion != m_state.champions.rend(); ++champion)
            if (const auto turn = m_state.turns.find(champion->turn); turn != m_state.turns.end())
                for (const EvaluationState& evaluation : turn->second.evaluations)
                    if (evaluation.id == champion->evaluation)
                        take(evaluation);
        if (seconds.empty())
            for (auto turn = m_state.turns.rbegin(); turn != m_state.turns.rend() && seconds.empty(); ++turn)
                for (const EvaluationState& evaluation : turn->second.evaluations)
                    take(evaluation);
        if (m_state.start.baselines.is_object()) // measured when the run began
            for (const auto& [name, told] : m_state.start.baselines.items())
                if (const double time = get_double(told, "seconds"); credible_seconds(time))
                    seconds.try_emplace(name, time);
        for (const auto& [name, time] : seconds)
            m_data.references.push_back(reference(name, time));
        std::stable_sort(m_data.references.begin(), m_data.references.end(),
                         [](const TimelineReference& a, const TimelineReference& b) { return a.seconds > b.seconds; });
    }

    static TimelineReference reference(const std::string& name, double seconds) {
        if (name == "reachable" || name == "bound")
            return {name == "bound" ? ReferenceKind::bound : ReferenceKind::reachable, text_of(name), seconds, false};
        const bool inductor = name.find("inductor") != std::string::npos || name == "compile";
        return {ReferenceKind::baseline, inductor ? u"TorchInductor"_s : plain(name).left(24), seconds,
                name != "eager"};
    }

    const RunState& m_state;
    bool m_running;
    std::map<int, std::vector<const ChampionState*>> m_champions;
    TimelineData m_data;
};

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

TimelineData make_timeline(const RunState& state, bool running) {
    return Builder(state, running).build();
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
                bin.failed += is_failure(point);
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
