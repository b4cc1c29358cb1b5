// SPDX-License-Identifier: GPL-3.0-or-later
// Every way in which a launch can fail has its own status and says who and where.
#include "device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf::cpu::test {
namespace {

using testing::HasSubstr;

enum Kernel {
    Divergent,
    HalfWarp,
    NotNamed,
    Waits,
    Misaligned,
    MisalignedHalf2,
    Asserts,
    Traps,
    NullPointer,
    KeepsState,
    Recursion,
    NoCooperation,
    Divides,
    GridPhases,
    Indices,
    SomeSync,
    TwoMasks
};

class Failures : public testing::Test {
protected:
    void SetUp() override {
        const Json loaded = device.load(
            compile("primitives.cu", {"divergent", "half_warp", "not_named", "waits", "misaligned", "misaligned_half2",
                                      "asserts", "traps", "null_pointer", "keeps_state", "recursion", "no_cooperation",
                                      "divides", "grid_phases", "indices", "some_sync", "two_masks"}));
        ASSERT_TRUE(get_bool(loaded, "ok")) << loaded;
    }
    Json expect(const std::string& status, const Json& reply, const std::string& part) {
        EXPECT_FALSE(get_bool(reply, "ok", true)) << reply;
        EXPECT_EQ(get_string(reply, "status"), status) << reply;
        EXPECT_THAT(get_string(reply, "message"), HasSubstr(part));
        return reply;
    }
    // The process is still good after a failure that it has reported itself.
    void expect_usable() {
        const Json reply = device.run(launch(Indices, {.grid = 3, .block = 4}, {pointer(0), i32(12)}));
        EXPECT_TRUE(get_bool(reply, "ok")) << reply;
        EXPECT_EQ(device.at<int>(0)[11] % 1000000, 20003);
    }
    Device device;
};

TEST_F(Failures, DivergentBarrier) {
    const Json reply =
        expect("barrier", device.run(launch(Divergent, {.block = 48}, {pointer(0)})), "16 threads (first: 32,0,0)");
    EXPECT_THAT(get_string(reply, "message"), HasSubstr("32 threads (first: 0,0,0) wait at __syncthreads()"));
    EXPECT_GT(get_int(reply, "line"), 180);
    expect_usable();
}

TEST_F(Failures, LanesThatNeverArrive) {
    // The other half exits, which is allowed; those that wait elsewhere are not.
    const Json fine = device.run(launch(HalfWarp, {}, {pointer(0)}));
    EXPECT_TRUE(get_bool(fine, "ok")) << fine;
    expect("barrier", device.run(launch(TwoMasks, {}, {})), "wait at __syncwarp() with mask 0xffffffff");
    expect("barrier", device.run(launch(NotNamed, {}, {})), "does not name it");
    expect_usable();
}

TEST_F(Failures, NoProgress) {
    const Json reply =
        expect("no-progress", device.run(launch(Waits, {.grid = 2}, {pointer(4096)}), 1, {{"idle_yields", 20000}}),
               "waits on another block");
    EXPECT_TRUE(reply.contains("block"));
    expect_usable();
}

TEST_F(Failures, MisalignedVectors) {
    const Json reply = expect("misaligned", device.run(launch(Misaligned, {.block = 1}, {pointer(8), pointer(64)})),
                              "8 bytes beyond a multiple of 16");
    EXPECT_THAT(get_string(reply, "message"), HasSubstr("float4"));
    EXPECT_EQ(get_member(reply, "thread"), Json::array({0, 0, 0}));
    EXPECT_GT(get_int(reply, "line"), 180);
    expect("misaligned", device.run(launch(MisalignedHalf2, {.block = 1}, {pointer(0)})), "half2");
    const Json aligned = device.run(launch(Misaligned, {.block = 1}, {pointer(16), pointer(64)}));
    EXPECT_TRUE(get_bool(aligned, "ok")) << aligned;
    expect_usable();
}

TEST_F(Failures, AssertTrapPrintf) {
    const Json reply =
        expect("assert", device.run(launch(Asserts, {.grid = 1, .block = 8}, {i32(7)})), "n > static_cast<int>");
    EXPECT_EQ(get_member(reply, "thread"), Json::array({7, 0, 0}));
    EXPECT_TRUE(get_bool(device.run(launch(Asserts, {.block = 3}, {i32(7)})), "ok"));
    expect("trap", device.run(launch(Traps, {}, {})), "__trap()");
    expect_usable();
    EXPECT_EQ(device.finish(), 0);
    EXPECT_THAT(device.errors(), HasSubstr("thread 2 of 7\n"));
}

TEST_F(Failures, LaunchLimits) {
    expect("launch", device.run(launch(Traps, {.block = 1025}, {})), "outside");
    expect("launch", device.run(launch(Traps, {.block = 1024, .block_y = 2}, {})), "2048 threads");
    expect("launch", device.run(launch(Traps, {.grid = 0}, {})), "grid");
    expect("launch", device.run(launch(Traps, {.shared = 300000}, {})), "shared memory");
    expect("launch",
           device.run(launch(GridPhases, {.grid = 100, .block = 1024, .cooperative = true}, {pointer(0), i32(1)})),
           "cooperative");
    expect("launch", device.run(launch(NoCooperation, {}, {})), "attribute cooperative");
    expect("plan", device.run(launch(Traps, {}, {pointer(0)})), "takes 0 arguments");
    expect("plan", device.run(launch(99, {}, {})), "no kernel 99");
    expect("plan", device.run(launch(Waits, {}, {pointer(std::uint64_t{1} << 40)})), "outside the arena");
    expect_usable();
}

TEST_F(Failures, GridBarrierThatNotAllReach) {
    const Json reply = device.run(launch(SomeSync, {.grid = 3, .cooperative = true}, {i32(1)}));
    expect("barrier", reply, "2 blocks have ended without reaching it");
    EXPECT_TRUE(get_bool(device.run(launch(SomeSync, {.grid = 3, .cooperative = true}, {i32(3)})), "ok"));
    expect_usable();
}

struct Crash {
    Kernel kernel;
    std::vector<Json> args;
    std::string signal, part;
};

class Crashes : public Failures, public testing::WithParamInterface<int> {};

TEST_P(Crashes, AreNamedAndEndTheProcess) {
    const Crash crashes[] = {
        {NullPointer, {Json{{"bits", "0"}, {"size", 8}}}, "SIGSEGV", "null pointer"},
        {NullPointer, {Json{{"bits", "140733193388032"}, {"size", 8}}}, "SIGSEGV", "outside of the tensors"},
        {KeepsState, {}, "SIGSEGV", "state that outlives a launch"},
        {Recursion, {pointer(0), i32(100000)}, "SIGSEGV", "stack overflow"},
        {Divides, {pointer(0), i32(0)}, "SIGFPE", "division"},
    };
    const Crash& crash = crashes[GetParam()];
    const Json reply = expect("crash", device.run(launch(crash.kernel, {.block = 1}, crash.args)), crash.part);
    EXPECT_EQ(get_string(reply, "signal"), crash.signal);
    EXPECT_EQ(get_member(reply, "kernel"), static_cast<int>(crash.kernel));
    EXPECT_EQ(get_member(reply, "block"), Json::array({0, 0, 0}));
    EXPECT_EQ(device.finish(), 101);
}
INSTANTIATE_TEST_SUITE_P(All, Crashes, testing::Range(0, 5));

} // namespace
} // namespace kf::cpu::test
