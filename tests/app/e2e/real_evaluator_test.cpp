// SPDX-License-Identifier: GPL-3.0-or-later
// The whole chain with the real evaluator on the CPU device.
#include "tests/app/cli_fixture.h"

namespace kf {

constexpr const char* task_folder = KF_SOURCE_DIR "/tasks/stage1/silu_mul";

TEST_F(CliTest, TheStartKernelIsAccepted) {
    const Finished eval = kernelforge({"eval", "stage1/silu_mul", std::string(task_folder) + "/start.cu"}, 200);
    EXPECT_EQ(eval.exit_code, 0) << eval.out << eval.err;
    EXPECT_NE(eval.out.find("✓ accepted"), std::string::npos) << eval.out;
}

TEST_F(CliTest, AWrongKernelIsRejected) {
    const std::string file = write("relu.cu", R"(#pragma kf launch relu_mul<<<cdiv(R * C, 128), 128>>>(x, out, R, C)
#include <cuda_bf16.h>
__global__ void relu_mul(const __nv_bfloat16* x, __nv_bfloat16* out, int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns)
        return;
    const int row = i / columns, column = i % columns;
    const float gate = __bfloat162float(x[row * 2 * columns + column]);
    const float up = __bfloat162float(x[row * 2 * columns + columns + column]);
    out[i] = __float2bfloat16((gate > 0 ? gate : 0.0f) * up);
}
)");
    const Finished eval = kernelforge({"eval", "stage1/silu_mul", file}, 200);
    EXPECT_EQ(eval.exit_code, 1) << eval.out << eval.err;
    EXPECT_NE(eval.out.find("◇ wrong"), std::string::npos) << eval.out;
    EXPECT_NE(eval.out.find("mismatch"), std::string::npos) << eval.out;
}

TEST_F(CliTest, AShortRunEndsWithAChampionAndReplaysTheSame) {
    const Finished run =
        kernelforge({"run", "stage1/silu_mul", "--points", "3", "--seed", "1", "--device", "cpu"}, 280);
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    const RunState state = state_of(only_run());
    ASSERT_TRUE(state.champion());
    ASSERT_GE(state.turns.size(), 2u);
    const Finished replay = kernelforge({"replay", "last", "--fast"});
    EXPECT_EQ(replay.exit_code, 0);
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.starts_with("journal") || replay.out.find(line + "\n") != std::string::npos) << line;
}

TEST_F(CliTest, DoctorFindsWhatItNeeds) {
    const Finished doctor = kernelforge({"doctor"}, 200);
    EXPECT_EQ(doctor.exit_code, 0) << doctor.out << doctor.err;
}

} // namespace kf
