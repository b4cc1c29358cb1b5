// SPDX-License-Identifier: GPL-3.0-or-later
// The compile driver with the real compiler and the real headers.
#include "core/base/files.h"
#include "core/runners/cpu/compile.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {
namespace fs = std::filesystem;

using testing::HasSubstr;

const char* const kSaxpy = "template<int B>\n"
                           "__global__ void saxpy(float* y, const float* x, float a, int n) {\n"
                           "    const int i = blockIdx.x * B + threadIdx.x;\n"
                           "    if (i < n)\n"
                           "        y[i] = a * x[i] + y[i];\n"
                           "}\n";

class CompileCpu : public testing::Test {
protected:
    void SetUp() override {
        request.simt_folder = KF_SOURCE_DIR "/resources/simt";
        request.trusted = true;
        request.file_name = "k.cu";
    }
    Error failure(const std::string& source, std::vector<std::string> expressions = {}) {
        request.source = source;
        request.expressions = std::move(expressions);
        report = {};
        const Result<CpuBinary> binary = compile_cpu(request, &report);
        EXPECT_FALSE(binary.ok()) << source;
        return binary ? Error{} : binary.error();
    }
    CpuCompileRequest request;
    CpuCompileReport report;
};

TEST_F(CompileCpu, MakesAnObjectAndCachesIt) {
    const fs::path cache = make_private_folder("kf-cache-").value();
    request.cache_folder = cache;
    request.source = kSaxpy;
    request.expressions = {"saxpy<BLOCK>", "saxpy<2 * BLOCK>"};
    request.defines = {{"BLOCK", 64}};
    const Result<CpuBinary> made = compile_cpu(request);
    ASSERT_TRUE(made.ok()) << to_string(made.error());
    EXPECT_FALSE(made->from_cache);
    EXPECT_THAT(read_elf(made->object)->exports, testing::IsSupersetOf({"kf_module"}));
    const Result<CpuBinary> found = compile_cpu(request);
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->from_cache);
    EXPECT_EQ(found->object, made->object);
    EXPECT_EQ(found->flags, made->flags);

    // A byte that rots is noticed, and the object is made anew.
    const fs::path object = cache / made->key.substr(0, 2) / (made->key + ".so");
    std::fstream(object, std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('\x55');
    const Result<CpuBinary> again = compile_cpu(request);
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again->from_cache);
    EXPECT_EQ(again->sha256, made->sha256); // the same request gives the same bytes
    EXPECT_TRUE(compile_cpu(request)->from_cache);
    fs::resize_file(cache / made->key.substr(0, 2) / (made->key + ".json"), 10);
    EXPECT_FALSE(compile_cpu(request)->from_cache);

    // Whatever the result depends on is in the key.
    request.defines = {{"BLOCK", 65}};
    EXPECT_FALSE(compile_cpu(request)->from_cache);
    fs::remove_all(cache);
}

TEST_F(CompileCpu, ErrorsAreTrueToTheLine) {
    const Error error =
        failure("#include <cuda_fp16.h>\n\n__global__ void k(float* x) {\n    x[0] = undefined_thing;\n}\n", {"k"});
    EXPECT_EQ(error.code, "compile-error");
    EXPECT_EQ(error.place, (Place{"k.cu", 4, 12}));
    EXPECT_THAT(error.message, HasSubstr("undefined_thing"));
    EXPECT_TRUE(is_candidate_failure(error));
    ASSERT_FALSE(report.diagnostics.empty());
    // A rewritten declaration over several lines moves nothing below it.
    EXPECT_EQ(
        failure("__global__ void k(float* x) {\n  extern __shared__\n    float s[];\n  x[0] = s[0] + nothing;\n}\n",
                {"k"})
            .place.line,
        4);
    // An error that appears when a template is used for a launch.
    const Error instantiated =
        failure("template<class T> __global__ void k(T* x) {\n    x[0] = x[0].member;\n}\n", {"k<float>"});
    EXPECT_EQ(instantiated.place.line, 2);
}

TEST_F(CompileCpu, ExpressionsThatNameNoKernelAreSaidSo) {
    const Error missing = failure(kSaxpy, {"saxpy<64>", "saxpi<64>"});
    EXPECT_EQ(missing.code, "compile-kernel");
    EXPECT_THAT(missing.message, HasSubstr("launch 2: kernel `saxpi<64>`"));
    const Error ambiguous = failure("__global__ void k(int*) {}\n__global__ void k(float*) {}\n", {"k"});
    EXPECT_EQ(ambiguous.code, "compile-kernel");
    EXPECT_THAT(ambiguous.message, HasSubstr("launch 1: kernel `k`"));
    EXPECT_EQ(failure(kSaxpy, {"saxpy<64>); int x; (0"}).code, "compile-kernel");
}

TEST_F(CompileCpu, RefusesBeforeAndAfterCompiling) {
    const Error text = failure("__global__ void k() {\n  asm(\"nop\"); }\n");
    EXPECT_EQ(text.code, "refused-gpu-only");
    EXPECT_EQ(text.place, (Place{"k.cu", 2, 3}));
    const Error pasted = failure("#define P(a, b) a##b\n__global__ void k() {\n  P(as, m)(\"nop\"); }\n");
    EXPECT_EQ(pasted.code, "refused-gpu-only");
    EXPECT_EQ(pasted.place.line, 3);
    // The text's recogniser does not see this variable; the symbols show it.
    const Error state = failure("struct S { int m; } hidden = {1};\n"
                                "__global__ void k(int* x) { x[0] = ++hidden.m; }\n",
                                {"k"});
    EXPECT_EQ(state.code, "refused-state");
    EXPECT_THAT(state.message, HasSubstr("'hidden'"));
    const Error import = failure(
        "int puts(const char*);\nnamespace std { int rand(); }\n__global__ void k(int* x) { x[0] = std::rand(); }\n",
        {"k"});
    EXPECT_EQ(import.code, "refused-import");
    EXPECT_THAT(import.message, HasSubstr("rand"));
    const Error dynamic = failure("__device__ int f();\nconst int x = f();\n__device__ int f() { return clock(); }\n"
                                  "__global__ void k(int* p) { p[0] = x; }\n",
                                  {"k"});
    EXPECT_EQ(dynamic.code, "refused-constructor");
}

TEST_F(CompileCpu, LimitsHold) {
    request.seconds = 1;
    const std::string bomb =
        "template<int N> struct A { static constexpr long v = A<N - 1>::v + A<N - 2>::v; };\n"
        "constexpr long spin(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n"
        "template<long N> constexpr long many() { if constexpr (N == 0) return 0; else return spin(900000 + N) + "
        "many<N - 1>(); }\n"
        "__global__ void k(long* x) { constexpr long v = many<200>(); x[0] = v; }\n";
    const Error slow = failure(bomb, {"k"});
    EXPECT_EQ(slow.code, "compile-timeout");
    request.seconds = 60;
    request.memory_bytes = std::uint64_t{40} << 20;
    EXPECT_EQ(failure(kSaxpy, {"saxpy<64>"}).code, "compile-memory") << report.log;
    request.memory_bytes = std::uint64_t{4} << 30;
    request.cancelled = [] { return true; };
    EXPECT_EQ(failure(kSaxpy, {"saxpy<64>"}).code, "cancelled");
}

TEST_F(CompileCpu, BadRequestsAndInstallations) {
    request.defines = {{"1X", 1}};
    EXPECT_EQ(failure(kSaxpy).code, "compile-request");
    request.defines = {{"LOW", INT64_MIN}, {"NEGATIVE", -3}};
    request.source = "static_assert(LOW < 0 && 2-NEGATIVE == 5 && sizeof(LOW) == 8);\n__global__ void k() {}\n";
    request.expressions = {"k"};
    const Result<CpuBinary> extreme = compile_cpu(request);
    EXPECT_TRUE(extreme.ok()) << to_string(extreme.error());
    request.defines.clear();
    request.compiler = "no-such-compiler";
    const Error missing = failure(kSaxpy);
    EXPECT_EQ(missing.code, "program-missing");
    EXPECT_THAT(missing.remedy, HasSubstr("g++"));
    EXPECT_FALSE(is_candidate_failure(missing));
    request.compiler = "g++";
    request.simt_folder = "/no/such/folder";
    EXPECT_EQ(failure(kSaxpy).code, "file-missing");
}

} // namespace
} // namespace kf
