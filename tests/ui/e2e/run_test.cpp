// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that the window starts, follows, attaches to, and loses.
#include "tests/ui/e2e/window_test.h"

#include "ui/models/log_model.h"
#include "ui/window/settings.h"

#include <QProcess>

namespace kf::scenes {
namespace {

// Three clicks are allowed; the points of the sweep are seen one after another, before the verdict.
TEST_F(WindowTest, FromAFreshHomeToARunningSweepByMouse) {
    use_scripted_task({"slow 250", "tunable VEC 4 1.4"});
    PlayerSettings settings = faked();
    settings.points = 8;
    player.open(settings, true);
    EXPECT_LE(start_tuner_by_mouse(), 3);
    std::vector<int> seen;
    ASSERT_TRUE(player.until(
        [&] {
            const int now = points();
            const auto turn = state().turns.find(1);
            const bool judged = turn != state().turns.end() && turn->second.finished;
            if (!judged && now > 0 && (seen.empty() || now > seen.back()))
                seen.push_back(now);
            return judged;
        },
        120));
    EXPECT_GE(seen.size(), 3u) << "the points did not come one by one: " << ::testing::PrintToString(seen);
    ui::TurnModel& turns = player.window().models().turns;
    const QModelIndex turn = turns.index_of({1, {}});
    ASSERT_TRUE(player.until(
        [&] { return turns.data(turn, ui::TurnRole::kind).toInt() == static_cast<int>(VerdictKind::faster); }, 10));
    EXPECT_EQ(state().champion()->turn, 1);
    // The same is on the screen.
    ui::Pane* timeline = player.window().workspace().pane(u"timeline"_s);
    EXPECT_TRUE(player.until([&] { return timeline->text_twin().contains(u"faster"_s); }, 5))
        << qPrintable(timeline->text_twin());
}

TEST_F(WindowTest, AttachesToARunThatWasStartedInATerminal) {
    use_scripted_task({"slow 50"});
    faked();
    const auto home = std::filesystem::path(player.home().toStdString());
    ChildSpec spec;
    spec.argv = {KF_BIN_DIR "/kernelforge",     "run", "silu_mul", "--synthesizer", "human", "--launcher",
                 faked().launcher.toStdString()};
    spec.env = {{"KERNELFORGE_HOME", home.string()},
                {"KERNELFORGE_RESOURCES", qgetenv("KERNELFORGE_RESOURCES").toStdString()}};
    spec.cwd = home;
    auto run = Child::start(spec);
    ASSERT_TRUE(run) << to_string(run.error());
    ASSERT_TRUE(player.until(
        [&] { return list_runs(player.runs()).size() == 1 && !lock_info(only_run()).control_socket.empty(); }, 60));
    player.open(faked(), true);
    player.window().open_run(QString::fromStdString(only_run().string()));
    ASSERT_TRUE(
        player.until([&] { return player.window().controller().state() == ui::RunController::State::running; }, 20));
    ASSERT_TRUE(player.until([&] { return state().champion() != nullptr; }, 60));
    player.key("F9");
    EXPECT_TRUE(player.until([&] { return state().paused; }, 20)) << "F9 did not pause it";
    player.key("F9");
    EXPECT_TRUE(player.until([&] { return !state().paused; }, 20)) << "F9 did not let it go on";
    player.act("run.stop");
    EXPECT_TRUE(player.until([&] { return player.window().store().status() == RunStatus::finished; }, 30));
    EXPECT_EQ(state().stop->reason, "user");
    EXPECT_TRUE(run->wait(deadline_after(20)));
}

// The program itself, killed in the middle of a run that it started.
TEST_F(WindowTest, TheRunOutlivesAWindowThatIsKilled) {
    use_scripted_task({"slow 250", "tunable VEC 4 1.4"});
    {
        ui::Settings settings; // of the player's home, which the program is given too
        ASSERT_TRUE(settings.set(u"runs/launcher"_s, faked().launcher));
        ASSERT_TRUE(settings.set(u"runs/points"_s, 12));
        ASSERT_TRUE(settings.save());
    }
    QProcess window;
    window.setProcessChannelMode(QProcess::ForwardedChannels);
    window.start(QStringLiteral(KF_BIN_DIR "/kernelforge-workbench"), {u"--task"_s, u"silu_mul"_s, u"--run"_s});
    ASSERT_TRUE(window.waitForStarted());
    ASSERT_TRUE(player.until([&] { return list_runs(player.runs()).size() == 1; }, 60));
    const auto folder = only_run();
    ASSERT_TRUE(player.until([&] { return state_of(folder).turns.contains(1); }, 60));
    window.kill();
    ASSERT_TRUE(window.waitForFinished(10000));
    EXPECT_EQ(window.exitStatus(), QProcess::CrashExit);
    const RunState before = state_of(folder);
    ASSERT_FALSE(before.end) << "the run was over before the window was killed";
    EXPECT_EQ(lock_info(folder).state, LockState::held) << "the run died with its window";

    player.open(faked(), true);
    player.window().open_run(QString::fromStdString(folder.string()));
    ASSERT_TRUE(player.until([&] { return player.window().store().status() == RunStatus::finished; }, 120));
    EXPECT_TRUE(state().turns.at(1).finished);
    EXPECT_EQ(state().champion()->turn, 1);
    EXPECT_GT(state().events, before.events);
}

TEST_F(WindowTest, ARunThatDiesWhileShownIsInterruptedAndOffersToGoOn) {
    use_scripted_task({"slow 400"});
    PlayerSettings settings = faked();
    settings.points = 30;
    player.open(settings, true);
    start_tuner_by_mouse();
    ASSERT_TRUE(player.until([&] { return points() >= 2; }, 60));
    ::kill(static_cast<pid_t>(lock_info(only_run()).pid), SIGKILL);
    ASSERT_TRUE(player.until([&] { return player.window().store().status() == RunStatus::interrupted; }, 20));
    QAction* resume = player.window().actions().find(u"run.resume"_s);
    ASSERT_TRUE(resume);
    EXPECT_TRUE(player.until([&] { return resume->isEnabled(); }, 5));
    EXPECT_FALSE(player.window().workspace().pane(u"timeline"_s)->text_twin().isEmpty());
    const int known = points();
    player.act("run.resume");
    EXPECT_TRUE(
        player.until([&] { return player.window().store().status() == RunStatus::running && points() > known; }, 60))
        << "it does not go on";
}

// Each damaged file gives a designed state: the window lives, no pane is blank, and something says what is wrong.
class BadJournal : public WindowTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(BadJournal, IsShownAsWhatItIs) {
    player.make(GetParam());
    PlayerSettings settings;
    player.open(settings);
    player.settle(3);
    for (const char* layout : {"layout.edit", "layout.watch"}) {
        player.act(layout);
        for (ui::Pane* pane : player.window().workspace().all_panes()) {
            player.pane(pane->id());
            EXPECT_FALSE(pane->text_twin().trimmed().isEmpty()) << qPrintable(pane->id());
        }
    }
    for (const auto& [number, turn] : std::map(state().turns)) {
        player.select(number);
        player.pin(number);
    }
    player.settle(3);
    for (const char* keys : {"Alt+Up", "Alt+Down", "Ctrl+B", "Alt+Up"})
        player.key(keys);
    SUCCEED();
}
INSTANTIATE_TEST_SUITE_P(Files, BadJournal,
                         ::testing::Values("empty", "torn", "newer", "newer_only", "hostile", "not_json", "no_journal",
                                           "nonfinite", "missing_parent"),
                         [](const auto& named) { return std::string(named.param); });

} // namespace
} // namespace kf::scenes
