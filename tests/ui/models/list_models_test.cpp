// SPDX-License-Identifier: GPL-3.0-or-later
// Issues, log, runs, tasks, and what the store tells.
#include "core/base/files.h"
#include "core/journal/writer.h"
#include "tests/ui/models/script.h"
#include "ui/models/issue_model.h"
#include "ui/models/log_model.h"
#include "ui/models/run_list_model.h"
#include "ui/models/task_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <gtest/gtest.h>

#include <fstream>

namespace kf::ui {
namespace {

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

TEST(IssueModel, AProducerReplacesItsOwnAndNoOther) {
    IssueModel model;
    QAbstractItemModelTester tester(&model, fatal);
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(IssueRole::sort);
    sorted.sort(0);
    QAbstractItemModelTester sorted_tester(&sorted, fatal);
    QSignalSpy counts(&model, &IssueModel::counts_changed);
    const auto issue = [](const char* severity, int line, const char* message) {
        Issue one;
        one.severity = QString::fromUtf8(severity);
        one.file = QStringLiteral("draft.cu");
        one.line = line;
        one.message = QString::fromUtf8(message);
        return one;
    };
    model.set_issues(QStringLiteral("compiler"),
                     {issue("warning", 3, "unused"), issue("error", 21, "silu is undefined")});
    model.set_issues(QStringLiteral("plan"), {issue("error", 100, "unknown word")});
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.errors(), 2);
    EXPECT_EQ(sorted.index(0, 0).data().toString(), u"silu is undefined");
    EXPECT_EQ(sorted.index(2, 0).data(IssueRole::severity).toString(), u"warning");
    EXPECT_EQ(model.index(1, static_cast<int>(IssueColumn::place)).data().toString(), u"draft.cu:21");
    EXPECT_EQ(model.next_line(QStringLiteral("draft.cu"), 3, true), 1);
    EXPECT_EQ(model.next_line(QStringLiteral("draft.cu"), 100, true), 0) << "wraps around";
    EXPECT_EQ(model.next_line(QStringLiteral("draft.cu"), 3, false), 2) << "wraps around";
    EXPECT_EQ(model.next_line(QStringLiteral("other.cu"), 3, true), -1);
    // The same again tells nobody anything; one that changed keeps its row.
    const qsizetype before = counts.count();
    model.set_issues(QStringLiteral("plan"), {issue("error", 100, "unknown word")});
    EXPECT_EQ(counts.count(), before);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    model.set_issues(QStringLiteral("compiler"),
                     {issue("error", 4, "now an error"), issue("error", 21, "silu is undefined")});
    EXPECT_EQ(inserted.count(), 0);
    model.set_issues(QStringLiteral("compiler"), {});
    EXPECT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.issue(0).producer, u"plan");
    model.clear();
    EXPECT_EQ(model.rowCount(), 0);
    EXPECT_EQ(model.next_line({}, 1, true), -1);
}

TEST(LogModel, LinesSeverityAndSearch) {
    RunStore store;
    LogModel model(store);
    LogFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester tester(&model, fatal), filter_tester(&filter, fatal);
    Script script;
    script.begin().turn(0, -1, "file").add(accepted(0, "e", "verified", 2e-3)).end(0);
    script.add(StageProgress{1, "p", "compile", "started", "", 0, {}}); // is seen elsewhere
    script.add(Infrastructure{1, "", "evaluator", "it \x1b[31mdied\n", true});
    script.add(Note{"info", "all is well", 1});
    script.add(Steering{"workbench", "hint", Json{{"text", "use shared memory"}}, "turn 2"});
    store.apply(script.take());
    store.apply({unreadable_event(7, "no JSON", "{{{", 3)});
    EXPECT_EQ(model.rowCount(), 8);
    EXPECT_EQ(filter.rowCount(), 7) << "an evaluation is a detail";
    filter.set_least(LogSeverity::warning);
    ASSERT_EQ(filter.rowCount(), 2);
    EXPECT_FALSE(filter.index(0, static_cast<int>(LogColumn::text)).data().toString().contains(u'\n'));
    filter.set_least(LogSeverity::detail);
    filter.set_search(QStringLiteral("SHARED hint"));
    ASSERT_EQ(filter.rowCount(), 1);
    EXPECT_TRUE(model.line(filter.mapToSource(filter.index(0, 0)).row()).contains(QStringLiteral("→ turn 2")));
    store.remark(QStringLiteral("torn"));
    EXPECT_EQ(model.rowCount(), 9);
    store.reset(RunMode::none, {}, nullptr);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(LogModel, TheOldestGoWhenItIsFull) {
    RunStore store;
    LogModel model(store);
    Script script;
    constexpr int more = 500;
    for (int i = 0; i < LogModel::most_lines + more; ++i) {
        script.add(Note{"info", "line " + std::to_string(i), -1});
        if (i % 4096 == 0)
            store.apply(script.take());
    }
    QAbstractItemModelTester tester(&model, fatal);
    store.apply(script.take());
    EXPECT_LE(model.rowCount(), LogModel::most_lines);
    EXPECT_GT(model.rowCount(), LogModel::most_lines / 2);
    EXPECT_TRUE(
        model.line(model.rowCount() - 1).endsWith(QStringLiteral("line %1").arg(LogModel::most_lines + more - 1)));
}

TEST(RunStore, TellsChangesTogetherAndOnlyThose) {
    RunStore store;
    std::vector<RunChanges> told;
    QObject::connect(&store, &RunStore::changed, &store, [&](const RunChanges& changes) { told.push_back(changes); });
    Script script;
    script.begin().turn(3, 0, "model").turn(5, 3, "model").champion(5, "e", 1e-3);
    for (const Event& event : script.take())
        store.apply({event});
    EXPECT_TRUE(told.empty()) << "at most every 33 ms";
    ASSERT_TRUE(eventually([&] { return !told.empty(); }));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(told[0].header && told[0].champion && !told[0].notes);
    EXPECT_EQ(told[0].turns, (std::set<int>{3, 5}));
    store.set_lock(LockState::stale);
    store.set_lock(LockState::stale);
    store.flush();
    ASSERT_EQ(told.size(), 2u);
    EXPECT_TRUE(told[1].header && told[1].turns.empty());
    EXPECT_EQ(store.status(), RunStatus::interrupted);
    store.flush();
    EXPECT_EQ(told.size(), 2u);
    EXPECT_FALSE(store.evaluation(3));
    EXPECT_FALSE(store.source(99));
}

class RunsTest : public ::testing::Test {
protected:
    void SetUp() override { folder = *make_private_folder("kf-runs-"); }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::unique_ptr<JournalWriter> run(const std::string& name, const std::string& task) {
        auto writer = JournalWriter::create(folder / name, {.control_socket = {}, .flush_to_disk = false});
        EXPECT_TRUE(writer);
        RunStarted start;
        start.run = name;
        start.task = task;
        EXPECT_TRUE((*writer)->append(start));
        return std::move(*writer);
    }
    std::filesystem::path folder;
};

TEST_F(RunsTest, RunsComeChangeAndGo) {
    auto live = run("20261130T140200Z-swiglu-aaaaaa", "swiglu");
    run("20261129T184000Z-swiglu-bbbbbb", "swiglu");
    run("20261128T184000Z-softmax-cccccc", "softmax");
    std::filesystem::create_directories(folder / "20261127T184000Z-broken-dddddd");
    std::ofstream(folder / "20261127T184000Z-broken-dddddd" / "journal.jsonl")
        << "{\"v\":99,\"n\":1,\"t\":1,\"type\":\"x\"}\n";
    RunListModel model;
    QAbstractItemModelTester tester(&model, fatal);
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(RunListRole::sort);
    sorted.sort(0);
    QAbstractItemModelTester sorted_tester(&sorted, fatal);
    QSignalSpy refreshed(&model, &RunListModel::refreshed);
    model.set_tasks({QStringLiteral("topk")});
    model.set_folder(QString::fromStdString(folder.string()));
    ASSERT_TRUE(eventually([&] { return refreshed.count() == 1; }));
    QStringList tasks;
    for (int row = 0; row < sorted.rowCount(); ++row)
        tasks << sorted.index(row, 0).data().toString();
    EXPECT_EQ(tasks.join(u' '), u"swiglu softmax broken topk") << "worked on last first";
    EXPECT_EQ(sorted.index(3, 0).data(RunListRole::side).toString(), u"not started");
    EXPECT_EQ(sorted.index(2, 0).data(RunListRole::side).toString(), u"cannot be read");
    const QModelIndex ours = model.index_of(QString::fromStdString(live->folder().string()));
    ASSERT_TRUE(ours.isValid());
    EXPECT_EQ(ours.row(), 0) << "the newest first";
    EXPECT_TRUE(ours.data(RunListRole::live).toBool());
    EXPECT_EQ(model.rowCount(ours.parent()), 2);
    // It grows, and gets a champion.
    QPersistentModelIndex kept(ours);
    ASSERT_TRUE(live->append(TurnStarted{0, -1, "file", "", ""}));
    ASSERT_TRUE(live->append(accepted(0, "e0", "verified", 2e-3, {}, 0.5)));
    ASSERT_TRUE(live->append(ChampionEvent{0, "e0", "", {}, "certify", "", 2e-3}));
    model.refresh();
    ASSERT_TRUE(eventually([&] { return kept.data(RunListRole::best).toDouble() > 0; }));
    EXPECT_EQ(kept.data(RunListRole::side).toString(), u"start · live");
    EXPECT_EQ(model.summary(kept)->turns, 1);
    EXPECT_EQ(kept.parent().data(RunListRole::best).toDouble(), 0.5);
    live.reset(); // ends without an end
    std::filesystem::remove_all(folder / "20261128T184000Z-softmax-cccccc");
    model.refresh();
    ASSERT_TRUE(eventually([&] { return model.rowCount() == 3 && !kept.data(RunListRole::live).toBool(); }));
    EXPECT_EQ(kept.data(RunListRole::status).toInt(), static_cast<int>(RunStatus::interrupted));
    EXPECT_EQ(model.recent(2).size(), 2u);
    EXPECT_EQ(model.recent(2)[0].name, "20261130T140200Z-swiglu-aaaaaa");
    model.set_tasks({});
    EXPECT_EQ(model.rowCount(), 2);
}

TEST(TaskListModel, ListsEveryTaskAndSaysWhatIsWrongWithOne) {
    const auto folder = *make_private_folder("kf-tasks-");
    std::filesystem::create_directories(folder / "stage1");
    std::filesystem::copy(KF_SOURCE_DIR "/tasks/stage1/silu_mul", folder / "stage1" / "silu_mul",
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directories(folder / "stage1" / "bad");
    std::ofstream(folder / "stage1" / "bad" / "task.json") << "{\n \"name\": 7";
    TaskListModel model;
    QAbstractItemModelTester tester(&model, fatal);
    QSignalSpy refreshed(&model, &TaskListModel::refreshed);
    model.set_folder(QString::fromStdString(folder.string()));
    ASSERT_TRUE(eventually([&] { return refreshed.count() == 1; }));
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.names(), QStringList{QStringLiteral("silu_mul")});
    const int row = model.row_of(QStringLiteral("stage1/silu_mul"));
    ASSERT_GE(row, 0);
    EXPECT_FALSE(model.tasks()[static_cast<std::size_t>(row)].shape.isEmpty());
    EXPECT_FALSE(model.index(1 - row).flags() & Qt::ItemIsEnabled);
    const QString trouble = model.index(1 - row).data(TaskRole::trouble).toString();
    EXPECT_TRUE(trouble.contains(QStringLiteral("reference.py"))) << trouble.toStdString();
    std::filesystem::remove_all(folder);
    model.refresh();
    EXPECT_TRUE(eventually([&] { return model.rowCount() == 0; }));
}

} // namespace
} // namespace kf::ui
