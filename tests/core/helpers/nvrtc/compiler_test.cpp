// SPDX-License-Identifier: GPL-3.0-or-later
// NVRTC itself, in this process, on texts that are known not to crash it. Skipped, by name, where there is no NVRTC.
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/helpers/nvrtc/compiler.h"
#include "core/helpers/nvrtc/cubin.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace kf::nvrtc {
namespace {

ToolkitSettings test_settings() {
    ToolkitSettings settings = ToolkitSettings::from_environment();
    settings.resources = std::string(KF_SOURCE_DIR) + "/resources";
    return settings;
}

class CompilerTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        auto created = Compiler::create(test_settings());
        if (created)
            s_compiler = std::move(created).value();
        else
            s_reason = to_string(created.error());
    }
    void SetUp() override {
        if (!s_compiler)
            GTEST_SKIP() << s_reason;
    }
    static CompileRequest request(std::string source, std::vector<std::string> names = {}) {
        CompileRequest r;
        r.source = std::move(source);
        r.name = "kernel.cu";
        r.arch = "sm_90a";
        r.name_expressions = std::move(names);
        return r;
    }
    static CompileOutput good(const CompileRequest& r) {
        auto reply = s_compiler->compile(r);
        EXPECT_TRUE(reply.ok()) << to_string(reply.error());
        if (reply && std::holds_alternative<CompileOutput>(*reply))
            return std::get<CompileOutput>(*reply);
        ADD_FAILURE() << (reply ? std::get<CompileFailure>(*reply).log : "");
        return {};
    }
    static CompileFailure bad(const CompileRequest& r) {
        auto reply = s_compiler->compile(r);
        EXPECT_TRUE(reply.ok()) << to_string(reply.error());
        if (reply && std::holds_alternative<CompileFailure>(*reply))
            return std::get<CompileFailure>(*reply);
        ADD_FAILURE() << "compiled";
        return {};
    }
    static std::unique_ptr<Compiler> s_compiler;
    static std::string s_reason;
};
std::unique_ptr<Compiler> CompilerTest::s_compiler;
std::string CompilerTest::s_reason;

constexpr const char* templates = "#include <cuda_fp16.h>\n#pragma kf tune BLOCK in {128}\n"
                                  "template<int B, class T> __global__ void scale(const T* x, float* y, int n) {\n"
                                  "    __shared__ float s[B];\n    const int i = blockIdx.x * B + threadIdx.x;\n"
                                  "    s[threadIdx.x] = i < n ? float(x[i]) : 0.0f;\n    __syncthreads();\n"
                                  "    if (i < n) y[i] = s[B - 1 - threadIdx.x] / 3.0f;\n}\n";

TEST_F(CompilerTest, TemplatesFiguresAndAStableCubin) {
    CompileRequest r = request(templates, {"scale<BLOCK, half>", "scale<64,float>"});
    r.defines = {{"BLOCK", 128}};
    const CompileOutput out = good(r);
    EXPECT_EQ(out.lowered_names.at("scale<64,float>"), "_Z5scaleILi64EfEvPKT0_Pfi");
    EXPECT_EQ(out.lowered_names.at("scale<BLOCK, half>"), "_Z5scaleILi128E6__halfEvPKT0_Pfi");
    ASSERT_EQ(out.kernels.size(), 2u);
    for (const KernelFigures& f : out.kernels) {
        EXPECT_TRUE(f.entry);
        EXPECT_EQ(f.shared, f.expression == "scale<64,float>" ? 256 : 512);
        EXPECT_GT(f.registers, 4);
        EXPECT_EQ(f.barriers, 1);
        EXPECT_EQ(f.spill_stores, 0);
        EXPECT_GT(f.constant, 0);
    }
    EXPECT_EQ(out.size, static_cast<std::int64_t>(out.cubin.size()));
    EXPECT_TRUE(out.warnings.empty()) << out.log; // plan lines are not warned about
    EXPECT_TRUE(out.state.empty());
    EXPECT_GT(out.header_count, 2);
    EXPECT_EQ(out.header_hash.size(), 64u);
    EXPECT_EQ(good(r).sha256, out.sha256);
    r.fast_math = true;
    EXPECT_NE(good(r).sha256, out.sha256);
    EXPECT_NE(good(r).options, out.options);
}

TEST_F(CompilerTest, LimitOfRegistersMakesSpills) {
    CompileRequest r =
        request("__global__ void k(float* x) {\n float v[96];\n#pragma unroll\n for (int i = 0; i < 96; ++i) v[i] "
                "= x[i * 96 + threadIdx.x];\n __syncthreads();\n float s = 0;\n#pragma unroll\n for (int i = 0; "
                "i < 96; ++i) s = s * v[i] + v[95 - i];\n x[threadIdx.x] = s;\n}\n",
                {"k"});
    EXPECT_EQ(good(r).kernels.at(0).spill_stores, 0);
    r.maxreg = 32;
    const CompileOutput out = good(r);
    EXPECT_LE(out.kernels.at(0).registers, 32);
    EXPECT_GT(out.kernels.at(0).spill_stores, 0);
    EXPECT_GT(out.kernels.at(0).spill_loads, 0);
}

TEST_F(CompilerTest, ErrorsAreTrueToTheCandidatesLines) {
    const CompileFailure f =
        bad(request("#include <cuda_fp16.h>\n\n__global__ void k(float* x) {\n    x[0] = undefined_name;\n"
                    "    x[1] = also_missing;\n}\n",
                    {"k"}));
    EXPECT_EQ(f.code, "compile-error");
    EXPECT_EQ(f.error_count, 2);
    ASSERT_EQ(f.diagnostics.size(), 2u);
    EXPECT_EQ(f.diagnostics[0].file, "kernel.cu");
    EXPECT_EQ(f.diagnostics[0].line, 4);
    EXPECT_EQ(f.diagnostics[0].column, 12);
    EXPECT_EQ(f.diagnostics[1].line, 5);
    EXPECT_NE(f.message.find("kernel.cu:4:12"), std::string::npos) << f.message;
}

TEST_F(CompilerTest, OnlyTheFirstErrorsOfMany) {
    std::string text = "__global__ void k(float* x) {\n";
    for (int i = 0; i < 60; ++i)
        text += "x[0] = missing" + std::to_string(i) + ";\n";
    const CompileFailure f = bad(request(text + "}\n"));
    EXPECT_EQ(f.diagnostics.size(), 8u);
    EXPECT_GE(f.error_count, 50);
    EXPECT_LE(f.log.size(), 17u << 10);
}

TEST_F(CompilerTest, AssemblerErrorsPointAtTheInlineAssembly) {
    const CompileFailure f =
        bad(request("__global__ void k(int* p) {\n    p[0] = 1;\n    asm volatile(\"bogus.f32 a, b;\");\n}\n", {"k"}));
    EXPECT_EQ(f.code, "ptx-error");
    ASSERT_FALSE(f.diagnostics.empty());
    EXPECT_EQ(f.diagnostics[0].line, 3);
    EXPECT_NE(f.diagnostics[0].message.find("bogus"), std::string::npos);
}

TEST_F(CompilerTest, KernelsThatALaunchNamesWrongly) {
    CompileFailure f = bad(request(templates, {"scale<128, flot>"}));
    EXPECT_EQ(f.code, "name-expression");
    EXPECT_NE(f.message.find("scale<128, flot>"), std::string::npos) << f.message;
    EXPECT_EQ(f.diagnostics.at(0).line, 0);
    f = bad(request(templates, {"nothing"}));
    EXPECT_EQ(f.code, "name-expression");
    // an error of the text itself comes first
    f = bad(request("__global__ void k(float* x) { x[0] = oops; }\n", {"nothing"}));
    EXPECT_EQ(f.code, "compile-error");
    EXPECT_EQ(f.diagnostics.at(0).line, 1);
}

TEST_F(CompilerTest, RefusedBeforeCompiling) {
    EXPECT_EQ(bad(request("#include <iostream>\n")).code, "header-missing");
    EXPECT_EQ(bad(request("#include \"/etc/passwd\"\n")).code, "include-refused");
    EXPECT_EQ(bad(request(std::string(max_source_bytes + 1, ' '))).code, "source-too-large");
    EXPECT_EQ(bad(request(std::string("int x;\n\0;", 9))).code, "compile-error");
    for (const char* arch : {"sm_1", "sm_90b", "90", "sm_", "sm_90a ", "compute_90", "sm_99999999999", "sm_80a"}) {
        CompileRequest r = request("__global__ void k() {}");
        r.arch = arch;
        const CompileFailure f = bad(r);
        EXPECT_EQ(f.code, "arch-unsupported") << arch;
        EXPECT_NE(f.remedy.find("sm_90"), std::string::npos);
    }
    CompileRequest r = request("__global__ void k() {}");
    r.include_paths = {"relative"};
    EXPECT_EQ(s_compiler->compile(r).error().code, "bad-params");
}

TEST_F(CompilerTest, HeadersForCandidatesWork) {
    const CompileOutput out = good(request(
        "#include <cstdint>\n#include <type_traits>\n#include <cmath>\n#include <cstddef>\n#include <limits>\n#include "
        "<utility>\n#include <algorithm>\n#include <cassert>\n#include <cooperative_groups.h>\n#include <cuda_bf16.h>\n"
        "#include <kf/tensormap.h>\n"
        "static_assert(std::is_same_v<std::remove_cvref_t<const int&>, int> && sizeof(std::uint64_t) == 8);\n"
        "static_assert(std::make_index_sequence<5>::size() == 5 && std::is_same_v<decltype(std::exp(1.f)), float>);\n"
        "__global__ void k(float* x, const __grid_constant__ CUtensorMap map) {\n"
        "    __shared__ unsigned long long barrier;\n    kf::barrier_init(&barrier, 1);\n    kf::prefetch(&map);\n"
        "    assert(x[0] > 0);\n    x[0] = std::exp(x[1]) + std::max(1, 2) + std::numeric_limits<float>::max() + "
        "INFINITY;\n"
        "    cooperative_groups::this_thread_block().sync();\n}\n",
        {"k"}));
    EXPECT_EQ(out.lowered_names.at("k"), "_Z1kPf14CUtensorMap_st");
    EXPECT_GT(out.state.size(), 10u); // constants of the headers, all told apart from state
    for (const StateSymbol& symbol : out.state)
        EXPECT_FALSE(symbol.suspect()) << symbol.demangled << " " << symbol.origin;
}

TEST_F(CompilerTest, StateThatOutlivesALaunch) {
    const CompileOutput out = good(request(
        "__device__ int counter;\n__device__ const float table[4] = {1, 2, 3, 4};\n__constant__ float factor = 2;\n"
        "__global__ void k(float* x) {\n    static int calls;\n    x[0] = table[counter++ & 3] * factor + calls++;\n"
        "    printf(\"%f\", x[0]);\n}\n",
        {"k"}));
    std::vector<std::string> suspects;
    for (const StateSymbol& symbol : out.state)
        if (symbol.suspect())
            suspects.push_back(symbol.identifier);
    std::sort(suspects.begin(), suspects.end());
    EXPECT_EQ(suspects, (std::vector<std::string>{"calls", "counter"}));
    EXPECT_EQ(out.undefined, std::vector<std::string>{"vprintf"});
    const auto again = s_compiler->state(out.cubin, {});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->size(), out.state.size());
}

TEST_F(CompilerTest, ASecondTryWithPtxasGivesTheSameNames) {
    if (s_compiler->toolkit().ptxas.empty())
        GTEST_SKIP() << "no ptxas on this machine";
    CompileRequest r = request(templates, {"scale<64,float>"});
    const CompileOutput direct = good(r);
    r.assembler = Assembler::ptxas;
    const CompileOutput second = good(r);
    EXPECT_EQ(second.lowered_names, direct.lowered_names);
    EXPECT_EQ(second.kernels.at(0).shared, 256);
    EXPECT_EQ(second.kernels.at(0).registers, direct.kernels.at(0).registers);
    EXPECT_EQ(good(r).sha256, second.sha256);
    const CompileFailure f = bad([&] {
        CompileRequest wrong = request("__global__ void k() {\n    asm volatile(\"bogus;\");\n}\n", {"k"});
        wrong.assembler = Assembler::ptxas;
        return wrong;
    }());
    EXPECT_EQ(f.code, "ptx-error");
    EXPECT_EQ(f.diagnostics.at(0).line, 2);
}

TEST_F(CompilerTest, ADeadlineStopsTheCompiler) {
    std::string text =
        "template<int N> struct F { static constexpr long v = F<N - 1>::v + F<N - 2>::v; };\n"
        "template<> struct F<0> { static constexpr long v = 0; };\ntemplate<> struct F<1> { static constexpr "
        "long v = 1; };\n";
    for (int i = 0; i < 60; ++i)
        text += "__global__ void k" + std::to_string(i) +
                "(float* x) {\n#pragma unroll\nfor (int i = 0; i < 400; ++i) x[i] = "
                "__sinf(x[i + 1]) * x[i + 2] + " +
                std::to_string(i) + ";\n}\n";
    CompileRequest r = request(text);
    r.seconds = 0.05;
    const CompileFailure f = bad(r);
    EXPECT_EQ(f.code, "compile-timeout");
    const auto cancelled = s_compiler->compile(request(text), [] { return true; });
    ASSERT_FALSE(cancelled.ok());
    EXPECT_EQ(cancelled.error().code, "cancelled");
    good(request("__global__ void k(float* x) { x[0] = 1; }\n", {"k"})); // and it goes on working
}

TEST_F(CompilerTest, SassOrTheReasonWhyNot) {
    CompileRequest r = request("__global__ void k(float* x) { x[0] = 1; }\n", {"k"});
    r.want_sass = true;
    const CompileOutput out = good(r);
    if (s_compiler->toolkit().nvdisasm.empty() && s_compiler->toolkit().cuobjdump.empty()) {
        EXPECT_TRUE(out.sass.empty());
        EXPECT_FALSE(out.sass_missing.empty());
        EXPECT_FALSE(out.sass_remedy.empty());
    } else {
        EXPECT_NE(out.sass.find("EXIT"), std::string::npos) << out.sass_missing;
    }
    r.want_sass = false;
    EXPECT_TRUE(good(r).sass_missing.empty());
}

TEST_F(CompilerTest, ADisassemblerThatFailsIsNamed) {
    const auto folder = make_private_folder("kf-test").value();
    const auto program = folder / "nvdisasm";
    std::ofstream(program) << "#!/bin/sh\necho 'wrong version' >&2\nexit 3\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    ToolkitSettings settings = test_settings();
    settings.nvdisasm = program.string();
    auto compiler = Compiler::create(settings);
    ASSERT_TRUE(compiler.ok());
    CompileRequest r = request("__global__ void k(float* x) { x[0] = 1; }\n", {"k"});
    r.want_sass = true;
    auto reply = (*compiler)->compile(r);
    ASSERT_TRUE(reply.ok());
    const auto& out = std::get<CompileOutput>(*reply);
    EXPECT_NE(out.sass_missing.find("wrong version"), std::string::npos) << out.sass_missing;
    std::filesystem::remove_all(folder);
}

TEST_F(CompilerTest, DamagedCubinsAreRefusedOrRead) {
    const CompileOutput out =
        good(request("__device__ int counter;\n__global__ void k(float* x) { x[0] = counter++; }\n", {"k"}));
    ASSERT_TRUE(read_cubin(out.cubin).ok());
    EXPECT_FALSE(read_cubin("").ok());
    EXPECT_FALSE(read_cubin("\x7f"
                            "ELF")
                     .ok());
    for (std::size_t cut : {16u, 63u, 64u, 200u, 1000u})
        EXPECT_FALSE(read_cubin(std::string_view(out.cubin).substr(0, cut)).ok()) << cut;
    SplitMix64 random(7);
    int refused = 0;
    for (int i = 0; i < 10'000; ++i) {
        std::string bytes = out.cubin;
        const std::uint64_t changes = 1 + random.below(4);
        for (std::uint64_t k = 0; k < changes; ++k) {
            // half of the changes hit the headers, where they do most harm
            const std::uint64_t table = bytes.size() - std::min<std::size_t>(bytes.size(), 3000);
            const std::uint64_t at = random.below(2) ? random.below(64) : table + random.below(bytes.size() - table);
            bytes[at] = static_cast<char>(random.next());
        }
        if (auto cubin = read_cubin(bytes)) {
            state_symbols(*cubin);
            undefined_functions(*cubin);
        } else {
            EXPECT_EQ(cubin.error().code, "cubin-malformed");
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace kf::nvrtc
