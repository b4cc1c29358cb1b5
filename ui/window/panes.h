// SPDX-License-Identifier: GPL-3.0-or-later
// Every pane of the window and the models they share, made in one place. A new dock is one line in make_panes() and one
// word in arrangement.cpp.
#pragma once

#include "ui/models/exchange_store.h"
#include "ui/models/issue_model.h"
#include "ui/models/run_list_model.h"
#include "ui/models/task_list_model.h"
#include "ui/models/turn_model.h"
#include "ui/widgets/pane.h"

#include <vector>

namespace kf::ui {

class DistributionPane;
class EditorPane;
class IssuesPane;
class PromptPane;
class RunsPane;
class TimelinePane;
class TranscriptPane;
class TreePane;

struct SharedModels {
    explicit SharedModels(RunStore& store) : turns(store), exchanges(store) {}
    TaskListModel tasks;
    RunListModel runs;
    IssueModel issues;
    TurnModel turns;
    ExchangeStore exchanges;
};

struct PaneSet {
    std::vector<Pane*> panes; // in the order of their keys, Ctrl+1 …
    QWidget* headline = nullptr;
    EditorPane* editor = nullptr;
    TimelinePane* timeline = nullptr;
    DistributionPane* distribution = nullptr;
    IssuesPane* issues = nullptr;
    RunsPane* runs = nullptr;
    TranscriptPane* transcript = nullptr;
    TreePane* tree = nullptr;
    PromptPane* prompt = nullptr;
};

PaneSet make_panes(const PaneContext& context, SharedModels& models, QWidget* parent);

} // namespace kf::ui
