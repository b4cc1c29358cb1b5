// SPDX-License-Identifier: GPL-3.0-or-later
// The text widget: styles at places, undo across loads, keys that belong to the window, marks that move.
#include "tests/ui/editor/support.h"
#include "ui/editor/completion.h"
#include "ui/editor/issue_marks.h"
#include "ui/editor/words.h"
#include "ui/theme/theme.h"

#include <QtTest/QTest>
#include <gtest/gtest.h>

#include <set>

namespace kf::ui {
namespace {

using namespace editor_numbers;

int style_at(CodeEditor& editor, const QByteArray& word) {
    const QByteArray text = editor.source();
    const auto at = text.indexOf(word);
    EXPECT_GE(at, 0) << word.constData();
    editor.SendScintilla(QsciScintilla::SCI_COLOURISE, 0UL, -1L);
    return static_cast<int>(editor.SendScintilla(QsciScintilla::SCI_GETSTYLEAT, static_cast<unsigned long>(at)));
}

bool has_indicator(CodeEditor& editor, int indicator, int byte) {
    return editor.SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(indicator),
                                static_cast<long>(byte)) != 0;
}

TEST(CodeEditor, Styles_and_plan_words_stand_where_they_should) {
    CodeEditor editor;
    editor.load(valid_kernel);
    EXPECT_EQ(style_at(editor, "__global__"), QsciLexerCPP::KeywordSet2);
    EXPECT_EQ(style_at(editor, "blockIdx"), QsciLexerCPP::KeywordSet2);
    EXPECT_EQ(style_at(editor, "const float"), QsciLexerCPP::Keyword);
    EXPECT_EQ(style_at(editor, "2.0f"), QsciLexerCPP::Number);
    EXPECT_EQ(style_at(editor, "// twice"), QsciLexerCPP::CommentLine);
    EXPECT_EQ(style_at(editor, "scale(const"), QsciLexerCPP::Identifier);

    const QByteArray text = editor.source();
    EXPECT_TRUE(has_indicator(editor, plan_text, 0)) << "the marker";
    EXPECT_TRUE(has_indicator(editor, plan_word, static_cast<int>(text.indexOf("tune"))));
    EXPECT_TRUE(has_indicator(editor, plan_word, static_cast<int>(text.indexOf("launch"))));
    EXPECT_TRUE(has_indicator(editor, plan_word, static_cast<int>(text.indexOf("in {"))));
    EXPECT_TRUE(has_indicator(editor, plan_number, static_cast<int>(text.indexOf("256"))));
    EXPECT_FALSE(has_indicator(editor, plan_text, static_cast<int>(text.indexOf("__global__"))));
    EXPECT_EQ(editor.plan().launch_lines, std::vector<int>{1});
    EXPECT_EQ(editor.plan().kernels, std::vector<std::string>{"scale"});

    // In a comment it is no plan line; a continued one is, up to its end.
    editor.load("/*\n#pragma kf launch no<<<1, 1>>>()\n*/\n#pragma kf define AREA = 1 + \\\n    22\nint x;\n");
    const QByteArray second = editor.source();
    EXPECT_FALSE(has_indicator(editor, plan_text, static_cast<int>(second.indexOf("no<<<"))));
    EXPECT_TRUE(has_indicator(editor, plan_number, static_cast<int>(second.indexOf("22"))));
    EXPECT_FALSE(has_indicator(editor, plan_text, static_cast<int>(second.indexOf("int x"))));
}

TEST(CodeEditor, Every_plan_word_is_one_that_the_parser_knows) {
    for (const WordEntry& entry : Words::get().statements) {
        std::vector<Error> errors;
        parse_candidate("#pragma kf " + entry.name.toStdString() + "\n", "k.cu", errors);
        for (const Error& error : errors)
            EXPECT_NE(error.code, "parse-statement") << entry.name.toStdString() << ": " << error.message;
    }
    EXPECT_EQ(Words::get().statements.size(), 11u);
    std::set<QString> names;
    for (const WordEntry& entry : Words::get().intrinsics) {
        EXPECT_FALSE(entry.help.isEmpty()) << entry.name.toStdString();
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name.toStdString() << " stands there twice";
    }
    EXPECT_EQ(Words::get().find(QStringLiteral("__shfl_xor_sync")).size(), 1u);
}

TEST(CodeEditor, A_new_text_is_one_step_back) {
    CodeEditor editor;
    editor.load("first\n");
    EXPECT_FALSE(editor.isModified());
    EXPECT_FALSE(editor.isUndoAvailable());
    editor.setCursorPosition(0, 5);
    editor.insert(QStringLiteral(" typed"));
    editor.replace_all("another\ntext\n");
    EXPECT_EQ(editor.source(), QByteArray("another\ntext\n"));
    editor.undo();
    EXPECT_EQ(editor.source(), QByteArray("first typed\n"));
    editor.undo();
    EXPECT_EQ(editor.source(), QByteArray("first\n"));
    editor.redo();
    editor.redo();
    EXPECT_EQ(editor.source(), QByteArray("another\ntext\n"));
}

TEST(CodeEditor, The_windows_keys_are_free) {
    CodeEditor editor;
    std::set<QString> bound;
    for (const KeyBinding& binding : editor.key_bindings()) {
        EXPECT_FALSE(binding.what.isEmpty());
        bound.insert(binding.keys.toString(QKeySequence::PortableText));
    }
    for (const char* key :
         {"Ctrl+L",       "Ctrl+D",       "Ctrl+T",       "Ctrl+U",   "Ctrl+Shift+L", "Ctrl+Shift+T", "Ctrl+Shift+U",
          "Ctrl+Shift+P", "Ctrl+Shift+B", "Ctrl+Shift+F", "Ctrl+F",   "Ctrl+G",       "Ctrl+H",       "Ctrl+K",
          "Ctrl+B",       "Ctrl+M",       "Ctrl+E",       "Ctrl+P",   "Ctrl+R",       "Ctrl+W",       "Ctrl+[",
          "Ctrl+]",       "Ctrl+\\",      "Ctrl++",       "Ctrl+-",   "Ctrl+=",       "Ctrl+0",       "Ctrl+Return",
          "Ctrl+Enter",   "Ctrl+,",       "Alt+Up",       "Alt+Down", "Alt+Left",     "Alt+Right",    "F2",
          "F3",           "F5",           "F6",           "F7",       "F8",           "F9",           "F11",
          "Shift+F5",     "Shift+F8"})
        EXPECT_FALSE(bound.count(QString::fromLatin1(key))) << key;
    for (const char* key :
         {"Ctrl+Z", "Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+A", "Ctrl+Right", "Shift+Home", "Tab", "Ctrl+/", "Ctrl+Space"})
        EXPECT_TRUE(bound.count(QString::fromLatin1(key))) << key;
}

TEST(CodeEditor, Keys_act_as_they_say) {
    QWidget window;
    CodeEditor editor(&window);
    QWidget other(&window);
    other.setFocusPolicy(Qt::StrongFocus);
    editor.load("int a;\n  int b;\n\nint c;\n");
    window.show();
    window.activateWindow();
    editor.setFocus();
    ASSERT_TRUE(wait_for([&] { return editor.hasFocus(); }));

    editor.setSelection(0, 0, 3, 3);
    QTest::keyClick(&editor, Qt::Key_Slash, Qt::ControlModifier);
    EXPECT_EQ(editor.source(), QByteArray("// int a;\n//   int b;\n\n// int c;\n"));
    editor.setSelection(0, 0, 3, 3);
    QTest::keyClick(&editor, Qt::Key_Slash, Qt::ControlModifier);
    EXPECT_EQ(editor.source(), QByteArray("int a;\n  int b;\n\nint c;\n"));

    editor.setCursorPosition(3, 0);
    QTest::keyClick(&editor, Qt::Key_L, Qt::ControlModifier);
    QTest::keyClick(&editor, Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(editor.source(), QByteArray("int a;\n  int b;\n\nint c;\n")) << "Ctrl+L cut a line once";

    editor.toggle_bookmark();
    editor.setCursorPosition(0, 0);
    editor.toggle_bookmark();
    editor.insert(QStringLiteral("//\n"));
    EXPECT_EQ(editor.bookmarks(), (std::vector<int>{1, 4})) << "bookmarks move with their lines";
    editor.go_to(1, 0);
    editor.next_bookmark(true);
    EXPECT_EQ(editor.caret_line(), 4);
    editor.next_bookmark(true);
    EXPECT_EQ(editor.caret_line(), 1);

    QTest::keyClick(&editor, Qt::Key_Tab, Qt::ControlModifier);
    EXPECT_TRUE(other.hasFocus()) << "Tab is no trap";
}

TEST(CodeEditor, Colours_follow_the_theme) {
    CodeEditor editor;
    editor.load(valid_kernel);
    const ThemeName before = Theme::current().name;
    for (const ThemeName name : {ThemeName::light, ThemeName::contrast, ThemeName::dark}) {
        set_current_theme(name);
        editor.apply_theme();
        const Theme& theme = Theme::current();
        const auto colour = [&](unsigned message, int style) {
            const auto bgr = static_cast<unsigned>(editor.SendScintilla(message, static_cast<unsigned long>(style)));
            return QColor(static_cast<int>(bgr & 0xFF), static_cast<int>(bgr >> 8 & 0xFF),
                          static_cast<int>(bgr >> 16 & 0xFF));
        };
        EXPECT_EQ(colour(QsciScintilla::SCI_STYLEGETFORE, QsciLexerCPP::Keyword), theme.keyword);
        EXPECT_EQ(colour(QsciScintilla::SCI_STYLEGETBACK, QsciLexerCPP::Default), theme.panel);
        EXPECT_EQ(colour(QsciScintilla::SCI_STYLEGETFORE, QsciScintilla::STYLE_LINENUMBER), theme.faint);
        EXPECT_EQ(colour(QsciScintilla::SCI_STYLEGETBACK, QsciScintilla::STYLE_LINENUMBER), theme.panel);
        EXPECT_EQ(colour(QsciScintilla::SCI_INDICGETFORE, plan_text), theme.plan);
        EXPECT_EQ(colour(QsciScintilla::SCI_STYLEGETBACK, QsciScintilla::STYLE_CALLTIP), theme.raised);
        EXPECT_GE(contrast(theme.faint, theme.panel), 4.5);
    }
    set_current_theme(before);
}

TEST(CodeEditor, Issues_stand_at_the_right_bytes_and_move) {
    CodeEditor editor;
    editor.load("// größe\n  auto é = silu(x);\nint z;\n");
    EditorIssue issue;
    issue.severity = QStringLiteral("error");
    issue.line = 1;
    issue.begin = static_cast<int>(QByteArray("  auto é = ").size());
    issue.end = issue.begin + 4;
    issue.message = QStringLiteral("identifier \"silu\" is undefined");
    issue.producer = QStringLiteral("compiler");
    editor.issues().set(QStringLiteral("compiler"), {issue});
    const QByteArray text = editor.source();
    const int at = static_cast<int>(text.indexOf("silu"));
    EXPECT_TRUE(has_indicator(editor, squiggle_error, at));
    EXPECT_TRUE(has_indicator(editor, squiggle_error, at + 3));
    EXPECT_FALSE(has_indicator(editor, squiggle_error, at - 1));
    EXPECT_FALSE(has_indicator(editor, squiggle_error, at + 4));
    EXPECT_TRUE(editor.markersAtLine(1) & (1U << marker_error));
    EXPECT_TRUE(editor.annotation(1).contains(QStringLiteral("silu")));

    editor.insertAt(QStringLiteral("// new\n// lines\n"), 0, 0);
    EXPECT_EQ(editor.issues().all().at(0).line, 3);
    EXPECT_TRUE(editor.annotation(3).contains(QStringLiteral("silu")));
    EXPECT_EQ(editor.issues().next(0, true), 3);
    EXPECT_EQ(editor.issues().next(3, true), 3) << "around the end";

    // Marks work where nothing can be typed, and go as they came.
    editor.setReadOnly(true);
    EditorIssue plan = issue;
    plan.producer = QStringLiteral("plan");
    plan.line = 0;
    editor.issues().set(QStringLiteral("plan"), {plan});
    EXPECT_EQ(editor.issues().all().size(), 2u);
    EXPECT_FALSE(editor.annotation(0).isEmpty());
    editor.issues().set(QStringLiteral("compiler"), {});
    EXPECT_EQ(editor.issues().all().size(), 1u);
    EXPECT_TRUE(editor.annotation(3).isEmpty());
    EXPECT_FALSE(has_indicator(editor, squiggle_error, static_cast<int>(editor.source().indexOf("silu"))));
    editor.issues().clear();
    EXPECT_TRUE(editor.annotation(0).isEmpty());
    EXPECT_EQ(editor.markersAtLine(0) & (1U << marker_error), 0u);
}

TEST(CodeEditor, Core_places_become_marks) {
    // A column of the plan counts characters, one of the compiler bytes.
    const QByteArray text("// é\n#pragma kf define é€ = x\n");
    const std::vector<Error> errors{make_error("parse-name", "a name", "another", {"draft.cu", 2, 22})};
    const auto plan = issues_of(errors, text);
    ASSERT_EQ(plan.size(), 1u);
    EXPECT_EQ(plan[0].begin, 18 + 2 + 3 + 1);
    const auto compiled = issues_of(failed_compile(2, 25, "no"), text);
    ASSERT_EQ(compiled.size(), 1u);
    EXPECT_EQ(compiled[0].begin, 24);
    EXPECT_EQ(compiled[0].tail.toStdString(), "g++ · 41 ms");
    // Beyond the text, and without a place: still told.
    EXPECT_EQ(issues_of(failed_compile(99, 7, "far"), text).size(), 1u);
    EXPECT_EQ(issues_of(failed_compile(0, 0, "nowhere"), text).at(0).line, 0);
}

TEST(CodeEditor, Large_and_strange_texts_open) {
    CodeEditor editor;
    QByteArray text;
    for (int line = 0; line < 5000; ++line)
        text += "    out[" + QByteArray::number(line) + "] = expf(in[i]) * 0.5f + bias[j]; // é\n";
    ASSERT_GT(text.size(), 200'000);
    editor.load(text);
    EXPECT_EQ(editor.lines(), 5001);
    EXPECT_EQ(editor.source(), text);
    editor.replace_all(text + "int last;\n");
    editor.undo();
    EXPECT_EQ(editor.source(), text);

    editor.load(QByteArray(100'000, 'x'));
    EXPECT_EQ(editor.lines(), 1);
    editor.load({});
    EXPECT_EQ(editor.source(), QByteArray());
    EXPECT_TRUE(editor.plan().spans.empty());
}

} // namespace
} // namespace kf::ui
