// SPDX-License-Identifier: GPL-3.0-or-later
// parse(print(plan)) equals plan, over many random plans; print is stable.
#include "core/base/random.h"
#include "tests/core/candidate/support.h"

namespace kf::test {
namespace {

// Random but well-formed plans; names are given once, so that every plan is accepted.
class PlanWriter {
public:
    PlanWriter(std::uint64_t seed, Language language) : m_random(seed), m_language(language) {}

    std::string text() {
        std::string text;
        const std::uint64_t count = 1 + m_random.below(12);
        for (std::uint64_t i = 0; i < count; ++i)
            text += line(statement());
        if (one_in(3)) {
            text +=
                line("prepare {") + line("scratch p" + number() + "_" + std::to_string(m_next++) + ": f32[4]" + when());
            text += line(launch() + when()) + line("}");
        }
        text += line(launch());
        return text;
    }

private:
    bool one_in(std::uint64_t n) { return m_random.below(n) == 0; }
    std::string pick(std::initializer_list<const char*> choices) {
        return *(choices.begin() + static_cast<std::ptrdiff_t>(m_random.below(choices.size())));
    }
    std::string line(const std::string& statement) {
        return (m_language == Language::cuda ? "#pragma kf " : "# kf ") + statement + "\n";
    }
    std::string number() { return std::to_string(m_random.below(1000)); }
    std::string space() { return pick({"", " ", "  ", "\t"}); }
    std::string fresh(const std::string& stem) { return stem + std::to_string(m_next++); }

    std::string expression(int depth = 0) {
        if (depth > 3 || one_in(3))
            return pick({"M", "N", "K", "BLOCK", "sm_count", "7", "64", "0", "2147483648"});
        const std::string a = expression(depth + 1), b = expression(depth + 1), c = expression(depth + 1);
        switch (m_random.below(8)) {
        case 0:
            return "(" + a + ")";
        case 1:
            return a + space() + pick({"+", "-", "*", "/", "%"}) + space() + b;
        case 2:
            return "(" + a + pick({" < ", " >= ", "==", "!=", " && ", " || "}) + b + ")";
        case 3:
            return "(" + a + " ? " + b + " : " + c + ")";
        case 4:
            return pick({"cdiv", "min", "max", "round_up"}) + "(" + a + "," + space() + b + ")";
        case 5:
            return "-" + pick({"M", "3"});
        case 6:
            return "next_pow2(" + a + ")";
        default:
            return "resident(k, " + a + ", 0)";
        }
    }
    std::string when() { return one_in(3) ? " when " + expression() : ""; }
    std::string list(std::uint64_t n) {
        std::string text = expression();
        for (std::uint64_t i = 1; i < n; ++i)
            text += "," + space() + expression();
        return text;
    }
    std::string extents() {
        const std::uint64_t axes = 1 + m_random.below(3);
        return axes == 1 ? expression() : "(" + list(axes) + ")";
    }
    std::string argument() {
        switch (m_random.below(5)) {
        case 0:
            return "x";
        case 1:
            return "out + " + expression();
        case 2:
            return "1.5 / sqrt(K)";
        default:
            return expression();
        }
    }
    std::string launch() {
        std::string text =
            "launch " + (m_language == Language::cuda ? pick({"k", "t<BLOCK, half>", "ns::t<(3 > 2)>"}) : "k");
        text += "<<<" + extents();
        if (m_language == Language::cuda)
            text += ", " + extents() + (one_in(3) ? ", " + expression() : "");
        text += ">>>(";
        const std::uint64_t count = m_random.below(5);
        for (std::uint64_t i = 0; i < count; ++i)
            text += (i == 0 ? "" : ", ") + argument();
        text += ")";
        if (m_language == Language::triton)
            return text + (one_in(2) ? " warps(" + expression() + ")" : "") + (one_in(2) ? " stages(3)" : "");
        return text + (one_in(4) ? " overlap" : "") +
               (one_in(4) ? " cluster(" + list(1 + m_random.below(3)) + ")" : "") + (one_in(4) ? " cooperative" : "");
    }
    std::string statement() {
        switch (m_random.below(9)) {
        case 0:
            return "tune " + fresh("BLK") + " in {" + number() + ", -5}" + (one_in(2) ? " where " + expression() : "");
        case 1:
            return "define " + fresh("DEF") + space() + "= " + expression() + when();
        case 2:
            return "option " + pick({"fast_math", "maxreg(64)", "maxreg(255) fast_math"}) + when();
        case 3:
            return "scratch " + fresh("s") + ": " + pick({"f16", "bf16", "i64", "bool"}) + "[" + list(2) + "]" + when();
        case 4:
            return "fill out = " + pick({"0", "-1", "2.5e-3", "M * 2"}) + when();
        case 5:
            return "gemm h = x" + pick({"", ".T"}) + " @" + space() + "w" + pick({"", ".T", ".T + b", " + b relu"}) +
                   pick({"", " tune(8)"}) + when();
        case 6:
            return "tensormap " + fresh("t") + " = x[view " + list(2) + "] box[8, 64]" + pick({"", " strides[K]"}) +
                   pick({"", " swizzle(none)", " swizzle(64B)"}) + pick({"", " fill(nan)", " fill(zero)"}) + when();
        case 7:
            return "unordered out" + std::string(one_in(2) ? ", lse" : "") + when();
        default:
            return launch() + when();
        }
    }

    SplitMix64 m_random;
    Language m_language;
    int m_next = 0;
};

void round_trip(Language language, const std::string& kernels_text, const std::string& file) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::string text = PlanWriter(seed, language).text();
        const Candidate first = parsed(text + kernels_text, file);
        ASSERT_FALSE(first.plan.statements.empty()) << "seed " << seed;
        const std::string printed = first.plan.print(language);
        const Candidate second = parsed(printed + kernels_text, file);
        ASSERT_TRUE(equal(first.plan, second.plan)) << "seed " << seed << "\n" << text << "\n" << printed;
        ASSERT_EQ(second.plan.print(language), printed) << "seed " << seed;
    }
}

const std::string all_kernels = "__global__ void k() {}\nnamespace ns { template<int B> __global__ void t() {} }\n"
                                "template<int B, class T> __global__ void t() {}\n";

TEST(Print, RoundTripCuda) {
    round_trip(Language::cuda, all_kernels, "a.cu");
}

TEST(Print, RoundTripTriton) {
    round_trip(Language::triton, "@triton.jit\ndef k(): pass\n", "a.py");
}

TEST(Print, CanonicalText) {
    const Candidate candidate =
        parsed("#pragma kf   tune  BLOCK in {1,2}   where BLOCK>0\n"
               "#pragma kf launch k<<<(cdiv(M,4),1,1),(32,2),0>>>( x,out+2 * M ) cluster(2) when(N>1)\n" +
               all_kernels);
    EXPECT_EQ(candidate.plan.print(Language::cuda),
              "#pragma kf tune BLOCK in {1, 2} where BLOCK > 0\n"
              "#pragma kf launch k<<<cdiv(M, 4), (32, 2), 0>>>(x, out + 2 * M) cluster(2, 1, 1) when N > 1\n");
    EXPECT_EQ(print_statement(candidate.plan.statements[0], Language::cuda), "tune BLOCK in {1, 2} where BLOCK > 0");
    EXPECT_EQ(label_of(candidate.plan.statements[1]), "launch k");
}

TEST(Print, DifferentPlansAreNotEqual) {
    const auto plan = [](const std::string& text) { return parsed(text + all_kernels).plan; };
    const Plan base = plan("#pragma kf launch k<<<1, 32>>>(x, out)\n");
    for (const char* other :
         {"launch k<<<2, 32>>>(x, out)", "launch k<<<1, 64>>>(x, out)", "launch k<<<1, 32>>>(out, x)",
          "launch k<<<1, 32, 8>>>(x, out)", "launch k<<<1, 32>>>(x, out) when M > 1",
          "launch k<<<1, 32>>>(x, out) overlap", "launch t<2><<<1, 32>>>(x, out)"})
        EXPECT_FALSE(equal(base, plan("#pragma kf " + std::string(other) + "\n"))) << other;
    EXPECT_TRUE(equal(base, plan("\n\n#pragma kf launch k <<<1,32>>>( x , out )\n")));
}

} // namespace
} // namespace kf::test
