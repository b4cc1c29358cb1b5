// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_progress.h"

#include "ui/models/exchange_texts.h"
#include "ui/models/texts.h"

#include <cmath>

namespace kf::ui {
namespace {

const TurnState* turn_at_work(const RunState& state) {
    for (auto one = state.turns.rbegin(); one != state.turns.rend(); ++one)
        if (one->second.started && !one->second.finished)
            return &one->second;
    return nullptr;
}

QString working_text(const TurnState& turn) {
    QStringList parts{turn.number == 0 ? QStringLiteral("start kernel") : QStringLiteral("turn %1").arg(turn.number)};
    int done = 0;
    const EvaluationState* open = nullptr;
    for (const EvaluationState& one : turn.evaluations) {
        done += one.done ? 1 : 0;
        if (!one.done && !one.abandoned)
            open = &one;
    }
    if (turn.author == "tuner" && !turn.evaluations.empty())
        parts << QStringLiteral("point %1").arg(done + (open ? 1 : 0));
    if (open) {
        const StageState* now = nullptr;
        for (const StageState& stage : open->stages)
            if (stage.state != "ended")
                now = &stage;
        if (now)
            parts << plain(now->stage) + (now->rounds > 0 ? QStringLiteral(", round %1").arg(now->rounds) : QString());
    } else if (turn.evaluations.empty()) {
        parts << QStringLiteral("waiting for a kernel");
    }
    return parts.join(QStringLiteral(" · "));
}

QString end_text(const RunState& state) {
    QString why;
    if (state.end && !state.end->summary.empty())
        why = plain(state.end->summary);
    else if (state.stop)
        why = plain(state.stop->text);
    return why.isEmpty() ? QStringLiteral("ended") : QStringLiteral("ended: %1").arg(why);
}

} // namespace

QString duration_text(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0 || seconds > 3.2e9)
        return {};
    const auto whole = static_cast<qint64>(seconds);
    const QLatin1Char zero('0');
    const QString rest = QStringLiteral("%1:%2").arg(whole / 60 % 60, 2, 10, zero).arg(whole % 60, 2, 10, zero);
    return whole < 3600 ? rest : QStringLiteral("%1:%2").arg(whole / 3600).arg(rest);
}

QString streaming_text(const LiveReply& live) {
    const QString turn = live.turn == 0 ? QStringLiteral("start kernel") : QStringLiteral("turn %1").arg(live.turn);
    if (live.phase == QLatin1String("ended"))
        return {};
    if (live.phase == QLatin1String("retrying"))
        return turn + QStringLiteral(" · the model is asked again");
    if (live.phase != QLatin1String("content") && live.phase != QLatin1String("reasoning"))
        return turn + QStringLiteral(" · waiting for the model");
    QString text = (live.phase == QLatin1String("content") ? QStringLiteral("streaming %1")
                                                           : QStringLiteral("%1 · the model thinks"))
                       .arg(turn);
    if (live.tokens_per_s >= 0.5)
        text += QStringLiteral(" · %1 tok/s").arg(live.tokens_per_s, 0, 'f', 0);
    return text;
}

QString spent_text(const Spent& spent) {
    if (spent.tokens <= 0)
        return {};
    QStringList parts{(spent.estimated ? QStringLiteral("about %1 tokens") : QStringLiteral("%1 tokens"))
                          .arg(count_text(spent.tokens))};
    if (const QString money = money_text(spent.money); !money.isEmpty())
        parts << money;
    return parts.join(QStringLiteral(" · "));
}

RunProgress progress_of(const RunState& state, RunStatus status, double now) {
    RunProgress shown;
    const TurnState* working = turn_at_work(state);
    switch (status) {
    case RunStatus::empty:
        shown.state = QStringLiteral("starting");
        shown.active = true;
        break;
    case RunStatus::running:
        if (state.paused && !working)
            shown.state = QStringLiteral("paused before turn %1").arg(state.next_turn());
        else
            shown.state = working               ? working_text(*working)
                          : state.turns.empty() ? QStringLiteral("starting")
                                                : QStringLiteral("before turn %1").arg(state.next_turn());
        if (state.paused && working)
            shown.state += QStringLiteral(" · pauses after it");
        shown.active = !state.paused || working;
        break;
    case RunStatus::stopping:
        shown.state = QStringLiteral("stopping");
        shown.active = true;
        break;
    case RunStatus::finished:
        shown.state = end_text(state);
        break;
    case RunStatus::interrupted:
        shown.state = QStringLiteral("interrupted: it can be resumed");
        shown.attention = true;
        break;
    }
    const Json& device = state.start.device;
    shown.device = plain(get_string(device, "name"));
    if (shown.device.isEmpty())
        shown.device = plain(get_string(device, "id"));
    if (const Json& labels = get_member(device, "labels"); labels.is_array())
        for (const Json& one : labels)
            if (one.is_string())
                shown.labels << plain(one.get<std::string>());
    if (!state.turns.empty()) {
        const int last = state.turns.rbegin()->first;
        const auto limit = get_int(state.start.budgets, "turns", 0);
        // Turns of people come on top of the budget.
        shown.turns = limit > 0 && limit >= last ? QStringLiteral("turn %1 of %2").arg(last).arg(limit)
                                                 : QStringLiteral("turn %1").arg(last);
    }
    const bool over = status == RunStatus::finished || status == RunStatus::interrupted;
    const double until = !over ? now : state.finished_at > 0 ? state.finished_at : state.last_event_at;
    if (state.started_at > 0 && until >= state.started_at)
        shown.elapsed = duration_text(until - state.started_at);
    return shown;
}

} // namespace kf::ui
