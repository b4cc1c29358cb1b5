// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/terminal_text.h"

#include <gtest/gtest.h>

namespace kf {

TEST(TerminalText, CountsCells) {
    EXPECT_EQ(display_width("softmax"), 7);
    EXPECT_EQ(display_width("1.42 µs"), 7);
    EXPECT_EQ(display_width("漢字"), 4);
    EXPECT_EQ(display_width("e\u0301"), 1); // e and a combining acute
    EXPECT_EQ(display_width("🚀"), 2);
    EXPECT_EQ(display_width("a\u200b"), 1);
    EXPECT_EQ(display_width("\xff\xfe"), 2); // invalid bytes, shown as two replacement characters
    EXPECT_EQ(display_width("\x1b[31mred\x1b[0m"), 3);
    EXPECT_EQ(display_width(""), 0);
    for (const char* shape : {"▼", "▲", "■", "○", "◇", "✕", "⧗", "⚑", "⊘", "▬", "◔", "◑", "◕", "●"})
        EXPECT_EQ(display_width(shape), 1) << shape;
}

TEST(TerminalText, PlainTextCannotSteerATerminal) {
    EXPECT_EQ(plain_text("a\x1b[2Jb"), "a[2Jb");
    EXPECT_EQ(plain_text("title\x1b]0;evil\x07"), "title]0;evil");
    EXPECT_EQ(plain_text("one\ntwo\tthree\r"), "one two three ");
    EXPECT_EQ(plain_text("a\u202e"
                         "b\u2066"),
              "ab"); // direction overrides
    EXPECT_EQ(plain_text("\xc2\x9b"
                         "2J"),
              "2J"); // C1: a one-byte CSI
    EXPECT_EQ(plain_text("x\xff"
                         "y"),
              "x\xef\xbf\xbdy");
    EXPECT_EQ(plain_text("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); // a surrogate is no text
    EXPECT_EQ(plain_text("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                 // an overlong slash
    EXPECT_EQ(plain_text(std::string_view("a\0b", 3)), "ab");
    EXPECT_EQ(plain_text("漢字 µ"), "漢字 µ");
}

TEST(TerminalText, PadsAndCutsByCells) {
    EXPECT_EQ(pad_right("漢", 4), "漢  ");
    EXPECT_EQ(pad_left("µs", 4), "  µs");
    EXPECT_EQ(pad_left("too long", 3), "too long");
    EXPECT_EQ(elide_end("softmax", 7), "softmax");
    EXPECT_EQ(elide_end("softmax", 4), "sof…");
    EXPECT_EQ(elide_end("漢字漢字", 4), "漢…"); // the second would take cells 3 and 4
    EXPECT_EQ(elide_end("abc", 0), "");
    EXPECT_EQ(elide_middle("fused_softmax_backward", 9), "fuse…ward");
    EXPECT_EQ(elide_middle("漢字漢字漢字", 7), "漢…字");
    for (int cells = 1; cells < 20; ++cells) {
        EXPECT_LE(display_width(elide_middle("漢字abc漢字def", cells)), cells);
        EXPECT_LE(display_width(elide_end("漢字abc漢字def", cells)), cells);
    }
}

TEST(TerminalText, PaintsOnlyWithColour) {
    EXPECT_EQ(paint("x", Tint::error, {.colour = false}), "x");
    EXPECT_EQ(paint("x", Tint::error, {.colour = true}), "\x1b[31mx\x1b[0m");
    EXPECT_EQ(paint("", Tint::error, {.colour = true}), "");
}

} // namespace kf
