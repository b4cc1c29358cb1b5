// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/panes.h"

#include "ui/docks/autopsy_pane.h"
#include "ui/docks/headline.h"
#include "ui/docks/issues_pane.h"
#include "ui/docks/log_pane.h"
#include "ui/docks/prompt_pane.h"
#include "ui/docks/runs_pane.h"
#include "ui/docks/transcript_pane.h"
#include "ui/docks/tree_pane.h"
#include "ui/editor/editor_pane.h"
#include "ui/plots/distribution_pane.h"
#include "ui/plots/timeline_pane.h"

namespace kf::ui {
PaneSet make_panes(const PaneContext& context, SharedModels& models, QWidget* parent) {
    PaneSet made;
    made.headline = new Headline(context, parent);
    made.runs = new RunsPane(context, models.runs, models.tasks, parent);
    made.editor = new EditorPane(context, models.issues, parent);
    made.distribution = new DistributionPane(context, parent);
    made.timeline = new TimelinePane(context, models.turns, parent);
    made.issues = new IssuesPane(context, models.issues, parent);
    made.transcript = new TranscriptPane(context, models.exchanges, models.turns, parent);
    made.tree = new TreePane(context, parent);
    made.prompt = new PromptPane(context, models.exchanges, parent);
    made.panes = {made.timeline,     made.editor,
                  made.distribution, new AutopsyPane(context, parent),
                  made.issues,       new LogPane(context, parent),
                  made.runs,         made.transcript,
                  made.tree,         made.prompt};
    // These have a row of tabs of their own and need none above it.
    for (Pane* pane : made.panes)
        pane->setProperty("own_tabs", pane->id() == QLatin1String("runs") || pane->id() == QLatin1String("editor"));
    return made;
}

} // namespace kf::ui
