// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that nobody writes on purpose, or somebody writes on purpose: limits hold, nothing crashes, nothing is slow.
#include "core/base/random.h"
#include "tests/core/candidate/support.h"

namespace kf::test {
namespace {

const std::string good =
    "#pragma kf tune BLOCK in {256, 128} where BLOCK <= 512\n"
    "#pragma kf define VEC = N % 8 == 0 ? 8 : 1\n"
    "#pragma kf scratch h: f16[M, N] // products\n"
    "#pragma kf gemm h = x @ w.T + b tune(4)\n"
    "#pragma kf fill out = 0 when M > 1\n"
    "#pragma kf launch t<BLOCK><<<cdiv(M*N, BLOCK), BLOCK, 4*BLOCK>>>(h, out, M*N) when N % 8 == 0\n"
    "#pragma kf launch k<<<cdiv(M*N, \\\n  BLOCK), BLOCK>>>(h + 0, out, M) when N % 8 != 0\n"
    "/* a comment */ const char* s = R\"(raw)\";\n" +
    std::string(half_kernels);

TEST(Hostile, RandomMutationsNeverCrash) {
    ASSERT_TRUE(errors_of(good).empty());
    SplitMix64 random(7);
    const std::string alphabet = "#pragma kf<>(){}[]\"'\\/*\n.+-@,;:= when 0123456789MNx\0\xff";
    int accepted = 0;
    for (int round = 0; round < 10000; ++round) {
        std::string text = good;
        const std::uint64_t edits = 1 + random.below(6);
        for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
            const std::size_t at = random.below(text.size());
            const std::size_t length = 1 + random.below(20);
            switch (random.below(4)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, 1, alphabet[random.below(alphabet.size())]);
                break;
            case 2:
                text[at] = static_cast<char>(random.below(256));
                break;
            default:
                text.insert(at, text.substr(random.below(text.size()), length));
            }
        }
        std::vector<Error> errors;
        const std::optional<Candidate> candidate = parse_candidate(text, round % 5 == 0 ? "a.py" : "a.cu", errors);
        ASSERT_EQ(candidate.has_value(), errors.empty());
        for (const Error& error : errors)
            ASSERT_FALSE(error.code.empty() || error.message.empty()) << describe(error);
        if (!candidate)
            continue;
        ++accepted;
        const Result<ResolvedPlan> plan =
            resolve_plan(*candidate, gemm_task(), a_case(), {}, cpu_device_limits(1 << 30));
        if (!plan) {
            ASSERT_FALSE(plan.error().code.empty());
        }
    }
    EXPECT_GT(accepted, 100) << "mutations must also reach the later stages";
    EXPECT_LT(accepted, 9900);
}

TEST(Hostile, TruncationAtEveryByte) {
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::vector<Error> errors;
        const bool accepted = parse_candidate(good.substr(0, i), "a.cu", errors).has_value();
        ASSERT_EQ(accepted, errors.empty()) << i;
    }
}

TEST(Hostile, SizeLimit) {
    std::string text = good;
    text.resize(max_source_bytes, ' ');
    EXPECT_TRUE(errors_of(text).empty());
    text += ' ';
    EXPECT_EQ(describe(errors_of(text)[0]),
              "limits-source a.cu: the text has 1048577 bytes (at most 1048576 are accepted)");
}

TEST(Hostile, ManyStatements) {
    std::string text;
    for (int i = 0; i < 10000; ++i)
        text += "#pragma kf oops\n";
    const std::vector<Error> errors = errors_of(text);
    ASSERT_EQ(errors.size(), 101u);
    EXPECT_EQ(errors[0].message, "unknown statement `oops`");
    EXPECT_EQ(errors.back().code, "parse-too-many");
    EXPECT_NE(errors.back().message.find("more errors"), std::string::npos);

    text.clear();
    for (std::size_t i = 0; i < max_statements + 1; ++i)
        text += "#pragma kf fill out = 0\n";
    const std::vector<Error> many = errors_of(text);
    ASSERT_EQ(many.size(), 1u);
    EXPECT_EQ(describe(many[0]),
              "limits-statements a.cu:513:12: the plan has 513 statements (at most 512 are accepted)");
}

TEST(Hostile, LaunchLimit) {
    std::string text;
    for (std::size_t i = 0; i < max_launches; ++i)
        text += a_launch;
    EXPECT_TRUE(errors_of(text + kernels).empty());
    const std::vector<Error> errors = errors_of(text + a_launch + a_launch + kernels);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].code, "limits-launches");
    EXPECT_EQ(errors[0].place.line, 65);
}

TEST(Hostile, TuneValueLimit) {
    std::string values = "0";
    for (int i = 1; i < 65; ++i)
        values += ", " + std::to_string(i);
    EXPECT_EQ(errors_of(with_statement("tune BLOCK in {" + values + "}"))[0].code, "limits-tune-values");
}

TEST(Hostile, BytesThatAreNoText) {
    EXPECT_EQ(describe(errors_of(std::string("int a;\n ") + '\0' + good)[0]),
              "parse-nul a.cu:2:2: found a NUL byte (a candidate is plain text)");
    for (const char* bytes : {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "\x80"})
        EXPECT_EQ(errors_of("//" + std::string(bytes))[0].code, "parse-encoding");
    EXPECT_EQ(to_string(errors_of("//\n//ab\xff")[0].place), "a.cu:2:5");
    EXPECT_TRUE(errors_of("// \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\n" + good).empty());
}

TEST(Hostile, DeepNesting) {
    for (const std::string& inner : {std::string(20000, '('), std::string(20000, '-'), std::string(20000, '['),
                                     std::string(20000, '<'), std::string(20000, '{')}) {
        for (const char* before : {"fill out = ", "launch k<<<", "launch t<", "scratch h: f32[", "fill out = 0 when ",
                                   "tune BLOCK in {", "tensormap t = x[view "})
            EXPECT_FALSE(errors_of(with_statement(before + inner)).empty());
        errors_of(inner); // as code
    }
}

TEST(Hostile, OneEnormousLineOfKernels) {
    std::string text;
    while (text.size() < 900000)
        text += "__global__ void k() {} ";
    const Candidate candidate = parsed("#pragma kf launch anything<<<1, 1>>>()\n" + text);
    EXPECT_FALSE(candidate.kernels_complete);
    EXPECT_EQ(candidate.kernel_list.size(), 256u);
}

TEST(Hostile, LongWordsAreCutInMessages) {
    const std::vector<Error> errors = errors_of(with_statement(std::string(20000, 'a')));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_LT(errors[0].message.size() + errors[0].remedy.size(), 400u);
}

} // namespace
} // namespace kf::test
