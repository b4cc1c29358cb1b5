// SPDX-License-Identifier: GPL-3.0-or-later
// What kernels compute through kf-cpu, for several seeds: each seed is another order of threads and blocks.
#include "device.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace kf::cpu::test {
namespace {

enum Kernel {
    Indices,
    BlockSum,
    Matmul,
    MatmulHalf,
    Shuffles,
    Groups,
    GridPhases,
    Dynamic,
    Poisoned,
    Atomics,
    Exits,
    LookBack,
    Intrinsics,
    Divides,
    NamedOutside
};

class Semantics : public testing::TestWithParam<std::uint64_t> {
protected:
    void SetUp() override {
        const Json loaded =
            device.load(compile("primitives.cu", {"indices", "block_sum<256>", "matmul<8, float>", "matmul<8, __half>",
                                                  "shuffles", "groups", "grid_phases", "dynamic", "poisoned", "atomics",
                                                  "exits", "look_back", "intrinsics", "divides", "named_outside"}));
        ASSERT_TRUE(get_bool(loaded, "ok")) << loaded;
        kernels = loaded["kernels"];
    }
    void expect_ok(const Json& step) {
        const Json reply = device.run(step, GetParam());
        ASSERT_TRUE(get_bool(reply, "ok")) << reply;
    }
    Device device;
    Json kernels;
};

TEST_P(Semantics, SignaturesAreMangledFunctionTypes) {
    EXPECT_EQ(kernels[BlockSum]["signature"], "FvPKfPfiE");
    EXPECT_EQ(kernels[MatmulHalf]["signature"], "FvPK6__halfS1_PfiE");
    EXPECT_EQ(kernels[MatmulHalf]["expression"], "matmul<8, __half>");
    EXPECT_EQ(kernels[MatmulHalf]["args"], 4);
}

TEST_P(Semantics, EveryThreadHasItsIndices) {
    expect_ok(launch(Indices, {.grid = 3, .block = 5, .block_y = 2}, {pointer(0), i32(15)}));
    const int primes[] = {2, 3, 5, 7};
    for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 15; ++x)
            EXPECT_EQ(device.at<int>(0)[y * 15 + x], x % 5 + 100 * y + 10000 * (x / 5) + primes[x % 5 & 3] * 1000000);
    }
}

TEST_P(Semantics, BlockReduction) {
    const int n = 10007;
    std::iota(device.at<float>(0), device.at<float>(0) + n, 0.0f);
    *device.at<float>(65536) = 0;
    expect_ok(launch(BlockSum, {.grid = 7, .block = 256}, {pointer(0), pointer(65536), i32(n)}));
    EXPECT_NEAR(*device.at<float>(65536), n * (n - 1) / 2.0, 64);
}

TEST_P(Semantics, TiledMatmulInFloatAndHalf) {
    const int n = 32;
    for (int i = 0; i < n * n; ++i) {
        device.at<float>(0)[i] = static_cast<float>(i % 7 - 3);
        device.at<float>(4096)[i] = static_cast<float>(i % 5 - 2);
        device.at<_Float16>(32768)[i] = static_cast<_Float16>(i % 7 - 3);
        device.at<_Float16>(36864)[i] = static_cast<_Float16>(i % 5 - 2);
    }
    const Shape shape{.grid = 16, .block = 8, .block_y = 8};
    expect_ok(Json::array({launch(Matmul, shape, {pointer(0), pointer(4096), pointer(8192), i32(n)}),
                           launch(MatmulHalf, shape, {pointer(32768), pointer(36864), pointer(16384), i32(n)})}));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += static_cast<float>(((i * n + k) % 7 - 3) * ((k * n + j) % 5 - 2));
            ASSERT_EQ(device.at<float>(8192)[i * n + j], sum);
            ASSERT_EQ(device.at<float>(16384)[i * n + j], sum);
        }
    }
}

TEST_P(Semantics, ShufflesVotesMatchesReductions) {
    expect_ok(launch(Shuffles, {}, {pointer(0)}));
    const int* o = device.at<int>(0);
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(o[lane], 50);
        EXPECT_EQ(o[32 + lane], lane % 8 < 3 ? lane : lane - 3);
        EXPECT_EQ(o[64 + lane], lane % 16 + 2 > 15 ? lane : lane + 2);
        EXPECT_EQ(o[96 + lane], lane ^ 7);
        EXPECT_EQ(o[128 + lane], static_cast<int>((lane / 4 * 4 + 2) * 1.5 * 2));
        EXPECT_EQ(o[160 + lane], lane ^ 1);
        EXPECT_EQ(o[192 + lane], lane ^ 2);
        EXPECT_EQ(o[224 + lane], 0x49249249);
        EXPECT_EQ(o[256 + lane], 3);
        EXPECT_EQ(static_cast<unsigned int>(o[288 + lane]), 0xffu << (lane / 8 * 8));
        EXPECT_EQ(o[320 + lane], -1 + 1);
        EXPECT_EQ(o[352 + lane], 496 - 9 - 31);
        EXPECT_EQ(o[384 + lane], lane < 16 ? 0xffff : 16);
        EXPECT_EQ(o[416 + lane], 116);
    }
}

TEST_P(Semantics, CooperativeGroups) {
    expect_ok(launch(Groups, {.block = 64}, {pointer(0)}));
    const float* o = device.at<float>(0);
    for (int t = 0; t < 64; ++t) {
        const int first = t & ~7;
        EXPECT_EQ(o[t], static_cast<float>(8 * first + 28));
        EXPECT_EQ(o[64 + t], static_cast<float>(first + 7));
        EXPECT_EQ(o[128 + t], static_cast<float>((t == first ? t : t - 1) + t / 8 * 1000));
        EXPECT_EQ(o[320 + t], static_cast<float>((first + t) * (t - first + 1) / 2));
        if (t % 3 == 0) {
            const int warp = t & ~31, lead = (warp + 2) / 3 * 3;
            const int members = (warp + 31 - lead) / 3 + 1;
            EXPECT_EQ(o[192 + t], static_cast<float>(members * 100 + (t - lead) / 3));
            EXPECT_EQ(o[256 + t], static_cast<float>(lead));
        }
    }
}

TEST_P(Semantics, GridBarrierKeepsPhasesApart) {
    const int n = 5 * 64;
    std::iota(device.at<int>(0), device.at<int>(0) + n, 0);
    expect_ok(launch(GridPhases, {.grid = 5, .block = 64, .cooperative = true}, {pointer(0), i32(n)}));
    for (int i = 0; i < n; ++i)
        EXPECT_EQ(device.at<int>(0)[i], (i + 5) % n);
}

TEST_P(Semantics, DynamicSharedMemory) {
    const int n = 777;
    expect_ok(launch(Dynamic, {.block = 96, .shared = n * 4}, {pointer(0), i32(n)}));
    for (int i = 0; i < n; ++i)
        ASSERT_EQ(device.at<int>(0)[i], n - 1 - i);
    const auto before = static_cast<unsigned int>(device.at<int>(0)[n]);
    EXPECT_TRUE(before == 0xffffffffu || before == 0x7fff7fffu) << before;
}

TEST_P(Semantics, DynamicSharedMemoryDeclaredOutsideOfFunctions) {
    expect_ok(launch(NamedOutside, {.shared = 128}, {pointer(0)}));
    for (int i = 0; i < 32; ++i)
        EXPECT_EQ(device.at<float>(0)[i], static_cast<float>(31 - i));
}

TEST_P(Semantics, SharedMemoryIsPoisonedForEachBlock) {
    expect_ok(launch(Poisoned, {.grid = 6}, {pointer(0)}));
    for (int i = 0; i < 64; ++i)
        EXPECT_TRUE(std::isnan(device.at<float>(0)[i]));
}

TEST_P(Semantics, Atomics) {
    std::fill_n(device.at<char>(0), 4096, 0);
    device.at<unsigned int>(0)[5] = 3;
    expect_ok(launch(Atomics, {.grid = 3, .block = 100},
                     {pointer(0), pointer(256), pointer(512), pointer(768), pointer(1024), pointer(1280)}));
    const unsigned int* u = device.at<unsigned int>(0);
    EXPECT_EQ(u[0], 600u);
    EXPECT_EQ(u[1], 0u); // 300 increments modulo 10
    EXPECT_EQ(u[2], 99u);
    EXPECT_EQ(u[3], ~0u);
    EXPECT_EQ(u[4], 0u); // each block contributes the same, 0 ^ 1 ^ … ^ 99 = 0
    EXPECT_EQ(u[5], 3u); // 300 decrements modulo 6
    EXPECT_EQ(*device.at<float>(256), 150.0f);
    EXPECT_EQ(device.at<int>(512)[0], -300);
    EXPECT_EQ(device.at<int>(512)[1], -99);
    EXPECT_EQ(device.at<int>(512)[2], 900);
    EXPECT_EQ(*device.at<unsigned long long>(768), 300ull << 33);
    EXPECT_EQ(*device.at<double>(1024), 75.0);
    EXPECT_EQ(static_cast<float>(*device.at<_Float16>(1280)), 300.0f);
}

TEST_P(Semantics, ExitedThreadsCountAsArrived) {
    expect_ok(launch(Exits, {}, {pointer(0)}));
    for (int t = 0; t < 32; ++t) {
        if (t % 3 != 0) {
            EXPECT_EQ(device.at<int>(0)[t], t % 3 == 1 ? 21 : 121);
        }
    }
}

TEST_P(Semantics, BlocksThatWaitForEarlierTickets) {
    std::fill_n(device.at<char>(0), 65536, 0);
    expect_ok(launch(LookBack, {.grid = 500, .block = 64}, {pointer(0), pointer(4096), pointer(16384)}));
    for (int b = 0; b < 500; ++b)
        ASSERT_EQ(device.at<int>(16384)[b], (b + 1) * (b + 2) / 2);
}

TEST_P(Semantics, Intrinsics) {
    int* o = device.at<int>(0);
    *reinterpret_cast<float*>(o + 8) = 42;
    expect_ok(launch(Intrinsics, {.block = 1}, {pointer(0)}));
    EXPECT_EQ(o[0], 8 + 3100 + 40000);
    EXPECT_EQ(o[1], 1);
    EXPECT_EQ(o[2], 15);
    EXPECT_EQ(o[3], 3 + 30);
    EXPECT_EQ(o[4], static_cast<int>(2u + 30u - 100u + 10000u * 2147483647u));
    EXPECT_EQ(o[5], 20 + 1 + 1 + 4 + 4);
    EXPECT_EQ(o[6], 1);
    EXPECT_EQ(o[7], 448 + 3 - 448);
    EXPECT_EQ(o[12], 42);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Semantics, testing::Values(1, 2, 77));

TEST(Order, DependsOnTheSeedAlone) {
    std::vector<std::vector<int>> results;
    for (const std::uint64_t seed : {1, 1, 2, 3}) {
        Device device;
        ASSERT_TRUE(get_bool(
            device.load(compile("volatile.cu", {"hand_over", "never", "adds", "ticket_of"}, Mode::Volatile)), "ok"));
        ASSERT_TRUE(get_bool(device.run(launch(3, {.grid = 4, .block = 64}, {pointer(0), pointer(64)}), seed), "ok"));
        results.emplace_back(device.at<int>(64), device.at<int>(64) + 256);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_NE(results[1], results[2]);
    EXPECT_NE(results[2], results[3]);
}

TEST(Volatile, ASpinningReaderLetsTheWriterRun) {
    Device device;
    ASSERT_TRUE(get_bool(
        device.load(compile("volatile.cu", {"hand_over", "never", "adds", "ticket_of"}, Mode::Volatile)), "ok"));
    // As many blocks as may be live, so that any order of starting them must work out.
    const Json reply = device.run(
        Json::array({launch(0, {.grid = 60}, {pointer(0), pointer(4096)}), launch(2, {.grid = 3}, {pointer(8192)})}));
    ASSERT_TRUE(get_bool(reply, "ok")) << reply;
    for (int b = 0; b < 60; ++b)
        EXPECT_EQ(device.at<int>(4096)[b], b * (b + 1) / 2);
    EXPECT_EQ(*device.at<int>(8192), 96);
    const Json stuck = device.run(launch(1, {.grid = 2}, {pointer(16384)}), 1, {{"idle_yields", 20000}});
    EXPECT_EQ(get_string(stuck, "status"), "no-progress") << stuck;
}

} // namespace
} // namespace kf::cpu::test
