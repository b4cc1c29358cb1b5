// SPDX-License-Identifier: GPL-3.0-or-later
// CpuSession against a runner that misbehaves in every way that we could think of.
#include "core/process/process_tree.h"
#include "core/runners/cpu/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using testing::HasSubstr;
using Kind = CpuRunStatus::Kind;

SteadyTime in(double seconds) {
    return after(std::chrono::duration<double>(seconds));
}

class Session : public testing::Test {
protected:
    void SetUp() override {
        spec.program = KF_FAKE_RUNNER;
        spec.trusted = true; // ours; it still runs in the sandbox where there is one
    }
    std::unique_ptr<CpuSession> start() {
        Result<std::unique_ptr<CpuSession>> session = CpuSession::start(spec);
        EXPECT_TRUE(session.ok()) << to_string(session.error());
        return session ? *std::move(session) : nullptr;
    }
    CpuRunStatus run(std::uint64_t how, double seconds = 30) {
        std::unique_ptr<CpuSession> session = start();
        const CpuRunStatus status = session->run(how, 1, in(seconds));
        EXPECT_EQ(session->alive(), status.kind == Kind::ok || status.kind == Kind::failed);
        return status;
    }
    CpuSessionSpec spec;
};

TEST_F(Session, RunsInTheSharedArenaAndMeasures) {
    std::unique_ptr<CpuSession> session = start();
    EXPECT_GT(session->start_seconds(), 0);
    EXPECT_TRUE(session->arena().empty());
    ASSERT_TRUE(session->set_arena(10'000).ok());
    ASSERT_EQ(session->arena().size(), 10'000u);
    session->arena()[9] = std::byte{41};
    ASSERT_TRUE(session->set_plan({FillStep{0, 8, 1, 4}}).ok());
    const CpuRunStatus status = session->run(1, 1, in(30));
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(session->arena()[10], std::byte{42}); // and the runner could not take the pages away
    EXPECT_GT(status.seconds, 0);
    ASSERT_TRUE(session->set_arena(100'000).ok()); // grows and keeps
    EXPECT_EQ(session->arena()[10], std::byte{42});
    ASSERT_TRUE(session->set_arena(50).ok());
    EXPECT_EQ(session->arena().size(), 50u);
    const Result<double> floor = session->measure_floor(20);
    ASSERT_TRUE(floor.ok());
    EXPECT_GT(*floor, 0);
    EXPECT_EQ(session->set_arena(spec.arena_limit + 1).error().code, "arena-limit");
    EXPECT_EQ(session->set_arena(0).error().code, "arena-limit");
}

TEST_F(Session, LoadsOnceAndNamesFailures) {
    CpuBinary binary;
    binary.object = "good object";
    std::unique_ptr<CpuSession> session = start();
    const Result<std::vector<CpuKernel>> kernels = session->load(binary, "k.cu");
    ASSERT_TRUE(kernels.ok()) << to_string(kernels.error());
    ASSERT_EQ(kernels->size(), 1u);
    EXPECT_EQ(kernels->front().expression, "k<3>");
    EXPECT_EQ(kernels->front().signature, "FvPfiE");
    EXPECT_EQ(kernels->front().argument_count, 2);
    EXPECT_EQ(session->load(binary, "k.cu").error().code, "runner-order");

    binary.object = "fail";
    session = start();
    const Result<std::vector<CpuKernel>> failed = session->load(binary, "k.cu");
    EXPECT_EQ(failed.error().code, "candidate-load");
    EXPECT_THAT(failed.error().message, HasSubstr("nowhere"));
    EXPECT_EQ(session->load_status().kind, Kind::failed);

    binary.object = "boom";
    session = start();
    EXPECT_FALSE(session->load(binary, "k.cu").ok());
    EXPECT_EQ(session->load_status().kind, Kind::crash);
    EXPECT_EQ(session->load_status().signal, "SIGILL");

    binary.object = "hang";
    spec.reply_seconds = 0.2;
    session = start();
    EXPECT_FALSE(session->load(binary, "k.cu").ok());
    EXPECT_EQ(session->load_status().kind, Kind::timeout);

    binary.mode = CpuMode::asan;
    EXPECT_EQ(start()->load(binary, "k.cu").error().code, "runner-order");
}

TEST_F(Session, EndlessLoopTimesOut) {
    const CpuRunStatus status = run(2, 0.1);
    EXPECT_EQ(status.kind, Kind::timeout);
    EXPECT_GE(status.seconds, 0.1);
}

TEST_F(Session, FloodIsStopped) {
    spec.error_limit = 200'000;
    const CpuRunStatus status = run(3);
    EXPECT_EQ(status.kind, Kind::flood);
    EXPECT_LE(status.error_tail.size(), spec.error_tail);
    EXPECT_THAT(status.error_tail, HasSubstr("dull kernel"));
}

TEST_F(Session, MemoryBombIsStopped) {
    spec.memory_bytes = std::uint64_t{64} << 20;
    EXPECT_EQ(run(4).kind, Kind::memory);
}

TEST_F(Session, KilledFromOutsideIsNobodysFault) {
    const CpuRunStatus status = run(90);
    EXPECT_EQ(status.kind, Kind::lost);
    EXPECT_FALSE(status.message.empty());
}

TEST_F(Session, EveryEndHasItsName) {
    const CpuRunStatus segv = run(5);
    EXPECT_EQ(segv.kind, Kind::crash);
    EXPECT_EQ(segv.signal, "SIGSEGV");
    const CpuRunStatus exited = run(6);
    EXPECT_EQ(exited.kind, Kind::exited);
    EXPECT_EQ(exited.exit_code, 7);
    const CpuRunStatus sandbox = run(8);
    EXPECT_EQ(sandbox.kind, Kind::sandbox);
    EXPECT_EQ(sandbox.syscall, "socket");
    EXPECT_THAT(sandbox.message, HasSubstr("socket"));
    const CpuRunStatus crash = run(10);
    EXPECT_EQ(crash.kind, Kind::crash);
    EXPECT_EQ(crash.address, "0x10");
    EXPECT_EQ(crash.thread, (std::array<std::int64_t, 3>{7, 0, 0}));
    EXPECT_EQ(crash.exit_code, 101);
}

TEST_F(Session, FailuresOfTheCandidateKeepTheirEvidence) {
    const CpuRunStatus status = run(9);
    EXPECT_EQ(status.kind, Kind::failed);
    EXPECT_EQ(status.status, "barrier");
    EXPECT_EQ(status.kernel, 2);
    EXPECT_EQ(status.step, 1);
    EXPECT_EQ(status.line, 12);
    EXPECT_EQ(status.block, (std::array<std::int64_t, 3>{1, 2, 3}));
    EXPECT_EQ(status.thread, (std::array<std::int64_t, 3>{4, 5, 6}));
}

TEST_F(Session, GarbageIsAProtocolError) {
    for (const int how : {7, 12, 13, 14, 17, 99})
        EXPECT_EQ(run(static_cast<std::uint64_t>(how)).kind, Kind::protocol) << how;
}

// An answer that was written before the order would make the run look instant.
TEST_F(Session, AnswersInAdvanceAreRefused) {
    std::unique_ptr<CpuSession> session = start();
    session->run(11, 1, in(30));
    const CpuRunStatus status = session->run(1, 1, in(30));
    EXPECT_EQ(status.kind, Kind::protocol);
    EXPECT_THAT(status.message, HasSubstr("without being asked"));
    EXPECT_FALSE(session->alive());
    EXPECT_EQ(session->run(1, 1, in(30)).kind, Kind::protocol);
    EXPECT_EQ(session->set_arena(100).error().code, "runner-lost");
}

TEST_F(Session, OutputIsKeptAndCut) {
    EXPECT_EQ(run(15).error_tail, "printed by a kernel\n");
    spec.error_tail = 1000;
    const CpuRunStatus status = run(18);
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(status.error_tail.size(), 1000u);
}

TEST_F(Session, SanitizerReportsAreRead) {
    spec.mode = CpuMode::asan;
    std::unique_ptr<CpuSession> session = start();
    CpuBinary binary;
    binary.object = "good";
    binary.mode = CpuMode::asan;
    ASSERT_TRUE(session->load(binary, "k.cu").ok());
    const CpuRunStatus status = session->run(16, 1, in(30));
    EXPECT_EQ(status.kind, Kind::sanitizer);
    ASSERT_EQ(status.reports.size(), 1u);
    EXPECT_EQ(status.reports[0].place, (Place{"k.cu", 3, 0}));
    EXPECT_EQ(status.line, 3);
}

TEST_F(Session, CancelStopsIt) {
    std::unique_ptr<CpuSession> session = start();
    EXPECT_EQ(session->run(2, 1, in(60), [] { return true; }).kind, Kind::cancelled);
}

TEST_F(Session, StartFailuresAreInfrastructure) {
    spec.program = "/no/such/runner";
    EXPECT_EQ(CpuSession::start(spec).error().code, "program-missing");
    spec.program = "/usr/bin/true";
    EXPECT_EQ(CpuSession::start(spec).error().code, "runner-start");
    spec.program = "/usr/bin/yes";
    spec.error_limit = 1000;
    EXPECT_EQ(CpuSession::start(spec).error().code, "runner-start");
}

TEST_F(Session, NothingStays) {
    { const std::unique_ptr<CpuSession> session = start(); }
    run(2, 0.05);
    EXPECT_TRUE(children_of(getpid()).empty());
}

TEST(Steps, LargeNumbersTravelAsText) {
    LaunchStep launch;
    launch.kernel = 1;
    launch.arguments = {{true, 1ull << 60, 8}, {false, 0xffffffffffffffffull, 8}};
    const Json json = to_json(std::vector<CpuStep>{launch, GemmStep{}});
    EXPECT_EQ(json[0]["args"][0]["pointer"], "1152921504606846976");
    EXPECT_EQ(json[0]["args"][1]["bits"], "18446744073709551615");
    EXPECT_FALSE(json[1].contains("bias"));
}

} // namespace
} // namespace kf
