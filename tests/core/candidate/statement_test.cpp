// SPDX-License-Identifier: GPL-3.0-or-later
// Every statement, good and bad; every error with its exact place.
#include "tests/core/candidate/support.h"

namespace kf::test {
namespace {

template<class T> T only(const std::string& statement) {
    const Candidate candidate = parsed(with_statement(statement));
    if (candidate.plan.statements.empty())
        return T{};
    const T* body = std::get_if<T>(&candidate.plan.statements[0].body);
    EXPECT_NE(body, nullptr) << statement;
    return body ? *body : T{};
}

TEST(Statement, Tune) {
    const auto tune = only<TuneStatement>("tune BLOCK in {256, 128,512} where BLOCK * 4 <= 1024");
    EXPECT_EQ(tune.name, "BLOCK");
    EXPECT_EQ(tune.values, (std::vector<std::int64_t>{256, 128, 512}));
    EXPECT_EQ(tune.where->print(), "BLOCK * 4 <= 1024");
    EXPECT_EQ(only<TuneStatement>("tune MODE in {-1, 0}").values, (std::vector<std::int64_t>{-1, 0}));
}

TEST(Statement, DefineOptionRequiresUnordered) {
    const Candidate candidate =
        parsed(with_statement("define NCOLS = cdiv(N, 4) when N > 3") +
               "#pragma kf unordered out, lse\n"
               "#pragma kf option fast_math maxreg(64)\n#pragma kf requires sm_90a\n#pragma kf requires sm_120\n");
    EXPECT_EQ(std::get<DefineStatement>(candidate.plan.statements[0].body).value.print(), "cdiv(N, 4)");
    EXPECT_EQ(candidate.plan.statements[0].when->print(), "N > 3");
    EXPECT_EQ(std::get<UnorderedStatement>(candidate.plan.statements[2].body).outputs,
              (std::vector<std::string>{"out", "lse"}));
    const auto& option = std::get<OptionStatement>(candidate.plan.statements[3].body);
    EXPECT_TRUE(option.fast_math);
    EXPECT_EQ(option.maxreg, 64);
    EXPECT_EQ(option.texts, (std::vector<std::string>{"fast_math", "maxreg(64)"}));
    EXPECT_EQ(std::get<RequiresStatement>(candidate.plan.statements[4].body).architecture, "sm_90a");
}

TEST(Statement, ScratchAndFill) {
    const Candidate candidate =
        parsed(with_statement("scratch h : bf16[M, 2*(N+1), 3] when M>1") + "#pragma kf fill h = -1.5\n");
    const auto& scratch = std::get<ScratchStatement>(candidate.plan.statements[0].body);
    EXPECT_EQ(scratch.dtype, DType::bf16);
    ASSERT_EQ(scratch.shape.size(), 3u);
    EXPECT_EQ(scratch.shape[1].print(), "2 * (N + 1)");
    EXPECT_TRUE(std::get<FillStatement>(candidate.plan.statements[2].body).value.is_real());
}

TEST(Statement, Launch) {
    const Candidate candidate = parsed(
        "#pragma kf launch t<BLOCK, half> <<< (cdiv(M, 4), N), (32, 4, 2), 4*BLOCK >>> (x, out + 2*M, 1/sqrt(K), M - 1,"
        " (M > 1 ? 2 : 3)) cluster(2, 1) cooperative overlap when N % 8 == 0 && M > 1\n" +
        std::string(kernels));
    const auto& launch = std::get<LaunchStatement>(candidate.plan.statements[0].body);
    EXPECT_EQ(launch.kernel, "t<BLOCK, half>");
    EXPECT_EQ(launch.kernel_name(), "t");
    EXPECT_EQ(launch.grid[0].print(), "cdiv(M, 4)");
    EXPECT_EQ(launch.grid[1].print(), "N");
    EXPECT_EQ(launch.grid[2].print(), "1");
    EXPECT_EQ(launch.block[2].print(), "2");
    EXPECT_EQ(launch.shared->print(), "4 * BLOCK");
    ASSERT_EQ(launch.arguments.size(), 5u);
    EXPECT_EQ(launch.arguments[0].buffer, "x");
    EXPECT_FALSE(launch.arguments[0].offset);
    EXPECT_EQ(launch.arguments[1].buffer, "out");
    EXPECT_EQ(launch.arguments[1].offset->print(), "2 * M");
    EXPECT_EQ(launch.arguments[2].buffer, "");
    EXPECT_TRUE(launch.arguments[2].value.is_real());
    EXPECT_EQ(launch.arguments[3].buffer, "");
    EXPECT_EQ(launch.cluster.value()[0].print(), "2");
    EXPECT_TRUE(launch.cooperative);
    EXPECT_TRUE(launch.overlap);
    EXPECT_EQ(candidate.plan.statements[0].when->print(), "N % 8 == 0 && M > 1");
}

TEST(Statement, LaunchNamesOfTemplatesAndNamespaces) {
    const std::string text = "namespace a { template<class... T> __global__ void k(T...) {} }\n";
    for (const char* name : {"a::k<>", "a::k<Foo<Bar<int>>>", "a::k<(N > 2), 3>", "a::k<sizeof(int) * 2>"}) {
        const Candidate candidate = parsed("#pragma kf launch " + std::string(name) + "<<<1, 2>>>()\n" + text);
        ASSERT_EQ(candidate.plan.statements.size(), 1u);
        const auto& launch = std::get<LaunchStatement>(candidate.plan.statements[0].body);
        EXPECT_EQ(launch.kernel, name);
        EXPECT_EQ(launch.kernel_name(), "k");
        EXPECT_TRUE(launch.arguments.empty());
    }
}

TEST(Statement, Gemm) {
    const auto gemm = only<GemmStatement>("gemm h = x.T @ w.T + b gelu_tanh tune(8) when N > 1");
    EXPECT_EQ(gemm.out, "h");
    EXPECT_TRUE(gemm.a.transposed);
    EXPECT_TRUE(gemm.b.transposed);
    EXPECT_EQ(gemm.bias, "b");
    EXPECT_EQ(gemm.epilogue, "gelu_tanh");
    EXPECT_EQ(gemm.tune, 8);
    const auto plain = only<GemmStatement>("gemm h=x@w");
    EXPECT_FALSE(plain.a.transposed);
    EXPECT_EQ(plain.bias, "");
    EXPECT_EQ(plain.tune, 1);
}

TEST(Statement, Tensormap) {
    const auto map = only<TensormapStatement>("tensormap t = x[view M, K] box[64, 32] swizzle(128B) fill(nan)");
    EXPECT_EQ(map.buffer, "x");
    EXPECT_EQ(map.view.size(), 2u);
    EXPECT_EQ(map.box[1].print(), "32");
    EXPECT_EQ(map.swizzle, "128B");
    EXPECT_EQ(map.fill, "nan");
    EXPECT_EQ(only<TensormapStatement>("tensormap t = x[view M, K] strides[2*K] box[8, 8]").strides[0].print(),
              "2 * K");
}

TEST(Statement, PrepareMarksWhatIsInside) {
    const Candidate candidate = parsed("#pragma kf prepare {\n#pragma kf scratch p: f32[4]\n#pragma kf fill p = 1\n"
                                       "#pragma kf }\n" +
                                       std::string(a_launch) + kernels);
    std::vector<bool> inside;
    for (const Statement& statement : candidate.plan.statements)
        inside.push_back(statement.in_prepare);
    EXPECT_EQ(inside, (std::vector<bool>{false, true, true, false, false}));
}

TEST(Statement, TritonLaunch) {
    const Candidate candidate = parsed("# kf launch k<<<(cdiv(N, BLOCK), M)>>>(x, N) warps(8) stages(BLOCK / 64) "
                                       "ctas(1)\n@triton.jit\ndef k(x): pass\n",
                                       "a.py");
    const auto& launch = std::get<LaunchStatement>(candidate.plan.statements[0].body);
    EXPECT_EQ(launch.grid[1].print(), "M");
    EXPECT_EQ(launch.warps->print(), "8");
    EXPECT_EQ(launch.stages->print(), "BLOCK / 64");
}

struct Bad {
    const char* statement;
    const char* code;
    int column; // of the statement in `#pragma kf STATEMENT`: its first byte is column 12
    const char* message;
    const char* remedy; // a part of it
};

class BadStatement : public ::testing::TestWithParam<Bad> {};

TEST_P(BadStatement, IsRefusedWithItsPlace) {
    const Bad& bad = GetParam();
    const std::vector<Error> errors = errors_of(with_statement(bad.statement));
    ASSERT_EQ(errors.size(), 1u) << (errors.empty() ? "accepted" : describe(errors[1]));
    EXPECT_EQ(errors[0].code, bad.code);
    EXPECT_EQ(to_string(errors[0].place), "a.cu:1:" + std::to_string(bad.column)) << describe(errors[0]);
    EXPECT_NE(errors[0].message.find(bad.message), std::string::npos) << describe(errors[0]);
    EXPECT_NE(errors[0].remedy.find(bad.remedy), std::string::npos) << describe(errors[0]);
}

const Bad bad_statements[] = {
    {"launhc k<<<1, 2>>>(x)", "parse-statement", 12, "unknown statement `launhc`", "did you mean `launch`?"},
    {"scrach h: f32[4]", "parse-statement", 12, "unknown statement `scrach`", "`scratch`"},
    {"LAUNCH k<<<1, 2>>>(x)", "parse-statement", 12, "`LAUNCH`", "did you mean `launch`?"},
    {"frobnicate", "parse-statement", 12, "`frobnicate`", "accepted: tune, define"},
    {"@", "parse-statement", 12, "`@`", "accepted: tune"},
    {"tune", "parse-syntax", 16, "expected a name, found the end of the statement", "write `tune BLOCK"},
    {"tune N in {1}", "parse-name", 17, "the name `N` is too short", "[A-Z][A-Z0-9_]{2,}"},
    {"tune block in {1}", "parse-name", 17, "the name `block` is not in capitals", "such as BLOCK"},
    {"tune INT_MAX in {1}", "parse-name", 17, "macro of the system's own headers", "BLOCK"},
    {"tune BLOCK of {1}", "parse-syntax", 23, "expected `in`, found `of`", "`tune BLOCK in {128, 256}`"},
    {"tune BLOCK in [1]", "parse-syntax", 26, "expected `{`, found `[`", "tune"},
    {"tune BLOCK in {}", "parse-syntax", 27, "expected a value, found `}`", "tune"},
    {"tune BLOCK in {1, 2", "parse-syntax", 31, "expected `}`, found the end", "tune"},
    {"tune BLOCK in {1, x}", "parse-syntax", 30, "expected a value, found `x`", "tune"},
    {"tune BLOCK in {1.5}", "parse-syntax", 28, "expected `}`, found `.`", "tune"},
    {"tune BLOCK in {1, 2, 1}", "parse-duplicate", 33, "the value 1 occurs twice", "remove one"},
    {"tune BLOCK in {99999999999999999999}", "parse-value", 27, "does not fit 64 bits", "smaller"},
    {"tune BLOCK in {1} were BLOCK > 1", "parse-syntax", 30, "expected the end of the statement, found `were`", "tune"},
    {"tune BLOCK in {1} where", "parse-syntax", 35, "the condition of `where`", "expression"},
    {"tune BLOCK in {1} where BLOCK >", "parse-expression", 43, "the condition of `where`", ""},
    {"tune BLOCK in {1} when N > 1", "parse-syntax", 30, "`when` cannot follow `tune`", "where EXPR"},
    {"define NCOLS 4", "parse-syntax", 25, "expected `=`, found `4`", "`define NCOLS = EXPR`"},
    {"define NCOLS =", "parse-syntax", 26, "expected the value", "expression"},
    {"define NCOLS = 3 +", "parse-expression", 30, "the value", ""},
    {"define NC = 3", "parse-name", 19, "too short", ""},
    {"option", "parse-syntax", 18, "expected an option", "maxreg"},
    {"option fastmath", "parse-attribute", 19, "unknown option `fastmath`", "did you mean `fast_math`?"},
    {"option maxreg", "parse-syntax", 25, "expected `(`", "option"},
    {"option maxreg(9)", "parse-value", 26, "the register limit is 9", "16 to 255"},
    {"option fast_math fast_math", "parse-duplicate", 29, "given twice", "remove"},
    {"requires 90", "parse-syntax", 21, "expected an architecture, found `90`", "sm_90a"},
    {"requires sm_9", "parse-value", 21, "`sm_9` is no architecture", "sm_90a"},
    {"requires sm_90x", "parse-value", 21, "`sm_90x`", "sm_80"},
    {"scratch h f32[4]", "parse-syntax", 22, "expected `:`, found `f32`", "`scratch h: f16[M, 2*N]`"},
    {"scratch h: fp16[4]", "parse-dtype", 23, "unknown dtype `fp16`", "did you mean `f16`?"},
    {"scratch h: f32", "parse-syntax", 26, "expected `[`", "scratch"},
    {"scratch h: f32[4", "parse-syntax", 28, "expected `]`, found the end", "scratch"},
    {"scratch h: f32[]", "parse-syntax", 27, "expected the shape, found `]`", "expression"},
    {"scratch h: f32[4,]", "parse-syntax", 29, "expected the shape, found `]`", "expression"},
    {"scratch h: f32[4] x", "parse-syntax", 30, "expected the end of the statement, found `x`", "scratch"},
    {"scratch min: f32[4]", "parse-name", 12, "`min` has a meaning of its own", "another"},
    {"fill out", "parse-syntax", 20, "expected `=`", "`fill out = 0`"},
    {"fill out = ", "parse-syntax", 22, "expected the value", "expression"},
    {"fill out = 0 0", "parse-expression", 25, "", ""},
    {"launch", "parse-syntax", 18, "expected a kernel", "launch k<<<"},
    {"launch k", "parse-syntax", 20, "expected `<<<`", "launch k<<<"},
    {"launch k(x)", "parse-syntax", 20, "expected `<<<`, found `(`", "launch k<<<"},
    {"launch k<<<1, 2>>(x)", "parse-syntax", 32, "expected `>>>`", "launch"},
    {"launch k<<<1>>>(x)", "parse-syntax", 24, "found 1 launch extents", "<<<grid, block, shared>>>"},
    {"launch k<<<1, 2, 3, 4>>>(x)", "parse-syntax", 32, "found 4 launch extents", "shared"},
    {"launch k<<<, 2>>>(x)", "parse-syntax", 23, "expected the grid, found `,`", "expression"},
    {"launch k<<<(1, 2, 3, 4), 2>>>(x)", "parse-syntax", 33, "the grid has 4 axes", "(x, y, z)"},
    {"launch k<<<1, 2>>>", "parse-syntax", 30, "expected `(`", "launch"},
    {"launch k<<<1, 2>>>(x", "parse-syntax", 32, "expected `)`", "launch"},
    {"launch k<<<1, 2>>>(x,)", "parse-syntax", 33, "expected an argument, found `)`", "expression"},
    {"launch k<<<1, 2>>>(&x)", "parse-expression", 31, "an argument", ""},
    {"launch k<<<1, 2>>>(x) clutser(2)", "parse-attribute", 34, "unknown attribute `clutser`",
     "did you mean `cluster`?"},
    {"launch k<<<1, 2>>>(x) warps(4)", "parse-attribute", 34, "unknown attribute `warps`", "cooperative"},
    {"launch k<<<1, 2>>>(x) overlap overlap", "parse-duplicate", 42, "given twice", "remove"},
    {"launch k<<<1, 2>>>(x) cluster", "parse-syntax", 41, "expected `(`", "cluster(EXPR)"},
    {"launch k<<<1, 2>>>(x); rm", "parse-syntax", 33, "expected the end of the statement, found `;`", "launch"},
    {"launch k;int<<<1, 2>>>(x)", "parse-syntax", 20, "found `;` in the kernel's name", "ns::kernel"},
    {"launch t<\"a\"><<<1, 2>>>(x)", "parse-syntax", 21, "in the kernel's name", "ns::kernel"},
    {"launch t<[]{}><<<1, 2>>>(x)", "parse-syntax", 21, "found `[` in the kernel's name", ""},
    {"launch t<4<<<1, 2>>>(x)", "parse-syntax", 22, "template arguments are not closed", ""},
    {"launch kk<<<1, 2>>>(x)", "parse-kernel", 12, "launch of unknown kernel `kk`", "did you mean `k`? found: k, t"},
    {"launch t<<<1, 2>>>(x)", "parse-kernel", 12, "the kernel `t` is a template", "t<…>"},
    {"launch k<4><<<1, 2>>>(x)", "parse-kernel", 12, "the kernel `k` is no template", "k<<<"},
    {"gemm h x @ w", "parse-syntax", 19, "expected `=`, found `x`", "`gemm h = x @ w.T + b`"},
    {"gemm h = x * w", "parse-syntax", 23, "expected `@`, found `*`", "gemm"},
    {"gemm h = x @", "parse-syntax", 24, "expected a tensor", "gemm"},
    {"gemm h = x.t @ w", "parse-syntax", 23, "expected `T`, found `t`", "gemm"},
    {"gemm h = x @ w +", "parse-syntax", 28, "expected a bias", "gemm"},
    {"gemm h = x @ w gelu", "parse-attribute", 27, "unknown attribute `gelu`", "gelu_tanh"},
    {"gemm h = x @ w relu gelu_tanh", "parse-duplicate", 32, "a second epilogue", "one epilogue"},
    {"gemm h = x @ w tune(0)", "parse-value", 32, "is 0", "1 to 64"},
    {"tensormap t = x[M, K] box[8, 8]", "parse-syntax", 28, "expected `view`, found `M`", "tensormap"},
    {"tensormap t = x[view M, K]", "parse-syntax", 38, "expected `box[…]`", "tensormap"},
    {"tensormap t = x[view M] box[8] swizzle(256B)", "parse-attribute", 51, "found `256B`", "128B"},
    {"tensormap t = x[view M] bx[8]", "parse-attribute", 36, "unknown attribute `bx`", "did you mean `box`?"},
    {"prepare", "parse-syntax", 19, "expected `{`", "prepare {"},
    {"}", "parse-prepare", 12, "found `}` with no `prepare {`", "open the block"},
    {"prepare {", "parse-prepare", 12, "never closed", "close it"},
    {"prepare { when N > 1", "parse-syntax", 22, "`when` cannot follow `prepare`", "inside"},
    {"unordered", "parse-syntax", 21, "expected an output", "`unordered out`"},
    {"unordered out,", "parse-syntax", 26, "expected an output", "unordered"},
    {"fill out = 0 when", "parse-syntax", 29, "expected the condition of `when`", "expression"},
    {"fill out = 0 when N >", "parse-expression", 33, "the condition of `when`", ""},
    {"fill out = 0 when N > 1 when M > 1", "parse-expression", 36, "the condition of `when`", ""},
};
INSTANTIATE_TEST_SUITE_P(Table, BadStatement, ::testing::ValuesIn(bad_statements));

TEST(Statement, EmptyStatement) {
    EXPECT_EQ(describe(errors_of("#pragma kf\n" + std::string(a_launch) + kernels)[0]).substr(0, 55),
              "parse-statement a.cu:1:11: nothing follows `#pragma kf`");
}

TEST(Statement, AllErrorsAreCollectedInFileOrder) {
    const std::string source = "#pragma kf launhc k<<<1, 2>>>(x)\n/* */\n  #pragma kf tune A in {1}\n"
                               "#pragma kf scratch h: f16[M]\n#pragma kf scratch h: f16[N]\n#pragma KF x\n"
                               "#pragma kf launch q<<<1, 2>>>(x)\n" +
                               std::string(kernels);
    std::vector<std::string> found;
    for (const Error& error : errors_of(source))
        found.push_back(error.code + " " + to_string(error.place));
    EXPECT_EQ(found, (std::vector<std::string>{"parse-statement a.cu:1:12", "parse-name a.cu:3:19",
                                               "parse-duplicate a.cu:5:12", "parse-marker a.cu:6:1",
                                               "parse-kernel a.cu:7:12"}));
    EXPECT_EQ(parse_candidate(source, "a.cu").error().code, "parse-statement") << "the first one";
}

TEST(Statement, NamesMayBeSharedOnlyByAlternatives) {
    const std::string two = std::string(a_launch) + kernels;
    EXPECT_TRUE(
        errors_of("#pragma kf define VEC = 8 when N % 8 == 0\n#pragma kf define VEC = 1 when N % 8 != 0\n" + two)
            .empty());
    EXPECT_EQ(errors_of("#pragma kf define VEC = 8\n#pragma kf define VEC = 1 when N % 8 != 0\n" + two)[0].code,
              "parse-duplicate");
    EXPECT_EQ(
        errors_of("#pragma kf define VEC = 8 when N > 1\n#pragma kf scratch VEC: f32[1] when N < 1\n" + two)[0].code,
        "parse-duplicate");
    EXPECT_EQ(errors_of("#pragma kf tune VEC in {1}\n#pragma kf tune VEC in {2}\n" + two)[0].message,
              "the name `VEC` is given twice, first in line 1");
}

TEST(Statement, PrepareTakesOnlyWorkAndScratch) {
    const auto inside = [](const std::string& statement) {
        return errors_of("#pragma kf prepare {\n#pragma kf " + statement + "\n#pragma kf }\n" + a_launch + kernels);
    };
    EXPECT_TRUE(inside("fill p = 0").empty());
    EXPECT_EQ(to_string(inside("tune BLOCK in {1}")[0].place), "a.cu:2:12");
    for (const char* statement :
         {"tune BLOCK in {1}", "define NNN = 1", "unordered out", "option fast_math", "prepare {"})
        EXPECT_EQ(inside(statement)[0].code, "parse-prepare") << statement;
}

TEST(Statement, KernelsOfExternCAndTextsWithoutAny) {
    EXPECT_EQ(
        describe(errors_of("#pragma kf launch k<<<1, 1>>>()\nextern \"C\" __global__ void k() {}\n")[0]),
        "parse-kernel a.cu:1:12: the kernel `k` is `extern \"C\"` (remove `extern \"C\"`: argument types are read "
        "from its C++ name)");
    EXPECT_EQ(errors_of("#pragma kf launch k<<<1, 1>>>()\n")[0].remedy, "the text has no `__global__` function");
    EXPECT_EQ(errors_of("__global__ void k() {}\n")[0].code, "parse-no-launch");
    EXPECT_EQ(errors_of("")[0].code, "parse-no-launch");
    EXPECT_TRUE(errors_of("#pragma kf gemm out = x @ w\n").empty());
}

TEST(Statement, TritonHasItsOwnForm) {
    const std::string kernel = "\n@triton.jit\ndef k(x): pass\n";
    EXPECT_EQ(errors_of("# kf launch k<<<1, 32>>>(x)" + kernel, "a.py")[0].code, "parse-syntax");
    EXPECT_EQ(to_string(errors_of("# kf launch k<<<1, 32>>>(x)" + kernel, "a.py")[0].place), "a.py:1:20");
    EXPECT_EQ(errors_of("# kf launch k<<<1>>>(x) cooperative" + kernel, "a.py")[0].code, "parse-attribute");
    EXPECT_EQ(errors_of("# kf launch j<<<1>>>(x)" + kernel, "a.py")[0].code, "parse-kernel");
    EXPECT_TRUE(errors_of("# kf launch k<<<1>>>(x)" + kernel, "a.py").empty());
}

} // namespace
} // namespace kf::test
