// SPDX-License-Identifier: GPL-3.0-or-later
// Hostile candidates on the real CPU device: each is refused or stopped, by name, and the next candidate is judged as
// if nothing had been.
#include "core/base/files.h"
#include "core/evaluator/cpu_device.h"
#include "core/evaluator/pipeline.h"
#include "core/process/sandbox.h"

#include <gtest/gtest.h>

namespace kf {
namespace {

struct Case {
    const char* name;
    const char* kernel; // the body of `k`, or whole text when it has a `__global__`
    FailureClass failure;
    const char* place; // "" any
};

class HostileTest : public ::testing::TestWithParam<Case> {
protected:
    static void SetUpTestSuite() {
        auto folder = make_private_folder("kf-test-");
        ASSERT_TRUE(folder);
        cache = *folder;
        auto made = make_cpu_device(cache);
        ASSERT_TRUE(made) << to_string(made.error());
        device = *made;
        oracle = std::make_shared<OracleClient>(program_path("kf-oracle"));
        goldens = std::make_unique<GoldenStore>([](const Task& task, const TaskCase& one, std::uint64_t seed,
                                                   StopSignal& stop) { return oracle->golden(task, one, seed, stop); });
        auto found = find_task("stage1/silu_mul", std::filesystem::path(KF_SOURCE_DIR) / "tasks");
        ASSERT_TRUE(found) << to_string(found.error());
        task = std::make_unique<Task>(*found);
        start = *read_file(task->folder / "start.cu");
    }
    static void TearDownTestSuite() {
        goldens.reset();
        oracle.reset();
        device.reset();
        std::filesystem::remove_all(cache);
    }

    EvaluationOutcome evaluate(const std::string& source) {
        EvaluateRequest request;
        request.task = *task;
        request.candidate = {source, "candidate.cu", {}, "candidate"};
        request.author = "model";
        request.measure = false;
        request.cases = CaseChoice::first;
        std::stop_source never;
        StopSignal stop(never.get_token(), deadline_after(120));
        PipelineServices services;
        services.device = device.get();
        services.goldens = goldens.get();
        services.oracle = oracle.get();
        services.progress = [](const Json&) {};
        services.verify.case_deadline_s = 2;
        services.verify.sanitize_seconds = 0; // what the sanitizers add is tested elsewhere
        services.verify.shrink_attempts = 0;
        return Pipeline(std::move(services), request, stop).run();
    }

    // A candidate for this task around the given text.
    static std::string around(const std::string& text) {
        const std::string& out = task->outputs[0].name;
        const std::string plan = "#pragma kf launch k<<<1, 1>>>(" + out + ")\n";
        if (text.find("__global__") != std::string::npos)
            return text + "\n" + plan;
        return "__global__ void k(void* out) {\n" + text + "\n}\n" + plan;
    }

    static inline std::filesystem::path cache;
    static inline std::shared_ptr<Device> device;
    static inline std::shared_ptr<OracleClient> oracle;
    static inline std::unique_ptr<GoldenStore> goldens;
    static inline std::unique_ptr<Task> task;
    static inline std::string start;
};

TEST_P(HostileTest, IsRefusedOrStoppedByName) {
    if (!probe_sandbox().available)
        GTEST_SKIP() << "no sandbox: " << probe_sandbox().reason;
    const Case& one = GetParam();
    const auto outcome = evaluate(around(one.kernel));
    ASSERT_EQ(outcome.outcome, Outcome::failed) << outcome.what;
    const Failure& failure = *outcome.evaluation->failure;
    EXPECT_EQ(to_string(failure.failure), to_string(one.failure)) << failure.message << "\n" << failure.evidence;
    if (*one.place) {
        EXPECT_NE((failure.place + " " + failure.message).find(one.place), std::string::npos)
            << failure.place << " · " << failure.message;
    }
    EXPECT_FALSE(failure.message.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileTest,
    ::testing::Values(
        Case{"system", "int system(const char*);\n__global__ void k(void* out) { system(\"id\"); }",
             FailureClass::host_code, "system"},
        Case{"extern_system", "extern \"C\" int system(const char*);\n__global__ void k(void* out) { system(\"id\"); }",
             FailureClass::host_code, "line:1"},
        Case{"socket", "int socket(int, int, int);\n__global__ void k(void* out) { socket(2, 1, 0); }",
             FailureClass::host_code, "socket"},
        Case{"fork", "int fork();\n__global__ void k(void* out) { fork(); }", FailureClass::host_code, "fork"},
        Case{"open_home",
             "int open(const char*, int, ...);\n__global__ void k(void* out) { open(\"/root/.profile\", 0); }",
             FailureClass::host_code, "open"},
        Case{"exit", "void exit(int);\n__global__ void k(void* out) { exit(0); }", FailureClass::host_code, "exit"},
        Case{"constructor", "__attribute__((constructor)) void before() {}\n__global__ void k(void* out) {}",
             FailureClass::host_code, "line:1"},
        Case{"dynamic_initialiser",
             "struct Planted { Planted() { value = 1; } int value; };\nstatic const Planted planted;\n__global__ void "
             "k(void* out) { "
             "((int*)out)[0] = planted.value; }",
             FailureClass::host_code, ""},
        Case{"assembly", "__global__ void k(void* out) { asm volatile(\"syscall\"); }", FailureClass::needs_gpu,
             "line:1"},
        Case{"host_header", "#include <unistd.h>\n__global__ void k(void* out) {}", FailureClass::host_code, "line:1"},
        Case{"include_by_path", "#include \"/etc/passwd\"\n__global__ void k(void* out) {}", FailureClass::host_code,
             "line:1"},
        Case{"allocates",
             "void* malloc(unsigned long);\n__global__ void k(void* out) { for (;;) ((char*)malloc(1 << 20))[0] = 1; }",
             FailureClass::host_code, "malloc"},
        Case{"state", "__device__ int calls;\n__global__ void k(void* out) { ++calls; }", FailureClass::state,
             "line:1"},
        Case{"static_state", "__global__ void k(void* out) { static int calls; ++calls; }", FailureClass::state,
             "line:1"},
        Case{"loops_for_ever", "for (volatile int i = 0;; i = i + 1) {}", FailureClass::timeout, ""},
        Case{"crashes", "*(volatile int*)(unsigned long)8 = 1;", FailureClass::crash, ""},
        Case{"prints_without_end", "for (;;) printf(\"flood flood flood flood flood flood flood flood\\n\");",
             FailureClass::timeout, ""},
        Case{"recurses_without_end",
             "__device__ __noinline__ int deep(int n, volatile char* p) { volatile char page[4096]; page[n % 4096] = "
             "1; return deep(n + 1, page) "
             "+ page[7]; }\n__global__ void k(void* out) { ((int*)out)[0] = deep(0, (volatile char*)out); }",
             FailureClass::crash, ""},
        Case{"writes_nothing", "", FailureClass::unwritten, "out"},
        Case{"template_bomb",
             "template<int N> struct Bomb { static constexpr long value = Bomb<N - 1>::value + Bomb<N - 2>::value; "
             "};\ntemplate<> struct Bomb<0> { "
             "static constexpr long value = 1; };\n__global__ void k(void* out) { ((long*)out)[0] = "
             "Bomb<100000>::value; }",
             FailureClass::compile, ""}),
    [](const ::testing::TestParamInfo<Case>& instance) { return instance.param.name; });

TEST_F(HostileTest, TheStartKernelIsAcceptedAfterAllOfThem) {
    if (!probe_sandbox().available)
        GTEST_SKIP() << "no sandbox: " << probe_sandbox().reason;
    const auto outcome = evaluate(start);
    ASSERT_EQ(outcome.outcome, Outcome::verdict)
        << (outcome.evaluation && outcome.evaluation->failure ? outcome.evaluation->failure->message : outcome.what);
    EXPECT_TRUE(outcome.evaluation->accepted());
}

} // namespace
} // namespace kf
