// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_maker.h"

#include "core/measure/statistics.h"
#include "ui/models/texts.h"
#include "ui/models/words.h"

#include <algorithm>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

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

void add_step(TimelineData& data, const ChampionState& champion) {
    const double seconds = time_or_none(champion.seconds_per_call);
    int slot = data.slot_of({champion.turn, champion.evaluation});
    if (slot < 0)
        slot = data.slot_of({champion.turn, {}});
    if (slot >= 0 && seconds > 0)
        data.steps.push_back({slot, champion.turn, seconds});
}

TimelineReference reference(const std::string& name, double seconds) {
    if (name == "reachable" || name == "bound")
        return {name == "bound" ? ReferenceKind::bound : ReferenceKind::reachable, plain(name), seconds, false};
    return {ReferenceKind::baseline, baseline_word(name).left(24), seconds, name != "eager"};
}

// Of the champion, which was compared with the baselines in duels; else of the last turn that was. Time of the
// baseline as that speed-up has it, so that a point's distance from the line is its speed against it.
std::vector<TimelineReference> references_of(const RunState& state) {
    std::map<std::string, double> seconds;
    const auto take = [&](const EvaluationState& evaluation) {
        if (evaluation.done && !evaluation.failed && credible_seconds(evaluation.seconds_per_call))
            for (const auto& [name, speedup] : evaluation.vs_baselines)
                if (const double time = evaluation.seconds_per_call * speedup.estimate; credible_seconds(time))
                    seconds.try_emplace(name, time);
    };
    for (auto champion = state.champions.rbegin(); champion != state.champions.rend(); ++champion)
        if (const auto turn = state.turns.find(champion->turn); turn != state.turns.end())
            for (const EvaluationState& evaluation : turn->second.evaluations)
                if (evaluation.id == champion->evaluation)
                    take(evaluation);
    if (seconds.empty())
        for (auto turn = state.turns.rbegin(); turn != state.turns.rend() && seconds.empty(); ++turn)
            for (const EvaluationState& evaluation : turn->second.evaluations)
                take(evaluation);
    if (state.start.baselines.is_object()) // measured when the run began
        for (const auto& [name, told] : state.start.baselines.items())
            if (const double time = get_double(told, "seconds"); credible_seconds(time))
                seconds.try_emplace(name, time);
    std::vector<TimelineReference> references;
    for (const auto& [name, time] : seconds)
        references.push_back(reference(name, time));
    std::stable_sort(references.begin(), references.end(),
                     [](const TimelineReference& a, const TimelineReference& b) { return a.seconds > b.seconds; });
    return references;
}

QString conditions_of(const RunState& state) {
    QStringList conditions;
    const Json& labels = get_member(state.start.device, "labels");
    if (labels.is_array())
        for (const Json& label : labels)
            if (label.is_string())
                conditions << plain(label.get<std::string>());
    return conditions.join(u", "_s);
}

} // namespace

struct TimelineMaker::Context {
    const RunState& state;
    bool running;
};

std::vector<TimelinePoint> TimelineMaker::points_of(const Context& context, const TurnState& turn) const {
    const auto crowned = m_champions.find(turn.number);
    // Asking the champions only for turns that made one keeps the whole linear.
    const EvaluationState* speaker =
        crowned == m_champions.end() ? turn.decisive() : shown_evaluation(context.state, turn);
    std::vector<TimelinePoint> points;
    if (has_points(turn)) {
        for (const EvaluationState& evaluation : turn.evaluations) {
            TimelinePoint& point = points.emplace_back();
            point.chosen = {turn.number, evaluation.id};
            point.number = static_cast<int>(points.size());
            point.kind = evaluation.done ? verdict_kind(evaluation.verdict) : VerdictKind::none;
            point.state = state_of(evaluation.done, context.running && !evaluation.abandoned && !turn.finished);
            point.speaks = &evaluation == speaker;
            set_times(point, evaluation);
        }
    } else {
        TimelinePoint& point = points.emplace_back();
        point.chosen = {turn.number, {}};
        point.kind = verdict_kind(turn, speaker);
        point.state = state_of(turn.finished || speaker, context.running);
        if (speaker)
            set_times(point, *speaker);
    }
    for (TimelinePoint& point : points) {
        point.human = turn.author == "human";
        if (crowned == m_champions.end())
            continue;
        for (const std::size_t place : crowned->second) {
            const ChampionState& champion = context.state.champions[place];
            if (point.number == 0 || champion.evaluation == point.chosen.evaluation) {
                point.champion = true;
                point.promoted = point.promoted || champion.level == "promote";
            }
        }
    }
    return points;
}

void TimelineMaker::count(TimelineData& data, const TimelinePoint& point, int by) {
    data.timed += by * point.timed();
    data.running += by * (point.state == PointState::running);
    data.failed += by * point.failed();
    m_untimed += by * (!point.timed() && point.state == PointState::done && !point.failed());
}

void TimelineMaker::add_turn(TimelineData& data, const Context& context, const TurnState& turn) {
    const int first = static_cast<int>(data.points.size());
    for (TimelinePoint& point : points_of(context, turn)) {
        point.slot = static_cast<int>(data.points.size());
        count(data, point, 1);
        data.points.push_back(std::move(point));
    }
    const int last = static_cast<int>(data.points.size()) - 1;
    const TimelineTurn* before = data.turns.empty() ? nullptr : &data.turns.back();
    const bool sibling =
        last == first && before && before->first == before->last && turn.parent >= 0 && before->parent == turn.parent;
    if (last > first)
        data.bands.push_back({turn.number, first, last, false});
    else if (sibling && !data.bands.empty() && data.bands.back().last == before->last)
        data.bands.back().last = last;
    else if (sibling)
        data.bands.push_back({turn.parent, before->first, last, true});
    data.turns.push_back({turn.number, first, last, turn.parent});
}

// Forgets the turns from that place on.
void TimelineMaker::cut(TimelineData& data, std::size_t turn) {
    if (turn >= data.turns.size())
        return;
    const int slot = data.turns[turn].first;
    for (auto point = data.points.begin() + slot; point != data.points.end(); ++point)
        count(data, *point, -1);
    data.points.erase(data.points.begin() + slot, data.points.end());
    data.turns.erase(data.turns.begin() + static_cast<std::ptrdiff_t>(turn), data.turns.end());
    while (!data.bands.empty() && data.bands.back().first >= slot)
        data.bands.pop_back();
    if (!data.bands.empty() && data.bands.back().last >= slot) { // some of its siblings stay
        data.bands.back().last = slot - 1;
        if (data.bands.back().first == slot - 1)
            data.bands.pop_back();
    }
}

void TimelineMaker::take_champions(const RunState& state) {
    for (; m_champions_seen < state.champions.size(); ++m_champions_seen)
        m_champions[state.champions[m_champions_seen].turn].push_back(m_champions_seen);
}

void TimelineMaker::finish(TimelineData& data, const Context& context, bool steps) {
    if (steps) {
        data.steps.clear();
        for (const ChampionState& champion : context.state.champions)
            add_step(data, champion);
        std::stable_sort(data.steps.begin(), data.steps.end(),
                         [](const TimelineStep& a, const TimelineStep& b) { return a.slot < b.slot; });
    }
    data.references = references_of(context.state);
    data.conditions = conditions_of(context.state);
    data.only_failures_in_lane = m_untimed == 0;
}

void TimelineMaker::rebuild(TimelineData& data, const RunState& state, bool running) {
    data = {};
    m_made = true;
    m_running = running;
    m_resumed = state.resumed;
    m_champions_seen = 0;
    m_champions.clear();
    m_untimed = 0;
    take_champions(state);
    const Context context{state, running};
    for (const auto& [number, turn] : state.turns)
        add_turn(data, context, turn);
    finish(data, context, true);
}

void TimelineMaker::update(TimelineData& data, const RunState& state, bool running, const std::set<int>& changed) {
    // Who writes, and what a resumed run gave up, changes turns that no event names.
    if (!m_made || running != m_running || state.resumed != m_resumed)
        return rebuild(data, state, running);
    const bool crowned = m_champions_seen != state.champions.size();
    take_champions(state);
    const Context context{state, running};
    bool moved = false; // what the champions' line goes through
    for (const int number : changed) {
        const auto turn = state.turns.find(number);
        if (turn == state.turns.end())
            continue;
        moved = moved || m_champions.contains(number);
        const auto known = std::lower_bound(data.turns.begin(), data.turns.end(), number,
                                            [](const TimelineTurn& a, int b) { return a.turn < b; });
        if (known != data.turns.end() && known->turn == number) {
            std::vector<TimelinePoint> points = points_of(context, turn->second);
            const bool same_band = known->parent == turn->second.parent || points.size() > 1;
            if (same_band && static_cast<int>(points.size()) == known->last - known->first + 1) {
                known->parent = turn->second.parent;
                for (std::size_t i = 0; i < points.size(); ++i) {
                    TimelinePoint& place = data.points[static_cast<std::size_t>(known->first) + i];
                    count(data, place, -1);
                    points[i].slot = place.slot;
                    place = std::move(points[i]);
                    count(data, place, 1);
                }
                continue;
            }
        }
        // It takes more places than before, or it is new: those behind it move.
        moved = moved || known != data.turns.end();
        cut(data, static_cast<std::size_t>(known - data.turns.begin()));
        for (auto rest = turn; rest != state.turns.end(); ++rest)
            add_turn(data, context, rest->second);
        break; // which made all that come after it
    }
    finish(data, context, crowned || moved);
}

TimelineData make_timeline(const RunState& state, bool running) {
    TimelineData data;
    TimelineMaker().rebuild(data, state, running);
    return data;
}

} // namespace kf::ui
