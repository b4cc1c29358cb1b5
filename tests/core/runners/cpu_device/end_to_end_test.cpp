// SPDX-License-Identifier: GPL-3.0-or-later
// Candidate text → compile → the real kf-cpu in the sandbox → results in the arena.
#include "core/base/files.h"
#include "core/runners/cpu/compile.h"
#include "core/runners/cpu/session.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef KF_HAS_RUNNER

namespace kf {
namespace {

using testing::HasSubstr;
using Kind = CpuRunStatus::Kind;

const char* const kSource = R"cuda(
__global__ void reverse(const float* x, float* y, int n) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
__global__ void far(float* x) { x[1 << 30] = 1; }
__global__ void spin(float* x) { for (;;) x[threadIdx.x] += 1; }
__global__ void beyond(float* x, int n) {
    x[threadIdx.x + n] = 1;
}
__global__ void race(float* x, float* y) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
__global__ void talk(int n) {
    for (int i = 0; i < n; ++i)
        printf("line %d of a very talkative kernel that does not want to stop\n", i);
}
__global__ void uneven(float* x) {
    if (threadIdx.x < 3)
        __syncthreads();
    x[threadIdx.x] = __shfl_sync(0xffffffffu, 1.0f, 0);
}
)cuda";
enum Kernel { reverse, far, spin, beyond, race, talk, uneven };

class EndToEnd : public testing::Test {
protected:
    std::unique_ptr<CpuSession> start(CpuMode mode) {
        CpuCompileRequest request;
        request.source = kSource;
        request.file_name = "k.cu";
        request.expressions = {"reverse", "far", "spin", "beyond", "race", "talk", "uneven"};
        request.mode = mode;
        request.trusted = true;
        request.simt_folder = KF_SOURCE_DIR "/resources/simt";
        request.cache_folder = cache();
        const Result<CpuBinary> binary = compile_cpu(request);
        EXPECT_TRUE(binary.ok()) << to_string(binary.error());
        if (!binary)
            return nullptr;
        CpuSessionSpec spec;
        spec.mode = mode;
        spec.trusted = true;
        spec.program = std::string(KF_BIN_DIR) + (mode == CpuMode::plain  ? "/kf-cpu"
                                                  : mode == CpuMode::asan ? "/kf-cpu-asan"
                                                                          : "/kf-cpu-tsan");
        Result<std::unique_ptr<CpuSession>> session = CpuSession::start(spec);
        EXPECT_TRUE(session.ok()) << to_string(session.error());
        if (!session)
            return nullptr;
        const Result<std::vector<CpuKernel>> kernels = (*session)->load(*binary, "k.cu");
        EXPECT_TRUE(kernels.ok()) << to_string(kernels.error()) << (*session)->load_status().error_tail;
        if (!kernels)
            return nullptr;
        EXPECT_EQ(kernels->size(), 7u);
        EXPECT_EQ(kernels->front().signature, "FvPKfPfiE");
        EXPECT_TRUE((*session)->set_arena(1 << 20).ok());
        return *std::move(session);
    }
    static std::filesystem::path cache() {
        static const std::filesystem::path folder = make_private_folder("kf-e2e-").value();
        return folder;
    }
    static void TearDownTestSuite() { std::filesystem::remove_all(cache()); }

    static LaunchStep launch(Kernel kernel, std::vector<CpuArgument> arguments, std::uint32_t threads = 64) {
        LaunchStep step;
        step.kernel = kernel;
        step.block = {threads, 1, 1};
        step.shared_bytes = 4096;
        step.arguments = std::move(arguments);
        return step;
    }
    CpuRunStatus run(CpuSession& session, const LaunchStep& step, double seconds = 30) {
        EXPECT_TRUE(session.set_plan({step}).ok());
        return session.run(7, 1, after(std::chrono::duration<double>(seconds)));
    }
    const CpuArgument at0{true, 0, 8};
    const CpuArgument at4096{true, 4096, 8};
    const CpuArgument count{false, 64, 4};
};

TEST_F(EndToEnd, ComputesInTheArena) {
    std::unique_ptr<CpuSession> session = start(CpuMode::plain);
    ASSERT_TRUE(session);
    for (int i = 0; i < 64; ++i) {
        const float value = static_cast<float>(i) + 0.5f;
        std::memcpy(session->arena().data() + 4 * i, &value, 4);
    }
    const CpuRunStatus status = run(*session, launch(reverse, {at0, at4096, count}));
    ASSERT_TRUE(status.ok()) << status.message;
    for (int i = 0; i < 64; ++i) {
        float value = 0;
        std::memcpy(&value, session->arena().data() + 4096 + 4 * i, 4);
        EXPECT_EQ(value, 63.5f - static_cast<float>(i));
    }
    const Result<double> floor = session->measure_floor(20);
    ASSERT_TRUE(floor.ok());
    EXPECT_LT(*floor, 1.0);
    std::printf("start of the runner %.1f ms, floor of a command %.1f us\n", session->start_seconds() * 1e3,
                *floor * 1e6);
}

TEST_F(EndToEnd, FailuresAreNamed) {
    std::unique_ptr<CpuSession> session = start(CpuMode::plain);
    ASSERT_TRUE(session);
    const CpuRunStatus uneven_status = run(*session, launch(uneven, {at0}, 32));
    EXPECT_EQ(uneven_status.kind, Kind::failed) << uneven_status.message;
    EXPECT_EQ(uneven_status.status, "barrier") << uneven_status.message;
    session = start(CpuMode::plain);
    const CpuRunStatus crash = run(*session, launch(far, {at0}, 1));
    EXPECT_EQ(crash.kind, Kind::crash) << crash.message;
    EXPECT_EQ(crash.signal, "SIGSEGV");
    EXPECT_EQ(crash.kernel, far);
    EXPECT_FALSE(session->alive());
    session = start(CpuMode::plain);
    EXPECT_EQ(run(*session, launch(spin, {at0}), 0.2).kind, Kind::timeout);
    session = start(CpuMode::plain);
    const CpuRunStatus quiet = run(*session, launch(talk, {CpuArgument{false, 2, 4}}, 1));
    EXPECT_TRUE(quiet.ok()) << quiet.message;
    EXPECT_THAT(quiet.error_tail, HasSubstr("line 1 of a very"));
    const CpuRunStatus loud = run(*session, launch(talk, {CpuArgument{false, 20'000, 4}}, 1));
    EXPECT_THAT(loud.kind, testing::AnyOf(Kind::ok, Kind::flood)); // the runner may cut it itself
    EXPECT_LE(loud.error_tail.size(), std::size_t{64} << 10);
}

// Volatile loads are yield points: a thread that waits for a later one gets its answer.
TEST_F(EndToEnd, VolatileLoadsYield) {
    CpuCompileRequest request;
    request.source = "__global__ void wait(volatile int* flag, int* y) {\n"
                     "    if (threadIdx.x == 0)\n        flag[blockIdx.x] = 1;\n"
                     "    while (flag[(blockIdx.x + 1) % gridDim.x] == 0) {\n    }\n    y[blockIdx.x] = 7;\n}\n";
    request.expressions = {"wait"};
    request.trusted = true;
    request.simt_folder = KF_SOURCE_DIR "/resources/simt";
    const Result<CpuBinary> binary = compile_cpu(request);
    ASSERT_TRUE(binary.ok()) << to_string(binary.error());
    EXPECT_TRUE(binary->volatile_yields);
    CpuSessionSpec spec;
    spec.trusted = true;
    spec.program = KF_BIN_DIR "/kf-cpu";
    const Result<std::unique_ptr<CpuSession>> session = CpuSession::start(spec);
    ASSERT_TRUE(session.ok()) << to_string(session.error());
    ASSERT_TRUE((*session)->load(*binary, "candidate.cu").ok());
    ASSERT_TRUE((*session)->set_arena(8192).ok());
    LaunchStep step;
    step.grid = {4, 1, 1};
    step.block = {32, 1, 1};
    step.arguments = {at0, at4096};
    const CpuRunStatus status = run(**session, step);
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ((*session)->arena()[4096 + 12], std::byte{7});
}

// The fences behind the text and the object: code that nobody inspected meets the filter of system calls.
TEST_F(EndToEnd, SystemCallsAreNamed) {
    CpuCompileRequest request;
    request.source = "__global__ void k(int* x) { x[0] = 1; }\n";
    request.expressions = {"k"};
    request.trusted = true;
    request.simt_folder = KF_SOURCE_DIR "/resources/simt";
    Result<CpuBinary> binary = compile_cpu(request);
    ASSERT_TRUE(binary.ok()) << to_string(binary.error());
    const std::filesystem::path folder = make_private_folder("kf-e2e-raw-").value();
    const std::string unit =
        "#include <kf/simt.h>\n#include <sys/socket.h>\n__global__ void k(int* x) { x[0] = "
        "socket(AF_INET, SOCK_STREAM, 0); }\nKF_SIMT_MODULE_BEGIN\nKF_SIMT_KERNEL(k)\nKF_SIMT_MODULE_END\n";
    ASSERT_TRUE(write_file_atomic(folder / "a.cpp", unit).ok());
    ChildSpec compile;
    compile.argv = {"g++",
                    "-std=c++20",
                    "-O1",
                    "-shared",
                    "-fPIC",
                    "-nostartfiles",
                    "-I",
                    KF_SOURCE_DIR "/resources/simt",
                    (folder / "a.cpp").string(),
                    "-o",
                    (folder / "a.so").string()};
    RunLimits limits;
    limits.deadline = after(std::chrono::seconds(60));
    const Result<Finished> compiled = run_to_end(compile, limits);
    ASSERT_TRUE(compiled.ok() && compiled->succeeded()) << (compiled ? compiled->err : compiled.error().message);
    binary->object = read_file(folder / "a.so").value();
    std::filesystem::remove_all(folder);
    CpuSessionSpec spec;
    spec.trusted = true;
    spec.program = KF_BIN_DIR "/kf-cpu";
    const Result<std::unique_ptr<CpuSession>> session = CpuSession::start(spec);
    ASSERT_TRUE(session.ok()) << to_string(session.error());
    ASSERT_TRUE((*session)->load(*binary, "k.cu").ok());
    ASSERT_TRUE((*session)->set_arena(8192).ok());
    LaunchStep step;
    step.arguments = {at0};
    const CpuRunStatus status = run(**session, step);
    EXPECT_EQ(status.kind, Kind::sandbox) << status.message;
    EXPECT_EQ(status.syscall, "socket");
    EXPECT_EQ(inspect_candidate(*read_elf(binary->object), CpuMode::plain, false).error().code, "refused-import");
}

TEST_F(EndToEnd, AddressSanitizerNamesTheLine) {
    std::unique_ptr<CpuSession> session = start(CpuMode::asan);
    ASSERT_TRUE(session);
    ASSERT_TRUE(session->set_poison({{256, 3840}}).ok());
    EXPECT_TRUE(run(*session, launch(reverse, {at0, at4096, count})).ok());
    const CpuRunStatus status = run(*session, launch(beyond, {at0, count}));
    EXPECT_EQ(status.kind, Kind::sanitizer) << status.message;
    ASSERT_FALSE(status.reports.empty()) << status.error_tail;
    EXPECT_EQ(status.reports[0].kind, "use-after-poison");
    EXPECT_EQ(status.reports[0].place.line, 11) << status.error_tail;
}

TEST_F(EndToEnd, ThreadSanitizerNamesTheRace) {
    std::unique_ptr<CpuSession> session = start(CpuMode::tsan);
    ASSERT_TRUE(session);
    const CpuRunStatus clean = run(*session, launch(reverse, {at0, at4096, count}));
    EXPECT_TRUE(clean.ok()) << clean.message << clean.error_tail;
    const CpuRunStatus status = run(*session, launch(race, {at0, at4096}));
    EXPECT_EQ(status.kind, Kind::sanitizer) << status.message;
    ASSERT_FALSE(status.reports.empty()) << status.error_tail;
    EXPECT_EQ(status.reports[0].kind, "data race");
    EXPECT_THAT(status.reports[0].place.line, testing::AnyOf(15, 16)) << status.error_tail;
}

} // namespace
} // namespace kf

#endif
