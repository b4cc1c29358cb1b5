// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/lexer.h"

#include <gtest/gtest.h>

namespace kf {
namespace {

std::string texts(std::string_view source) {
    std::string result;
    for (const Token& token : tokenize(source).tokens)
        result += (result.empty() ? "" : "|") + token.text;
    return result;
}

TEST(Lexer, CommentsAndStringsHideWords) {
    EXPECT_EQ(texts("a /* asm */ b // asm\nc"), "a|b|c");
    EXPECT_EQ(texts("a /* \n asm */ b"), "a|b");
    EXPECT_EQ(texts("x // comment \\\n asm \n y"), "x|y");
    EXPECT_EQ(texts("s = \"asm \\\" asm\" t"), "s|=|asm \\\" asm|t");
    EXPECT_EQ(texts("\"/*\" asm \"*/\""), "/*|asm|*/");
    EXPECT_EQ(texts("'\"' asm '\"'"), "\"|asm|\"");
    EXPECT_EQ(texts("R\"x(\" asm )\" )x\" b"), "\" asm )\" |b");
    EXPECT_EQ(texts("1'000'000 asm 'c'"), "1'000'000|asm|c");
}

TEST(Lexer, SplicesJoinWords) {
    EXPECT_EQ(texts("as\\\nm"), "asm");
    EXPECT_EQ(texts("as\\  \t\nm"), "asm"); // GCC allows blanks behind the backslash
    EXPECT_EQ(texts("as\\\r\nm"), "asm");
    EXPECT_EQ(texts("/\\\n* asm *\\\n/ b"), "b");
    EXPECT_EQ(texts("R\"(a\\\nb)\""), "a\\\nb"); // not in raw strings
    EXPECT_EQ(texts("#inc\\\nlude <x\\\n.h>"), "#|include|x.h");
}

TEST(Lexer, DigraphsAreResolved) {
    EXPECT_EQ(texts("%:include <a.h>"), "#|include|a.h");
    EXPECT_EQ(texts("<% %> <: :>"), "{|}|[|]");
    EXPECT_EQ(texts("x<::y>"), "x|<|::|y|>");
}

TEST(Lexer, DirectivesAndPlaces) {
    const TokenStream stream = tokenize("int a;\n  # define X \\\n  b\nc # d\n");
    ASSERT_EQ(stream.tokens.size(), 10u);
    EXPECT_EQ(stream.tokens[3].directive, 1);
    EXPECT_EQ(stream.tokens[6].text, "b");
    EXPECT_EQ(stream.tokens[6].directive, 1);
    EXPECT_EQ(stream.tokens[6].line, 3);
    EXPECT_EQ(stream.tokens[6].column, 3);
    EXPECT_EQ(stream.tokens[7].directive, 0);
    EXPECT_EQ(stream.tokens[8].directive, 0); // "#" in the middle of a line
}

TEST(Lexer, WhatCouldBeReadDifferentlyIsAProblem) {
    for (const std::string& source :
         {std::string("a\0b", 3), std::string("a\rb"), std::string("\\u0061sm"), std::string("/* no end"),
          std::string("\"no end\n"), std::string("R\"(no end"), std::string("a ?\?= b")})
        EXPECT_EQ(tokenize(source).problems.size(), 1u) << source;
    EXPECT_TRUE(tokenize("a\r\nb ?? c // caf\xc3\xa9\n").problems.empty());
}

// Whatever the bytes, it ends and stays inside.
TEST(Lexer, SurvivesEveryPrefix) {
    const std::string source = "R\"x(a)x\" 'c' \"s\\\n\" /* c */ // d\\\n e\n%:include <a>\n1'0.e+5 <::a \\ u8R\"(b)\"";
    for (std::size_t n = 0; n <= source.size(); ++n)
        for (const Token& token : tokenize(source.substr(0, n)).tokens)
            EXPECT_LE(token.end, n);
}

} // namespace
} // namespace kf
