// SPDX-License-Identifier: GPL-3.0-or-later
// What is offered where, and the plan's errors while typing.
#include "core/base/files.h"
#include "tests/ui/editor/support.h"
#include "ui/editor/completion.h"
#include "ui/editor/plan_check.h"

#include <gtest/gtest.h>

namespace kf::ui {
namespace {

QStringList offered(const QString& line, const LocalNames& names = {}) {
    return plan_completions(plan_context(line, false), names);
}

TEST(Completion, A_plan_line_offers_what_may_stand_there) {
    EXPECT_FALSE(plan_context(QStringLiteral("int x"), false).in_plan);
    EXPECT_FALSE(plan_context(QStringLiteral("#pragma once"), false).in_plan);
    EXPECT_TRUE(plan_context(QStringLiteral("# kf lau"), true).in_plan);

    const QStringList all = offered(QStringLiteral("#pragma kf "));
    EXPECT_EQ(all.size(), 11);
    EXPECT_TRUE(all.contains(QStringLiteral("tensormap")));
    EXPECT_EQ(offered(QStringLiteral("#pragma kf la")), QStringList{QStringLiteral("launch")});

    LocalNames names;
    names.symbols = {QStringLiteral("M"), QStringLiteral("N")};
    names.inputs = {QStringLiteral("x"), QStringLiteral("w")};
    names.outputs = {QStringLiteral("out")};
    names.tunables = {QStringLiteral("BLOCK")};
    names.kernels = {WordEntry{QStringLiteral("scale"), {}, QStringLiteral("scale(float* x)"), {}}};
    const QStringList launch = offered(QStringLiteral("#pragma kf launch "), names);
    for (const char* word : {"scale", "BLOCK", "M", "x", "out", "cdiv(", "cluster(", "cooperative", "when"})
        EXPECT_TRUE(launch.contains(QString::fromLatin1(word))) << word;
    EXPECT_FALSE(launch.contains(QStringLiteral("swizzle(")));
    EXPECT_FALSE(launch.contains(QStringLiteral("f16")));
    EXPECT_TRUE(offered(QStringLiteral("#pragma kf scratch h: f"), names).contains(QStringLiteral("f16")));
    EXPECT_EQ(offered(QStringLiteral("#pragma kf unordered o"), names), QStringList{QStringLiteral("out")});
    EXPECT_TRUE(
        offered(QStringLiteral("#pragma kf tensormap t = x[view M] sw"), names).contains(QStringLiteral("swizzle(")));
    EXPECT_TRUE(code_completions(QStringLiteral("__shfl"), names).contains(QStringLiteral("__shfl_xor_sync")));
    EXPECT_TRUE(code_completions(QStringLiteral("__half2"), names).contains(QStringLiteral("__half22float2")));
    EXPECT_EQ(code_completions(QStringLiteral("BLO"), names).first(), QStringLiteral("BLOCK"));
}

TEST(Completion, Names_come_from_the_task_and_from_a_text_that_does_not_parse) {
    const auto task = find_task("stage1/softmax", resource_folder() / "tasks");
    ASSERT_TRUE(task) << to_string(task.error());
    const LocalNames names =
        local_names(&*task,
                    "#pragma kf tune BLOCK in {64\n#pragma kf scratch tmp: f32[M]\n#pragma kf lau\n"
                    "__global__ void __launch_bounds__(256) rows(const float* x,\n    int n) {}\n",
                    QStringLiteral("draft.cu"));
    EXPECT_FALSE(names.symbols.isEmpty());
    EXPECT_EQ(names.inputs.first().toStdString(), task->inputs.front().name);
    EXPECT_EQ(names.tunables, QStringList{QStringLiteral("BLOCK")});
    EXPECT_EQ(names.buffers, QStringList{QStringLiteral("tmp")});
    ASSERT_EQ(names.kernels.size(), 1u);
    EXPECT_EQ(names.kernels[0].form.toStdString(), "rows(const float* x, int n)");
}

TEST(Completion, Call_tips_show_the_signature) {
    CodeEditor editor;
    QList<int> shifts;
    const QStringList tips = editor.completion().callTips({QStringLiteral("__shfl_down_sync"), QString()}, 1,
                                                          QsciScintilla::CallTipsNoContext, shifts);
    ASSERT_EQ(tips.size(), 1);
    EXPECT_TRUE(tips.first().startsWith(QStringLiteral("T __shfl_down_sync(unsigned mask, T value")));
    EXPECT_TRUE(tips.first().contains(QLatin1Char('\n')));
    QStringList list;
    editor.completion().updateAutoCompletionList({QStringLiteral("__syncth")}, list);
    EXPECT_TRUE(list.contains(QStringLiteral("__syncthreads")));
}

TEST(PlanCheck, Form_then_task) {
    const auto task = find_task("stage1/softmax", resource_folder() / "tasks");
    ASSERT_TRUE(task);
    const auto start = read_file(task->folder / "start.cu");
    ASSERT_TRUE(start);
    const QByteArray good = QByteArray::fromStdString(*start);
    const DeviceLimits limits = cpu_device_limits(0);
    const auto check = [&](const QByteArray& text) {
        return check_plan(text, QStringLiteral("draft.cu"), &*task, limits).errors;
    };
    EXPECT_TRUE(check(good).empty());
    EXPECT_TRUE(check({}).empty());
    const auto form = check("#pragma kf lunch k<<<1, 1>>>()\n" + good);
    ASSERT_EQ(form.size(), 1u);
    EXPECT_EQ(form[0].place.line, 1);
    EXPECT_EQ(form[0].code, "parse-statement");
    // Well formed, but not of this task: the plan names a tensor that is not there.
    const auto names = check("#pragma kf fill nosuch = 0\n" + good);
    ASSERT_EQ(names.size(), 1u) << "told once, not for every case";
    EXPECT_EQ(names[0].place.line, 1);
    EXPECT_TRUE(
        check_plan("#pragma kf fill nosuch = 0\n" + good, QStringLiteral("draft.cu"), nullptr, limits).errors.empty());
}

TEST(PlanCheck, The_newest_text_wins_and_large_ones_go_to_a_worker) {
    PlanChecker checker;
    std::vector<std::size_t> counts;
    QObject::connect(&checker, &PlanChecker::found, &checker,
                     [&](const PlanFindings& findings) { counts.push_back(findings.errors.size()); });
    QByteArray large = valid_kernel;
    while (large.size() < 300'000)
        large += "// filler line that says nothing\n";
    checker.check_now("#pragma kf nonsense\n" + large, QStringLiteral("draft.cu"));
    EXPECT_TRUE(counts.empty()) << "not on this thread";
    checker.check_now(valid_kernel, QStringLiteral("draft.cu"));
    ASSERT_EQ(counts.size(), 1u);
    EXPECT_EQ(counts[0], 0u);
    // The older one's answer comes and is dropped.
    checker.check_now("#pragma kf nonsense\n#pragma kf nonsense\n" + large, QStringLiteral("draft.cu"));
    ASSERT_TRUE(wait_for([&] { return counts.size() == 2; }));
    EXPECT_EQ(counts[1], 2u);
    checker.touch([] { return QByteArray("#pragma kf nonsense\n"); }, QStringLiteral("draft.cu"));
    ASSERT_TRUE(wait_for([&] { return counts.size() == 3; }));
    EXPECT_GE(counts[2], 1u);
}

TEST(PlanCheck, The_limits_are_those_of_the_runs_device) {
    RunState state;
    EXPECT_FALSE(limits_of_run(state)) << "nothing is told";
    DeviceLimits gpu = cpu_device_limits(0);
    gpu.kind = "cuda";
    gpu.max_threads_per_block = 512;
    gpu.max_shared = 48 << 10;
    state.start.device = Json{{"name", "Small GPU"}, {"limits", to_json(gpu)}};
    const auto told = limits_of_run(state);
    ASSERT_TRUE(told);
    EXPECT_EQ(to_json(*told), to_json(gpu));
    EXPECT_EQ(limits_words(*told, QStringLiteral("Small GPU")),
              QStringLiteral("The plan is checked against Small GPU: 512 threads a block, 48 KiB of shared memory"));
    EXPECT_TRUE(limits_words(cpu_device_limits(0), {}).contains(QStringLiteral("the CPU device")));
    // What cannot be is not believed.
    for (const Json& strange : {Json(3), Json{{"kind", "toaster"}}, Json{{"max_threads_per_block", -1}},
                                Json{{"max_block", {0, 1, 1}}}, Json{{"warp_size", 0}}, Json{{"max_shared", -5}}}) {
        state.start.device["limits"] = strange;
        EXPECT_FALSE(limits_of_run(state)) << strange.dump();
    }
    // The same text is right for one device and wrong for the other.
    const auto task = find_task("stage1/silu_mul", resource_folder() / "tasks");
    ASSERT_TRUE(task);
    const auto start = read_file(resource_folder() / "tasks/stage1/silu_mul/start.cu"); // 256 threads a block
    ASSERT_TRUE(start);
    const auto about = [&](const DeviceLimits& limits) {
        return check_plan(QByteArray::fromStdString(*start), QStringLiteral("draft.cu"), &*task, limits).errors;
    };
    EXPECT_TRUE(about(cpu_device_limits(0)).empty());
    EXPECT_TRUE(about(gpu).empty()) << about(gpu)[0].message;
    gpu.max_threads_per_block = 128;
    EXPECT_FALSE(about(gpu).empty());
}

} // namespace
} // namespace kf::ui
