// SPDX-License-Identifier: GPL-3.0-or-later
// A run that somebody steers: signals, `attach`, strangers on its control socket.
#include "tests/app/cli_fixture.h"

#include <csignal>
#include <sys/socket.h>
#include <sys/un.h>

namespace kf {

class SteeringTest : public CliTest {
protected:
    // A run that waits for people.
    void start(const Arguments& arguments) {
        ChildSpec child = spec(faked(arguments));
        child.output = ChildOutput::pipe;
        child.error_output = ChildOutput::pipe;
        auto started = Child::start(child);
        ASSERT_TRUE(started) << to_string(started.error());
        run = std::move(*started);
        ASSERT_TRUE(eventually([&] { return !list_runs(home / "data" / "runs").empty(); }));
        folder = only_run();
        ASSERT_TRUE(eventually([&] { return state_of(folder).champion() != nullptr && !control().empty(); }));
    }
    void start_human() {
        start({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer", "human"});
    }
    std::string control() const { return lock_info(folder).control_socket; }
    int exit_code() {
        const auto status = run.wait(deadline_after(30));
        EXPECT_TRUE(status) << "the run does not end";
        return status ? status->exit_code : -1;
    }
    bool has_steering(const std::string& what) const {
        const RunState state = state_of(folder);
        return std::any_of(state.steering.begin(), state.steering.end(),
                           [&](const Steering& told) { return told.what == what; });
    }

    Child run;
    std::filesystem::path folder;
};

TEST_F(SteeringTest, AttachTellsAndTheJournalSaysSo) {
    start_human();
    EXPECT_EQ(kernelforge({"attach", "last", "--hint", "use shared memory"}).exit_code, 0);
    EXPECT_EQ(kernelforge({"attach", "last", "--pause"}).exit_code, 0);
    ASSERT_TRUE(eventually([&] { return state_of(folder).paused; }));
    EXPECT_EQ(kernelforge({"attach", "last", "--continue"}).exit_code, 0);
    ASSERT_TRUE(eventually([&] { return !state_of(folder).paused; }));
    EXPECT_TRUE(has_steering("hint"));

    const Finished bench =
        kernelforge({"attach", "last", "--bench", kernel("mine.cu", {"speed 3"}), "--level", "certify"});
    EXPECT_EQ(bench.exit_code, 0) << bench.err;
    EXPECT_NE(bench.out.find("turn 1"), std::string::npos) << bench.out;
    EXPECT_NE(bench.out.find("✓ accepted"), std::string::npos) << bench.out;
    ASSERT_TRUE(state_of(folder).champion());
    EXPECT_EQ(state_of(folder).champion()->turn, 1);
    EXPECT_EQ(state_of(folder).turns.at(1).author, "human");
    EXPECT_EQ(kernelforge({"attach", "last", "--bench", kernel("wrong.cu", {"fail mismatch"})}).exit_code, 1);
    expect_one_error(kernelforge({"attach", "last", "--bench", "none.cu"}), 2, "none.cu");
    expect_one_error(kernelforge({"attach", "last", "--pause", "--stop"}), 2, "--pause");
    expect_one_error(kernelforge({"attach", "last", "--level", "duel"}), 2, "--bench");

    EXPECT_EQ(kernelforge({"attach", "last", "--stop"}).exit_code, 0);
    EXPECT_EQ(exit_code(), 4);
    EXPECT_EQ(state_of(folder).stop->reason, "user");
    EXPECT_TRUE(std::filesystem::is_empty(home / "tmp"));
}

TEST_F(SteeringTest, TwoClientsFollowToTheEnd) {
    start_human();
    auto one = Child::start(spec({"attach", "last"}));
    auto two = Child::start(spec({"attach", "last", "--json"}));
    ASSERT_TRUE(one && two);
    const Finished bench = kernelforge({"attach", "last", "--bench", kernel("mine.cu", {"speed 3"})});
    EXPECT_EQ(bench.exit_code, 0) << bench.err;
    EXPECT_EQ(kernelforge({"attach", "last", "--stop-after-turn"}).exit_code, 0);
    EXPECT_EQ(exit_code(), 4);
    for (Child* client : {&*one, &*two}) {
        const auto status = client->wait(deadline_after(20));
        ASSERT_TRUE(status);
        EXPECT_EQ(status->exit_code, 4);
    }
}

TEST_F(SteeringTest, DetachingLeavesTheRunAlone) {
    start_human();
    auto client = Child::start(spec({"attach", "last"}));
    ASSERT_TRUE(client);
    char byte = 0;
    ASSERT_EQ(read(client->output_fd(), &byte, 1), 1); // it follows
    kill(client->pid(), SIGINT);
    const auto status = client->wait(deadline_after(20));
    ASSERT_TRUE(status);
    EXPECT_EQ(status->exit_code, 0);
    EXPECT_TRUE(run.running());
    EXPECT_FALSE(has_steering("stop"));
    kill(run.pid(), SIGTERM);
    EXPECT_EQ(exit_code(), 4);
}

TEST_F(SteeringTest, OneInterruptStopsInOrder) {
    start({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer", "files",
           "--candidate", kernel("slow.cu", {"slow 60000"})});
    ASSERT_TRUE(eventually([&] { return state_of(folder).turns.size() == 2; }));
    kill(run.pid(), SIGINT);
    EXPECT_EQ(exit_code(), 4);
    const RunState state = state_of(folder);
    ASSERT_TRUE(state.stop);
    EXPECT_EQ(state.stop->reason, "user");
    EXPECT_TRUE(state.end);
    EXPECT_EQ(state.unfinished_turns(), std::vector<int>{1}) << "a resumed run takes the turn again";
}

TEST_F(SteeringTest, ASecondInterruptStopsAtOnce) {
    // The evaluator hangs: it does not even hear the cancellation.
    start({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1"}), "--synthesizer", "files",
           "--candidate", kernel("hang.cu", {"hang"})});
    ASSERT_TRUE(eventually([&] { return state_of(folder).turns.size() == 2; }));
    const auto begin = std::chrono::steady_clock::now();
    kill(run.pid(), SIGINT);
    ASSERT_TRUE(eventually([&] {
        char text[256] = {};
        return read(run.error_fd(), text, sizeof text - 1) > 0 &&
               std::string(text).find("stopping") != std::string::npos;
    }));
    kill(run.pid(), SIGINT);
    EXPECT_EQ(exit_code(), 4);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25));
    EXPECT_TRUE(left_processes().empty());
    EXPECT_EQ(kernelforge({"replay", "last", "--fast"}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_empty(home / "tmp"));
}

TEST_F(SteeringTest, StrangersOnTheControlSocket) {
    start_human();
    struct stat info {};
    ASSERT_EQ(stat(control().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    const auto send_to_run = [&](const std::string& bytes) {
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        control().copy(address.sun_path, sizeof address.sun_path - 1);
        ASSERT_EQ(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        std::string_view rest = bytes;
        while (!rest.empty()) {
            const ssize_t n = send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
            if (n <= 0)
                break; // it hung up: its right
            rest.remove_prefix(static_cast<std::size_t>(n));
        }
    };
    send_to_run("garbage\n\n\0\0\n");
    send_to_run(std::string(3 << 20, 'x'));
    send_to_run("[[[[[[[[[[[[\n" + std::string(1000, '[') + "\n");
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += "{not json\n";
    send_to_run(many);
    send_to_run(R"({"jsonrpc":"2.0","id":1,"method":"bench","params":{"source":7}})"
                "\n");
    send_to_run(R"({"jsonrpc":"2.0","id":1,"method":"bench","params":{"source":"","level":"promote"}})"
                "\n");
    send_to_run(R"({"jsonrpc":"2.0","id":1,"method":"hint","params":{"text":")" + std::string(100'000, 'h') + "\"}}\n");
    send_to_run(R"({"jsonrpc":"2.0","id":1,"method":"no_such_method","params":{}})"
                "\n");
    for (int i = 0; i < 60; ++i) // more connections than it takes
        send_to_run("");
    EXPECT_TRUE(run.running());
    EXPECT_EQ(kernelforge({"attach", "last", "--hint", "still there?"}).exit_code, 0);
    EXPECT_TRUE(eventually([&] { return has_steering("hint"); }));
    EXPECT_EQ(kernelforge({"attach", "last", "--stop"}).exit_code, 0);
    EXPECT_EQ(exit_code(), 4);
    EXPECT_EQ(state_of(folder).gaps, 0);
}

TEST_F(SteeringTest, ASecondWriterIsRefused) {
    start_human();
    expect_one_error(kernelforge({"resume", "last"}), 2, "held by");
    EXPECT_EQ(kernelforge({"attach", "last", "--stop"}).exit_code, 0);
    EXPECT_EQ(exit_code(), 4);
}

} // namespace kf
