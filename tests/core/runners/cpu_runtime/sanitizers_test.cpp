// SPDX-License-Identifier: GPL-3.0-or-later
// The sanitizer programs name the line of a planted error and are quiet about correct kernels.
#include "device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf::cpu::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kernels = {"over_global",     "over_shared", "neighbour<false>",
                                          "neighbour<true>", "across",      "warp_order"};

TEST(Asan, NamesTheLineOfAnAccessToAGuardZone) {
    Device device(Mode::Asan);
    ASSERT_TRUE(get_bool(device.load(compile("memory.cu", kernels, Mode::Asan)), "ok"));
    ASSERT_TRUE(
        get_bool(device.request({{"op", "poison"}, {"ranges", Json::array({Json::array({4096 + 256, 4096})})}}), "ok"));
    const Json fine = device.run(launch(0, {.block = 63}, {pointer(4096)}));
    EXPECT_TRUE(get_bool(fine, "ok")) << fine;
    const Json reply = device.run(launch(0, {.block = 64}, {pointer(4096)}));
    EXPECT_EQ(get_string(reply, "status"), "sanitizer") << reply;
    EXPECT_EQ(get_member(reply, "thread"), Json::array({63, 0, 0}));
    EXPECT_EQ(device.finish(), 103);
    EXPECT_THAT(device.errors(), HasSubstr("use-after-poison"));
    EXPECT_THAT(device.errors(), HasSubstr("memory.cu:2"));
}

TEST(Asan, NamesTheSharedArray) {
    Device device(Mode::Asan);
    ASSERT_TRUE(get_bool(device.load(compile("memory.cu", kernels, Mode::Asan)), "ok"));
    EXPECT_TRUE(get_bool(device.run(launch(1, {.grid = 3, .block = 64}, {pointer(0), i32(0)})), "ok"));
    const Json reply = device.run(launch(1, {.block = 64}, {pointer(0), i32(2)}));
    EXPECT_EQ(get_string(reply, "status"), "sanitizer") << reply;
    device.finish();
    EXPECT_THAT(device.errors(), HasSubstr("global variable 's'"));
    EXPECT_THAT(device.errors(), HasSubstr("memory.cu:6"));
}

TEST(Tsan, NamesBothSidesOfAMissingBarrier) {
    Device device(Mode::Tsan);
    ASSERT_TRUE(get_bool(device.load(compile("memory.cu", kernels, Mode::Tsan)), "ok"));
    const Json reply = device.run(launch(2, {.grid = 2, .block = 64}, {pointer(0), pointer(4096)}));
    EXPECT_TRUE(get_bool(reply, "ok")) << reply;
    EXPECT_GT(get_int(reply, "reports"), 0);
    device.finish();
    EXPECT_THAT(device.errors(), HasSubstr("data race"));
    EXPECT_THAT(device.errors(), HasSubstr("memory.cu:13"));
    EXPECT_THAT(device.errors(), HasSubstr("memory.cu:16"));
}

TEST(Tsan, SeesGlobalMemoryToo) {
    Device device(Mode::Tsan);
    ASSERT_TRUE(get_bool(device.load(compile("memory.cu", kernels, Mode::Tsan)), "ok"));
    EXPECT_GT(get_int(device.run(launch(4, {.block = 2}, {pointer(0)})), "reports"), 0);
    device.finish();
    EXPECT_THAT(device.errors(), HasSubstr("memory.cu:21"));
}

TEST(Tsan, IsQuietAboutCorrectKernels) {
    Device device(Mode::Tsan);
    ASSERT_TRUE(get_bool(device.load(compile("memory.cu", kernels, Mode::Tsan)), "ok"));
    const Json plan = Json::array(
        {launch(3, {.grid = 3, .block = 64}, {pointer(0), pointer(4096)}), launch(5, {.grid = 2}, {pointer(16384)})});
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Json reply = device.run(plan, seed);
        EXPECT_TRUE(get_bool(reply, "ok")) << reply;
        EXPECT_EQ(get_int(reply, "reports", -1), 0);
    }
    EXPECT_EQ(device.finish(), 0);
    EXPECT_THAT(device.errors(), Not(HasSubstr("WARNING")));
}

} // namespace
} // namespace kf::cpu::test
