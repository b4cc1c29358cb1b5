// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/docks/support.h"
#include "ui/docks/autopsy_pane.h"
#include "ui/docks/card_text.h"
#include "ui/docks/error_map.h"
#include "ui/docks/error_map_view.h"
#include "ui/docks/headline.h"
#include "ui/docks/issues_pane.h"
#include "ui/docks/log_pane.h"
#include "ui/docks/runs_pane.h"
#include "ui/docks/sweep_model.h"
#include "ui/models/run_notes.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <gmock/gmock.h>

namespace kf::ui {
namespace {

using ::testing::HasSubstr;

TEST(AutopsyPane, FollowsTheSelectionAndLeadsToTheEvidence) {
    Bench bench;
    AutopsyPane pane(bench.context);
    EXPECT_THAT(pane.text_twin().toStdString(), HasSubstr("No run is open"));
    bench.open("swiglu");
    EXPECT_TRUE(Bench::wait_for([&] { return pane.text_twin().contains(QLatin1String("Choose a turn")); }));
    EXPECT_FALSE(pane.export_as(QStringLiteral("txt")));
    pane.resize(360, 900);
    pane.show();
    bench.selection.select({1, {}});
    ASSERT_TRUE(Bench::wait_for([&] { return pane.data().turn == 1; }));
    EXPECT_EQ(pane.badge(), QStringLiteral("· turn 1"));
    QSignalSpy links(&pane, &Pane::link_activated);
    pane.show_evidence();
    ASSERT_EQ(links.size(), 1);
    EXPECT_TRUE(links[0][0].toString().startsWith(QLatin1String("line:")));
    EXPECT_EQ(pane.error_map(), nullptr);

    // Two choices in a row: what is made for the first comes late and is dropped.
    bench.selection.select({3, {}});
    bench.selection.select({2, {}});
    ASSERT_TRUE(Bench::wait_for([&] { return pane.data().turn == 2; }));
    ASSERT_NE(pane.error_map(), nullptr);
    ErrorMap& map = pane.error_map()->map();
    EXPECT_THAT(map.text_twin().toStdString(), HasSubstr("elements are wrong"));
    pane.open_link(QStringLiteral("element:") + map.data().output + index_text(map.data().worst.front().index));
    EXPECT_TRUE(map.cell().has_value());
    EXPECT_FALSE(map.cell_text().isEmpty());
    EXPECT_TRUE(pane.export_formats().contains(QStringLiteral("csv")));
    const auto csv = pane.export_as(QStringLiteral("csv"));
    ASSERT_TRUE(csv);
    EXPECT_EQ(csv->count('\n'), 1 + map.data().rows * map.data().columns);
    const auto png = pane.export_as(QStringLiteral("png"));
    ASSERT_TRUE(png);
    EXPECT_TRUE(png->startsWith("\x89PNG"));
    pane.copy();
    EXPECT_EQ(QApplication::clipboard()->text(), pane.text_twin());
}

TEST(AutopsyPane, ANoteStandsOnTopAndFollowsItsText) {
    Bench bench;
    RunNotes notes;
    bench.context.run_notes = &notes;
    AutopsyPane pane(bench.context);
    bench.open("swiglu");
    notes.open(bench.home.path());
    bench.selection.select({1, {}});
    ASSERT_TRUE(Bench::wait_for([&] { return pane.data().turn == 1; }));
    EXPECT_NE(pane.data().cards.front().kind, AutopsyCard::Kind::note);
    notes.set_note(1, QStringLiteral("try a lower `maxreg`\n<b>not</b> the wide load"));
    ASSERT_TRUE(Bench::wait_for([&] { return pane.data().cards.front().kind == AutopsyCard::Kind::note; }));
    EXPECT_THAT(pane.text_twin().toStdString(), HasSubstr("lower `maxreg`"));
    const QString html = card_html(pane.data().cards.front());
    EXPECT_FALSE(html.contains(QLatin1Char('`')));
    EXPECT_TRUE(html.contains(QStringLiteral("px\">maxreg</span>")) && html.contains(QStringLiteral("&lt;b&gt;")));
    notes.set_note(1, {});
    EXPECT_TRUE(Bench::wait_for([&] { return pane.data().cards.front().kind != AutopsyCard::Kind::note; }));

    AutopsyCard quoted{
        AutopsyCard::Kind::happened, {}, {{AutopsyLine::Role::body, QStringLiteral("`a' and `b' ` c"), {}, {}, -1}}};
    EXPECT_EQ(card_html(quoted).count(QLatin1Char('`')), 3); // a compiler's quotes stay
}

TEST(AutopsyPane, EveryFixtureIsShownSomehow) {
    for (const char* name : {"empty", "torn", "hostile", "nonfinite", "long_names", "failures", "infrastructure",
                             "failed_start", "just_started", "missing_parent", "interrupted"}) {
        SCOPED_TRACE(name);
        Bench bench;
        AutopsyPane pane(bench.context);
        Headline headline(bench.context);
        IssueModel issues;
        IssuesPane list(bench.context, issues);
        bench.open(name);
        pane.resize(300, 400);
        pane.show();
        for (const auto& [number, turn] : bench.store.state().turns) {
            bench.selection.select({number, {}});
            EXPECT_TRUE(Bench::wait_for([&, n = number] { return pane.data().turn == n; })) << number;
            EXPECT_FALSE(pane.data().cards.empty()) << number;
            EXPECT_FALSE(headline.text_twin().isEmpty());
            EXPECT_FALSE(headline.text_twin().contains(QLatin1String("nan")));
            EXPECT_FALSE(list.text_twin().isEmpty());
        }
        EXPECT_FALSE(pane.text_twin().isEmpty());
        EXPECT_FALSE(pane.grab().isNull());
    }
}

TEST(AutopsyPane, APointOfASweepIsSelectedByItsRow) {
    Bench bench;
    bench.open("tuner_ended");
    AutopsyPane pane(bench.context);
    bench.selection.select({1, {}});
    ASSERT_TRUE(Bench::wait_for([&] { return pane.data().turn == 1; }));
    auto* table = pane.findChild<QTableView*>();
    ASSERT_NE(table, nullptr);
    ASSERT_GE(table->model()->rowCount(), 12);
    QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    const auto& sweep = pane.data().sweep;
    const auto best = std::find_if(sweep.begin(), sweep.end(), [](const SweepPoint& point) { return point.best; });
    ASSERT_NE(best, sweep.end());
    EXPECT_EQ(table->currentIndex().row(), best - sweep.begin());
    const std::string last = sweep.back().evaluation;
    table->selectRow(table->model()->rowCount() - 1);
    EXPECT_EQ(bench.selection.current(), (Chosen{1, last}));
}

TEST(ErrorMapWidget, KeysWalkItAndNoDataIsNoHarm) {
    ErrorMap map;
    map.resize(200, 160);
    EXPECT_FALSE(map.text_twin().isEmpty());
    QTest::keyClick(&map, Qt::Key_Right); // nothing to walk
    EXPECT_FALSE(map.cell());
    ErrorMapData data;
    data.output = QStringLiteral("out");
    data.rows = 2;
    data.columns = 3;
    data.output_rows = 2;
    data.output_columns = 300;
    data.bad = {0, 0, 1, 0, 100, 0};
    data.most = 100;
    data.elements = 600;
    data.bad_elements = 101;
    map.set_data(data);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Down);
    EXPECT_EQ(map.cell(), (std::pair{1, 1}));
    EXPECT_EQ(map.cell_text(), QStringLiteral("row 1, columns 100–199: 100 of 100 wrong"));
    QTest::keyClick(&map, Qt::Key_End);
    QTest::keyClick(&map, Qt::Key_Down); // stays inside
    EXPECT_EQ(map.cell(), (std::pair{1, 2}));
    QTest::keyClick(&map, Qt::Key_Escape);
    EXPECT_FALSE(map.cell());
    EXPECT_EQ(map.csv().split('\n')[5], QByteArray("1,1,100,199,100\r"));
    map.choose(std::pair{9, 9});
    EXPECT_FALSE(map.cell());
}

TEST(IssuesPane, FilterOrderAndLines) {
    Bench bench;
    bench.open("swiglu");
    IssueModel issues;
    IssuesPane pane(bench.context, issues);
    bench.selection.select({4, {}});
    EXPECT_EQ(pane.text_twin(), QStringLiteral("No issues in turn 4."));
    EXPECT_EQ(pane.badge(), QString());
    QSignalSpy attention(&pane, &Pane::wants_attention);
    bench.selection.select({1, {}}); // its compile errors
    const int of_turn = issues.rowCount();
    ASSERT_GT(of_turn, 0);
    issues.set_issues(
        QStringLiteral("plan"),
        {{{}, QStringLiteral("note"), QStringLiteral("draft.cu"), 2, 0, QStringLiteral("never read"), {}, -1}});
    EXPECT_EQ(pane.badge(), QString::number(of_turn + 1));
    EXPECT_EQ(attention.size(), 0); // nothing that a person just did went wrong
    EXPECT_EQ(pane.table().model()->index(0, 0).data(IssueRole::severity).toString(), QStringLiteral("error"));
    QSignalSpy links(&pane, &Pane::link_activated);
    pane.table().setCurrentIndex(pane.table().model()->index(0, 0));
    QTest::keyClick(&pane.table(), Qt::Key_Return);
    ASSERT_EQ(links.size(), 1);
    EXPECT_TRUE(links[0][0].toString().startsWith(QLatin1String("line:")));
    pane.step(true);
    EXPECT_EQ(pane.table().currentIndex().row(), 1);
    pane.step(false);
    pane.step(false); // around the end
    EXPECT_EQ(pane.table().currentIndex().row(), of_turn);
    const auto markdown = pane.export_as(QStringLiteral("md"));
    ASSERT_TRUE(markdown);
    EXPECT_THAT(markdown->toStdString(), HasSubstr("never read"));
    issues.set_issues(QStringLiteral("compiler"),
                      {{{}, QStringLiteral("error"), QStringLiteral("draft.cu"), 9, 1, QStringLiteral("no"), {}, -1}});
    EXPECT_EQ(attention.size(), 1);
    bench.selection.select({4, {}});
    issues.clear();
    EXPECT_FALSE(pane.export_as(QStringLiteral("csv")));
}

TEST(LogPane, FollowsOnlyAtTheBottom) {
    Bench bench;
    LogPane pane(bench.context);
    EXPECT_THAT(pane.text_twin().toStdString(), HasSubstr("no log"));
    pane.resize(600, 300);
    pane.show();
    bench.open("notes_1000");
    QScrollBar* bar = pane.table().verticalScrollBar();
    ASSERT_TRUE(Bench::wait_for([&] { return bar->maximum() > 0 && bar->value() == bar->maximum(); }));
    EXPECT_TRUE(pane.follows());
    EXPECT_FALSE(pane.pill().isVisible());
    bar->setValue(0);
    EXPECT_FALSE(pane.follows());
    Event note;
    note.type = EventType::note;
    note.type_name = "note";
    note.fields = Json{{"level", "warning"}, {"text", "one more"}};
    bench.store.apply({note});
    QCoreApplication::processEvents();
    EXPECT_EQ(bar->value(), 0); // who reads is not moved
    ASSERT_TRUE(pane.pill().isVisible());
    EXPECT_THAT(pane.pill().text().toStdString(), HasSubstr("1 new"));
    QTest::mouseClick(&pane.pill(), Qt::LeftButton);
    EXPECT_EQ(bar->value(), bar->maximum());
    EXPECT_TRUE(pane.follows());
    EXPECT_THAT(pane.text_twin().toStdString(), HasSubstr("one more"));
    const auto csv = pane.export_as(QStringLiteral("csv"));
    ASSERT_TRUE(csv);
    EXPECT_GT(csv->count('\n'), 1000);

    // The whole event of a line, as it is in the journal.
    pane.table().setCurrentIndex(pane.table().model()->index(0, 0));
    pane.show_event(true);
    auto* event = pane.findChild<QPlainTextEdit*>();
    ASSERT_TRUE(Bench::wait_for([&] { return event->toPlainText().contains(QLatin1String("\"type\"")); }));
    EXPECT_THAT(event->toPlainText().toStdString(), HasSubstr("run_started"));
}

TEST(RunsPane, PinsSearchesAndOpens) {
    Bench bench;
    auto home = scenes::make_used_home(bench.home.path().toStdString());
    ASSERT_TRUE(home);
    RunListModel runs;
    TaskListModel tasks;
    RunsPane pane(bench.context, runs, tasks);
    EXPECT_FALSE(pane.text_twin().isEmpty());
    runs.set_folder(bench.home.path());
    tasks.set_folder(QStringLiteral(KF_SOURCE_DIR "/tasks"));
    ASSERT_TRUE(Bench::wait_for([&] { return runs.rowCount() > 1 && !runs.loading() && tasks.rowCount() > 1; }));
    pane.resize(240, 400);
    pane.show();
    QAbstractItemModelTester tester(pane.tree().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QAbstractItemModel& model = *pane.tree().model();
    const QString last = model.index(model.rowCount() - 1, 0).data(RunListRole::task).toString();
    ASSERT_NE(model.index(0, 0).data(RunListRole::task).toString(), last);
    QSignalSpy pins(&pane, &RunsPane::pinned_changed);
    pane.set_pinned({last});
    EXPECT_EQ(model.index(0, 0).data(RunListRole::task).toString(), last);
    EXPECT_EQ(pins.size(), 1);

    const QModelIndex run = model.index(0, 0, model.index(0, 0));
    ASSERT_TRUE(run.isValid());
    const QString folder = run.data(RunListRole::folder).toString();
    pane.tree().expandAll();
    pane.tree().setCurrentIndex(run);
    QTest::keyClick(&pane.tree(), Qt::Key_Return);
    EXPECT_TRUE(Bench::wait_for([&] { return bench.store.place() == folder; }));

    pane.show_page(RunsPane::tasks_page);
    EXPECT_THAT(pane.text_twin().toStdString(), HasSubstr("silu_mul"));
    QSignalSpy requested(&pane, &RunsPane::run_requested);
    pane.task_list().setCurrentIndex(pane.task_list().model()->index(0, 0));
    QTest::keyClick(&pane.task_list(), Qt::Key_Return);
    ASSERT_EQ(requested.size(), 1);
    EXPECT_FALSE(requested[0][0].toString().isEmpty());
    EXPECT_TRUE(pane.export_as(QStringLiteral("csv")));
}

} // namespace
} // namespace kf::ui
