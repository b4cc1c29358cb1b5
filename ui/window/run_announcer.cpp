// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_announcer.h"

#include "ui/models/texts.h"

#include <QDateTime>

namespace kf::ui {
namespace {

// Older than this when it is read: history.
constexpr double fresh_seconds = 15;

QString champion_text(const RunState& state, const ChampionEvent& event) {
    QString text =
        QStringLiteral("turn %1 · %2").arg(event.turn).arg(time_with_unit(event.seconds_per_call, time_unit(state)));
    const auto turn = state.turns.find(event.turn);
    if (turn == state.turns.end())
        return text;
    for (const EvaluationState& one : turn->second.evaluations)
        if (one.id == event.evaluation && one.vs_champion.known())
            text += QStringLiteral(" · ") + change_text(one.vs_champion);
    return text;
}

} // namespace

RunAnnouncer::RunAnnouncer(RunStore& store, QObject* parent) : QObject(parent), m_store(store) {
    connect(&store, &RunStore::events_applied, this, &RunAnnouncer::look);
}

void RunAnnouncer::look(const std::vector<Event>& events) {
    if (m_store.mode() != RunMode::live)
        return;
    const double now = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
    for (const Event& event : events) {
        if (event.time < now - fresh_seconds)
            continue;
        if (event.type == EventType::champion) {
            const auto fields = from_fields<ChampionEvent>(event.fields);
            if (fields.turn > 0) // the start kernel is no news
                Q_EMIT announced(QStringLiteral("New champion"), champion_text(m_store.state(), fields), fields.turn);
        } else if (event.type == EventType::run_finished) {
            const auto fields = from_fields<RunFinished>(event.fields);
            Q_EMIT announced(QStringLiteral("The run has ended"), plain(fields.summary), fields.champion);
        }
    }
}

} // namespace kf::ui
