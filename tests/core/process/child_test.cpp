// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/child.h"
#include "core/process/environment.h"
#include "core/process/process_tree.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace kf {
namespace {

using testing::HasSubstr;
using testing::Not;

ChildSpec shell(const std::string& script) {
    ChildSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    return spec;
}

RunLimits within(double seconds) {
    RunLimits limits;
    limits.deadline = after(std::chrono::duration<double>(seconds));
    return limits;
}

Finished run(const ChildSpec& spec, const RunLimits& limits) {
    Result<Finished> finished = run_to_end(spec, limits);
    EXPECT_TRUE(finished.ok()) << to_string(finished.error());
    return finished ? *finished : Finished{};
}

bool is_gone(pid_t pid) {
    ProcessStat stat;
    return !read_stat(pid, stat) || stat.state == 'Z';
}

// Waits for something that must come, with a deadline far beyond any real machine's needs.
template<class F> bool eventually(F condition) {
    const SteadyTime deadline = after(std::chrono::seconds(20));
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= deadline)
            return false;
        poll(nullptr, 0, 2);
    }
    return true;
}

TEST(Child, CollectsOutputAndExitCode) {
    const Finished finished = run(shell("echo out; echo err >&2; exit 3"), within(20));
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_EQ(finished.signal, 0);
    EXPECT_EQ(finished.out, "out\n");
    EXPECT_EQ(finished.err, "err\n");
    EXPECT_EQ(finished.ending(), "exit code 3");
    EXPECT_FALSE(finished.succeeded());
}

TEST(Child, NamesTheSignal) {
    const Finished finished = run(shell("kill -SEGV $$"), within(20));
    EXPECT_EQ(finished.signal, SIGSEGV);
    EXPECT_EQ(finished.exit_code, -1);
    EXPECT_THAT(finished.ending(), HasSubstr("signal 11"));
}

TEST(Child, MissingProgramIsAnErrorWithRemedy) {
    ChildSpec spec;
    spec.argv = {"no-such-program-anywhere"};
    const Result<Finished> byName = run_to_end(spec, within(20));
    ASSERT_FALSE(byName.ok());
    EXPECT_EQ(byName.error().code, "program-missing");
    EXPECT_THAT(byName.error().message, HasSubstr("no-such-program-anywhere"));
    EXPECT_THAT(byName.error().remedy, HasSubstr("PATH"));
    spec.argv = {"/etc/ld.so.cache"}; // there, but no program
    const Result<Finished> byPath = run_to_end(spec, within(20));
    ASSERT_FALSE(byPath.ok());
    EXPECT_EQ(byPath.error().code, "program-missing");
}

TEST(Child, ExecFailureComesBackFromTheFork) {
    char name[] = "/tmp/kf-exec-XXXXXX";
    const int fd = mkstemp(name);
    ASSERT_EQ(write(fd, "#!/no/such/interpreter\n", 23), 23);
    fchmod(fd, 0700);
    close(fd);
    ChildSpec spec;
    spec.argv = {name};
    const Result<Finished> finished = run_to_end(spec, within(20));
    unlink(name);
    ASSERT_FALSE(finished.ok());
    EXPECT_EQ(finished.error().code, "program-missing");
    ChildSpec nowhere = shell("true");
    nowhere.cwd = "/no/such/folder";
    const Result<Finished> lost = run_to_end(nowhere, within(20));
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.error().code, "spawn-failed");
    EXPECT_THAT(lost.error().remedy, HasSubstr("/no/such/folder"));
}

TEST(Child, EndlessLoopEndsAtTheDeadline) {
    const Finished finished = run(shell("while :; do :; done"), within(0.1));
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.signal, SIGKILL);
}

TEST(Child, GraceIsGivenAndIgnoredSigtermIsOvercome) {
    RunLimits limits = within(0.3);
    limits.grace = std::chrono::seconds(20);
    const Finished polite = run(shell("trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done"), limits);
    EXPECT_TRUE(polite.timed_out);
    EXPECT_EQ(polite.exit_code, 7);
    EXPECT_EQ(polite.out, "bye\n");
    limits = within(0.2);
    limits.grace = std::chrono::milliseconds(50);
    const Finished stubborn = run(shell("trap '' TERM; while :; do sleep 0.01; done"), limits);
    EXPECT_TRUE(stubborn.timed_out);
    EXPECT_EQ(stubborn.signal, SIGKILL);
}

TEST(Child, FloodIsCutAndKilled) {
    RunLimits limits = within(60);
    limits.output_bytes = 100'000;
    const Finished out = run(shell("exec yes"), limits);
    EXPECT_TRUE(out.flooded);
    EXPECT_EQ(out.out.size(), 100'000u);
    limits.error_bytes = 1000;
    const Finished err = run(shell("yes >&2"), limits);
    EXPECT_TRUE(err.flooded);
    EXPECT_EQ(err.err.size(), 1000u);
    limits.output_bytes = 6;
    EXPECT_FALSE(run(shell("printf 123456"), limits).flooded);
}

TEST(Child, InputIsFedEvenWhenMoreThanAPipeHolds) {
    RunLimits limits = within(30);
    limits.input = std::string(3'000'000, 'x');
    for (const ChildInput mode : {ChildInput::pipe, ChildInput::socket}) {
        ChildSpec spec = shell("wc -c");
        spec.input = mode;
        EXPECT_THAT(run(spec, limits).out, HasSubstr("3000000"));
    }
    ChildSpec unread = shell("exit 0"); // a reader that goes away must not kill us with SIGPIPE
    unread.input = ChildInput::pipe;
    EXPECT_TRUE(run(unread, limits).succeeded());
}

TEST(Child, CancelStopsIt) {
    RunLimits limits = within(60);
    int asked = 0;
    limits.cancelled = [&] { return ++asked > 3; };
    const Finished finished = run(shell("sleep 600"), limits);
    EXPECT_TRUE(finished.cancelled);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_LT(finished.seconds, 30);
}

TEST(Child, MemoryBombIsKilledByTheWatchdog) {
    RunLimits limits = within(60);
    limits.memory_bytes = std::uint64_t{96} << 20;
    const Finished finished = run(shell("x=0123456789abcdef; while :; do x=$x$x; done"), limits);
    EXPECT_TRUE(finished.memory_exceeded);
    EXPECT_EQ(finished.signal, SIGKILL);
}

TEST(Child, AddressSpaceLimitHolds) {
    ChildSpec spec = shell("x=0123456789abcdef; while :; do x=$x$x; done");
    spec.limits.address_space = std::uint64_t{64} << 20;
    const Finished finished = run(spec, within(60));
    EXPECT_FALSE(finished.timed_out);
    EXPECT_NE(finished.exit_code, 0);
}

TEST(Child, KernelLimitsAreSet) {
    ChildSpec spec = shell("ulimit -c; ulimit -t; ulimit -n; ulimit -f");
    spec.limits.cpu_seconds = 7;
    spec.limits.open_files = 33;
    spec.limits.file_size = 512 * 10;
    EXPECT_EQ(run(spec, within(20)).out, "0\n7\n33\n10\n");
}

// Doubles seven times and then waits: more than enough to be noticed, and never all processes of a busy machine.
constexpr const char* a_bomb =
    "bomb() { [ $1 -gt 6 ] && exec sleep 600; bomb $(($1 + 1)) | bomb $(($1 + 1)) & wait; }; bomb 0";

TEST(Child, ForkBombIsStopped) {
    RunLimits limits = within(60);
    limits.processes = 20;
    const Finished finished = run(shell(a_bomb), limits);
    EXPECT_TRUE(finished.processes_exceeded);
}

TEST(Child, GrandchildrenDieWithIt) {
    // The second one leaves the session and the process group.
    const Finished finished = run(shell("sleep 600 & echo $!; setsid sleep 600 & sleep 0.05; pgrep -P $$ -x sleep; "
                                        "setsid sh -c '(sleep 601 & echo $!)'; exit 0"),
                                  within(30));
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    std::istringstream lines(finished.out);
    std::size_t count = 0;
    for (pid_t pid = 0; lines >> pid; ++count)
        EXPECT_TRUE(is_gone(pid)) << pid;
    EXPECT_GE(count, 4u);
}

TEST(Child, ProcessGoesWhenTheObjectGoes) {
    pid_t pid = -1;
    {
        Result<Child> child = Child::start(shell("sleep 600"));
        ASSERT_TRUE(child.ok());
        pid = child->pid();
        EXPECT_TRUE(child->running());
        EXPECT_FALSE(child->wait(std::chrono::steady_clock::now()).has_value());
        Child moved = *std::move(child);
        EXPECT_EQ(moved.pid(), pid);
        EXPECT_TRUE(moved.running());
    }
    EXPECT_TRUE(is_gone(pid));
}

TEST(Child, StartedFromAThreadOutlivesThatThread) {
    std::optional<Child> child;
    ChildSpec spec = shell("read x; exit 5");
    spec.input = ChildInput::pipe;
    std::thread([&] { child.emplace(Child::start(spec).value()); }).join();
    // With the end of the thread that forks, the child would get SIGKILL.
    child->close_input();
    EXPECT_EQ(child->wait(after(std::chrono::seconds(20))).value_or(ExitStatus{}).exit_code, 5);
}

TEST(Child, NoZombiesOrDescriptorsStay) {
    const auto open_fds = [] {
        std::size_t n = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
            ++n;
        return n;
    };
    run(shell("true"), within(20));
    const std::size_t before = open_fds();
    for (int i = 0; i < 20; ++i)
        run(shell("sleep 0 & (sleep 0 &) ; true"), within(20));
    EXPECT_EQ(open_fds(), before);
    EXPECT_TRUE(children_of(getpid()).empty());
}

TEST(Child, OnlyListedDescriptorsAreInherited) {
    const int leaked = open("/etc/hostname", O_RDONLY); // not close-on-exec
    ASSERT_GE(leaked, 0);
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    ChildSpec spec = shell("echo three >&3; echo four >&4; ls /proc/self/fd | tr '\\n' ' '");
    spec.fds = {pipe_ends[1], pipe_ends[1]};
    const Finished finished = run(spec, within(20));
    EXPECT_EQ(finished.out, "0 1 2 3 4 5 "); // 5 is ls's own
    char buffer[64];
    const ssize_t n = read(pipe_ends[0], buffer, sizeof buffer);
    EXPECT_EQ(std::string_view(buffer, static_cast<std::size_t>(std::max<ssize_t>(n, 0))), "three\nfour\n");
    for (const int fd : {leaked, pipe_ends[0], pipe_ends[1]})
        close(fd);
}

// Source descriptors that are also targets of others must not be overwritten before they are used.
TEST(Child, DescriptorMappingMaySwap) {
    int a[2];
    int b[2];
    ASSERT_EQ(pipe(a), 0);
    ASSERT_EQ(pipe(b), 0);
    ASSERT_EQ(write(a[1], "A", 1), 1);
    ASSERT_EQ(write(b[1], "B", 1), 1);
    const int low[2] = {fcntl(a[0], F_DUPFD, 3), fcntl(b[0], F_DUPFD, 3)};
    ChildSpec spec = shell("head -c1 <&3; head -c1 <&4");
    spec.fds = {std::max(low[0], low[1]), std::min(low[0], low[1])};
    const std::string expected = low[0] > low[1] ? "AB" : "BA";
    EXPECT_EQ(run(spec, within(20)).out, expected);
    for (const int fd : {a[0], a[1], b[0], b[1], low[0], low[1]})
        close(fd);
}

TEST(Child, SecretsNeverPass) {
    setenv("OPENAI_API_KEY", "sk-planted", 1);
    setenv("KF_TEST_ORDINARY", "ordinary", 1);
    setenv("LC_PLANTED_TOKEN", "tok-planted", 1);
    const Finished finished = run(shell("env"), within(20));
    EXPECT_THAT(finished.out, Not(HasSubstr("planted")));
    EXPECT_THAT(finished.out, Not(HasSubstr("ordinary")));
    EXPECT_THAT(finished.out, Not(HasSubstr("HOME=")));
    EXPECT_THAT(finished.out, HasSubstr("PATH="));
    ChildSpec asking = shell("env");
    asking.pass_env = {"KF_TEST_ORDINARY"};
    asking.env["ANSWER"] = "42";
    EXPECT_THAT(run(asking, within(20)).out, testing::AllOf(HasSubstr("=ordinary\n"), HasSubstr("ANSWER=42\n")));
    asking.pass_env = {"OPENAI_API_KEY"};
    EXPECT_EQ(run_to_end(asking, within(20)).error().code, "secret-in-environment");
    asking.pass_env.clear();
    asking.env["HF_TOKEN"] = "x";
    EXPECT_EQ(run_to_end(asking, within(20)).error().code, "secret-in-environment");
    for (const char* name : {"OPENAI_API_KEY", "KF_TEST_ORDINARY", "LC_PLANTED_TOKEN"})
        unsetenv(name);
}

TEST(ProcessTree, SeesGrandchildrenAndTheirMemory) {
    Result<Child> child = Child::start(shell("sh -c 'sleep 600; true' & wait"));
    ASSERT_TRUE(child.ok());
    EXPECT_TRUE(eventually([&] { return child->process_count() == 3; }));
    EXPECT_GT(child->resident_bytes(), resident_bytes(child->pid()));
    child->kill_now();
    EXPECT_EQ(child->process_count(), 0u);
    EXPECT_EQ(child->resident_bytes(), 0u);
}

// A program whose owner dies ends its children's whole sessions: a bubblewrap killed alone leaves a process behind that
// waits for it for ever.
TEST(Child, AllChildrenEndWithTheirSessions) {
    Result<Child> first = Child::start(shell("sleep 300 & echo $!; wait"));
    Result<Child> second = Child::start(shell("exec sleep 300"));
    ASSERT_TRUE(first.ok() && second.ok());
    char line[32] = {};
    ASSERT_GT(read(first->output_fd(), line, sizeof line - 1), 0);
    const auto grandchild = static_cast<pid_t>(std::atol(line));
    kill_all_children();
    EXPECT_EQ(first->wait(after(std::chrono::seconds(20))).value_or(ExitStatus{}).signal, SIGKILL);
    EXPECT_EQ(second->wait(after(std::chrono::seconds(20))).value_or(ExitStatus{}).signal, SIGKILL);
    EXPECT_TRUE(eventually([&] { return is_gone(grandchild); }));
    kill_all_children(); // and none is left to be ended: a number may be another's by now
}

// What a child of ours starts through this class, in sessions of its own, comes to us when that child is killed.
TEST(Child, OrphansOfAChildThatStartsOthersAreKnownByItsMark) {
    ASSERT_EQ(setenv("KF_CHILD_of_a_parent", "1", 1), 0);
    const Result<std::vector<std::string>> environment = child_environment(shell("true"));
    ASSERT_TRUE(environment.ok());
    EXPECT_THAT(*environment, testing::Contains("KF_CHILD_of_a_parent=1"));

    // The shell is the program in between: what it leaves behind has its marks, but another session.
    Result<Child> parent = Child::start(shell("setsid sleep 300 & echo $!; wait"));
    ASSERT_TRUE(parent.ok());
    char line[32] = {};
    ASSERT_GT(read(parent->output_fd(), line, sizeof line - 1), 0);
    const auto orphan = static_cast<pid_t>(std::atol(line));
    ASSERT_TRUE(eventually([&] {
        ProcessStat stat;
        return read_stat(orphan, stat) && stat.session == orphan;
    }));
    ::kill(parent->pid(), SIGKILL);
    (void)parent->wait(after(std::chrono::seconds(20)));
    EXPECT_TRUE(eventually([&] { return is_gone(orphan); }));
}

} // namespace
} // namespace kf
