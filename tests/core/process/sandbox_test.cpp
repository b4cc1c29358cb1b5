// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/process/child.h"
#include "core/process/process_tree.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kf {
namespace {
namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

RunLimits within(double seconds) {
    RunLimits limits;
    limits.deadline = after(std::chrono::duration<double>(seconds));
    return limits;
}

class Sandbox : public testing::Test {
protected:
    void SetUp() override {
        if (!probe_sandbox().available)
            GTEST_SKIP() << probe_sandbox().reason << "; " << probe_sandbox().remedy;
        folder = make_private_folder("kf-sandbox-").value();
    }
    void TearDown() override {
        if (!folder.empty())
            fs::remove_all(folder);
    }

    ChildSpec inside(const std::string& script) {
        ChildSpec spec;
        spec.argv = {"/bin/sh", "-c", script};
        spec.sandbox.emplace();
        return spec;
    }
    Finished run(const ChildSpec& spec, double seconds = 30) {
        RunLimits limits;
        limits.deadline = after(std::chrono::duration<double>(seconds));
        limits.processes = 60;
        Result<Finished> finished = run_to_end(spec, limits);
        EXPECT_TRUE(finished.ok()) << to_string(finished.error());
        return finished ? *finished : Finished{};
    }

    fs::path folder;
};

TEST_F(Sandbox, RunsAndReportsLikeOutside) {
    EXPECT_EQ(run(inside("exit 3")).exit_code, 3);
    EXPECT_EQ(run(inside("kill -SEGV $$")).signal, SIGSEGV);
    EXPECT_EQ(run(inside("cat; pwd")).out, "/tmp\n");
    ChildSpec missing = inside("");
    missing.argv = {"/usr/bin/no-such-program"};
    const Result<Finished> finished = run_to_end(missing, within(20));
    ASSERT_FALSE(finished.ok());
    EXPECT_EQ(finished.error().code, "program-missing");
}

TEST_F(Sandbox, HomeAndHostFilesAreNotThere) {
    std::ofstream(folder / "private") << "host file";
    const Finished finished =
        run(inside("ls /; ls /home /root /var " + folder.string() + "; cat /etc/passwd /etc/shadow; ls /etc"));
    for (const char* name : {"home", "root", "var", "private", "passwd", "work"})
        EXPECT_THAT(finished.out, Not(HasSubstr(std::string(name) + "\n"))) << finished.out;
    EXPECT_THAT(finished.out, HasSubstr("usr\n"));
}

TEST_F(Sandbox, HomeFolderCannotBeBound) {
    const char* old = std::getenv("HOME");
    const std::string before = old ? old : "";
    const fs::path home = folder / "home" / "someone";
    fs::create_directories(home / "project");
    setenv("HOME", home.c_str(), 1);
    ChildSpec spec = inside("true");
    for (const fs::path& bad :
         {home, folder, home / "project" / "..", fs::path("/"), fs::path("/no/such/path"), fs::path("relative")}) {
        spec.sandbox->binds = {{bad, "/shown", false}};
        const Result<Finished> finished = run_to_end(spec, within(20));
        ASSERT_FALSE(finished.ok()) << bad;
        EXPECT_EQ(finished.error().code, "sandbox-bind") << bad;
    }
    spec.sandbox->binds = {{home / "project", "/shown", false}};
    EXPECT_TRUE(run(spec).succeeded());
    setenv("HOME", before.c_str(), 1);
}

TEST_F(Sandbox, BindsAreReadOnlyUnlessAskedFor) {
    std::ofstream(folder / "file") << "shown";
    ChildSpec spec = inside("cat /work/file; echo x > /work/new && echo written");
    spec.sandbox->binds = {{folder, "/work", false}};
    EXPECT_EQ(run(spec).out, "shown");
    spec.sandbox->binds[0].writable = true;
    EXPECT_EQ(run(spec).out, "shownwritten\n");
    EXPECT_TRUE(fs::exists(folder / "new"));
    spec = inside("cat " + (folder / "file").string()); // a path below /tmp, same name inside
    spec.sandbox->binds = {{folder, {}, false}};
    EXPECT_EQ(run(spec).out, "shown");
}

TEST_F(Sandbox, NothingElseIsWritable) {
    const Finished finished =
        run(inside("for f in / /usr /dev /etc /proc/sys/kernel; do (echo x > $f/kf-x) 2>/dev/null "
                   "&& echo writable $f; done; echo done"));
    EXPECT_EQ(finished.out, "done\n");
}

TEST_F(Sandbox, TmpAndShmArePrivateAndLimited) {
    const std::string name = "kf-private-" + folder.filename().string();
    ChildSpec spec = inside("echo x > /tmp/" + name + " && echo x > /dev/shm/" + name +
                            " && echo both; head -c 3000000 /dev/zero > /tmp/big || echo full; "
                            "head -c 3000000 /dev/zero > /dev/shm/big || echo full");
    spec.sandbox->tmp_bytes = 1 << 20;
    spec.sandbox->shm_bytes = 1 << 20;
    EXPECT_EQ(run(spec).out, "both\nfull\nfull\n");
    EXPECT_FALSE(fs::exists("/tmp/" + name));
    EXPECT_FALSE(fs::exists("/dev/shm/" + name));
}

TEST_F(Sandbox, NoNetwork) {
    const Finished finished =
        run(inside("cat /proc/net/dev | tail -n +3 | cut -d: -f1; cat /proc/net/route | tail -n +2"));
    std::string interfaces = finished.out;
    interfaces.erase(std::remove(interfaces.begin(), interfaces.end(), ' '), interfaces.end());
    EXPECT_EQ(interfaces, "lo\n");
}

TEST_F(Sandbox, SeesNoOtherProcessAndHasNoPrivileges) {
    const Finished finished = run(inside("ls -d /proc/[0-9]* | wc -l; kill -0 " + std::to_string(getpid()) +
                                         " 2>/dev/null || echo none; id -u; grep CapEff /proc/self/status; hostname"));
    std::istringstream lines(finished.out);
    int processes = 0;
    std::string none, uid, label, capabilities, host;
    lines >> processes >> none >> uid >> label >> capabilities >> host;
    EXPECT_LE(processes, 4) << finished.out; // init, sh, ls, wc
    EXPECT_EQ(none, "none");
    EXPECT_EQ(uid, "65534");
    EXPECT_EQ(capabilities, "0000000000000000");
    EXPECT_EQ(host, "sandbox");
}

TEST_F(Sandbox, SigtermReachesTheProgramInside) {
    ChildSpec spec = inside("trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done");
    Result<Child> child = Child::start(spec);
    ASSERT_TRUE(child.ok());
    char buffer[16];
    ASSERT_GT(read(child->output_fd(), buffer, sizeof buffer), 0);
    EXPECT_EQ(child->terminate(std::chrono::seconds(20)).exit_code, 9);
}

// Doubles seven times and then waits: more than enough to be noticed, and never all processes of a busy machine.
constexpr const char* a_bomb =
    "bomb() { [ $1 -gt 6 ] && exec sleep 600; bomb $(($1 + 1)) | bomb $(($1 + 1)) & wait; }; bomb 0";

TEST_F(Sandbox, ForkBombAndDoubleForksEnd) {
    ChildSpec spec = inside(a_bomb);
    RunLimits limits = within(60);
    limits.processes = 20;
    EXPECT_TRUE(run_to_end(spec, limits)->processes_exceeded);
    // Nothing of it stays, not even what has daemonised itself.
    run(inside("setsid sh -c 'sleep 600 &' ; exit 0"));
    EXPECT_TRUE(children_of(getpid()).empty());
}

// Started again by OrphansDie with this variable set: starts a sandboxed child, prints its processes and waits.
TEST_F(Sandbox, DISABLED_Parent) {
    Result<Child> child = Child::start(inside("sleep 600 & setsid sleep 600 & echo up; wait"));
    ASSERT_TRUE(child.ok());
    char buffer[16];
    ASSERT_GT(read(child->output_fd(), buffer, sizeof buffer), 0);
    for (const pid_t pid : process_tree(child->pid()))
        std::printf("pid %d\n", pid);
    std::printf("all\n");
    std::fflush(stdout);
    poll(nullptr, 0, 600'000);
}

TEST_F(Sandbox, GrandchildrenDieWhenTheirParentIsKilled) {
    ChildSpec spec;
    spec.argv = {fs::read_symlink("/proc/self/exe").string(), "--gtest_also_run_disabled_tests",
                 "--gtest_filter=Sandbox.DISABLED_Parent"};
    Result<Child> parent = Child::start(spec);
    ASSERT_TRUE(parent.ok());
    std::string text;
    char buffer[4096];
    while (text.find("all\n") == std::string::npos) {
        const ssize_t n = read(parent->output_fd(), buffer, sizeof buffer);
        ASSERT_GT(n, 0) << text;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    std::vector<pid_t> pids;
    for (std::size_t at = text.find("pid "); at != std::string::npos; at = text.find("pid ", at + 1))
        pids.push_back(std::atoi(text.c_str() + at + 4));
    ASSERT_GE(pids.size(), 5u) << text; // two of bubblewrap, the shell, two sleeps
    kill(parent->pid(), SIGKILL);       // only the parent, not its group
    for (const pid_t pid : pids) {
        const SteadyTime deadline = after(std::chrono::seconds(20));
        ProcessStat stat;
        while (read_stat(pid, stat) && stat.state != 'Z' && std::chrono::steady_clock::now() < deadline)
            poll(nullptr, 0, 2);
        EXPECT_TRUE(!read_stat(pid, stat) || stat.state == 'Z') << pid;
    }
}

TEST(SandboxProbe, SaysWhyAndWhatToDo) {
    const Availability missing = try_sandbox("no-such-bubblewrap");
    EXPECT_FALSE(missing.available);
    EXPECT_THAT(missing.reason, HasSubstr("not installed"));
    EXPECT_THAT(missing.remedy, HasSubstr("bubblewrap"));
    const Availability forbidden = try_sandbox("/bin/false");
    EXPECT_FALSE(forbidden.available);
    EXPECT_FALSE(forbidden.remedy.empty());
}

} // namespace
} // namespace kf
