// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_strip.h"

#include "ui/widgets/status_chip.h"
#include "ui/window/run_progress.h"

#include <QDateTime>
#include <QHBoxLayout>

namespace kf::ui {
namespace {

QString control_text(RunController::State state, const RunStore& store) {
    switch (state) {
    case RunController::State::idle:
        return store.mode() == RunMode::live ? QStringLiteral("not attached") : QString();
    case RunController::State::starting:
        return QStringLiteral("starting the run");
    case RunController::State::running:
        return QStringLiteral("attached");
    case RunController::State::detached:
        return QStringLiteral("not attached");
    }
    return {};
}

} // namespace

StatusStrip::StatusStrip(RunStore& store, RunController& controller, IssueModel& issues, ExchangeStore& exchanges,
                         QWidget* parent)
    : Plate(&Theme::window, Qt::TopEdge, parent), m_store(store), m_controller(controller), m_issues(issues),
      m_exchanges(exchanges), m_state(new StatusChip(this, true)), m_device(new StatusChip(this)),
      m_labels(new StatusChip(this)), m_control(new StatusChip(this)), m_problems(new StatusChip(this, true)),
      m_issue_count(new StatusChip(this, true)), m_turns(new StatusChip(this)), m_spent(new StatusChip(this)),
      m_elapsed(new StatusChip(this)) {
    setObjectName(QStringLiteral("strip"));
    setAccessibleName(QStringLiteral("Status"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 1);
    row->setSpacing(8);
    for (StatusChip* chip : {m_state, m_device, m_labels, m_control, m_problems})
        row->addWidget(chip);
    row->addStretch(1);
    for (StatusChip* chip : {m_issue_count, m_turns, m_spent, m_elapsed})
        row->addWidget(chip);
    m_state->setObjectName(QStringLiteral("strip.state"));
    m_control->setObjectName(QStringLiteral("strip.control"));
    m_issue_count->setObjectName(QStringLiteral("strip.issues"));
    m_problems->setObjectName(QStringLiteral("strip.problems"));
    m_turns->setObjectName(QStringLiteral("strip.turns"));
    m_spent->setObjectName(QStringLiteral("strip.spent"));
    m_elapsed->setObjectName(QStringLiteral("strip.elapsed"));

    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, this, &StatusStrip::refresh);
    connect(&store, &RunStore::changed, this, &StatusStrip::refresh);
    connect(&store, &RunStore::was_reset, this, &StatusStrip::refresh);
    connect(&store, &RunStore::loading_changed, this, &StatusStrip::refresh);
    connect(&controller, &RunController::state_changed, this, &StatusStrip::refresh);
    connect(&exchanges, &ExchangeStore::live_changed, this, &StatusStrip::refresh);
    connect(&issues, &IssueModel::counts_changed, this, &StatusStrip::refresh_issues);
    connect(m_issue_count, &StatusChip::clicked, this, &StatusStrip::issues_wanted);
    connect(m_problems, &StatusChip::clicked, this, &StatusStrip::log_wanted);
    connect(m_state, &StatusChip::clicked, this, &StatusStrip::log_wanted);
    refresh();
    refresh_issues();
}

void StatusStrip::refresh() {
    const bool starting = m_controller.state() == RunController::State::starting;
    if (m_store.mode() == RunMode::none && !starting) {
        m_state->set(QStringLiteral("no run is open"));
        for (StatusChip* chip : {m_device, m_labels, m_control, m_problems, m_turns, m_spent, m_elapsed})
            chip->set({});
        m_clock.stop();
        return;
    }
    const bool replay = m_store.mode() == RunMode::replay;
    const double now =
        replay ? m_store.state().last_event_at : static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
    RunProgress shown = progress_of(m_store.state(), m_store.status(), now);
    // Before its end was read, a run that has ended looks interrupted.
    if (m_store.loading() && m_store.status() == RunStatus::interrupted) {
        shown.state = QStringLiteral("reading the journal …");
        shown.attention = false;
    }
    if (m_store.status() == RunStatus::empty && m_store.mode() == RunMode::ended && !starting) {
        shown.state = QStringLiteral("this run has no events");
        shown.active = false;
    }
    const LiveReply* live = m_exchanges.live();
    if (const bool going = m_store.status() == RunStatus::running; live && going)
        if (const QString streaming = streaming_text(*live); !streaming.isEmpty())
            shown.state = streaming + (m_store.state().paused ? QStringLiteral(" · pauses after it") : QString());
    using Tone = StatusChip::Tone;
    m_state->set(shown.state,
                 shown.attention ? Tone::caution
                 : shown.active  ? Tone::accent
                                 : Tone::normal,
                 {}, QStringLiteral("What the run does now. Click for the log."));
    m_device->set(shown.device, Tone::normal, QStringLiteral("cpu"), QStringLiteral("The device that judges"));
    m_labels->set(shown.labels.join(QStringLiteral(", ")), Tone::normal, {},
                  QStringLiteral("Figures come from this kind of measurement; they say nothing about a GPU"));
    const QString control = control_text(m_controller.state(), m_store);
    m_control->set(
        replay ? QString() : control, control == QLatin1String("not attached") ? Tone::caution : Tone::normal, {},
        control == QLatin1String("attached") ? QStringLiteral("Pause, hints and F5 reach the run")
                                             : QStringLiteral("The run goes on, but cannot be steered at the moment"));
    const auto lost = m_store.state().unreadable_lines;
    m_problems->set(lost > 0 ? QStringLiteral("%1 unreadable lines").arg(lost) : QString(), Tone::caution,
                    QStringLiteral("warning"),
                    QStringLiteral("Lines of the journal that could not be read were skipped"));
    m_turns->set(shown.turns);
    m_spent->set(spent_text(m_exchanges.spent()), Tone::normal, {},
                 QStringLiteral("What the model's replies took so far"));
    m_elapsed->set(shown.elapsed, Tone::normal, QStringLiteral("clock"), QStringLiteral("Time since the run began"));
    const bool ticking = !replay && (shown.active || starting);
    if (ticking != m_clock.isActive())
        ticking ? m_clock.start() : m_clock.stop();
}

void StatusStrip::refresh_issues() {
    const int errors = m_issues.errors(), warnings = m_issues.warnings();
    QStringList parts;
    if (errors > 0)
        parts << (errors == 1 ? QStringLiteral("1 error") : QStringLiteral("%1 errors").arg(errors));
    if (warnings > 0)
        parts << (warnings == 1 ? QStringLiteral("1 warning") : QStringLiteral("%1 warnings").arg(warnings));
    m_issue_count->set(parts.join(QStringLiteral(", ")),
                       errors > 0 ? StatusChip::Tone::error : StatusChip::Tone::caution, QStringLiteral("issues"),
                       QStringLiteral("Show the issues"));
}

void StatusStrip::set_compact(bool compact) {
    m_device->setMaximumWidth(compact ? 200 : QWIDGETSIZE_MAX);
}

QString StatusStrip::text_twin() const {
    QStringList parts;
    for (const StatusChip* chip :
         {m_state, m_device, m_labels, m_control, m_problems, m_issue_count, m_turns, m_spent, m_elapsed})
        if (!chip->text().isEmpty())
            parts << chip->text();
    return parts.join(QStringLiteral(" · "));
}

} // namespace kf::ui
