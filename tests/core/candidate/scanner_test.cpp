// SPDX-License-Identifier: GPL-3.0-or-later
// What is a plan line and what is not, and where it stands.
#include "tests/core/candidate/support.h"

namespace kf::test {
namespace {

std::vector<std::string> statements(const std::string& source, const std::string& file = "a.cu") {
    std::vector<std::string> texts;
    for (const Statement& statement : parsed(source, file).plan.statements)
        texts.push_back(statement.text);
    return texts;
}

using Texts = std::vector<std::string>;

std::string body(const std::string& before) {
    return before + a_launch + kernels;
}
const std::string launch_text = "launch k<<<1, 32>>>(x, out, M)";

TEST(ScannerCuda, FindsStatementsInFileOrderWhateverSurroundsThem) {
    const std::string source = "  #  pragma   kf tune BLOCK in {1}\n#if 0\n#pragma kf fill out = 0\n#endif\n"
                               "#pragma once\n#pragma unroll 4\n#pragma kfx nothing\n";
    EXPECT_EQ(statements(body(source)), (Texts{"tune BLOCK in {1}", "fill out = 0", launch_text}));
}

TEST(ScannerCuda, IgnoresCommentsStringsAndRawStrings) {
    const std::string line = "\n#pragma kf nonsense\n";
    EXPECT_EQ(statements(body("/*" + line + "*/")), Texts{launch_text});
    EXPECT_EQ(statements(body("// text \\" + line)), Texts{launch_text}) << "a splice continues a line comment";
    EXPECT_EQ(statements(body("const char* s = R\"x(" + line + ")\" )x\";\n")), Texts{launch_text});
    EXPECT_EQ(statements(body("const char* s = u8R\"(" + line + ")\";\n")), Texts{launch_text});
    EXPECT_EQ(statements(body("const char* s = \"a\\" + line + "\";\n")), Texts{launch_text});
    EXPECT_EQ(statements(body("//#pragma kf nonsense\n")), Texts{launch_text});
    EXPECT_EQ(statements(body("int n = 1'000; /*" + line + "*/\n")), Texts{launch_text}) << "no character literal";
    EXPECT_EQ(statements(body("int a; #pragma kf nonsense\n")), Texts{launch_text}) << "not at the line's start";
}

TEST(ScannerCuda, NothingHidesAStatement) {
    const Texts both{"fill out = 0", launch_text};
    const std::string fill = "#pragma kf fill out = 0\n";
    EXPECT_EQ(statements(body("#error don't\n" + fill)), both);
    EXPECT_EQ(statements(body("int n = 1'000'000;\n" + fill)), both);
    EXPECT_EQ(statements(body("float f = 1e+3f + .5e-3;\n" + fill)), both);
    EXPECT_EQ(statements(body("char c = '\\'', d = '\"';\n" + fill)), both);
    EXPECT_EQ(statements(body("const char* s = \"\\\\\";\n" + fill)), both);
    EXPECT_EQ(statements(body("const char* s = \"/*\";\n" + fill)), both);
    EXPECT_EQ(statements(body("int FOOR = 1; const char* s = FOOR\"(\";\n" + fill)), both);
    EXPECT_EQ(statements(body("/* one */ /* two */ " + fill)), both);
    EXPECT_EQ(statements(body("/* ends\n here */ " + fill)), both);
    EXPECT_EQ(statements(body("#define Q \"\n" + fill)), both) << "a lone quote ends with its line";
}

TEST(ScannerCuda, DropsCommentsInsideStatements) {
    EXPECT_EQ(statements(body("#pragma kf fill out = 0 // zero\n"))[0], "fill out = 0");
    const std::string text = statements(body("#pragma kf fill /* the\n whole */ out = 0\n"))[0];
    EXPECT_EQ(text.substr(0, 4), "fill");
    EXPECT_NE(text.find("out = 0"), std::string::npos);
}

TEST(ScannerCuda, ContinuesStatementsAndKeepsPlaces) {
    const std::string source = "#pragma kf launch k<<<1, \\\n   32>>>(x, \\\r\n  out, BAD +)\n";
    const std::vector<Error> errors = errors_of(source + kernels);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(to_string(errors[0].place), "a.cu:3:13");
    const Candidate good = parsed("#pragma kf tune BLOCK in {1, \\\n 2}\n" + std::string(a_launch) + kernels);
    EXPECT_EQ(good.plan.tunables()[0]->values, (std::vector<std::int64_t>{1, 2}));
}

TEST(ScannerCuda, PlacesSurviveByteOrderMarkCarriageReturnsAndUtf8) {
    const std::string bom = "\xEF\xBB\xBF";
    EXPECT_EQ(to_string(errors_of(bom + "#pragma kf oops\n")[0].place), "a.cu:1:12");
    EXPECT_EQ(to_string(errors_of("int a;\r\n\r\n#pragma kf oops\r\n")[0].place), "a.cu:3:12");
    EXPECT_EQ(to_string(errors_of("/* äöü */ #pragma kf oops\n")[0].place), "a.cu:1:22");
    const Candidate candidate = parsed(bom + "#pragma kf launch k<<<1, 32>>>(x, out, M)\r\n" + kernels);
    EXPECT_EQ(candidate.plan.statements[0].text, launch_text);
    EXPECT_EQ(candidate.source.substr(0, 3), bom) << "the text itself stays as it is";
}

TEST(ScannerCuda, RefusesWhatLooksLikeAMarker) {
    EXPECT_EQ(describe(errors_of(body("#pragma KF fill out = 0\n"))[0]),
              "parse-marker a.cu:1:1: found `#pragma KF` (plan lines of CUDA C++ start with `#pragma kf`)");
    EXPECT_EQ(errors_of(body("\n  # kf fill out = 0\n"))[0].code, "parse-marker");
    EXPECT_EQ(to_string(errors_of(body("\n  # kf fill out = 0\n"))[0].place), "a.cu:2:3");
}

TEST(ScannerCuda, NamesWhatNeverEnds) {
    EXPECT_EQ(describe(errors_of(body("int a; /* open\n"))[0]),
              "parse-unterminated a.cu:1:8: found a comment that never ends (close it with `*/`)");
    EXPECT_EQ(describe(errors_of(body("auto s = R\"xy(open\n"))[0]),
              "parse-unterminated a.cu:1:11: found a raw string that never ends (close it with `)xy\"`)");
    EXPECT_EQ(errors_of("#pragma kf fill out = 0 /* open")[0].code, "parse-unterminated");
}

TEST(ScannerCuda, FindsKernels) {
    const Candidate candidate =
        parsed("#pragma kf launch ns::a<<<1, 1>>>(x)\n"
               "// __global__ void commented() {}\n"
               "const char* s = \"__global__ void quoted() {}\";\n"
               "namespace ns { namespace deep { struct S { int a; }; }\n"
               "  __global__ void __launch_bounds__(256, 2) a(int n = (1 + 2)) { if (n) { return; } }\n"
               "}\n"
               "__device__ int helper(int a) { return a; }\n"
               "template<int N, class T = float> static __global__ void\nb(T* x) {}\n"
               "extern \"C\" __global__ void c(int*) {}\n"
               "extern \"C\" { __global__ void d(int*); }\n"
               "__global__ void __cluster_dims__(2, 1, 1) e(int*);\n"
               "inline __global__ __attribute__((noinline)) void f() { extern __shared__ float s[]; }\n");
    ASSERT_EQ(candidate.kernels, (Texts{"a", "b", "c", "d", "e", "f"}));
    const std::vector<Kernel>& list = candidate.kernel_list;
    EXPECT_EQ(list[0].scope, "ns");
    EXPECT_EQ(to_string(list[0].place), "a.cu:5:45");
    EXPECT_FALSE(list[0].is_template);
    EXPECT_TRUE(list[1].is_template);
    EXPECT_EQ(to_string(list[1].place), "a.cu:9:1");
    EXPECT_TRUE(list[2].extern_c);
    EXPECT_TRUE(list[3].extern_c);
    EXPECT_FALSE(list[4].extern_c);
    EXPECT_FALSE(list[5].extern_c);
    EXPECT_TRUE(candidate.kernels_complete);
}

TEST(ScannerCuda, MacrosMakeTheListOfKernelsIncomplete) {
    const Candidate candidate = parsed("#pragma kf launch made<<<1, 1>>>(x)\n"
                                       "#define MAKE(name) \\\n  __global__ void name(float*) {}\nMAKE(made)\n");
    EXPECT_FALSE(candidate.kernels_complete);
    EXPECT_TRUE(candidate.kernels.empty());
    EXPECT_FALSE(parsed("#include <cutlass/gemm.h>\n#pragma kf launch cutlass::x<3><<<1, 1>>>(x)\n").kernels_complete);
}

TEST(ScannerTriton, FindsStatementsAndKernels) {
    const std::string source = "\"\"\"doc\n# kf nonsense\n\"\"\"\nimport triton\nx = '# kf nonsense'\n"
                               "# a comment, kf or not\n# kf tune BLOCK in {64, 128}  # sizes\n"
                               "s = r'''\n# kf nonsense\n'''\n"
                               "@triton.autotune(\n  configs=[])\n@triton.jit\ndef first(x, BLOCK: tl.constexpr):\n"
                               "    # kf launch first<<<cdiv(N, BLOCK)>>>(x) warps(8) stages(2) ctas(1)\n    pass\n"
                               "def plain(x):\n    pass\n@jit\ndef second(x):\n    pass\n"
                               "@triton.jit(do_not_specialize=['n'])\ndef third(x): pass\n";
    const Candidate candidate = parsed(source, "a.py");
    EXPECT_EQ(candidate.language, Language::triton);
    EXPECT_EQ(candidate.kernels, (Texts{"first", "second", "third"}));
    ASSERT_EQ(candidate.plan.statements.size(), 2u);
    EXPECT_EQ(candidate.plan.statements[0].text, "tune BLOCK in {64, 128}");
    EXPECT_EQ(to_string(candidate.plan.statements[1].place), "a.py:15:10");
    EXPECT_EQ(to_string(candidate.kernel_list[0].place), "a.py:14:5");
}

TEST(ScannerTriton, ContinuesOverCommentLinesOnly) {
    const std::string kernel = "@triton.jit\ndef k(x): pass\n";
    const Candidate candidate = parsed("# kf launch k<<<1>>>( \\\n#    x, \\\n#  N)\n" + kernel, "a.py");
    const auto& launch = std::get<LaunchStatement>(candidate.plan.statements[0].body);
    ASSERT_EQ(launch.arguments.size(), 2u);
    EXPECT_EQ(to_string(launch.arguments[1].place), "a.py:3:4");
    EXPECT_EQ(describe(errors_of("# kf launch k<<<1>>>( \\\nx = 1\n" + kernel, "a.py")[0]),
              "parse-continuation a.py:1:23: found `\\` before a line that is no comment (start the continued line "
              "with `#`)");
}

TEST(ScannerTriton, RefusesForeignMarkersAndOpenStrings) {
    const std::string rest = "# kf launch k<<<1>>>(x)\n@triton.jit\ndef k(x): pass\n";
    EXPECT_EQ(errors_of("#pragma kf fill out = 0\n" + rest, "a.py")[0].code, "parse-marker");
    EXPECT_EQ(errors_of("# KF fill out = 0\n" + rest, "a.py")[0].code, "parse-marker");
    EXPECT_EQ(describe(errors_of(rest + "x = '''open\n", "a.py")[0]),
              "parse-unterminated a.py:4:5: found a string that never ends (close it with `'''`)");
    EXPECT_TRUE(errors_of("x = 'open\n" + rest, "a.py").empty()) << "a plain string ends with its line";
    EXPECT_TRUE(errors_of("x = 'it\\'s'\n" + rest, "a.py").empty());
}

} // namespace
} // namespace kf::test
