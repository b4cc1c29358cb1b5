// SPDX-License-Identifier: GPL-3.0-or-later
// On a real GPU: is kf-cuda really shut in? Looked at from outside, through /proc, and through what it saw itself. What
// the machine does not give is printed with its reason.
#include "core/evaluator/cuda_device.h"
#include "core/evaluator/cuda_process.h"
#include "core/process/process_tree.h"
#include "core/process/sandbox.h"
#include "core/runners/cuda/driver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace kf {
namespace {

namespace fs = std::filesystem;

std::string link_of(pid_t pid, const char* what) {
    std::error_code ignored;
    return fs::read_symlink("/proc/" + std::to_string(pid) + "/ns/" + what, ignored).string();
}

pid_t runner_among(pid_t root) {
    for (const pid_t pid : process_tree(root)) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
        std::string name;
        std::getline(file, name);
        if (name == "kf-cuda")
            return pid;
    }
    return 0;
}

TEST(GpuConfinement, KfCudaIsShutInAsFarAsThisMachineAllows) {
    if (auto driver = cuda::Driver::open(); !driver)
        GTEST_SKIP() << to_string(driver.error());
    std::printf("bubblewrap: %s%s\n", probe_sandbox().available ? "" : "not here: ", probe_sandbox().reason.c_str());
    int usable = 0;
    for (const char* level : {"bubblewrap", "namespaces", "calls"}) {
        ::setenv("KERNELFORGE_CUDA_CONFINEMENT", level, 1);
        auto made = make_cuda_device(0, fs::path(testing::TempDir()) / "kf-gpu-cache");
        ::unsetenv("KERNELFORGE_CUDA_CONFINEMENT");
        ASSERT_TRUE(made) << to_string(made.error());
        const Json facts = (*made)->facts();
        const Json& told = get_member(facts, "confinement");
        const std::string got = get_string(facts, "sandbox");
        std::printf("asked for %s: got %s, missing %s, reasons %s\n", level, got.c_str(),
                    get_member(told, "missing").dump().c_str(), get_member(told, "reasons").dump().c_str());
        if (got == "none") {
            EXPECT_TRUE((*made)->refuses_untrusted());
            continue;
        }
        EXPECT_FALSE((*made)->refuses_untrusted());
        const pid_t pid = runner_among(getpid());
        ASSERT_GT(pid, 0);
        std::printf("  seen from outside: network %s, mounts %s, root %s\n",
                    link_of(pid, "net") == link_of(getpid(), "net") ? "ours" : "its own",
                    link_of(pid, "mnt") == link_of(getpid(), "mnt") ? "ours" : "its own",
                    fs::exists("/proc/" + std::to_string(pid) + "/root" + KF_SOURCE_DIR) ? "shows the sources"
                                                                                         : "without the sources");
        EXPECT_TRUE(get_bool(told, "calls", false));
        if (got == "calls")
            continue;
        ++usable;
        EXPECT_NE(link_of(pid, "net"), link_of(getpid(), "net"));
        EXPECT_NE(link_of(pid, "mnt"), link_of(getpid(), "mnt"));
        EXPECT_TRUE(get_bool(told, "network", false));
        if (got == "bubblewrap") {
            EXPECT_TRUE(get_member(told, "missing").empty()) << told.dump();
            EXPECT_NE(link_of(pid, "pid"), link_of(getpid(), "pid"));
            EXPECT_FALSE(fs::exists("/proc/" + std::to_string(pid) + "/root" + KF_SOURCE_DIR + "/tasks"));
        }
    }
    std::printf("confinement by namespaces worked %d of 2 ways here\n", usable);
}

} // namespace
} // namespace kf
