// SPDX-License-Identifier: GPL-3.0-or-later
// The whole chain with the real evaluator on the CPU device.
#include "core/engine/control_server.h"
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

// What F5 does: edit, number, the other cases; a broken edit, its line, the number again.
TEST_F(CliTest, AnEditIsBenchedInARunThatWaits) {
    const std::string told = (home / "folder").string();
    auto run = Child::start(spec({"run", "stage1/silu_mul", "--synthesizer", "human", "--folder-file", told}));
    ASSERT_TRUE(run) << to_string(run.error());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(told); }));
    std::string folder = read_file(told).value();
    folder.pop_back();
    ASSERT_TRUE(eventually([&] { return state_of(folder).champion() != nullptr; }, 200));
    auto client = ControlClient::connect(lock_info(folder).control_socket);
    ASSERT_TRUE(client) << to_string(client.error());
    const std::string start = read_file(std::string(task_folder) + "/start.cu").value();
    const auto bench = [&](const std::string& source) {
        auto answer =
            (*client)->request("bench", Json{{"source", source}, {"file_name", "draft.cu"}, {"who", "test"}}, 120);
        EXPECT_TRUE(answer) << (answer ? "" : to_string(answer.error()));
        auto outcome = answer ? evaluation_outcome_from_json(*answer) : Result<EvaluationOutcome>(answer.error());
        EXPECT_TRUE(outcome);
        return outcome ? *outcome : EvaluationOutcome{};
    };
    const auto edited = bench(start + "// edited\n");
    ASSERT_EQ(edited.outcome, Outcome::verdict) << edited.what;
    EXPECT_EQ(edited.evaluation->cases.size(), 2u);
    EXPECT_GT(edited.evaluation->cases_total, 2);
    ASSERT_EQ(edited.evaluation->timings.size(), 1u);
    EXPECT_GT(edited.evaluation->timings[0].median, 0);
    ASSERT_TRUE(edited.evaluation->duel);
    EXPECT_GE(edited.evaluation->duel->decision.rounds, 1); // fewer than six when the first ones are hopeless
    EXPECT_LE(edited.evaluation->duel->decision.rounds, 6);
    const auto shown = [&] { return state_of(folder).turns.at(1).evaluations.at(0); };
    ASSERT_TRUE(eventually([&] { return shown().cases_judged == edited.evaluation->cases_total; }, 60));
    EXPECT_FALSE(shown().failed);
    EXPECT_DOUBLE_EQ(shown().seconds_per_call, edited.evaluation->timings[0].median);

    std::string broken = start + "// edited again\n";
    const std::size_t brace = broken.find(';', broken.find("__global__"));
    ASSERT_NE(brace, std::string::npos);
    broken.replace(brace, 1, " ");
    const auto failed = bench(broken);
    ASSERT_EQ(failed.outcome, Outcome::failed) << failed.what;
    EXPECT_EQ(failed.evaluation->failure->failure, FailureClass::compile);
    ASSERT_FALSE(failed.evaluation->failure->diagnostics.empty());
    const Place place = failed.evaluation->failure->diagnostics.front().place;
    const auto line = 1 + std::count(broken.begin(), broken.begin() + static_cast<std::ptrdiff_t>(brace), '\n');
    EXPECT_EQ(place.file, "draft.cu");
    EXPECT_NEAR(place.line, static_cast<double>(line), 2) << "where the `;` is missed";
    EXPECT_EQ(bench(start + "// mended\n").outcome, Outcome::verdict);
    EXPECT_EQ(state_of(folder).champion()->turn, 0) << "no edit of a screen makes a champion";
    ASSERT_TRUE((*client)->request("stop", Json{{"after", "now"}}));
    const auto ended = run->wait(deadline_after(30));
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->exit_code, 4);
}

TEST_F(CliTest, CompileOnlyNamesTheLine) {
    const std::string start = read_file(std::string(task_folder) + "/start.cu").value();
    const auto compile = [&](const std::string& source) {
        const Finished finished =
            kernelforge({"eval", "stage1/silu_mul", write("draft.cu", source), "--compile-only", "--json"}, 120);
        return std::pair(finished.exit_code, Json::parse(finished.out));
    };
    EXPECT_EQ(compile(start).first, 0);
    std::string plan = start;
    plan.replace(plan.find("kf launch"), 9, "kf lanch ");
    const auto [plan_code, plan_error] = compile(plan);
    EXPECT_EQ(plan_code, 1);
    EXPECT_EQ(plan_error.at("evaluation").at("failure").at("class"), "parse");
    EXPECT_GT(plan_error.at("evaluation").at("failure").at("diagnostics").at(0).at("place").at("line"), 0);
    const auto [code, error] = compile(start + "__device__ int oops() { return nothing; }\n");
    EXPECT_EQ(code, 1);
    const Json& failure = error.at("evaluation").at("failure");
    EXPECT_EQ(failure.at("class"), "compile");
    EXPECT_EQ(failure.at("diagnostics").at(0).at("place").at("line"), 1 + std::count(start.begin(), start.end(), '\n'));
    EXPECT_EQ(error.at("outcome"), "failed");
}

} // namespace kf
