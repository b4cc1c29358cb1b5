// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/screen.h"
#include "core/runners/cpu/translation_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using testing::HasSubstr;

struct Refused {
    const char* source;
    const char* kind;
    int line;
    int column;
    const char* what;
};

class ScreenRefuses : public testing::TestWithParam<Refused> {};

TEST_P(ScreenRefuses, WithPlace) {
    const std::vector<ScreenFinding> findings = screen_cpu(GetParam().source, "k.cu");
    ASSERT_FALSE(findings.empty()) << GetParam().source;
    EXPECT_STREQ(to_string(findings[0].kind), GetParam().kind) << GetParam().source;
    EXPECT_EQ(findings[0].place, (Place{"k.cu", GetParam().line, GetParam().column})) << GetParam().source;
    EXPECT_THAT(findings[0].what, HasSubstr(GetParam().what));
    EXPECT_FALSE(findings[0].remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, ScreenRefuses,
    testing::Values(
        Refused{"__global__ void k() {\n  asm volatile(\"nop;\");\n}", "gpu-only", 2, 3, "asm"},
        Refused{"void f() { __asm__(\"\"); }", "gpu-only", 1, 12, "__asm__"},
        Refused{"as\\\nm(\"\");", "gpu-only", 1, 1, "asm"}, Refused{"#define A asm\n", "gpu-only", 1, 11, "asm"},
        Refused{"__attribute__((constructor)) void f() {}", "host-code", 1, 16, "constructor"},
        Refused{"__attribute__((__constructor__(101))) void f() {}", "host-code", 1, 16, "constructor"},
        Refused{"[[gnu::destructor]] void f() {}", "host-code", 1, 8, "destructor"},
        Refused{"<:<:gnu::ifunc(\"r\"):>:> void f();", "host-code", 1, 10, "ifunc"},
        Refused{"int f() __attribute__((section(\"x\")));", "host-code", 1, 24, "section"},
        Refused{"#define C constructor\n__attribute__((C)) void f() {}", "host-code", 2, 16, "C"},
        Refused{"extern int x;", "host-code", 1, 1, "extern"},
        Refused{"extern \"C\" void f();", "host-code", 1, 1, "extern"},
        Refused{"extern int __shared__x[];", "host-code", 1, 1, "extern"},
        Refused{"\n#include <unistd.h>", "include", 2, 1, "unistd.h"},
        Refused{"#include \"/etc/passwd\"", "include", 1, 1, "/etc/passwd"},
        Refused{"#include \"kf/../../x.h\"", "include", 1, 1, "kf/../../x.h"},
        Refused{"#include <kf/simt/runtime.h>", "include", 1, 1, "kf/simt"},
        Refused{"#define H <unistd.h>\n#include H", "include", 2, 1, "computed"},
        Refused{"%:include <unistd.h>", "include", 1, 1, "unistd.h"},
        Refused{"#inc\\\nlude <unistd.h>", "include", 1, 1, "unistd.h"},
        Refused{"/* c */ # /* c */ include <unistd.h>", "include", 1, 9, "unistd.h"},
        Refused{"#include_next <math.h>", "include", 1, 1, "include_next"},
        Refused{"#import <math.h>", "include", 1, 1, "import"},
        Refused{"#if __has_include(<unistd.h>)\n#endif", "include", 1, 5, "__has_include"},
        Refused{"import <iostream>;", "include", 1, 1, "import"},
        Refused{"export module a;", "include", 1, 1, "export"},
        Refused{"#include <mma.h>", "gpu-only", 1, 1, "needs a GPU"},
        Refused{"#include <cute/tensor.hpp>", "gpu-only", 1, 1, "CUTLASS"},
        Refused{"#pragma GCC optimize(\"O0\")", "host-code", 1, 1, "GCC"},
        Refused{"#pragma weak f", "host-code", 1, 1, "weak"},
        Refused{"#pragma redefine_extname a b", "host-code", 1, 1, "redefine_extname"},
        Refused{"_Pragma(\"GCC poison x\")", "host-code", 1, 1, "_Pragma"},
        Refused{"#line 5 \"x\"", "host-code", 1, 1, "line"}, Refused{"# 5 \"x\"", "host-code", 1, 1, "#5"},
        Refused{"#define KF_SIMT_MODULE_BEGIN", "host-code", 1, 9, "reserved"},
        Refused{"void f() { kf_rt_trap(); }", "host-code", 1, 12, "reserved"},
        Refused{"void f() { __builtin_return_address(0); }", "host-code", 1, 12, "__builtin_return_address"},
        Refused{"void f() { syscall(1); }", "host-code", 1, 12, "syscall"},
        Refused{"void f() { ::system(\"x\"); }", "host-code", 1, 14, "system"},
        Refused{"void f() { cudaMalloc(&p, 4); }", "host-code", 1, 12, "host API"},
        Refused{"void f() { k<<<1, 2>>>(); }", "host-code", 1, 13, "launch"},
        Refused{"const int a = '\\u0041';\nconst int \\u0062 = 1;", "host-code", 2, 11, "universal"},
        Refused{"using namespace nvcuda;", "gpu-only", 1, 17, "tensor cores"},
        Refused{"void f() { wgmma_fence(); }", "gpu-only", 1, 12, "wgmma"},
        Refused{"void f(const __grid_constant__ CUtensorMap m);", "gpu-only", 1, 14, "tensor memory"},
        Refused{"int counter;", "state", 1, 5, "counter"}, Refused{"static float cache[16];", "state", 1, 14, "cache"},
        Refused{"__device__ unsigned int ticket = 0;", "state", 1, 25, "ticket"},
        Refused{"namespace a::b {\nstruct S { int m; };\nS s;\n}", "state", 3, 3, "'s'"},
        Refused{"namespace { int x{3}; }", "state", 1, 17, "x"}, Refused{"inline int x = 1;", "state", 1, 12, "x"},
        Refused{"__device__ __align__(16) float4 v;", "state", 1, 33, "v"},
        Refused{"__device__ int f() {\n  static int calls = 0;\n  return ++calls; }", "state", 2, 14, "calls"},
        Refused{"__managed__ int m;", "state", 1, 1, "__managed__"},
        Refused{"void f() { static thread_local int t; }", "state", 1, 19, "thread_local"}));

class ScreenAccepts : public testing::TestWithParam<const char*> {};

TEST_P(ScreenAccepts, NearMisses) {
    for (const ScreenFinding& finding : screen_cpu(GetParam(), "k.cu"))
        ADD_FAILURE() << GetParam() << ": " << to_string(finding.to_error());
}

INSTANTIATE_TEST_SUITE_P(
    All, ScreenAccepts,
    testing::Values(
        "int f() { return 1; } // asm(\"\") extern static int x;", "const char* const s = \"asm extern #include <x>\";",
        "constexpr int asm_count = 3;", "struct S { int section, alias; };", "extern __shared__ float smem[];",
        "__global__ void k() { extern __shared__ __align__(16) unsigned char s[]; }",
        "extern __align__(16) __shared__ float4 s[];", "#include <cuda_fp16.h>\n#include \"cuda_bf16.h\"",
        "#include <kf/tensormap.h>", "#pragma unroll\n", "#pragma unroll 4", "#pragma GCC unroll 8",
        "#pragma kf launch k<<<1, 2>>>(a)\n#pragma kf gemm asm = extern @ syscall(\\\n wmma)", "_Pragma(\"unroll\")",
        "#\n#define N 4", "#if 0\n#endif", "const int table[3] = {1, 2, 3};", "constexpr float pi = 3.14f;",
        "__constant__ float c[2] = {1, 2};", "static const int n = 3;", "static constexpr float v[2] = {};",
        "__device__ const int q = 1;", "__device__ __forceinline__ float f(float x) { return x; }",
        "static __device__ int g(int a);", "template<int N> struct A { static constexpr int value = N; int member; };",
        "using T = float;", "typedef float4 vec;", "enum class E { a, b };", "namespace x { int f(); }", "struct S;",
        "__device__ int f() { static const int t[2] = {1, 2}; return t[0]; }",
        "__global__ void k() { __shared__ float tile[32]; static __shared__ int n; int local = 0; }",
        "__global__ void __launch_bounds__(256, 2) k(float* a) { a[0] = 1; }",
        "__attribute__((always_inline)) inline int f() { return 1; }", "[[nodiscard]] int f();",
        "struct alignas(16) V { float x; };", "__align__(8) struct P { int a; };",
        "void f(float* p) { p->system(1); p.fork(); }", "int f(int import) { return import; }",
        "int f(int a) { return a << 3 < 4; }", "static_assert(sizeof(int) == 4);",
        "int f() { return __builtin_popcountll(3) + __builtin_clz(1) + (int)__builtin_sqrtf(4); }",
        "auto g(int x) -> int { return x; }", "template<class T> __device__ T zero() { return T(0); }",
        "void f() { int a[2]; a[0] = a[a[1]]; }", "__device__ int f(int cudaCount) { return (cudaCount); }"));

TEST(Screen, FindingsComeInFileOrderAndAsErrors) {
    const std::vector<ScreenFinding> findings =
        screen_cpu("int state;\n#include <vector>\nvoid f() { asm(\"\"); }", "a.cu");
    ASSERT_EQ(findings.size(), 3u);
    EXPECT_EQ(findings[0].place.line, 1);
    EXPECT_EQ(findings[1].place.line, 2);
    EXPECT_EQ(findings[2].place.line, 3);
    EXPECT_EQ(findings[1].to_error().code, "refused-include");
    EXPECT_THAT(to_string(findings[1].to_error()), HasSubstr("a.cu:2:1: "));
}

TEST(Screen, PastedWordsShowInThePreprocessedText) {
    const std::string source = "#define P(a, b) a##b\nvoid f() { P(as, m)(\"\"); }";
    EXPECT_TRUE(screen_cpu(source, "k.cu").empty());
    EXPECT_TRUE(needs_preprocessed_screen(source));
    EXPECT_TRUE(needs_preprocessed_screen("%:define P(a, b) a%:%:b"));
    EXPECT_FALSE(needs_preprocessed_screen("#define S(a) #a\n// ##"));
    const std::string output = "# 1 \"/kf/simt/kf/simt.h\" 1\nasm(\"\");\n# 1 \"k.cu\"\n\nvoid f() { asm(\"\"); }\n";
    const std::vector<ScreenFinding> findings = screen_preprocessed(output, "k.cu");
    ASSERT_EQ(findings.size(), 1u); // the header's own asm is not the candidate's
    EXPECT_EQ(findings[0].place.line, 2);
    EXPECT_TRUE(screen_preprocessed("# 7 \"k.cu\"\nstatic thread_local int x;\n", "k.cu").empty());
}

TEST(DynamicShared, IsRewrittenInPlace) {
    const auto rewritten = [](const char* source) { return rewrite_dynamic_shared(source, "k.cu").value(); };
    EXPECT_EQ(rewritten("void k() { extern __shared__ float s[]; }"),
              "void k() { float* const s = static_cast<float*>(::kf_simt::dynamic_shared()); }");
    EXPECT_EQ(rewritten("extern __shared__ __align__(16) unsigned char s[];"),
              "static constexpr ::kf_simt::DynamicShared<unsigned char> s;");
    EXPECT_EQ(rewritten("namespace n {\nextern __align__(sizeof(T)) __shared__ int s[];\n}"),
              "namespace n {\nstatic constexpr ::kf_simt::DynamicShared<int> s;\n}");
    EXPECT_EQ(rewritten("template<class T> __global__ void k() { extern __shared__ alignas(16) V<T> s[]; }"),
              "template<class T> __global__ void k() { V < T >* const s = static_cast<V < T "
              ">*>(::kf_simt::dynamic_shared()); }");
    EXPECT_EQ(rewritten("void k() { extern\n__shared__ float\ns[];\n}"),
              "void k() { float* const s = static_cast<float*>(::kf_simt::dynamic_shared());\n\n\n}");
    EXPECT_EQ(rewritten("// extern __shared__ float s[];\n"), "// extern __shared__ float s[];\n");
    for (const char* bad :
         {"extern __shared__ float s[4];", "extern __shared__ float s;", "extern __shared__ s[];",
          "extern __shared__ float a[], b[];", "extern __shared__", "extern __shared__ float s[] = {"})
        EXPECT_EQ(rewrite_dynamic_shared(bad, "k.cu").error().code, "refused-host-code") << bad;
}

TEST(TranslationUnit, ExpressionsAndNamesAreChecked) {
    for (const char* good : {"swiglu<256>", "ns::k<256, half, (3 > 2)>", "k<'a'>", "k", "k<N - 1, T::value>"})
        EXPECT_TRUE(check_expression(good, 0).ok()) << good;
    for (const char* bad : {"", "k; int x", "k)\n#include <x>", "k{}", "k\"", "k) (", "(k", "k // x", "k /* ", "asm(x)",
                            "k\\", "__builtin_trap", "kf_rt_x"})
        EXPECT_EQ(check_expression(bad, 1).error().code, "compile-kernel") << bad;
    EXPECT_THAT(check_expression("k;", 1).error().message, HasSubstr("launch 2"));
    for (const char* bad : {"", "a\"b", "a\\b", "a\nb", "<plan>", "a:1"})
        EXPECT_FALSE(check_file_name(bad).ok()) << bad;
    EXPECT_TRUE(check_file_name("tasks/a b.cu").ok());
}

} // namespace
} // namespace kf
