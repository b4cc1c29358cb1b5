// SPDX-License-Identifier: GPL-3.0-or-later
// kill -9 at any moment: no finished turn is lost, the run goes on to its end, and nothing of it is left running.
#include "tests/app/cli_fixture.h"

#include "core/base/random.h"

#include <csignal>

namespace kf {
namespace {

std::set<std::string> shared_memory() {
    std::set<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/dev/shm", error), end; !error && it != end; it.increment(error))
        names.insert(it->path().filename().string());
    return names;
}

} // namespace

TEST_F(CliTest, KilledAtTwentyRandomPointsItLosesNoFinishedTurn) {
    const auto shm = shared_memory();
    Arguments arguments = {
        "run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1", "slow 3"}), "--synthesizer", "files"};
    constexpr int turns = 6;
    for (int i = 1; i <= turns; ++i)
        arguments.insert(arguments.end(), {"--candidate", kernel("k" + std::to_string(i) + ".cu",
                                                                 {"speed " + std::to_string(1 + i * 0.2), "slow 3"})});
    SplitMix64 random(system_seed());
    int killed = 0;
    std::set<std::size_t> points;
    for (int attempt = 0; attempt < 20; ++attempt) {
        std::filesystem::remove_all(home / "data");
        // The point is a number of journal bytes, so that it does not depend on how fast this machine is today.
        const std::uint64_t point = 200 + random.below(60'000);
        SCOPED_TRACE("killed at byte " + std::to_string(point));
        std::map<int, std::string> finished_before;
        {
            auto child = Child::start(spec(faked(arguments)));
            ASSERT_TRUE(child);
            std::filesystem::path journal;
            ASSERT_TRUE(eventually([&] {
                if (journal.empty() && !list_runs(home / "data" / "runs").empty())
                    journal = list_runs(home / "data" / "runs").front().folder / "journal.jsonl";
                std::error_code ignored;
                const bool there =
                    !journal.empty() && std::filesystem::file_size(journal, ignored) >= point && !ignored;
                return there || child->wait(std::chrono::steady_clock::now()).has_value();
            }));
            killed += child->running();
            kill(child->pid(), SIGKILL); // this process alone: its children have to notice
            ASSERT_TRUE(child->wait(deadline_after(10)));
            EXPECT_TRUE(left_processes().empty()) << "a child outlived the run";
        }
        const auto folder = only_run();
        const RunState before = state_of(folder);
        points.insert(before.turns.size());
        for (const auto& [number, turn] : before.turns)
            if (turn.finished)
                finished_before[number] = turn.outcome;
        if (before.status() == RunStatus::finished)
            continue;
        if (before.status() == RunStatus::empty) {
            expect_one_error(kernelforge({"resume", "last"}), 2, "before the run began");
            continue;
        }
        const Finished resumed = kernelforge({"resume", "last"});
        EXPECT_EQ(resumed.exit_code, 0) << resumed.err << resumed.out;
        const RunState after = state_of(folder);
        EXPECT_EQ(after.status(), RunStatus::finished);
        EXPECT_EQ(after.gaps, 0) << "sequence numbers are contiguous";
        EXPECT_EQ(after.unreadable_lines, 0);
        EXPECT_EQ(after.resumed, 1);
        EXPECT_TRUE(after.unfinished_turns().empty());
        EXPECT_EQ(after.turns.size(), static_cast<std::size_t>(turns + 1));
        ASSERT_TRUE(after.champion());
        EXPECT_EQ(after.champion()->turn, turns);
        for (const auto& [number, outcome] : finished_before)
            EXPECT_EQ(after.turns.at(number).outcome, outcome);
        // Turns that had an end are not taken again.
        std::map<int, int> ends;
        for (const Event& event : events_of(folder))
            if (event.type == EventType::turn_finished)
                ++ends[static_cast<int>(get_int(event.fields, "turn"))];
        for (const auto& [number, count] : ends)
            EXPECT_EQ(count, 1) << "turn " << number;
    }
    EXPECT_GE(killed, 10) << "most runs were killed before their end";
    EXPECT_GE(points.size(), 3u) << "at different places";
    EXPECT_EQ(shared_memory(), shm);
    std::filesystem::remove_all(home / "tmp"); // a killed run cannot remove its control socket's folder
}

TEST_F(CliTest, AKilledEvaluatorIsStartedAgain) {
    auto child =
        Child::start(spec(faked({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer",
                                 "files", "--candidate", kernel("slow.cu", {"speed 2", "slow 1500"})})));
    ASSERT_TRUE(child);
    ASSERT_TRUE(eventually([&] { // until turn 1 is being judged
        if (list_runs(home / "data" / "runs").empty())
            return false;
        const RunState state = state_of(only_run());
        return state.turns.contains(1) && !state.turns.at(1).evaluations.empty();
    }));
    for (const pid_t pid : process_tree(child->pid()))
        if (pid != child->pid())
            kill(pid, SIGKILL);
    const auto status = child->wait(deadline_after(60));
    ASSERT_TRUE(status);
    EXPECT_EQ(status->exit_code, 0);
    const RunState state = state_of(only_run());
    EXPECT_EQ(state.champion()->turn, 1);
    EXPECT_FALSE(state.turns.at(1).infrastructure.empty());
}

} // namespace kf
