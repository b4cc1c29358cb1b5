// SPDX-License-Identifier: GPL-3.0-or-later
// The GPU device without a GPU: a fake driver library, the real kf-nvrtc and the real kf-cuda. Shows confinement, the
// cache on disk, deadlines, the memory limit and that nothing stays behind; what kernels compute is tests/gpu's.
#include "core/evaluator/cuda_device.h"

#include "core/base/files.h"
#include "core/evaluator/contender.h"
#include "core/evaluator/cuda_process.h"
#include "core/process/process_tree.h"
#include "core/process/sandbox.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace kf {
namespace {

namespace fs = std::filesystem;

class FakeGpu : public testing::Test {
protected:
    void SetUp() override {
        auto made = make_private_folder("kf-fake-gpu-");
        ASSERT_TRUE(made);
        m_folder = *made;
        m_library = m_folder / "libcuda.so.1";
        fs::copy_file(KF_FAKE_CUDA, m_library);
        ::setenv("KERNELFORGE_LIBCUDA", m_library.c_str(), 1);
        ::unsetenv("KERNELFORGE_CUDA_CONFINEMENT");
        ::unsetenv("KERNELFORGE_RUNNER_MEMORY_MIB");
        ::setenv("HOME", m_folder.parent_path().c_str(), 0);
        m_task = *find_task("silu_mul", fs::path(KF_SOURCE_DIR) / "tasks");
        m_task.timed = {{"cpu", 1}};
    }
    void TearDown() override {
        ::unsetenv("KERNELFORGE_LIBCUDA");
        ::unsetenv("KERNELFORGE_CUDA_CONFINEMENT");
        ::unsetenv("KERNELFORGE_RUNNER_MEMORY_MIB");
        fs::remove_all(m_folder);
    }
    // Kept from test to test: the judge's kernels take the compiler seconds.
    static fs::path cache() { return fs::path(KF_BINARY_DIR) / "fake-gpu-cache"; }
    void tell(const std::string& word) { std::ofstream(m_library.string() + ".control") << word; }
    std::shared_ptr<Device> open() {
        auto device = make_cuda_device(0, cache());
        if (!device) {
            ADD_FAILURE() << to_string(device.error());
            return nullptr;
        }
        return *device;
    }
    // The start kernel planned on its smallest case; "" or why not.
    std::string prepare(Device& device, std::optional<Contender>& contender) {
        const ContenderSource source{*read_file(m_task.folder / "start.cu") + m_suffix, "start.cu", {}, "candidate"};
        auto cases = cases_for(m_task, "cpu", false);
        cases.resize(1);
        auto planned = plan_contender(m_task, source, cases, device, true);
        if (!planned)
            return "refused";
        contender.emplace(std::move(*planned));
        if (auto halted = compile_contender(*contender, device, m_stop))
            return std::holds_alternative<Failure>(*halted)               ? std::get<Failure>(*halted).message
                   : std::holds_alternative<InfrastructureFault>(*halted) ? std::get<InfrastructureFault>(*halted).what
                                                                          : "cancelled";
        return "";
    }
    std::unique_ptr<DeviceSession> session(Device& device, Contender& contender) {
        auto started = device.start(contender.binaries[0], m_stop);
        if (!started)
            return nullptr;
        const PlannedCase& planned = contender.cases[0];
        const CaseJob job{&m_task, contender.candidate.get(), &planned.task_case, &planned.plan, 1, 2};
        const auto halted = (*started)->open_case(job);
        EXPECT_FALSE(halted) << describe(halted);
        return std::move(*started);
    }
    static std::string describe(const std::optional<Halt>& halted) {
        if (!halted)
            return "";
        if (const auto* failure = std::get_if<Failure>(&*halted))
            return std::string(to_string(failure->failure)) + ": " + failure->message;
        if (const auto* fault = std::get_if<InfrastructureFault>(&*halted))
            return "infrastructure: " + fault->what;
        return "cancelled";
    }

    fs::path m_folder, m_library;
    std::string m_suffix;
    Task m_task;
    StopSignal m_stop{{}, deadline_after(100)};
};

TEST_F(FakeGpu, IsConfinedAsFarAsThisMachineAllowsAndSaysHow) {
    const auto device = open();
    ASSERT_TRUE(device);
    const Json facts = device->facts();
    const Json& confinement = get_member(facts, "confinement");
    SCOPED_TRACE(facts.dump(1));
    EXPECT_EQ(get_string(facts, "uuid"), "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
    EXPECT_FALSE(device->refuses_untrusted());
    if (!probe_sandbox().available) {
        EXPECT_NE(get_string(facts, "sandbox"), "bubblewrap");
        EXPECT_FALSE(get_member(confinement, "reasons").empty());
        GTEST_SKIP() << "no bubblewrap here: " << probe_sandbox().reason;
    }
    EXPECT_EQ(get_string(facts, "sandbox"), "bubblewrap");
    EXPECT_TRUE(get_member(confinement, "missing").empty());
    for (const char* layer : {"network", "files", "processes", "privileges", "calls"})
        EXPECT_TRUE(get_bool(confinement, layer, false)) << layer;
    for (const std::string& label : device->labels())
        EXPECT_EQ(label.find("sandbox"), std::string::npos) << label;
}

TEST_F(FakeGpu, EachLesserConfinementNamesWhatIsMissing) {
    ::setenv("KERNELFORGE_CUDA_CONFINEMENT", "namespaces", 1);
    const auto alone = open();
    ASSERT_TRUE(alone);
    const Json own = get_member(alone->facts(), "confinement");
    SCOPED_TRACE(own.dump(1));
    if (get_string(alone->facts(), "sandbox") == "namespaces") { // root, or user namespaces
        EXPECT_TRUE(get_bool(own, "network", false));
        EXPECT_TRUE(get_bool(own, "files", false));
        EXPECT_FALSE(get_bool(own, "processes", true));
    }
    EXPECT_TRUE(get_bool(own, "calls", false));

    ::setenv("KERNELFORGE_CUDA_CONFINEMENT", "calls", 1);
    const auto filter = open();
    ASSERT_TRUE(filter);
    EXPECT_EQ(get_member(get_member(filter->facts(), "confinement"), "missing"),
              Json({"network", "files", "processes"}));
    EXPECT_FALSE(filter->refuses_untrusted());
    EXPECT_EQ(filter->labels().back(), "sandbox without network, files, processes");

    ::setenv("KERNELFORGE_CUDA_CONFINEMENT", "none", 1);
    const auto bare = open();
    ASSERT_TRUE(bare);
    ASSERT_TRUE(bare->refuses_untrusted());
    EXPECT_EQ(bare->refuses_untrusted()->code, "sandbox-unavailable");
    EXPECT_EQ(bare->labels().back(), "no sandbox");
    std::optional<Contender> contender;
    EXPECT_EQ(prepare(*bare, contender), "refused");

    ::setenv("KERNELFORGE_CUDA_CONFINEMENT", "plenty", 1);
    EXPECT_EQ(make_cuda_device(0, cache()).error().code, "cuda-confinement");
}

TEST_F(FakeGpu, WithoutAGpuThereIsNoDevice) {
    tell("no-device");
    EXPECT_EQ(make_cuda_device(0, cache()).error().code, "cuda-unusable");
    tell("");
    EXPECT_EQ(make_cuda_device(1, cache()).error().code, "cuda-device");
    ::setenv("KERNELFORGE_LIBCUDA", (m_folder / "absent.so").c_str(), 1);
    EXPECT_EQ(make_cuda_device(0, cache()).error().code, "cuda-missing");
}

TEST_F(FakeGpu, AHangIsATimeoutAndTheNextCandidateIsServed) {
    const auto device = open();
    ASSERT_TRUE(device);
    std::optional<Contender> contender;
    ASSERT_EQ(prepare(*device, contender), "");
    for (const auto& [word, expected] :
         {std::pair{"hang", FailureClass::timeout}, std::pair{"crash", FailureClass::crash}}) {
        auto broken = session(*device, *contender);
        ASSERT_TRUE(broken);
        tell(word);
        const auto halted = broken->run(0, 1, deadline_after(0.5));
        tell("");
        ASSERT_TRUE(halted && std::holds_alternative<Failure>(*halted)) << describe(halted);
        EXPECT_EQ(std::get<Failure>(*halted).failure, expected);
        broken.reset();
        device->warm();
        auto next = session(*device, *contender);
        ASSERT_TRUE(next);
        EXPECT_EQ(describe(next->run(0, 1, deadline_after(10))), "");
    }
}

TEST_F(FakeGpu, ARunnerThatEatsTheHostsMemoryIsEndedAndNamed) {
    ::setenv("KERNELFORGE_RUNNER_MEMORY_MIB", "300", 1);
    const auto device = open();
    ASSERT_TRUE(device);
    std::optional<Contender> contender;
    ASSERT_EQ(prepare(*device, contender), "");
    auto greedy = session(*device, *contender);
    ASSERT_TRUE(greedy);
    tell("grow");
    const auto halted = greedy->run(0, 1, deadline_after(30));
    ASSERT_TRUE(halted && std::holds_alternative<Failure>(*halted)) << describe(halted);
    EXPECT_EQ(std::get<Failure>(*halted).failure, FailureClass::memory);
    EXPECT_NE(std::get<Failure>(*halted).message.find("300 MiB"), std::string::npos);
}

TEST_F(FakeGpu, NoDeviceMemoryIsNotTheCandidatesFault) {
    const auto device = open();
    ASSERT_TRUE(device);
    std::optional<Contender> contender;
    ASSERT_EQ(prepare(*device, contender), "");
    auto started = device->start(contender->binaries[0], m_stop);
    ASSERT_TRUE(started);
    tell("full");
    const PlannedCase& planned = contender->cases[0];
    const CaseJob job{&m_task, contender->candidate.get(), &planned.task_case, &planned.plan, 1, 2};
    const auto halted = (*started)->open_case(job);
    ASSERT_TRUE(halted && std::holds_alternative<InfrastructureFault>(*halted)) << describe(halted);
    EXPECT_NE(std::get<InfrastructureFault>(*halted).what.find("GPU memory"), std::string::npos);
}

TEST_F(FakeGpu, WhatWasCompiledIsFoundOnDisk) {
    std::optional<Contender> contender;
    std::string hash;
    m_suffix = "// " + m_folder.filename().string() + "\n"; // a text that was never compiled
    {
        const auto first = open();
        ASSERT_TRUE(first);
        ASSERT_EQ(prepare(*first, contender), "");
        EXPECT_FALSE(get_bool(contender->binaries[0]->figures(), "cached", true));
        hash = contender->binaries[0]->hash();
    }
    contender.reset();
    const auto second = open();
    ASSERT_TRUE(second);
    ASSERT_EQ(prepare(*second, contender), "");
    EXPECT_TRUE(get_bool(contender->binaries[0]->figures(), "cached", false));
    EXPECT_EQ(contender->binaries[0]->hash(), hash);
    EXPECT_TRUE(session(*second, *contender));
}

TEST_F(FakeGpu, NothingIsLeftBehind) {
    {
        const auto device = open();
        ASSERT_TRUE(device);
        device->warm();
        std::optional<Contender> contender;
        ASSERT_EQ(prepare(*device, contender), "");
        ASSERT_TRUE(session(*device, *contender));
        EXPECT_GT(process_tree(getpid()).size(), 1u);
    }
    EXPECT_EQ(process_tree(getpid()).size(), 1u);
}

} // namespace
} // namespace kf
