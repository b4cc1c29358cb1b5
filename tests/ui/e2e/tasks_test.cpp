// SPDX-License-Identifier: GPL-3.0-or-later
// What people do most, counted in actions (a click, or keys pressed together; typing a text is one).
#include "tests/ui/e2e/window_test.h"

#include <QFileDialog>
#include <QLineEdit>

namespace kf::scenes {
namespace {

class TaskTest : public WindowTest {
protected:
    void open(const char* fixture, bool hosted = false, const char* layout = "watch") {
        player.make(fixture, hosted);
        PlayerSettings settings;
        settings.layout = QString::fromLatin1(layout);
        player.open(settings);
        ASSERT_TRUE(player.until([&] { return state().turns.size() >= 10; }, 10));
        player.settle(3);
    }
    QString text_of(const char* pane) {
        return player.window().workspace().pane(QString::fromLatin1(pane))->text_twin();
    }
    bool shown(const char* pane) { return player.window().workspace().pane(QString::fromLatin1(pane))->isVisible(); }
};

TEST_F(TaskTest, WhyTurn2FailedIsTwoClicksAway) {
    open("swiglu");
    ASSERT_TRUE(shown("transcript")); // a model's run keeps it in sight
    click_turn(2);                    // 1
    // A turn without samples leaves the distribution empty but for the way to the reason.
    ASSERT_TRUE(shown("distribution"));
    QPushButton* why = nullptr;
    ASSERT_TRUE(player.until(
        [&] {
            for (auto* button : player.window().workspace().pane(u"distribution"_s)->findChildren<QPushButton*>())
                if (button->isVisible() && button->text() == u"Show the autopsy"_s)
                    why = button;
            return why != nullptr;
        },
        5));
    QTest::mouseClick(why, Qt::LeftButton); // 2
    EXPECT_TRUE(shown("autopsy"));
    EXPECT_TRUE(shown("transcript"));
    EXPECT_TRUE(player.until([&] { return text_of("autopsy").contains(u"gate bias shifted"_s); }, 5))
        << qPrintable(text_of("autopsy"));
    EXPECT_TRUE(text_of("autopsy").contains(u"14.453"_s)) << qPrintable(text_of("autopsy"));
}

TEST_F(TaskTest, WhyTurn2FailedByKeysAlone) {
    open("swiglu");
    player.act("go.turn"); // 1: its keys
    player.type(u"2"_s);   // 2
    player.key("Return");  // 3
    EXPECT_EQ(player.window().selection().current().turn, 2);
    EXPECT_TRUE(player.until([&] { return text_of("autopsy").contains(u"gate bias shifted"_s); }, 5));
}

TEST_F(TaskTest, AnEditIsBenchedByOneKey) {
    open("swiglu_live", true, "edit");
    ui::EditorPane* editor = player.window().editor();
    editor->show_document(u"draft"_s);
    ASSERT_TRUE(player.until([&] { return !draft().source().isEmpty(); }, 10));
    draft().setFocus();
    player.key("Ctrl+End");
    player.type(u"// edited"_s); // the edit itself
    player.key("F5");            // 1
    ASSERT_TRUE(player.until([&] { return player.host().has_bench(); }, 10)) << "F5 did not reach the run";
    const std::string sent = player.host().bench_source();
    EXPECT_NE(sent.find("// edited"), std::string::npos);
    player.host().answer_bench(outcome_of("faster", sent), 11);
    EXPECT_TRUE(player.until([&] { return editor->state_text().contains(u"6.5"_s); }, 10))
        << qPrintable(editor->state_text());
    EXPECT_EQ(player.host().asked().back(), "bench");
}

TEST_F(TaskTest, ANewerBenchReplacesTheOneThatWaits) {
    open("swiglu_live", true, "edit");
    player.window().editor()->show_document(u"draft"_s);
    ASSERT_TRUE(player.until([&] { return !draft().source().isEmpty(); }, 10));
    draft().setFocus();
    ASSERT_TRUE(draft().hasFocus());
    player.key("Ctrl+End");
    player.type(u"// first"_s);
    player.key("F5");
    ASSERT_TRUE(player.until([&] { return player.host().has_bench(); }, 10));
    player.type(u" second"_s);
    ASSERT_TRUE(draft().source().contains("// first second")) << draft().source().right(80).toStdString();
    player.key("F5");
    ASSERT_TRUE(
        player.until([&] { return player.host().bench_source().find("// first second") != std::string::npos; }, 10));
    player.host().answer_bench(outcome_of("slower", player.host().bench_source()), 11);
    EXPECT_TRUE(player.until([&] { return player.window().editor()->state_text().contains(u"+5."_s); }, 10))
        << qPrintable(player.window().editor()->state_text());
}

TEST_F(TaskTest, TwoTurnsAreComparedByThreeActions) {
    open("swiglu");
    click_turn(6);        // 1
    player.key("Ctrl+B"); // 2
    click_turn(8);        // 3
    EXPECT_EQ(player.window().selection().pinned().turn, 6);
    EXPECT_TRUE(shown("distribution"));
    EXPECT_TRUE(player.until(
        [&] {
            const QString text = text_of("distribution");
            return text.contains(u"B is faster"_s) && text.contains(u"6.7"_s);
        },
        10))
        << qPrintable(text_of("distribution"));
}

TEST_F(TaskTest, AFigureIsExportedByThreeActions) {
    open("swiglu");
    click_turn(8);        // 1: the timeline has the keyboard
    player.key("Ctrl+E"); // 2
    auto* dialog = player.window().findChild<QFileDialog*>();
    ASSERT_TRUE(dialog);
    const QString file = player.home() + u"/figure.svg"_s;
    dialog->findChild<QLineEdit*>()->setText(file);
    QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return); // 3, with the name typed
    ASSERT_TRUE(player.until([&] { return QFile::exists(file); }, 10));
    const auto written = read_file(file.toStdString());
    ASSERT_TRUE(written);
    EXPECT_NE(written->find("<svg"), std::string::npos);
    EXPECT_GT(written->size(), 2000u);
}

TEST_F(TaskTest, TurnsAreWalkedByKeysAndEveryDockFollows) {
    open("swiglu");
    click_turn(9);
    player.key("Alt+Up");
    EXPECT_EQ(player.window().selection().current().turn, 8);
    player.key("Alt+Up");
    EXPECT_EQ(player.window().selection().current().turn, 7);
    EXPECT_TRUE(player.until([&] { return text_of("autopsy").contains(u"turn 7"_s, Qt::CaseInsensitive); }, 5))
        << qPrintable(text_of("autopsy"));
    player.key("Alt+Left");
    EXPECT_EQ(player.window().selection().current().turn, 8);
}

// Esc gives the keyboard back; F6 leaves the editor, where Tab is text.
TEST_F(TaskTest, TheKeyboardIsNeverCaught) {
    open("swiglu", false, "edit");
    player.window().editor()->show_document(u"draft"_s);
    draft().setFocus();
    ASSERT_TRUE(draft().hasFocus());
    player.key("Ctrl+Shift+P");
    EXPECT_TRUE(player.window().findChild<QLineEdit*>());
    EXPECT_FALSE(draft().hasFocus());
    player.key("Esc");
    EXPECT_TRUE(draft().hasFocus());
    player.key("F6");
    EXPECT_FALSE(draft().hasFocus());
}

} // namespace
} // namespace kf::scenes
