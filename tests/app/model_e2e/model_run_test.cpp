// SPDX-License-Identifier: GPL-3.0-or-later
// The whole chain: `kernelforge run` asks a model over HTTP, its kernels are judged on the CPU device, and the model
// mends them from what the prompt says of them. The server answers by tests/data/llm/*.json: it mends a kernel only
// when the request holds the class, the place and the evidence of its failure.
#include "tests/app/cli_fixture.h"

#include <csignal>
#include <map>
#include <poll.h>

namespace kf {

class ModelRunTest : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        auto made = make_private_folder("kf-loopback-");
        ASSERT_TRUE(made);
        outside = *made;
    }
    void TearDown() override {
        stop_server();
        std::error_code ignored;
        std::filesystem::remove_all(outside, ignored);
        CliTest::TearDown();
    }
    void serve(const std::string& script) {
        ChildSpec child;
        child.argv = {KF_BIN_DIR "/kf_loopback_model", "--script",
                      std::string(KF_SOURCE_DIR "/tests/data/llm/") + script, "--log", (outside / "log").string()};
        child.cwd = outside;
        auto started = Child::start(child);
        ASSERT_TRUE(started) << to_string(started.error());
        server = std::move(*started);
        for (char c = 0; read(server->output_fd(), &c, 1) == 1 && c != '\n';)
            url += c;
        ASSERT_TRUE(url.starts_with("http://127.0.0.1:")) << url;
    }
    void stop_server() {
        if (!server)
            return;
        kill(server->pid(), SIGTERM);
        EXPECT_TRUE(server->wait(deadline_after(10)));
        server.reset();
    }
    Arguments run_arguments(Arguments more = {}) const {
        Arguments arguments = {"run", "stage3/swiglu_bias", "--provider", url, "--model", "loopback", "--seed", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    static std::string verdict(const RunState& state, int turn) {
        const auto found = state.turns.find(turn);
        const EvaluationState* decisive = found != state.turns.end() ? found->second.decisive() : nullptr;
        return decisive ? decisive->verdict : "";
    }
    static bool is_accepted(const std::string& verdict) {
        return verdict == "faster" || verdict == "slower" || verdict == "equivalent" || verdict == "inconclusive" ||
               verdict == "verified";
    }
    static std::vector<Json> exchanges_of(const std::filesystem::path& run) {
        std::vector<Json> exchanges;
        for (const Event& event : events_of(run))
            if (event.type == EventType::model_exchange)
                exchanges.push_back(event.fields);
        return exchanges;
    }

    std::string log_text() const {
        const auto text = read_file(outside / "log");
        return text ? *text : std::string();
    }

    std::filesystem::path outside; // the server's log holds what the client sent, its key too
    std::optional<Child> server;
    std::string url;
};

TEST_F(ModelRunTest, ErrorsAreMendedFromTheirAutopsiesAndAReplayNeedsNoServer) {
    serve("mends.json");
    const Finished finished = kernelforge(run_arguments({"--turns", "4"}), 250);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const auto folder = only_run();
    const RunState state = state_of(folder);
    ASSERT_EQ(state.turns.size(), 5u) << finished.out;
    EXPECT_EQ(verdict(state, 1), "compile");
    EXPECT_EQ(verdict(state, 2), "unwritten");
    EXPECT_EQ(verdict(state, 3), "mismatch");
    EXPECT_TRUE(is_accepted(verdict(state, 4))) << verdict(state, 4);
    for (int turn = 2; turn <= 4; ++turn)
        EXPECT_EQ(state.turns.at(turn).parent, turn - 1);
    stop_server();

    const Finished again = kernelforge({"replay", folder.string(), "--again"}, 250);
    EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
    const auto runs = list_runs(home / "data" / "runs");
    ASSERT_EQ(runs.size(), 2u);
    const auto second = runs[0].folder == folder ? runs[1].folder : runs[0].folder;
    const RunState repeated = state_of(second);
    ASSERT_EQ(repeated.turns.size(), state.turns.size());
    EXPECT_EQ(repeated.stop->reason, "record");
    for (const auto& [number, turn] : state.turns) {
        EXPECT_EQ(repeated.turns.at(number).source, turn.source) << number;
        if (number > 0 && number < 4) {
            EXPECT_EQ(verdict(repeated, number), verdict(state, number));
        }
    }
    EXPECT_TRUE(is_accepted(verdict(repeated, 4)));
    for (const Json& exchange : exchanges_of(second))
        EXPECT_EQ(get_string(get_member(exchange, "recorded"), "run"), state.start.run);
}

TEST_F(ModelRunTest, WithoutFeedbackItDoesNotConverge) {
    serve("mends.json");
    const Finished finished = kernelforge(run_arguments({"--no-feedback"}), 250);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const RunState state = state_of(only_run());
    ASSERT_TRUE(state.stop);
    EXPECT_EQ(state.stop->reason, "failures") << state.stop->text;
    EXPECT_EQ(state.champion()->turn, 0);
    EXPECT_EQ(verdict(state, 1), "compile");
    for (const auto& [number, turn] : state.turns)
        if (number > 1) {
            EXPECT_EQ(turn.outcome, "duplicate") << number;
        }
}

TEST_F(ModelRunTest, OutOfBoundsRaceAndTimeoutAreMended) {
    serve("faults.json");
    const Finished finished = kernelforge(run_arguments({"--turns", "4"}), 250);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const RunState state = state_of(only_run());
    ASSERT_EQ(state.turns.size(), 5u) << finished.out;
    EXPECT_EQ(verdict(state, 1), "out-of-bounds");
    EXPECT_EQ(verdict(state, 2), "race");
    EXPECT_EQ(verdict(state, 3), "timeout");
    EXPECT_TRUE(is_accepted(verdict(state, 4))) << verdict(state, 4);
}

TEST_F(ModelRunTest, ACheatIsRefusedAndASlowerKernelIsNoChampion) {
    serve("tricks.json");
    const Finished finished = kernelforge(run_arguments({"--turns", "2"}), 250);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    const RunState state = state_of(only_run());
    ASSERT_EQ(state.turns.size(), 3u) << finished.out;
    EXPECT_EQ(verdict(state, 1), "state");
    EXPECT_EQ(verdict(state, 2), "slower");
    EXPECT_EQ(state.champion()->turn, 0);
}

// 429 twice, a reply that is cut off, one without code, a prompt that is too long; and a key that nobody may see.
TEST_F(ModelRunTest, TroublesOfTheServerEndAsTheyShouldAndTheKeyIsNowhere) {
    const std::string secret = "kf-marked-secret-4711-do-not-show";
    serve("troubles.json");
    ChildSpec child = spec({});
    child.argv = {"/usr/bin/env", "KF_TEST_KEY_NAME=" + secret};
    const Arguments arguments = run_arguments({"--turns", "2", "--use-key-from", "KF_TEST_KEY_NAME"});
    child.argv.push_back(KF_BIN_DIR "/kernelforge");
    child.argv.insert(child.argv.end(), arguments.begin(), arguments.end());
    child.output = ChildOutput::pipe;
    child.error_output = ChildOutput::pipe;
    auto run = Child::start(child);
    ASSERT_TRUE(run) << to_string(run.error());
    // What its children can see, as long as there are any.
    std::set<pid_t> looked_at;
    std::string out, err;
    const auto drain = [](int fd, std::string& text) {
        char bytes[4096];
        pollfd entry{fd, POLLIN, 0};
        while (poll(&entry, 1, 0) > 0) {
            const ssize_t n = read(fd, bytes, sizeof bytes);
            if (n <= 0)
                return;
            text.append(bytes, static_cast<std::size_t>(n));
        }
    };
    std::optional<ExitStatus> status;
    for (const Deadline until = deadline_after(250); !status && seconds_left(until) > 0;
         status = run->wait(deadline_after(0.02))) {
        drain(run->output_fd(), out);
        drain(run->error_fd(), err);
        for (const auto& item : std::filesystem::directory_iterator("/proc")) {
            const std::string name = item.path().filename().string();
            if (name.find_first_not_of("0123456789") != std::string::npos)
                continue;
            const pid_t pid = static_cast<pid_t>(std::stol(name));
            if (pid == run->pid() || !has_environment(pid, "KERNELFORGE_HOME=" + home.string()))
                continue;
            // Between fork and exec it is still the run itself, with the run's own environment.
            std::error_code gone;
            const auto program = std::filesystem::read_symlink(item.path() / "exe", gone);
            if (gone || program.filename() == "kernelforge")
                continue;
            const auto environment = read_file(item.path() / "environ", 1 << 20);
            if (environment && !environment->empty()) {
                looked_at.insert(pid);
                EXPECT_EQ(environment->find(secret), std::string::npos) << program;
            }
        }
    }
    ASSERT_TRUE(status) << "the run does not end";
    drain(run->output_fd(), out);
    drain(run->error_fd(), err);
    EXPECT_FALSE(looked_at.empty()) << "the evaluator was seen";

    const auto folder = only_run();
    const RunState state = state_of(folder);
    ASSERT_TRUE(state.turns.contains(1)) << out << err;
    const std::vector<Json> exchanges = exchanges_of(folder);
    ASSERT_GE(exchanges.size(), 4u) << out << err;
    EXPECT_EQ(get_string(exchanges[0], "failure"), "truncated");
    EXPECT_EQ(get_int(exchanges[0], "posts"), 3) << "two were refused with 429";
    EXPECT_EQ(get_int(exchanges[0], "attempt"), 1);
    EXPECT_TRUE(exchanges[1].contains("no_candidate"));
    EXPECT_EQ(get_int(exchanges[1], "attempt"), 2);
    EXPECT_EQ(get_string(exchanges[2], "purpose"), "repair");
    EXPECT_FALSE(exchanges[2].contains("failure"));
    EXPECT_TRUE(is_accepted(verdict(state, 1))) << verdict(state, 1);
    std::vector<Json> waits;
    for (const Event& event : events_of(folder))
        if (event.type == EventType::infrastructure)
            waits.push_back(event.fields);
    ASSERT_EQ(waits.size(), 3u) << "429 twice, and the reply that was cut off";
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NE(get_string(waits[i], "what").find("HTTP 429"), std::string::npos) << dump_line(waits[i]);
        EXPECT_GE(get_double(waits[i], "wait_s"), 1) << "Retry-After: 1";
        EXPECT_EQ(get_int(waits[i], "posts"), static_cast<std::int64_t>(i) + 1);
        EXPECT_TRUE(get_bool(waits[i], "retry"));
    }
    EXPECT_NE(out.find("HTTP 429"), std::string::npos) << out;
    EXPECT_EQ(get_string(exchanges[3], "failure"), "overflow");
    EXPECT_EQ(get_int(exchanges[3], "http_status"), 400);
    const bool shortened = std::any_of(state.notes.begin(), state.notes.end(), [](const Note& note) {
        return note.text.find("maximum context length") != std::string::npos;
    });
    EXPECT_TRUE(shortened) << "people are told that the prompt was too long, in the provider's words";
    if (state.stop->reason == "model") {
        EXPECT_EQ(status->exit_code, 3);
    } else {
        EXPECT_EQ(state.turns.at(2).outcome, "duplicate") << "the shortened prompt was answered";
    }

    EXPECT_NE(read_file(outside / "log").value().find(secret), std::string::npos) << "the server got it";
    EXPECT_EQ(kernelforge({"pack", "last", (home / "packed.kfrun").string()}).exit_code, 0);
    EXPECT_EQ(out.find(secret), std::string::npos);
    EXPECT_EQ(err.find(secret), std::string::npos);
    int files = 0;
    for (const auto& item : std::filesystem::recursive_directory_iterator(home)) {
        if (!item.is_regular_file())
            continue;
        ++files;
        if (const auto text = read_file(item.path(), std::size_t{1} << 30)) {
            EXPECT_EQ(text->find(secret), std::string::npos) << item.path();
        }
    }
    EXPECT_GT(files, 5);
}

TEST_F(ModelRunTest, AKeyThatNobodyAgreedToIsNotUsed) {
    serve("troubles.json");
    ChildSpec child = spec({});
    child.argv = {"/usr/bin/env", "KERNELFORGE_API_KEY=kf-marked-secret-4712", KF_BIN_DIR "/kernelforge"};
    for (const std::string& argument : run_arguments())
        child.argv.push_back(argument);
    RunLimits limits;
    limits.deadline = deadline_after(60);
    const auto finished = run_to_end(child, limits);
    ASSERT_TRUE(finished);
    expect_one_error(*finished, 2, "--use-key-from KERNELFORGE_API_KEY");
    EXPECT_EQ(finished->err.find("4712"), std::string::npos);
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());
    EXPECT_EQ(log_text().find("4712"), std::string::npos);
    const Finished listed = kernelforge({"models", "--provider", url});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    EXPECT_EQ(listed.out, "loopback\n");
}

} // namespace kf
