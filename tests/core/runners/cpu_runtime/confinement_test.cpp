// SPDX-License-Identifier: GPL-3.0-or-later
// System calls are stopped by name, for an object that no inspection has seen; and the protocol refuses what it must.
#include "device.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf::cpu::test {
namespace {

const std::vector<std::string> hostile = {"call_socket",     "call_open",   "call_fork",      "call_exec",
                                          "call_kill",       "call_ptrace", "call_sigaction", "write_elsewhere",
                                          "make_executable", "call_abort"};

class Confinement : public testing::TestWithParam<std::pair<int, const char*>> {};

TEST_P(Confinement, StopsTheCallAndNamesIt) {
    Device device;
    ASSERT_TRUE(get_bool(device.load(compile("hostile.cu", hostile)), "ok"));
    const auto [kernel, name] = GetParam();
    const Json reply =
        device.run(launch(kernel, {.block = 1}, kernel == 8 ? std::vector<Json>{pointer(0)} : std::vector<Json>{}));
    EXPECT_EQ(get_string(reply, "status"), "sandbox") << reply;
    EXPECT_THAT(get_string(reply, "syscall"), testing::MatchesRegex(name)) << reply;
    EXPECT_EQ(get_member(reply, "kernel"), kernel);
    EXPECT_EQ(device.finish(), 102);
}
INSTANTIATE_TEST_SUITE_P(Calls, Confinement,
                         testing::Values(std::pair(0, "socket"), std::pair(1, "open(at)?"),
                                         std::pair(2, "(clone3?|fork)"), std::pair(3, "execve"), std::pair(4, "kill"),
                                         std::pair(5, "ptrace"), std::pair(6, "rt_sigaction"), std::pair(7, "write"),
                                         std::pair(8, "mprotect")));

TEST(Confined, SanitizerVariantsAreConfinedToo) {
    for (const Mode mode : {Mode::Asan, Mode::Tsan}) {
        Device device(mode);
        ASSERT_TRUE(get_bool(device.load(compile("hostile.cu", hostile, mode)), "ok"));
        const Json reply = device.run(launch(0, {.block = 1}, {}));
        EXPECT_EQ(get_string(reply, "syscall"), "socket") << reply;
        EXPECT_EQ(device.finish(), 102);
    }
}

TEST(Confined, AbortIsACrash) {
    Device device;
    ASSERT_TRUE(get_bool(device.load(compile("hostile.cu", hostile)), "ok"));
    const Json reply = device.run(launch(9, {.block = 1}, {}));
    EXPECT_EQ(get_string(reply, "signal"), "SIGABRT") << reply;
}

// A call may find memory of its process by arithmetic on addresses that it has; nothing that it leaves there is left for the
// next call.
TEST(Confined, NothingOfACallIsLeftForTheNext) {
    Device device;
    ASSERT_TRUE(get_bool(device.load(compile("keeps.cu", {"keep"})), "ok"));
    int seen[2] = {-1, -1};
    for (int& one : seen) {
        ASSERT_TRUE(get_bool(device.run(launch(0, {.block = 1}, {pointer(0)})), "ok"));
        one = *device.at<int>(0);
    }
    EXPECT_EQ(seen[0], seen[1]) << "the second call saw what the first one had left below its stack";
    EXPECT_NE(seen[1], 12345);
}

TEST(Protocol, RunIsRefusedUntilItIsArmed) {
    Device device;
    ASSERT_TRUE(get_bool(device.load(compile("keeps.cu", {"keep"})), "ok"));
    EXPECT_EQ(get_string(device.request({{"op", "run"}, {"seed", "1"}}), "status"), "protocol");
}

TEST(Protocol, SaysReadyAndEndsWithTheStream) {
    Device device;
    EXPECT_EQ(device.ready, (Json{{"op", "ready"}, {"abi", 1}, {"variant", "plain"}}));
    EXPECT_EQ(device.finish(), 0);
    Device quits;
    EXPECT_TRUE(get_bool(quits.request({{"op", "quit"}}), "ok"));
    EXPECT_EQ(quits.finish(), 0);
}

TEST(Protocol, RefusesBadRequests) {
    Device device;
    const auto status = [&](const Json& message) { return get_string(device.request(message), "status"); };
    EXPECT_EQ(status({{"op", "dance"}}), "protocol");
    EXPECT_EQ(status(Json::array()), "protocol");
    EXPECT_EQ(status({{"op", "run"}}), "protocol");
    EXPECT_EQ(status({{"op", "arena"}, {"bytes", 0}}), "protocol");
    EXPECT_EQ(status({{"op", "arena"}, {"bytes", 1 << 30}}), "arena"); // more than the file holds
    EXPECT_EQ(status({{"op", "plan"}, {"steps", 7}}), "plan");
    EXPECT_EQ(status({{"op", "plan"}, {"steps", {{{"kind", "jump"}}}}}), "plan");
    EXPECT_EQ(status({{"op", "poison"}, {"ranges", Json::array({Json::array({0, 16})})}}), "protocol"); // plain program
    EXPECT_EQ(get_string(device.load("/nowhere/candidate.so"), "status"), "module-load");
    EXPECT_EQ(get_string(device.load("/nowhere/candidate.so"), "status"), "protocol"); // one try a process
}

TEST(Steps, FillAndGemm) {
    Device device;
    float* a = device.at<float>(0);
    float* b = device.at<float>(4096);
    for (int i = 0; i < 12; ++i) {
        a[i] = static_cast<float>(i - 5);     // 3 x 4
        b[i] = static_cast<float>(2 * i % 7); // stored 3 x 4, used as 4 x 3
    }
    device.at<_Float16>(8192)[0] = static_cast<_Float16>(1);
    device.at<_Float16>(8192)[1] = static_cast<_Float16>(-100);
    device.at<_Float16>(8192)[2] = static_cast<_Float16>(0.5f);
    Json gemm = {{"kind", "gemm"},
                 {"m", 3},
                 {"n", 3},
                 {"k", 4},
                 {"a", {{"offset", 0}, {"dtype", "f32"}}},
                 {"b", {{"offset", 4096}, {"dtype", "f32"}, {"transposed", true}}},
                 {"bias", {{"offset", 8192}, {"dtype", "f16"}}},
                 {"c", {{"offset", 12288}, {"dtype", "bf16"}, {"ld", 8}}},
                 {"epilogue", "relu"}};
    const Json fill = {{"kind", "fill"}, {"offset", 12288}, {"bytes", 96}, {"pattern", "16256"}, {"size", 2}};
    const Json reply = device.run(Json::array({fill, gemm}));
    ASSERT_TRUE(get_bool(reply, "ok")) << reply;
    const auto bf16 = [&](int i) {
        const std::uint32_t bits = std::uint32_t{device.at<std::uint16_t>(12288)[i]} << 16;
        float f;
        std::memcpy(&f, &bits, 4);
        return f;
    };
    const float bias[] = {1, -100, 0.5f};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            float sum = bias[j];
            for (int k = 0; k < 4; ++k)
                sum += a[i * 4 + k] * b[j * 4 + k];
            EXPECT_EQ(bf16(i * 8 + j), sum > 0 ? sum : 0) << i << "," << j;
        }
        EXPECT_EQ(bf16(i * 8 + 3), 1.0f); // untouched by the product: the fill's value
    }
    gemm["c"]["offset"] = (1 << 20) - 8;
    EXPECT_EQ(get_string(device.run(gemm), "status"), "gemm-range");
    gemm["epilogue"] = "swish";
    EXPECT_EQ(get_string(device.run(gemm), "status"), "plan");
    Json beyond = fill;
    beyond["bytes"] = "18446744073709551614";
    EXPECT_EQ(get_string(device.run(beyond), "status"), "plan");
}

} // namespace
} // namespace kf::cpu::test
