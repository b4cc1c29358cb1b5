// SPDX-License-Identifier: GPL-3.0-or-later
// The docks under the machine checks: nothing clipped, cut, too small to hit, unnamed or unreachable, at usual and at
// small sizes.
#include "tests/scenes/checks/checks.h"
#include "tests/ui/docks/support.h"
#include "ui/docks/autopsy_pane.h"
#include "ui/docks/headline.h"
#include "ui/docks/issues_pane.h"
#include "ui/docks/log_pane.h"
#include "ui/docks/runs_pane.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"

#include <QApplication>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

void expect_flawless(QWidget& widget, QSize size, const std::string& what) {
    widget.resize(size);
    widget.show();
    for (int k = 0; k < 5; ++k)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    for (const scenes::Flaw& flaw : scenes::check_all(scenes::look_at(widget)))
        ADD_FAILURE() << what << " at " << size.width() << "×" << size.height() << ": " << flaw.check.toStdString()
                      << ": " << flaw.where.toStdString() << ": " << flaw.what.toStdString();
}

TEST(DocksLook, PassTheMachineChecks) {
    load_fonts();
    apply_style(*qApp, ThemeName::light);
    for (const auto& [fixture, turn] : std::vector<std::pair<const char*, int>>{
             {"swiglu", 1}, {"swiglu", 2}, {"swiglu", 8}, {"tuner_ended", 1}, {"long_names", 1}, {"just_started", 0}}) {
        Bench bench;
        QWidget column;
        auto* layout = new QVBoxLayout(&column);
        auto* pane = new AutopsyPane(bench.context);
        layout->addWidget(new Headline(bench.context));
        layout->addWidget(pane, 1);
        IssueModel issues;
        IssuesPane list(bench.context, issues);
        LogPane log(bench.context);
        bench.open(fixture);
        bench.selection.select({turn, {}});
        Bench::wait_for([&, turn = turn] { return pane->data().turn == turn || bench.store.state().turns.empty(); });
        const std::string what = std::string(fixture) + " turn " + std::to_string(turn);
        expect_flawless(column, {372, 900}, what + " autopsy");
        expect_flawless(column, {280, 500}, what + " autopsy");
        expect_flawless(list, {620, 240}, what + " issues");
        expect_flawless(log, {620, 240}, what + " log");
    }
    Bench bench;
    const auto home = scenes::make_used_home(bench.home.path().toStdString());
    ASSERT_TRUE(home);
    RunListModel runs;
    TaskListModel tasks;
    RunsPane pane(bench.context, runs, tasks);
    expect_flawless(pane, {235, 400}, "no runs");
    runs.set_folder(bench.home.path());
    tasks.set_folder(QStringLiteral(KF_SOURCE_DIR "/tasks"));
    ASSERT_TRUE(Bench::wait_for([&] { return runs.rowCount() > 1 && !runs.loading() && tasks.rowCount() > 1; }));
    expect_flawless(pane, {235, 400}, "runs");
    pane.show_page(RunsPane::tasks_page);
    expect_flawless(pane, {200, 300}, "tasks");
}

} // namespace
} // namespace kf::ui
