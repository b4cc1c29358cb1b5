// SPDX-License-Identifier: GPL-3.0-or-later
// A window in a home of its own with the real `kernelforge`; runs that are left over are ended with the test.
#pragma once

#include "core/base/files.h"
#include "core/journal/run_folder.h"
#include "core/process/child.h"
#include "tests/scenes/player/player.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/editor_pane.h"
#include "ui/plots/turn_table.h"
#include "ui/window/start_page.h"
#include "ui/window/workspace.h"

#include <QApplication>
#include <QListView>
#include <QPushButton>

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

class WindowTest : public ::testing::Test {
protected:
    void TearDown() override {
        if (player.is_open())
            player.close();
        player.release();
        // Whoever still writes is told to go, then made to.
        for (const int signal : {SIGTERM, SIGKILL})
            for (const RunEntry& run : list_runs(player.runs()))
                for (int i = 0; lock_info(run.folder).state == LockState::held && i < 100; ++i) {
                    if (i % 50 == 0)
                        ::kill(static_cast<pid_t>(lock_info(run.folder).pid), signal);
                    QTest::qWait(100);
                }
        for (const RunEntry& run : list_runs(player.runs()))
            EXPECT_NE(lock_info(run.folder).state, LockState::held) << "a run was left behind";
        qunsetenv("KERNELFORGE_RESOURCES");
        for (const std::string& trouble : player.troubles)
            ADD_FAILURE() << trouble;
    }

    // Settings that use the real program with the scripted evaluator.
    PlayerSettings faked() {
        PlayerSettings settings;
        settings.program = KF_BIN_DIR "/kernelforge";
        const auto state = std::filesystem::path(player.home().toStdString()) / "state";
        std::filesystem::create_directories(state);
        settings.launcher =
            QString::fromStdString("env KF_FAKE_STATE=" + state.string() + " " KF_BIN_DIR "/kf_fake_evaluator");
        return settings;
    }
    static PlayerSettings real() {
        PlayerSettings settings;
        settings.program = KF_BIN_DIR "/kernelforge";
        return settings;
    }
    // One task, silu_mul, whose start kernel tells the scripted evaluator what to do.
    void use_scripted_task(const std::vector<std::string>& directives) {
        namespace fs = std::filesystem;
        const fs::path root = fs::path(player.home().toStdString()) / "resources-of-test";
        fs::create_directories(root / "tasks" / "stage1");
        fs::create_directory_symlink(fs::path(KF_SOURCE_DIR) / "resources", root / "resources");
        const fs::path task = root / "tasks" / "stage1" / "silu_mul";
        fs::copy(fs::path(KF_SOURCE_DIR) / "tasks" / "stage1" / "silu_mul", task, fs::copy_options::recursive);
        std::string text;
        for (const std::string& directive : directives)
            text += "// fake: " + directive + "\n";
        text += *read_file(task / "start.cu");
        std::ofstream(task / "start.cu", std::ios::binary) << text;
        qputenv("KERNELFORGE_RESOURCES", QByteArray::fromStdString(root.string()));
    }

    const RunState& state() { return player.window().store().state(); }
    int points() { // of turn 1's sweep, as the timeline's table has them
        ui::TurnModel& turns = player.window().models().turns;
        return turns.rowCount(turns.index_of({1, {}}));
    }
    std::filesystem::path only_run() {
        const auto all = list_runs(player.runs());
        EXPECT_EQ(all.size(), 1u);
        return all.empty() ? std::filesystem::path() : all.front().folder;
    }
    ui::CodeEditor& draft() { return *player.window().editor()->draft(); }
    QPushButton* button(const QString& text) {
        for (auto* one : player.window().findChildren<QPushButton*>())
            if (one->isVisible() && one->text().remove(u'&').contains(text, Qt::CaseInsensitive))
                return one;
        return nullptr;
    }
    // A click on the turn's row in the timeline.
    void click_turn(int turn) {
        auto* table = player.window().findChild<ui::TurnTable*>();
        ASSERT_TRUE(table);
        // What the journal has is shown a moment later.
        ASSERT_TRUE(player.until(
            [&] {
                return table->isVisible() && table->order().index_of({turn, {}}).isValid();
            },
            20))
            << "turn " << turn << " is not in the table";
        const QModelIndex row = table->order().index_of({turn, {}});
        table->scrollTo(row);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(row).center());
        QApplication::processEvents();
        EXPECT_EQ(player.window().selection().current().turn, turn);
    }
    // From a fresh home, with the mouse alone; gives the number of clicks.
    int start_tuner_by_mouse() {
        EXPECT_EQ(player.window().page(), u"start"_s);
        EXPECT_TRUE(player.until([&] { return !player.window().start_page().task().isEmpty(); }, 20)) << "no tasks";
        QPushButton* run = nullptr;
        EXPECT_TRUE(player.until([&] { return (run = button(u"tuner"_s)) != nullptr && run->isEnabled(); }, 20));
        int clicks = 0;
        if (run) {
            player.click(run);
            ++clicks;
        }
        EXPECT_TRUE(player.until([&] { return !state().start.task.empty(); }, 60)) << "the run did not begin";
        EXPECT_EQ(player.window().page(), u"work"_s);
        return clicks;
    }

    Player player;
};

} // namespace kf::scenes
