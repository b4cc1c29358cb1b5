// SPDX-License-Identifier: GPL-3.0-or-later
// Who gets the device: in order, but what a person waits for first, also in the middle of a longer evaluation.
#include "core/evaluator/service.h"

#include <gtest/gtest.h>
#include <thread>

namespace kf::test {
namespace {

StopSignal patient() {
    return StopSignal({}, deadline_after(30));
}

class DeviceTurnTest : public ::testing::Test {
protected:
    // A thread that wants the device, notes when it has it, and gives it back.
    std::jthread waiter(const std::string& name, bool urgent) {
        return std::jthread([this, name, urgent] {
            StopSignal stop = patient();
            if (!turn.acquire(stop, urgent))
                return;
            {
                const std::lock_guard lock(mutex);
                order.push_back(name);
            }
            turn.release();
        });
    }
    static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

    DeviceTurn turn;
    std::mutex mutex;
    std::vector<std::string> order;
};

TEST_F(DeviceTurnTest, UrgentGoesBeforeThoseThatWait) {
    StopSignal stop = patient();
    ASSERT_TRUE(turn.acquire(stop));
    std::jthread first = waiter("first", false);
    settle();
    std::jthread urgent = waiter("urgent", true);
    settle();
    turn.release();
    first.join();
    urgent.join();
    EXPECT_EQ(order, (std::vector<std::string>{"urgent", "first"}));
}

TEST_F(DeviceTurnTest, TheHolderLetsOnlyUrgentOnesPass) {
    StopSignal stop = patient();
    ASSERT_TRUE(turn.acquire(stop));
    EXPECT_EQ(turn.let_urgent_pass(), 0);
    std::jthread other = waiter("other", false);
    settle();
    EXPECT_EQ(turn.let_urgent_pass(), 0) << "an ordinary one waits for the end";
    std::jthread urgent = waiter("urgent", true);
    settle();
    EXPECT_GT(turn.let_urgent_pass(), 0);
    urgent.join();
    {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(order, (std::vector<std::string>{"urgent"})) << "the device is ours again";
    }
    turn.release();
    other.join();
    EXPECT_EQ(order.back(), "other");
}

TEST_F(DeviceTurnTest, AnUrgentHolderIsNotInterrupted) {
    StopSignal stop = patient();
    ASSERT_TRUE(turn.acquire(stop, true));
    std::jthread urgent = waiter("urgent", true);
    settle();
    EXPECT_EQ(turn.let_urgent_pass(), 0);
    turn.release();
}

TEST_F(DeviceTurnTest, AWaiterThatGivesUpHoldsUpNobody) {
    StopSignal stop = patient();
    ASSERT_TRUE(turn.acquire(stop));
    StopSignal hasty({}, deadline_after(0.01));
    EXPECT_FALSE(turn.acquire(hasty, true));
    EXPECT_EQ(turn.let_urgent_pass(), 0);
    turn.release();
    ASSERT_TRUE(turn.acquire(stop));
    turn.release();
}

} // namespace
} // namespace kf::test
