// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of files as text: what is kept, what is told, what is never changed. Positions by bytes and characters.
#include "ui/editor/line_map.h"
#include "ui/editor/source_text.h"
#include "ui/editor/text_search.h"

#include <gtest/gtest.h>

namespace kf::ui {
namespace {

TEST(SourceText, Line_ends_and_mark_survive_the_way_there_and_back) {
    const QByteArray bytes("\xEF\xBB\xBFint a;\r\nint b;\r\n");
    const SourceText text = decode_source(bytes);
    EXPECT_EQ(text.text, QByteArray("int a;\nint b;\n"));
    EXPECT_TRUE(text.byte_order_mark);
    EXPECT_EQ(text.line_end, LineEnd::crlf);
    EXPECT_FALSE(text.damaged);
    EXPECT_TRUE(text.note.isEmpty());
    EXPECT_EQ(encode_source(text.text, text), bytes);
    EXPECT_EQ(encode_source(decode_source("a\rb\r").text, decode_source("a\rb\r")), QByteArray("a\rb\r"));
    EXPECT_EQ(decode_source({}).text, QByteArray());
}

TEST(SourceText, Mixed_line_ends_are_told) {
    const SourceText text = decode_source("a\r\nb\nc\rd\r\n");
    EXPECT_EQ(text.text, QByteArray("a\nb\nc\nd\n"));
    EXPECT_TRUE(text.mixed_line_ends);
    EXPECT_EQ(text.note.toStdString(), "Line ends were mixed (LF 1, CRLF 2, CR 1); all are LF now.");
    EXPECT_EQ(encode_source(text.text, text), text.text);
}

TEST(SourceText, Damage_says_what_and_where) {
    const SourceText latin = decode_source("int a;\n// caf\xE9 na\xEFve\n");
    EXPECT_TRUE(latin.damaged);
    EXPECT_TRUE(latin.looks_latin1);
    EXPECT_EQ(latin.problem_line, 2);
    EXPECT_EQ(latin.problem_column, 7);
    EXPECT_EQ(latin.problem.toStdString(), "Byte 0xE9 at line 2, column 7 is not UTF-8. There are 2 such places.");
    EXPECT_EQ(decode_latin1("// caf\xE9\n").text, QByteArray("// caf\xC3\xA9\n"));

    const SourceText nul = decode_source(QByteArray("ab\0c\n", 5));
    EXPECT_TRUE(nul.damaged);
    EXPECT_FALSE(nul.looks_latin1);
    EXPECT_EQ(nul.problem.toStdString(), "There is a NUL byte at line 1, column 3.");
    EXPECT_FALSE(nul.text.contains('\0'));

    // Overlong, surrogate, beyond the last character, cut off: none is text.
    for (const char* bytes : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"})
        EXPECT_TRUE(decode_source(bytes).damaged) << bytes;
    EXPECT_FALSE(decode_source("\xF0\x9F\x98\x80 \xE2\x82\xAC").damaged);
}

TEST(SourceText, Columns_are_bytes_or_characters) {
    const QByteArray line("x = \"é€😀\"; y");
    EXPECT_EQ(byte_in_line(line, 9, ColumnUnit::characters), 5 + 2 + 3 + 4);
    EXPECT_EQ(byte_in_line(line, 15, ColumnUnit::bytes), 14);
    EXPECT_EQ(byte_in_line(line, 7, ColumnUnit::bytes), 5) << "never inside a character";
    EXPECT_EQ(column_of_byte(line, 14), 9);
    EXPECT_EQ(byte_in_line(line, 0, ColumnUnit::characters), 0);
    EXPECT_EQ(byte_in_line(line, 999, ColumnUnit::characters), line.size());
    EXPECT_EQ(token_end("  silu(x)", 2), 6);
    EXPECT_EQ(token_end("a += b", 2), 3);
    EXPECT_EQ(token_end("", 0), 0);
}

TEST(LineMap, Lines_outside_the_change_keep_their_place) {
    const LineMap map("a\nb\nc\nd", "a\nX\nY\nc\nd");
    EXPECT_EQ(map.line(0), 0);
    EXPECT_EQ(map.line(1), -1);
    EXPECT_EQ(map.line(2), 3);
    EXPECT_EQ(map.line(3), 4);
    const LineMap same("a\nb", "a\nb");
    EXPECT_EQ(same.line(1), 1);
    const LineMap gone("a\nb", "");
    EXPECT_EQ(gone.line(0), -1);
}

TEST(TextSearch, Matches_are_bytes) {
    const QByteArray text("é foo Foo\nfood €foo");
    EXPECT_EQ(search_text(text, QStringLiteral("foo"), {}).matches.size(), 4u);
    const auto exact = search_text(text, QStringLiteral("foo"), {false, true, true});
    ASSERT_EQ(exact.matches.size(), 2u);
    EXPECT_EQ(exact.matches[0].begin, 3);
    EXPECT_EQ(exact.matches[1].begin, text.indexOf("€foo") + 3);
    EXPECT_TRUE(search_text(text, QStringLiteral("f.o"), {}).matches.empty()) << "a dot is a dot";
    const auto swapped = search_text("a=1, b=2", QStringLiteral("(\\w)=(\\d)"), {true, false, false});
    ASSERT_EQ(swapped.matches.size(), 2u);
    EXPECT_EQ(replacement_for(swapped.matches[1], QStringLiteral("\\2<-\\1\\\\"), {true, false, false}),
              QStringLiteral("2<-b\\"));
    EXPECT_FALSE(search_text(text, QStringLiteral("("), {true, false, false}).error.isEmpty());
    EXPECT_TRUE(search_text(text, QStringLiteral("x*"), {true, false, false}).matches.empty());
}

} // namespace
} // namespace kf::ui
