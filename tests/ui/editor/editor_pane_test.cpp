// SPDX-License-Identifier: GPL-3.0-or-later
// The pane: tabs and draft, what is kept on disk, numbers and marks, strange files.
#include "core/base/files.h"
#include "tests/ui/editor/support.h"
#include "ui/editor/issue_marks.h"

#include <QFile>
#include <QTabBar>
#include <QtTest/QTest>
#include <gtest/gtest.h>

namespace kf::ui {
namespace {

QString tab_text(const EditorPane& pane, const QString& id) {
    const auto* tabs = pane.findChild<QTabBar*>();
    for (int i = 0; i < tabs->count(); ++i)
        if (tabs->tabData(i).toString() == id)
            return tabs->tabText(i);
    return {};
}

QString write(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
    const QString path = folder.filePath(name);
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return path;
}

TEST(EditorPane, Nothing_then_a_task_then_its_run) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    EXPECT_EQ(pane.text_twin().toStdString(), "Pick a task to begin.");
    EXPECT_EQ(pane.current_editor(), nullptr);
    pane.bench();
    EXPECT_TRUE(fixture.judge->benches.empty());

    pane.set_task(QStringLiteral("stage3/swiglu_bias"));
    EXPECT_EQ(pane.documents(), QStringList{QStringLiteral("draft")});
    EXPECT_EQ(tab_text(pane, QStringLiteral("draft")).toStdString(), "draft from start kernel");
    const auto start = read_file(resource_folder() / "tasks/stage3/swiglu_bias/start.cu");
    ASSERT_TRUE(start);
    EXPECT_EQ(pane.draft()->source().toStdString(), *start);
    EXPECT_FALSE(pane.draft_modified());
    pane.bench();
    ASSERT_EQ(fixture.judge->benches.size(), 1u);
    EXPECT_EQ(fixture.judge->benches[0].level, Level::screen);
    EXPECT_TRUE(fixture.judge->benches[0].task.endsWith(QStringLiteral("swiglu_bias")));
    EXPECT_EQ(fixture.judge->benches[0].source.toStdString(), *start);

    // The run of that task comes; what was typed stays.
    pane.draft()->insertAt(QStringLiteral("// mine\n"), 0, 0);
    const QByteArray mine = pane.draft()->source();
    MemoryRun run(fixture.store);
    run.begin("swiglu_bias");
    run.turn(0, "file", *start);
    run.champion(0);
    run.turn(1, "tuner", std::string("// one\n") + *start);
    run.champion(1, "promote");
    run.turn(2, "model", std::string("// two\n") + *start);
    EXPECT_EQ(pane.draft()->source(), mine) << "a new champion never changes the draft";
    EXPECT_EQ(pane.documents(), (QStringList{QStringLiteral("draft"), QStringLiteral("champion"),
                                             QStringLiteral("proposal"), QStringLiteral("start")}));
    EXPECT_EQ(tab_text(pane, QStringLiteral("champion")).toStdString(), "champion · turn 1 ★");
    EXPECT_EQ(tab_text(pane, QStringLiteral("proposal")).toStdString(), "model · turn 2 …");
    EXPECT_EQ(tab_text(pane, QStringLiteral("draft")).toStdString(), "draft from start kernel ✎");

    pane.show_document(QStringLiteral("champion"));
    EXPECT_TRUE(pane.current_editor()->isReadOnly());
    EXPECT_TRUE(pane.current_editor()->source().startsWith("// one\n"));
    pane.take_into_draft();
    EXPECT_EQ(pane.current_document(), QStringLiteral("draft"));
    EXPECT_TRUE(pane.draft()->source().startsWith("// one\n"));
    EXPECT_EQ(tab_text(pane, QStringLiteral("draft")).toStdString(), "draft from turn 1");
    pane.draft()->undo();
    EXPECT_EQ(pane.draft()->source(), mine) << "one step";
    pane.draft()->redo();
    pane.draft()->insertAt(QStringLiteral("// more\n"), 0, 0);
    pane.reset_draft();
    EXPECT_TRUE(pane.draft()->source().startsWith("// one\n"));

    pane.show_turn(2);
    EXPECT_EQ(pane.current_document(), QStringLiteral("proposal"));
    run.turn(3, "model", "// three\n");
    pane.show_turn(2);
    EXPECT_EQ(pane.current_document(), QStringLiteral("turn:2"));
    pane.bench();
    EXPECT_EQ(fixture.judge->benches.back().parent, 2);
}

TEST(EditorPane, The_draft_outlives_crash_task_and_run) {
    PaneFixture fixture;
    EditorPane* pane = &fixture.make();
    pane->set_task(QStringLiteral("stage1/softmax"));
    pane->draft()->insertAt(QStringLiteral("// é typed\n"), 0, 0);
    const QByteArray mine = pane->draft()->source();
    const DraftStore store(fixture.home.filePath(QStringLiteral("drafts")));
    ASSERT_TRUE(wait_for([&] { return store.load(QStringLiteral("softmax")).has_value(); })) << "within a second";
    EXPECT_EQ(store.load(QStringLiteral("softmax"))->text, mine);
    EXPECT_FALSE(store.load(QStringLiteral("softmax"))->closed);

    // As after a crash: a second pane finds what the first has not let go of.
    {
        EditorPane second(fixture.context, fixture.issues, nullptr, std::make_unique<FakeJudge>(),
                          fixture.home.filePath(QStringLiteral("drafts")));
        second.set_task(QStringLiteral("stage1/softmax"));
        EXPECT_EQ(second.draft()->source(), mine);
        ASSERT_EQ(second.banners().size(), 1);
        EXPECT_TRUE(second.banners().first().contains(QStringLiteral("is back")));
        second.draft()->undo();
        EXPECT_FALSE(second.draft_modified()) << "one step back is what it came from";
        second.draft()->redo();
    }

    // To another task and back: the last letter is not lost, and there is nothing to tell.
    pane->draft()->insertAt(QStringLiteral("// last\n"), 0, 0);
    pane->set_task(QStringLiteral("stage1/silu_mul"));
    EXPECT_FALSE(pane->draft()->source().contains("// last"));
    pane->set_task(QStringLiteral("stage1/softmax"));
    EXPECT_EQ(pane->draft()->source(), QByteArray("// last\n") + mine);
    EXPECT_TRUE(pane->banners().isEmpty());
    EXPECT_EQ(tab_text(*pane, QStringLiteral("draft")).toStdString(), "draft from start kernel ✎");

    // A run of another task takes the pane over; the draft waits for its own.
    pane->draft()->insertAt(QStringLiteral("// again\n"), 0, 0);
    const QByteArray again = pane->draft()->source();
    MemoryRun run(fixture.store);
    run.begin("silu_mul");
    EXPECT_EQ(pane->task(), QStringLiteral("silu_mul"));
    EXPECT_EQ(store.load(QStringLiteral("softmax"))->text, again);
    EXPECT_TRUE(store.load(QStringLiteral("softmax"))->closed);
}

TEST(EditorPane, A_failed_compile_is_marked_and_the_next_one_clears_it) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    pane.set_task(QStringLiteral("stage3/swiglu_bias"));
    const auto bench = [&](const Evaluation& evaluation, int turn) {
        pane.bench();
        Q_EMIT fixture.controller.benched(answer(fixture.judge->number, evaluation, turn));
    };
    int attention = 0;
    QObject::connect(&pane, &Pane::wants_attention, &pane, [&] { ++attention; });
    bench(failed_compile(12, 5, "identifier \"T\" is undefined"), 1);
    ASSERT_EQ(pane.draft()->issues().all().size(), 1u);
    EXPECT_EQ(pane.draft()->issues().all()[0].line, 11);
    EXPECT_EQ(fixture.issues.errors(), 1);
    EXPECT_EQ(fixture.issues.issue(0).producer, QStringLiteral("compiler"));
    EXPECT_EQ(fixture.issues.issue(0).line, 12);
    EXPECT_EQ(attention, 1);
    EXPECT_TRUE(pane.state_text().endsWith(QStringLiteral("compile error"))) << pane.state_text().toStdString();
    pane.draft()->setCursorPosition(0, 0);
    pane.next_issue();
    EXPECT_EQ(pane.draft()->caret_line(), 11);

    // The answer is about an older text: the mark goes where that line is now.
    pane.bench();
    pane.draft()->insertAt(QStringLiteral("// two\n// lines\n"), 0, 0);
    Q_EMIT fixture.controller.benched(
        answer(fixture.judge->number, failed_compile(12, 5, "identifier \"T\" is undefined"), 2));
    EXPECT_EQ(pane.draft()->issues().all().at(0).line, 13);

    bench(faster_screen(1 / 0.935, 2, 18), 3);
    EXPECT_TRUE(pane.draft()->issues().empty());
    EXPECT_EQ(fixture.issues.rowCount(), 0);
    EXPECT_TRUE(pane.state_text().contains(QStringLiteral("−6.5 % · screen · 2 of 18 cases")));

    pane.compile();
    EXPECT_EQ(fixture.judge->compile_tasks.size(), 1);
    EXPECT_TRUE(pane.state_text().contains(QStringLiteral("compiling")));
}

TEST(EditorPane, Plan_errors_come_while_typing) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    pane.set_task(QStringLiteral("stage3/swiglu_bias"));
    EXPECT_EQ(fixture.issues.rowCount(), 0);
    pane.draft()->insertAt(QStringLiteral("#pragma kf fill nosuch = 0\n"), 0, 0);
    EXPECT_EQ(fixture.issues.rowCount(), 0) << "not at each key";
    ASSERT_TRUE(wait_for([&] { return fixture.issues.rowCount() == 1; }));
    EXPECT_EQ(fixture.issues.issue(0).producer, QStringLiteral("plan"));
    EXPECT_EQ(fixture.issues.issue(0).line, 1);
    pane.draft()->undo();
    ASSERT_TRUE(wait_for([&] { return fixture.issues.rowCount() == 0; }));
}

TEST(EditorPane, The_limits_of_the_runs_device_are_named_and_used) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    pane.set_task(QStringLiteral("stage1/silu_mul"));
    const auto tip = [&] { return pane.findChild<QTabBar*>()->tabToolTip(0); };
    EXPECT_TRUE(tip().contains(QStringLiteral("checked against the CPU device"))) << tip().toStdString();
    MemoryRun run(fixture.store);
    RunStarted start;
    start.run = "20261130T140200Z-silu_mul-abc123";
    start.task = "silu_mul";
    start.device =
        Json{{"id", "cuda:0"}, {"name", "Small GPU"}, {"limits", {{"kind", "cuda"}, {"max_threads_per_block", 128}}}};
    run.add(start);
    fixture.store.flush();
    ASSERT_TRUE(wait_for([&] { return tip().contains(QStringLiteral("Small GPU: 128 threads")); }))
        << tip().toStdString();
    ASSERT_TRUE(wait_for([&] { return fixture.issues.rowCount() > 0; })) << "its blocks are too large for that device";
    EXPECT_EQ(fixture.issues.issue(0).producer, QStringLiteral("plan"));
}

TEST(EditorPane, What_the_plots_show_is_told_apart_from_what_is_written) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    const auto start = read_file(resource_folder() / "tasks/stage3/swiglu_bias/start.cu");
    MemoryRun run(fixture.store);
    run.begin("swiglu_bias");
    run.turn(0, "file", *start);
    run.champion(0);
    fixture.selection.select({0, {}});
    std::vector<bool> told;
    QObject::connect(&pane, &EditorPane::stale_changed, &pane, [&](bool stale) { told.push_back(stale); });
    EXPECT_FALSE(pane.draft_stale());
    pane.draft()->insertAt(QStringLiteral("// x\n"), 0, 0);
    ASSERT_TRUE(wait_for([&] { return pane.draft_stale(); }));
    EXPECT_EQ(pane.state_text().toStdString(), "plots show the start kernel · source changed");
    pane.draft()->undo();
    ASSERT_TRUE(wait_for([&] { return !pane.draft_stale(); }));
    EXPECT_EQ(told, (std::vector<bool>{true, false}));
}

TEST(EditorPane, Turns_that_failed_show_where) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    MemoryRun run(fixture.store);
    run.begin("swiglu_bias");
    run.turn(1, "model", valid_kernel);
    run.evaluated(1, failed_compile(4, 11, "no"));
    pane.show_turn(1);
    ASSERT_NE(pane.current_editor(), nullptr);
    EXPECT_TRUE(pane.current_editor()->isReadOnly());
    ASSERT_EQ(pane.current_editor()->issues().all().size(), 1u);
    EXPECT_EQ(pane.current_editor()->issues().all()[0].line, 3);
    EXPECT_EQ(pane.current_editor()->issues().all()[0].begin, 10);
}

TEST(EditorPane, Strange_files_are_shown_and_never_changed) {
    PaneFixture fixture;
    EditorPane& pane = fixture.make();
    const QString any = write(fixture.home, QStringLiteral("any.cu"), "int x;\n");
    EXPECT_EQ(pane.open_file(any).error().code, "editor-no-task");
    pane.set_task(QStringLiteral("stage3/swiglu_bias"));

    const QByteArray windows("\xEF\xBB\xBF// one\r\n// two\r\n");
    ASSERT_TRUE(pane.open_file(write(fixture.home, QStringLiteral("windows.cu"), windows)));
    EXPECT_EQ(pane.draft()->source(), QByteArray("// one\n// two\n"));
    EXPECT_EQ(tab_text(pane, QStringLiteral("draft")).toStdString(), "draft from windows.cu");
    const QString copy = fixture.home.filePath(QStringLiteral("copy.cu"));
    ASSERT_TRUE(pane.save_as(copy));
    EXPECT_EQ(*read_file(copy.toStdString()), windows.toStdString());
    pane.draft()->undo();
    EXPECT_TRUE(pane.draft()->source().startsWith("// SwiGLU")) << "opening is one step, too";

    const QByteArray before = pane.draft()->source();
    ASSERT_TRUE(pane.open_file(write(fixture.home, QStringLiteral("latin.cu"), "// caf\xE9\n")));
    EXPECT_EQ(pane.current_document(), QStringLiteral("file"));
    EXPECT_TRUE(pane.current_editor()->isReadOnly());
    EXPECT_EQ(pane.draft()->source(), before);
    ASSERT_EQ(pane.banners().size(), 1);
    EXPECT_TRUE(pane.banners().first().contains(QStringLiteral("line 1, column 7")));
    pane.take_into_draft();
    EXPECT_EQ(pane.draft()->source(), before) << "nothing is taken that would change on the way";

    ASSERT_TRUE(pane.open_file(write(fixture.home, QStringLiteral("nul.cu"), QByteArray("a\0b\n", 4))));
    EXPECT_TRUE(pane.banners().first().contains(QStringLiteral("NUL")));
    EXPECT_EQ(pane.open_file(fixture.home.filePath(QStringLiteral("missing.cu"))).error().code, "file-unreadable");
    EXPECT_EQ(pane.open_file(write(fixture.home, QStringLiteral("huge.cu"), QByteArray(2 << 20, 'x'))).error().code,
              "limits-source");
    ASSERT_TRUE(pane.open_file(write(fixture.home, QStringLiteral("empty.cu"), {})));
    EXPECT_EQ(pane.draft()->source(), QByteArray());
    pane.bench();
    EXPECT_TRUE(fixture.judge->benches.empty()) << "an empty source has no number";
    EXPECT_TRUE(pane.state_text().contains(QStringLiteral("there is no source")));
}

} // namespace
} // namespace kf::ui
