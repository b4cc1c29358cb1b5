// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/random.h"
#include "core/task/expression.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kf {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();

SymbolTable symbols() {
    SymbolTable table;
    table.set("M", 64);
    table.set("N", 96);
    table.set("ZERO", 0);
    table.set("MAX", int_max);
    table.set("MIN", int_min);
    return table;
}

Result<Expression> parse(const std::string& text) {
    return Expression::parse(text, Place{"plan.cu", 3, 10});
}
std::int64_t value(const std::string& text) {
    const auto expression = parse(text);
    EXPECT_TRUE(expression.ok()) << text << ": " << to_string(expression.error());
    if (!expression)
        return -1;
    const auto result = expression->integer(symbols());
    EXPECT_TRUE(result.ok()) << text << ": " << to_string(result.error());
    return result ? *result : -1;
}
double real(const std::string& text) {
    const auto expression = parse(text);
    EXPECT_TRUE(expression.ok()) << text;
    const auto result = expression->real(symbols());
    EXPECT_TRUE(result.ok()) << text << ": " << to_string(result.error());
    return result ? *result : NAN;
}
Error failure(const std::string& text) {
    const auto expression = parse(text);
    if (!expression)
        return expression.error();
    const auto result = expression->integer(symbols());
    EXPECT_FALSE(result.ok()) << text << " gave " << *result;
    return result ? Error{} : result.error();
}

TEST(Expression, PrecedenceIsThatOfC) {
    EXPECT_EQ(value("2+3*4"), 14);
    EXPECT_EQ(value("20-3-4"), 13);
    EXPECT_EQ(value("100/7/2"), 7);
    EXPECT_EQ(value("100%7*2"), 4);
    EXPECT_EQ(value("-2*3"), -6);
    EXPECT_EQ(value("-7/2"), -3);
    EXPECT_EQ(value("-7%3"), -1);
    EXPECT_EQ(value("1+2<4"), 1);
    EXPECT_EQ(value("1<2==1"), 1);
    EXPECT_EQ(value("2==2&&3==4||1"), 1);
    EXPECT_EQ(value("1||0&&0"), 1);
    EXPECT_EQ(value("!0+1"), 2);
    EXPECT_EQ(value("!(0+1)"), 0);
    EXPECT_EQ(value("--3"), 3);
    EXPECT_EQ(value("+3"), 3);
    EXPECT_EQ(value("1 ? 2 : 0 ? 3 : 4"), 2);
    EXPECT_EQ(value("0 ? 2 : 0 ? 3 : 4"), 4);
    EXPECT_EQ(value("N % 8 == 0 ? N/8 : N"), 12);
    EXPECT_EQ(value(" ( M + N ) * 2 "), 320);
    EXPECT_EQ(value("1 >= 1"), 1);
    EXPECT_EQ(value("1 != 1"), 0);
}

TEST(Expression, Functions) {
    EXPECT_EQ(value("cdiv(M*N, 256)"), 24);
    EXPECT_EQ(value("cdiv(7, 2)"), 4);
    EXPECT_EQ(value("cdiv(-7, 2)"), -3);
    EXPECT_EQ(value("cdiv(8, 2)"), 4);
    EXPECT_EQ(value("cdiv(0, 5)"), 0);
    EXPECT_EQ(value("round_up(97, 32)"), 128);
    EXPECT_EQ(value("round_up(96, 32)"), 96);
    EXPECT_EQ(value("next_pow2(1)"), 1);
    EXPECT_EQ(value("next_pow2(97)"), 128);
    EXPECT_EQ(value("log2(1)"), 0);
    EXPECT_EQ(value("log2(96)"), 6);
    EXPECT_EQ(value("abs(-5)"), 5);
    EXPECT_EQ(value("min(M, N) + max(M, N)"), 160);
}

TEST(Expression, RealByForm) {
    EXPECT_DOUBLE_EQ(real("1/sqrt(M)"), 0.125);
    EXPECT_DOUBLE_EQ(real("M/N*1.0"), 64.0 / 96.0);
    EXPECT_DOUBLE_EQ(real("1e-5"), 1e-5);
    EXPECT_DOUBLE_EQ(real(".5 + 2."), 2.5);
    EXPECT_DOUBLE_EQ(real("exp(0)"), 1);
    EXPECT_DOUBLE_EQ(real("cdiv(7, 2) * 0.5"), 2);
    EXPECT_DOUBLE_EQ(real("7 % 4 + 0.5"), 3.5);
    EXPECT_DOUBLE_EQ(real("M > 1.5 ? 0.25 : 1"), 0.25);
    EXPECT_DOUBLE_EQ(real("max(M, 0.5)"), 64);
    EXPECT_DOUBLE_EQ(real("abs(-2.5)"), 2.5);
    EXPECT_DOUBLE_EQ(real("M/10"), 6); // no real part: integer division
    EXPECT_TRUE(parse("1/sqrt(M)")->is_real());
    EXPECT_FALSE(parse("M/N")->is_real());
    EXPECT_FALSE(parse("M > 1.5")->is_real());
    EXPECT_EQ(value("2.0*M"), 128);
    EXPECT_EQ(failure("M/2.5").code, "expression-real");
    EXPECT_EQ(failure("0.1 % 2").code, "expression-syntax");
    EXPECT_EQ(failure("cdiv(1.5, 2)").code, "expression-syntax");
    EXPECT_EQ(failure("sqrt(0-1)").code, "expression-domain");
    EXPECT_EQ(failure("1.0/ZERO").code, "expression-division-by-zero");
    EXPECT_EQ(failure("exp(1000)").code, "expression-overflow");
    EXPECT_EQ(failure("MAX * 1.0").code, "expression-overflow");
    EXPECT_EQ(failure("1e999").code, "expression-range");
}

TEST(Expression, OverflowIsAnErrorNeverWrapped) {
    for (const char* text : {"MAX + 1", "MIN - 1", "MAX * 2", "-MIN", "abs(MIN)", "MIN / (0-1)", "MIN % (0-1)",
                             "cdiv(MIN, 0-1)", "round_up(MAX, 2)", "next_pow2(MAX)", "MIN * (0-1)"})
        EXPECT_EQ(failure(text).code, "expression-overflow") << text;
    for (const char* text : {"1/0", "1%0", "M/ZERO", "cdiv(1, 0)", "round_up(1, 0)"})
        EXPECT_EQ(failure(text).code, "expression-division-by-zero") << text;
    EXPECT_EQ(failure("log2(0)").code, "expression-domain");
    EXPECT_EQ(failure("next_pow2(0)").code, "expression-domain");
    EXPECT_EQ(failure("9223372036854775808").code, "expression-range");
    EXPECT_EQ(value("MAX"), int_max);
    EXPECT_EQ(value("9223372036854775807"), int_max);
}

TEST(Expression, OnlyTheNeededSideIsEvaluated) {
    EXPECT_EQ(value("ZERO != 0 && 1/ZERO > 0"), 0);
    EXPECT_EQ(value("ZERO == 0 || 1/ZERO > 0"), 1);
    EXPECT_EQ(value("ZERO ? 1/ZERO : 7"), 7);
    EXPECT_EQ(value("0 && UNKNOWN"), 0);
}

TEST(Expression, ErrorsPointAtTheirCharacter) {
    const auto column = [](const std::string& text) { return failure(text).place.column - 10; };
    EXPECT_EQ(column("1 + * 2"), 4);
    EXPECT_EQ(column("M + Q"), 4);
    EXPECT_EQ(column("M / ZERO"), 2);
    EXPECT_EQ(column("(M + 1"), 6);
    EXPECT_EQ(column("M N"), 2);
    EXPECT_EQ(column("min(1)"), 0);
    EXPECT_EQ(column("1 + 10u"), 4);
    EXPECT_EQ(column("M ? 1"), 5);
    EXPECT_EQ(column("M << 2"), 2);
    EXPECT_EQ(column("é"), 0);
    const Error error = failure("M +\n  Q");
    EXPECT_EQ(error.place, (Place{"plan.cu", 4, 3}));
    EXPECT_NE(error.remedy.find("M, N"), std::string::npos) << error.remedy;
    EXPECT_EQ(parse("  M")->place().column, 12);
}

TEST(Expression, BadForms) {
    for (const char* text : {"",     " ",       "(",       ")",     "()",  "1 2", "M.x", "1.0f", "0x10", "010",
                             "a..b", "min(1,)", "min(,1)", "min 1", "?:",  "1?2", "1:2", "&1",   "1&2",  "1|2",
                             "=",    "1=2",     "M++",     "\"a\"", "1,2", "[1]", "1e",  "1e+",  "~1",   "M^2"})
        EXPECT_FALSE(parse(text).ok()) << text;
    EXPECT_EQ(failure("nosuch(1)").code, "expression-unknown-function");
    EXPECT_EQ(failure(std::string("1 + \0 2", 7)).code, "expression-syntax");
}

TEST(Expression, HostileDepthAndLengthAreErrors) {
    for (const char* unit : {"(", "-", "!", "1?", "1+(", "min(1,", "abs("}) {
        std::string text;
        while (text.size() < 4000)
            text += unit;
        EXPECT_FALSE(parse(text).ok()) << unit;
    }
    std::string chain = "1", rights = "1", deep = "1";
    for (int i = 0; i < 1000; ++i)
        chain += "+1";
    EXPECT_FALSE(parse(chain).ok());
    for (int i = 0; i < 50; ++i)
        deep = "(" + deep + ")";
    EXPECT_EQ(value(deep), 1);
    for (int i = 0; i < 200; ++i)
        rights += "+1";
    EXPECT_EQ(value(rights), 201);
    EXPECT_FALSE(parse(std::string(100000, '(')).ok());
    EXPECT_FALSE(parse("1" + std::string(5000, ' ') + "+ 1").ok());
    std::size_t consumed = 0;
    EXPECT_FALSE(Expression::parse_prefix(std::string(100000, '('), {}, consumed).ok());
}

TEST(Expression, PrefixEndsWhereNothingContinuesIt) {
    const auto taken = [](const std::string& text) {
        std::size_t consumed = 99;
        const auto expression = Expression::parse_prefix(text, Place{}, consumed);
        EXPECT_TRUE(expression.ok()) << text;
        return text.substr(0, consumed);
    };
    EXPECT_EQ(taken("cdiv(M, 2), BLOCK>>>(h)"), "cdiv(M, 2)");
    EXPECT_EQ(taken("BLOCK>>>(h)"), "BLOCK");
    EXPECT_EQ(taken("BLOCK >>>(h)"), "BLOCK");
    EXPECT_EQ(taken("M > N >>>"), "M > N");
    EXPECT_EQ(taken("M*N when N % 8 == 0"), "M*N");
    EXPECT_EQ(taken("(M + N) * 2]"), "(M + N) * 2");
    EXPECT_EQ(taken("M ? N : 2 : 3"), "M ? N : 2");
    EXPECT_EQ(taken("M) "), "M");
    std::size_t consumed = 0;
    EXPECT_FALSE(Expression::parse_prefix("M + when", Place{}, consumed).ok() && consumed < 8);
    EXPECT_FALSE(Expression::parse_prefix(">>>", Place{}, consumed).ok());
}

class Device final : public Scope {
public:
    std::optional<std::int64_t> value(std::string_view name) const override {
        return name == "sm_count" ? std::optional<std::int64_t>(132) : std::nullopt;
    }
    std::vector<std::string> names() const override { return {"sm_count"}; }
    std::optional<Result<std::int64_t>> call(std::string_view function, std::string_view kernel,
                                             const std::vector<std::int64_t>& arguments) const override {
        if (function == "fails")
            return Result<std::int64_t>(make_error("device", "no"));
        if (function != "resident")
            return std::nullopt;
        last_kernel = kernel;
        return Result<std::int64_t>(arguments.at(0) + arguments.at(1));
    }
    mutable std::string last_kernel;
};

TEST(Expression, DeviceFunctionsTakeAKernelName) {
    const Device device;
    SymbolTable table(&device);
    table.set("BLOCK", 256);
    const auto run = [&](const char* text) {
        const auto expression = parse(text);
        EXPECT_TRUE(expression.ok()) << text;
        const auto result = expression->integer(table);
        EXPECT_TRUE(result.ok()) << text << to_string(result.error());
        EXPECT_EQ(parse(expression->print())->print(), expression->print());
        return result ? *result : -1;
    };
    EXPECT_EQ(run("sm_count * resident(scan, BLOCK, 8)"), 132 * 264);
    EXPECT_EQ(device.last_kernel, "scan");
    EXPECT_EQ(run("resident(ns::scan<BLOCK, half>, BLOCK, 0)"), 256);
    EXPECT_EQ(device.last_kernel, "ns::scan<BLOCK, half>");
    EXPECT_EQ(parse("resident(scan<A>, BLOCK, 0)")->names(), std::vector<std::string>{"BLOCK"});
    const auto failing = parse("1 + fails(k)");
    ASSERT_TRUE(failing.ok());
    EXPECT_EQ(failing->integer(table).error().place.column, 14);
    EXPECT_EQ(parse("other(k, 1)")->integer(table).error().code, "expression-unknown-function");
    EXPECT_FALSE(parse("resident(k<(, 1)").ok());
}

TEST(Expression, PrintedTextGivesTheSameTree) {
    for (const char* text : {"2+3*4", "(2+3)*4", "1-(2-3)", "1-2-3", "-(-(3))", "-(1+2)", "!(M==N)", "(M?1:0)?2:3",
                             "M?1:N?2:3", "(1||0)&&1", "M-(N+1)", "M/(N/2)", "M%(N%7)", "1/sqrt(M)", "0.5+1e-30",
                             "min(M, N)*(M+1)", "a<(b<c)", "(a<b)<c", "cdiv(M*N, 8*4)"}) {
        const auto expression = parse(text);
        ASSERT_TRUE(expression.ok()) << text;
        const std::string printed = expression->print();
        const auto again = parse(printed);
        ASSERT_TRUE(again.ok()) << printed;
        EXPECT_EQ(again->print(), printed);
        if (std::string(text).find('a') == std::string::npos && !expression->is_real()) {
            EXPECT_EQ(*again->integer(symbols()), *expression->integer(symbols())) << printed;
        }
    }
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-5}, int_max, int_min, int_min + 1}) {
        const Expression constant = Expression::constant(number);
        EXPECT_EQ(*constant.integer(SymbolTable()), number);
        EXPECT_EQ(value(constant.print()), number);
    }
    EXPECT_EQ(parse("(1-2)-(3-4)*2")->print(), "1 - 2 - (3 - 4) * 2");
    EXPECT_EQ(parse("N + M * N")->names(), (std::vector<std::string>{"N", "M"}));
}

// A random tree printed with random parentheses evaluates as the tree does (both done here, independently).
struct Sample {
    std::string text;
    __extension__ __int128 value;
    bool fine;
};
Sample random_tree(SplitMix64& random, int depth) {
    if (depth == 0 || random.below(4) == 0) {
        const auto number = static_cast<std::int64_t>(random.below(100));
        return {std::to_string(number), number, true};
    }
    const Sample a = random_tree(random, depth - 1), b = random_tree(random, depth - 1);
    const bool fine = a.fine && b.fine;
    switch (random.below(6)) {
    case 0:
        return {"(" + a.text + "+" + b.text + ")", a.value + b.value, fine};
    case 1:
        return {"(" + a.text + " - " + b.text + ")", a.value - b.value, fine};
    case 2:
        return {"(" + a.text + ")*(" + b.text + ")", a.value * b.value, fine};
    case 3:
        return {"((" + a.text + ")/(" + b.text + "))", b.value == 0 ? 0 : a.value / b.value, fine && b.value != 0};
    case 4:
        return {"(" + a.text + " < " + b.text + ")", a.value < b.value ? 1 : 0, fine};
    default:
        return {"min(" + a.text + ", " + b.text + ")", a.value < b.value ? a.value : b.value, fine};
    }
}

TEST(Expression, RandomTreesAgreeWithAnIndependentEvaluation) {
    SplitMix64 random(7);
    int errors = 0;
    for (int i = 0; i < 3000; ++i) {
        const Sample sample = random_tree(random, 5);
        const auto expression = parse(sample.text);
        ASSERT_TRUE(expression.ok()) << sample.text;
        const auto result = expression->integer(symbols());
        if (!sample.fine) {
            ++errors;
            ASSERT_FALSE(result.ok() && sample.text.find("min") == std::string::npos) << sample.text;
            continue;
        }
        ASSERT_TRUE(result.ok()) << sample.text;
        ASSERT_EQ(static_cast<std::int64_t>(sample.value), *result) << sample.text;
        ASSERT_EQ(*parse(expression->print())->integer(symbols()), *result) << expression->print();
    }
    EXPECT_GT(errors, 20);
}

TEST(Expression, RandomTextNeverCrashes) {
    SplitMix64 random(11);
    const std::vector<std::string> pieces = {"M",     "N",        "1",     "0",     "9223372036854775807",
                                             "0.5",   "+",        "-",     "*",     "/",
                                             "%",     "(",        ")",     "<",     ">",
                                             "=",     "==",       "!=",    "&&",    "||",
                                             "!",     "?",        ":",     ",",     " ",
                                             "cdiv(", "min(",     "x(",    "1e9",   ".",
                                             "\n",    "\xc3\xa9", "log2(", "sqrt(", ">>>",
                                             "k<"};
    int parsed = 0;
    for (int i = 0; i < 10000; ++i) {
        std::string text;
        const bool bytes = i % 4 == 0;
        for (std::uint64_t n = random.below(bytes ? 40 : 14); n > 0; --n)
            text += bytes ? std::string(1, static_cast<char>(random.below(256))) : pieces[random.below(pieces.size())];
        std::size_t consumed = 0;
        const auto prefix = Expression::parse_prefix(text, Place{"f", 1, 1}, consumed);
        ASSERT_LE(consumed, text.size());
        const auto whole = parse(text);
        ASSERT_FALSE(whole.ok() && !prefix.ok()) << text;
        if (!whole)
            continue;
        ++parsed;
        const auto result = whole->integer(symbols());
        ASSERT_TRUE(result.ok() || !result.error().message.empty());
        const auto again = parse(whole->print());
        ASSERT_TRUE(again.ok()) << text << " printed " << whole->print();
        ASSERT_EQ(again->print(), whole->print());
    }
    EXPECT_GT(parsed, 100);
}

TEST(SymbolTable, OuterScopesAndReplacement) {
    SymbolTable outer = symbols();
    SymbolTable inner(&outer);
    inner.set("M", 1);
    inner.set("M", 2);
    EXPECT_EQ(inner.value("M"), 2);
    EXPECT_EQ(inner.value("N"), 96);
    EXPECT_FALSE(inner.value("Q"));
    EXPECT_FALSE(inner.contains("N"));
    EXPECT_EQ(inner.entries().size(), 1u);
    EXPECT_EQ(inner.names(), (std::vector<std::string>{"M", "N", "ZERO", "MAX", "MIN"}));
}

} // namespace
} // namespace kf
