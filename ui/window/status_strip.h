// SPDX-License-Identifier: GPL-3.0-or-later
// The strip under everything: what the run does now, where, whether it can be steered, issues, turn of budget, what the
// model's replies took, time.
#pragma once

#include "ui/control/run_controller.h"
#include "ui/models/exchange_store.h"
#include "ui/models/issue_model.h"
#include "ui/window/plate.h"

#include <QTimer>

namespace kf::ui {

class StatusChip;

class StatusStrip : public Plate {
    Q_OBJECT
public:
    StatusStrip(RunStore& store, RunController& controller, IssueModel& issues, ExchangeStore& exchanges,
                QWidget* parent = nullptr);

    // All of it, as read from left to right.
    QString text_twin() const;
    void set_compact(bool compact);

Q_SIGNALS:
    void issues_wanted();
    void log_wanted();

private:
    void refresh();
    void refresh_issues();
    RunStore& m_store;
    RunController& m_controller;
    IssueModel& m_issues;
    ExchangeStore& m_exchanges;
    StatusChip *m_state, *m_device, *m_labels, *m_control, *m_problems, *m_issue_count, *m_turns, *m_spent, *m_elapsed;
    QTimer m_clock;
};

} // namespace kf::ui
