// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/headline_data.h"

#include "core/render/figures.h"
#include "ui/models/texts.h"
#include "ui/models/words.h"

#include <QStringList>

#include <cmath>

namespace kf::ui {
namespace {

QString shown(std::string_view text) {
    return plain(text);
}

bool is_positive(double value) {
    return std::isfinite(value) && value > 0;
}

// "eager's", "TorchInductor's".
QString possessive(const std::string& name) {
    return baseline_word(name) + QStringLiteral("'s");
}

QString turn_words(const RunState& state, const TurnState& turn) {
    QString text = turn.number == 0 ? QStringLiteral("start kernel") : QStringLiteral("turn %1").arg(turn.number);
    const ChampionState* champion = state.champion();
    if (champion && champion->turn == turn.number)
        text += QStringLiteral(" · champion");
    else if (turn.mark != TurnMark::none && turn.number != 0)
        text += QStringLiteral(" · was champion");
    return text;
}

// What is told of a stage that has not ended.
QString stage_words(const EvaluationState& evaluation) {
    for (auto stage = evaluation.stages.rbegin(); stage != evaluation.stages.rend(); ++stage)
        if (stage->state != "ended")
            return shown(stage->stage) +
                   (stage->rounds > 0 ? QStringLiteral(", round %1").arg(stage->rounds) : QString());
    return evaluation.stages.empty() ? QStringLiteral("waiting")
                                     : shown(evaluation.stages.back().stage) + QStringLiteral(" is done");
}

// Whom the evaluation was compared with: the champion at its time.
QString met_words(const RunState& state, const EvaluationState& evaluation, int turn) {
    const ChampionState* met = nullptr;
    for (const ChampionState& champion : state.champions)
        // A champion that was judged again met the one before it, not itself.
        if (champion.place.sequence < evaluation.place.sequence &&
            !(champion.turn == turn && champion.candidate == evaluation.candidate &&
              champion.tunables == evaluation.tunables))
            met = &champion;
    return !met                ? QStringLiteral("against the champion")
           : met->turn == turn ? QStringLiteral("against the champion before, of the same turn")
           : met->turn == 0    ? QStringLiteral("against the start kernel")
                               : QStringLiteral("against turn %1").arg(met->turn);
}

bool is_present_champion(const RunState& state, const EvaluationState& evaluation, int turn) {
    const ChampionState* champion = state.champion();
    return champion && champion->turn == turn && champion->evaluation == evaluation.id;
}

QString interval_words(const Speedup& speedup) {
    return is_positive(speedup.low) && is_positive(speedup.high)
               ? QString::fromStdString(format_speedup(speedup)).section(QLatin1Char(' '), 1)
               : QString();
}

void add_ratio(HeadlineData& data, const QString& figure, const QString& words) {
    if (data.figure.isEmpty()) {
        data.figure = figure;
        data.words = words;
    } else if (data.second.isEmpty()) {
        data.second = figure + QLatin1Char(' ') + words;
    }
}

// The figures of a correct evaluation, the best words first.
void add_figures(HeadlineData& data, const RunState& state, const EvaluationState& evaluation, int turn) {
    if (!is_time(evaluation.seconds_per_call))
        return; // a ratio of a time that is none says nothing
    const auto eager = evaluation.vs_baselines.find("eager");
    if (eager != evaluation.vs_baselines.end() && is_positive(eager->second.estimate)) {
        add_ratio(data, big_ratio(eager->second.estimate), QStringLiteral("eager's speed"));
        if (const QString interval = interval_words(eager->second); !interval.isEmpty())
            data.details.push_back(QStringLiteral("against eager %1").arg(interval));
    }
    for (const auto& [name, speedup] : evaluation.vs_baselines)
        if (name != "eager" && is_positive(speedup.estimate))
            add_ratio(data, big_ratio(speedup.estimate), possessive(name));
    if (is_present_champion(state, evaluation, turn))
        if (const Speedup start = against_start(state); start.known())
            add_ratio(data, big_ratio(start.estimate), QStringLiteral("against the start kernel"));
    if (is_positive(evaluation.vs_champion.estimate))
        add_ratio(data, big_ratio(evaluation.vs_champion.estimate), met_words(state, evaluation, turn));
    if (data.figure.isEmpty() && is_time(evaluation.seconds_per_call))
        add_ratio(data, QString::fromStdString(format_seconds(evaluation.seconds_per_call)),
                  QStringLiteral("a call, compared with nothing"));
}

void add_details(HeadlineData& data, const RunState& state, const EvaluationState& evaluation, int turn,
                 const Evaluation* whole) {
    std::vector<QString> details;
    if (is_time(evaluation.seconds_per_call)) {
        // In the unit and with the digits of the timeline.
        const TimeUnit unit = time_unit(state);
        QString time = time_with_unit(evaluation.seconds_per_call, unit);
        if (is_time(evaluation.low) && is_time(evaluation.high))
            time += QStringLiteral(" [%1, %2]").arg(time_text(evaluation.low, unit), time_text(evaluation.high, unit));
        details.push_back(time);
    }
    details.insert(details.end(), data.details.begin(), data.details.end());
    if (is_time(evaluation.seconds_per_call) && is_positive(evaluation.vs_champion.estimate)) {
        const QString words = QString::fromStdString(format_speedup(evaluation.vs_champion));
        details.push_back(words + QLatin1Char(' ') + met_words(state, evaluation, turn));
    }
    if (whole && whole->duel && whole->duel->decision.rounds > 0) {
        const int rounds = whole->duel->decision.rounds;
        details.push_back(rounds == 1 ? QStringLiteral("1 round") : QStringLiteral("%1 rounds").arg(rounds));
    }
    if (!state.champion())
        details.push_back(QStringLiteral("no champion yet"));
    if (const QString tunables = QString::fromStdString(format_tunables(evaluation.tunables)); !tunables.isEmpty())
        details.push_back(tunables);
    for (const std::string& flag : evaluation.flags)
        details.push_back(shown(flag));
    data.details = std::move(details);
}

HeadlineData of_nothing(const RunState& state, RunStatus status) {
    HeadlineData data;
    data.figure = QStringLiteral("–");
    switch (status) {
    case RunStatus::empty:
        data.words = QStringLiteral("no run is open");
        break;
    case RunStatus::running:
    case RunStatus::stopping:
        data.running = true;
        data.words = state.champion() ? QStringLiteral("no turn is chosen") : QStringLiteral("no champion yet");
        break;
    case RunStatus::finished:
    case RunStatus::interrupted:
        data.words =
            state.turns.empty() ? QStringLiteral("this run has no turns") : QStringLiteral("no turn is chosen");
        break;
    }
    return data;
}

// No evaluation of the turn is done.
void describe_unjudged(HeadlineData& data, const RunState& state, RunStatus status, const TurnState& turn) {
    data.figure = QStringLiteral("–");
    data.running = !turn.finished && (status == RunStatus::running || status == RunStatus::stopping);
    if (data.running) {
        data.words = turn.candidates == 0 ? QStringLiteral("waiting for its candidate")
                     : turn.evaluations.empty()
                         ? QStringLiteral("waiting to be judged")
                         : QStringLiteral("being judged: ") + stage_words(turn.evaluations.back());
        if (!state.champion())
            data.details.push_back(QStringLiteral("no champion yet"));
        return;
    }
    data.verdict = verdict_kind(turn, nullptr);
    data.verdict_word = data.verdict == VerdictKind::none ? QString() : shown(mark_of(data.verdict).word);
    data.words = turn.outcome == "no_candidate"     ? QStringLiteral("no candidate came")
                 : turn.outcome == "infrastructure" ? QStringLiteral("not judged")
                 : turn.outcome == "cancelled"      ? QStringLiteral("cancelled")
                 : turn.outcome == "duplicate"      ? QStringLiteral("judged before")
                 : turn.finished                    ? QStringLiteral("no result")
                                                    : QStringLiteral("not finished: the run was interrupted");
    if (!turn.text.empty())
        data.details.push_back(shown(turn.text));
    // "evaluator: lost" says "lost" again.
    if (!turn.infrastructure.empty() && (turn.text.empty() || !turn.infrastructure.back().ends_with(turn.text)))
        data.details.push_back(shown(turn.infrastructure.back()));
}

} // namespace

QString big_ratio(double ratio) {
    if (!is_positive(ratio))
        return QStringLiteral("–");
    const int decimals = ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2;
    return (ratio < 0.005 || ratio >= 1e6 ? QString::number(ratio, 'g', 2) : QString::number(ratio, 'f', decimals)) +
           QStringLiteral("×");
}

const EvaluationState* chosen_evaluation(const RunState& state, const Chosen& chosen) {
    const auto turn = state.turns.find(chosen.turn);
    if (turn == state.turns.end())
        return nullptr;
    for (const EvaluationState& one : turn->second.evaluations)
        if (!chosen.evaluation.empty() && one.id == chosen.evaluation && one.done)
            return &one;
    return shown_evaluation(state, turn->second);
}

HeadlineData make_headline(const RunState& state, RunStatus status, const Chosen& chosen,
                           const Evaluation* evaluation) {
    const auto found = state.turns.find(chosen.turn);
    if (found == state.turns.end())
        return of_nothing(state, status);
    const TurnState& turn = found->second;
    HeadlineData data;
    data.turn = turn_words(state, turn);
    data.ringed = turn.author == "human";
    const EvaluationState* chosen_one = chosen_evaluation(state, chosen);
    if (!chosen_one) {
        describe_unjudged(data, state, status, turn);
        return data;
    }
    const EvaluationState* of_turn = shown_evaluation(state, turn);
    if (chosen_one != of_turn)
        data.turn += QStringLiteral(" · one point of its sweep");
    data.running = !turn.finished && (status == RunStatus::running || status == RunStatus::stopping);
    data.level = parse_level(chosen_one->level);
    data.promoted = turn.mark == TurnMark::promoted && chosen_one == of_turn;
    if (data.promoted)
        data.level = Level::promote;
    data.verdict = chosen_one == of_turn ? verdict_kind(turn, chosen_one) : verdict_kind(chosen_one->verdict);
    if (data.verdict != VerdictKind::none)
        data.verdict_word =
            chosen_one->failed ? verdict_text(*chosen_one, data.verdict, nullptr) : shown(mark_of(data.verdict).word);
    if (chosen_one->failed) {
        data.figure = QStringLiteral("–");
        data.words = QStringLiteral("not timed"); // why stands in the chip beside it
        if (!chosen_one->summary.empty())
            data.details.push_back(shown(chosen_one->summary));
        for (const std::string& flag : chosen_one->flags)
            data.details.push_back(shown(flag));
        return data;
    }
    add_figures(data, state, *chosen_one, turn.number);
    if (data.figure.isEmpty()) {
        data.figure = QStringLiteral("–");
        data.words = QStringLiteral("correct, not timed");
    }
    add_details(data, state, *chosen_one, turn.number, evaluation);
    return data;
}

QString HeadlineData::text() const {
    QStringList lines;
    if (!turn.isEmpty())
        lines << turn;
    lines << (has_figure() ? figure + QLatin1Char(' ') + words : words);
    if (!second.isEmpty())
        lines << second;
    if (!verdict_word.isEmpty())
        lines << verdict_word;
    QStringList parts(details.begin(), details.end());
    if (promoted)
        parts << QStringLiteral("promoted");
    else if (level)
        parts << QString::fromUtf8(to_string(*level).data(), static_cast<qsizetype>(to_string(*level).size()));
    if (!parts.isEmpty())
        lines << parts.join(QStringLiteral(" · "));
    return lines.join(QLatin1Char('\n'));
}

} // namespace kf::ui
