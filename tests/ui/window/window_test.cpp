// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a whole, offscreen: its actions and keys, names and targets, layouts, sheets, session.
#include "tests/scenes/checks/checks.h"
#include "tests/scenes/fixtures/fixtures.h"
#include "ui/editor/code_editor.h"
#include "ui/editor/editor_pane.h"
#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/style.h"
#include "ui/widgets/toast.h"
#include "ui/window/close_sheet.h"
#include "ui/window/command_palette.h"
#include "ui/window/main_window.h"
#include "ui/window/settings_page.h"
#include "ui/window/start_page.h"
#include "ui/window/workspace.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <gtest/gtest.h>

namespace kf::ui {
namespace {

class WindowTest : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(m_home.isValid());
        qputenv("KERNELFORGE_HOME", m_home.path().toUtf8());
        make();
    }
    void TearDown() override {
        m_window.reset();
        m_settings.reset();
    }
    void make(WindowOptions options = {}, QSize size = {1680, 1050}) {
        m_window.reset();
        m_settings = std::make_unique<Settings>();
        if (options.theme.isEmpty())
            options.theme = QStringLiteral("dark");
        options.runs = runs();
        m_window = std::make_unique<MainWindow>(*m_settings, options);
        m_window->resize(size);
        m_window->show();
        ASSERT_TRUE(QTest::qWaitForWindowActive(m_window.get()));
    }
    QString runs() const { return m_home.filePath(QStringLiteral("data/runs")); }
    // Opens the story of the mock pictures.
    void open(const char* name = "swiglu") {
        auto fixture = scenes::make_fixture(name, runs().toStdString());
        ASSERT_TRUE(fixture) << to_string(fixture.error());
        m_window->open_run(QString::fromStdString(fixture->folder.string()));
        ASSERT_TRUE(QTest::qWaitFor([this] { return !m_window->store().state().turns.empty(); }, 10'000));
        m_window->store().flush();
        m_fixture = std::move(*fixture);
    }
    template<class T> T* find(const char* name) { return m_window->findChild<T*>(QString::fromLatin1(name)); }
    void press(const char* keys) {
        const QKeySequence sequence(QString::fromLatin1(keys));
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : m_window.get(), sequence[0].key(), sequence[0].keyboardModifiers());
    }

    QTemporaryDir m_home;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    scenes::Fixture m_fixture;
};

TEST_F(WindowTest, EveryActionIsWholeAndNoKeysConflict) {
    Actions& actions = m_window->actions();
    for (const Actions::Entry& one : actions.entries()) {
        EXPECT_FALSE(one.spec.text.isEmpty() || one.spec.tip.isEmpty()) << qPrintable(one.spec.id);
        EXPECT_FALSE(one.action->icon().isNull()) << qPrintable(one.spec.id);
    }
    for (const KeyConflict& one : actions.conflicts())
        ADD_FAILURE() << qPrintable(one.first) << " and " << qPrintable(one.second) << ": "
                      << qPrintable(one.keys.toString());
    // The check itself sees both kinds.
    actions.set_editor_keys({QStringLiteral("F12")});
    actions.set_keys(QStringLiteral("run.open"), {QKeySequence(QStringLiteral("F12"))});
    EXPECT_EQ(actions.conflicts().size(), 1U);
    EXPECT_FALSE(actions.taken_by(QStringLiteral("run.close"), QKeySequence(QStringLiteral("F12"))).isEmpty());
    actions.set_keys(QStringLiteral("run.close"), {QKeySequence(QStringLiteral("F12"))});
    EXPECT_EQ(actions.conflicts().size(), 3U);
}

TEST_F(WindowTest, KeysThatWereChangedComeBack) {
    Actions& actions = m_window->actions();
    actions.set_keys(QStringLiteral("run.pause"), {QKeySequence(QStringLiteral("Ctrl+F12"))});
    actions.set_keys(QStringLiteral("pane.next"), {});
    m_settings->set_shortcuts(actions.custom_keys());
    ASSERT_TRUE(m_settings->save());
    make();
    EXPECT_EQ(m_window->actions().find(QStringLiteral("run.pause"))->shortcut(),
              QKeySequence(QStringLiteral("Ctrl+F12")));
    EXPECT_TRUE(m_window->actions().find(QStringLiteral("pane.next"))->shortcut().isEmpty());
    m_window->actions().reset_keys(QStringLiteral("run.pause"));
    EXPECT_TRUE(m_window->actions().is_default(QStringLiteral("run.pause")));
}

TEST_F(WindowTest, NamesTargetsAndTabOrderOnEveryPage) {
    m_window->begin();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !m_window->start_page().task().isEmpty(); }, 10'000));
    const auto check = [this](const char* page) {
        QTest::qWait(50);
        const scenes::View view = scenes::look_at(*m_window);
        for (const auto& flaws : {scenes::check_names(view), scenes::check_targets(view), scenes::check_keyboard(view)})
            for (const scenes::Flaw& one : flaws)
                ADD_FAILURE() << page << ": " << qPrintable(one.check) << " " << qPrintable(one.where) << " "
                              << qPrintable(one.what);
    };
    check("start");
    m_window->show_settings();
    check("settings");
    find<QPushButton>("settings.done")->click();
    open();
    check("watch");
    m_window->set_layout(QStringLiteral("edit"));
    check("edit");
    m_window->resize(1366, 768);
    check("small");
}

TEST_F(WindowTest, StartPageHasATaskReadyAndRunsIt) {
    EXPECT_EQ(m_window->page(), QStringLiteral("start"));
    m_window->begin();
    ASSERT_TRUE(QTest::qWaitFor([this] { return !m_window->start_page().task().isEmpty(); }, 10'000));
    EXPECT_TRUE(m_window->actions().find(QStringLiteral("run.start"))->isEnabled());
    EXPECT_TRUE(find<QPushButton>("start.run")->isEnabled());
    EXPECT_TRUE(m_window->start_page().text_twin().contains(QStringLiteral("silu_mul")));
    m_window->choose_task(QStringLiteral("softmax"));
    EXPECT_EQ(m_window->start_page().task(), QStringLiteral("softmax"));
}

TEST_F(WindowTest, PaletteFindsAndDoes) {
    open();
    CommandPalette& palette = m_window->palette_sheet();
    const QAbstractItemModelTester tester(&palette.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    press("Ctrl+Shift+P");
    ASSERT_TRUE(palette.is_open());
    EXPECT_EQ(palette.field()->text(), QStringLiteral(">"));
    QTest::keyClicks(palette.field(), QStringLiteral("theme li"));
    EXPECT_EQ(palette.list()->currentIndex().data().toString(), QStringLiteral("Theme light"));
    QTest::keyClick(palette.field(), Qt::Key_Return);
    EXPECT_FALSE(palette.is_open());
    EXPECT_EQ(Theme::current().name, ThemeName::light);
    // The last one used comes first.
    press("Ctrl+Shift+P");
    EXPECT_EQ(palette.list()->currentIndex().data().toString(), QStringLiteral("Theme light"));
    // A turn by its number.
    palette.field()->setText(QStringLiteral("#3"));
    QTest::keyClick(palette.field(), Qt::Key_Return);
    EXPECT_EQ(m_window->selection().current().turn, 3);
    // Esc leaves everything as it was; what finds nothing does nothing.
    press("Ctrl+K");
    QTest::keyClicks(palette.field(), QStringLiteral("qqqqzzzz"));
    EXPECT_EQ(palette.model().rowCount(), 0);
    const auto* nothing = palette.findChild<QLabel*>(QStringLiteral("palette.nothing"));
    ASSERT_NE(nothing, nullptr);
    EXPECT_TRUE(nothing->isVisible());
    EXPECT_TRUE(nothing->text().contains(QStringLiteral("zzzz")));
    QTest::keyClick(palette.field(), Qt::Key_Return);
    press("Ctrl+K");
    QTest::keyClick(palette.field(), Qt::Key_Escape);
    EXPECT_FALSE(palette.is_open());
    EXPECT_EQ(m_window->selection().current().turn, 3);
}

TEST_F(WindowTest, KeysWalkPinAndGoBack) {
    open();
    const int last = m_window->store().state().turns.rbegin()->first;
    EXPECT_EQ(m_window->selection().current().turn, last);
    press("Alt+Up");
    press("Alt+Up");
    EXPECT_EQ(m_window->selection().current().turn, last - 2);
    press("Ctrl+B");
    EXPECT_EQ(m_window->selection().pinned().turn, last - 2);
    press("Alt+Left");
    EXPECT_EQ(m_window->selection().current().turn, last - 1);
    press("Alt+Right");
    press("Ctrl+B");
    EXPECT_EQ(m_window->selection().pinned().turn, -1);
    press("Alt+Down");
    press("Alt+Down");
    EXPECT_EQ(m_window->selection().current().turn, last);
    EXPECT_TRUE(m_window->selection().follows_newest());
    press("Ctrl+M");
    auto* text = find<QPlainTextEdit>("note.text");
    ASSERT_TRUE(text && text->isVisible());
    QTest::keyClicks(text, QStringLiteral("look at the loads"));
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(m_window->notes().note(last), QStringLiteral("look at the loads"));
    EXPECT_FALSE(text->isVisible());
}

TEST_F(WindowTest, LayoutsKeepTheirChangesAndReset) {
    open();
    Workspace& work = m_window->workspace();
    EXPECT_TRUE(work.pane(QStringLiteral("timeline"))->isVisible());
    work.close_pane(QStringLiteral("issues"));
    press("Alt+2");
    EXPECT_EQ(work.arrangement().area_of(QStringLiteral("editor")), Area::centre);
    EXPECT_TRUE(work.pane(QStringLiteral("editor"))->isVisible());
    press("Alt+1");
    EXPECT_EQ(work.closed(), QStringList{QStringLiteral("issues")});
    m_window->close();
    make();
    EXPECT_EQ(m_window->workspace().closed(), QStringList{QStringLiteral("issues")});
    m_window->actions().find(QStringLiteral("layout.dock_all"))->trigger();
    EXPECT_TRUE(m_window->workspace().closed().isEmpty());
    m_window->workspace().close_pane(QStringLiteral("log"));
    m_window->actions().find(QStringLiteral("layout.reset"))->trigger();
    EXPECT_EQ(m_window->workspace().arrangement(), built_in(QStringLiteral("watch")));
}

TEST_F(WindowTest, DamagedSessionGivesTheStartPage) {
    m_window->close();
    QFile file(session_file());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"version\":1,\"layout\":\"edit\",\"arrangements\":{\"edit\":\"{\\\"version\\\":99}\"},\"geometry\":"
               "\"AAAA\"}");
    file.close();
    make();
    EXPECT_EQ(m_window->page(), QStringLiteral("start"));
    EXPECT_EQ(m_window->workspace().arrangement(), built_in(QStringLiteral("edit")));
}

TEST_F(WindowTest, TheRunComesBackWithSelectionAndPin) {
    open();
    m_window->selection().select({5, {}});
    m_window->selection().pin({3, {}});
    m_window->close();
    make();
    m_window->begin();
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_window->selection().current().turn == 5; }, 10'000));
    EXPECT_EQ(m_window->selection().pinned().turn, 3);
    EXPECT_EQ(m_window->page(), QStringLiteral("work"));
    press("Ctrl+W");
    EXPECT_EQ(m_window->page(), QStringLiteral("start"));
}

TEST_F(WindowTest, F6ReachesEveryVisiblePaneAndComesRound) {
    open();
    QStringList seen;
    for (int i = 0; i < 12; ++i) {
        press("F6");
        ASSERT_TRUE(m_window->workspace().active());
        const QString id = m_window->workspace().active()->id();
        ASSERT_TRUE(m_window->workspace().active()->isAncestorOf(QApplication::focusWidget()) ||
                    m_window->workspace().active() == QApplication::focusWidget())
            << qPrintable(id);
        if (seen.contains(id))
            break;
        seen << id;
    }
    seen.sort();
    EXPECT_EQ(seen, (QStringList{QStringLiteral("distribution"), QStringLiteral("runs"), QStringLiteral("timeline"),
                                 QStringLiteral("transcript")}));
}

TEST_F(WindowTest, SmallWindowHasARailAndTheRightColumnBelow) {
    open();
    m_window->resize(1366, 768);
    QTest::qWait(20);
    Workspace& work = m_window->workspace();
    EXPECT_TRUE(work.is_compact());
    EXPECT_FALSE(work.pane(QStringLiteral("runs"))->isVisible());
    auto* rail = find<QToolButton>("rail.runs");
    ASSERT_TRUE(rail && rail->isVisible());
    work.show_pane(QStringLiteral("autopsy"));
    EXPECT_TRUE(work.pane(QStringLiteral("autopsy"))->isVisible());
    EXPECT_EQ(work.arrangement().area_of(QStringLiteral("transcript")), Area::right); // what is kept is the wide one
    auto* headline = find<QWidget>("headline");
    ASSERT_NE(headline, nullptr);
    EXPECT_TRUE(headline->isVisible() && work.pane(QStringLiteral("autopsy"))->isAncestorOf(headline));
    EXPECT_GE(headline->height(), headline->heightForWidth(headline->width()));
    const int compact_height = headline->height();
    QTest::mouseClick(rail, Qt::LeftButton);
    EXPECT_TRUE(work.pane(QStringLiteral("runs"))->isVisible());
    EXPECT_LE(m_window->minimumSizeHint().width(), 1366);
    EXPECT_LE(m_window->minimumSizeHint().height(), 768);
    m_window->resize(1680, 1050);
    QTest::qWait(20);
    EXPECT_FALSE(work.is_compact());
    EXPECT_TRUE(work.pane(QStringLiteral("runs"))->isVisible());
    EXPECT_TRUE(work.pane(QStringLiteral("autopsy"))->isVisible());
    EXPECT_TRUE(headline->isVisible() && !work.pane(QStringLiteral("autopsy"))->isAncestorOf(headline));
    EXPECT_GT(headline->height(), compact_height);
}

TEST_F(WindowTest, FontOfSourceAndStillnessFollowTheSettings) {
    open();
    const int usual = source_font().pixelSize();
    const int line = m_window->editor()->draft()->textHeight(0);
    ASSERT_TRUE(m_settings->set(QStringLiteral("look/editor_font"), 26));
    QTest::qWait(20);
    EXPECT_EQ(source_font().pixelSize(), 2 * usual);
    EXPECT_GT(m_window->editor()->draft()->textHeight(0), line * 3 / 2);
    EXPECT_FALSE(reduced_motion());
    ASSERT_TRUE(m_settings->set(QStringLiteral("look/reduced_motion"), true));
    EXPECT_TRUE(reduced_motion());
    EXPECT_EQ(QApplication::cursorFlashTime(), 0);
    m_settings->reset(QStringLiteral("look/reduced_motion"));
    m_settings->reset(QStringLiteral("look/editor_font"));
    EXPECT_GT(QApplication::cursorFlashTime(), 0);
}

TEST_F(WindowTest, AReplayStartsNothing) {
    open();
    QAction* run = m_window->actions().find(QStringLiteral("run.start"));
    const QString tip = run->toolTip();
    m_window->replay_run(QString::fromStdString(m_fixture.folder.string()), 4);
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_window->store().mode() == RunMode::replay; }, 10'000));
    EXPECT_FALSE(run->isEnabled());
    EXPECT_TRUE(run->toolTip().contains(QStringLiteral("replay"))) << qPrintable(run->toolTip());
    m_window->close_run();
    EXPECT_EQ(run->toolTip(), tip);
}

TEST_F(WindowTest, ThemeAndTextSizeChangeWhileItIsOpen) {
    open();
    const QColor dark = m_window->grab().toImage().pixelColor(5, 500);
    m_window->actions().find(QStringLiteral("theme.light"))->trigger();
    QTest::qWait(50);
    const QColor light = m_window->grab().toImage().pixelColor(5, 500);
    EXPECT_GT(light.lightness(), dark.lightness() + 100);
    EXPECT_EQ(m_settings->text(QStringLiteral("look/theme")), QStringLiteral("light"));
    const int before = find<QWidget>("bar")->height();
    for (int i = 0; i < 5; ++i)
        press("Ctrl+=");
    EXPECT_EQ(m_settings->number(QStringLiteral("look/text_scale")), 150);
    QTest::qWait(100);
    EXPECT_GT(find<QWidget>("bar")->height(), before);
    press("Ctrl+0");
    EXPECT_EQ(m_settings->number(QStringLiteral("look/text_scale")), 100);
}

TEST_F(WindowTest, FailuresAreBannersThatGoWithTheirCause) {
    Notices& notices = m_window->notices();
    notices.banner(QStringLiteral("tool"), make_error("tool-missing", "No nvdisasm was found", "Set its path"));
    EXPECT_EQ(m_window->banners().count(), 1);
    EXPECT_TRUE(m_window->banners().texts().front().contains(QStringLiteral("Set its path")));
    notices.clear(QStringLiteral("tool"));
    EXPECT_EQ(m_window->banners().count(), 0);
    notices.toast(QStringLiteral("Copied"));
    EXPECT_EQ(m_window->toasts().count(), 1);
    m_window->open_run(QStringLiteral("/nonexistent/run"));
    EXPECT_TRUE(QTest::qWaitFor([this] { return m_window->banners().count() == 1; }, 10'000));
    EXPECT_EQ(m_window->page(), QStringLiteral("start"));
}

TEST_F(WindowTest, CloseSheetKeepsTheKeyboardAndEscCancels) {
    CloseSheet sheet(m_window.get());
    QSignalSpy keep(&sheet, &CloseSheet::keep_running), stop(&sheet, &CloseSheet::stop_after_turn);
    sheet.ask(QStringLiteral("softmax · turn 3"));
    auto* first = sheet.findChild<QPushButton*>(QStringLiteral("close.keep"));
    EXPECT_EQ(QApplication::focusWidget(), first);
    for (int i = 0; i < 7; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        EXPECT_TRUE(sheet.isAncestorOf(QApplication::focusWidget()));
    }
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_FALSE(sheet.is_open());
    EXPECT_EQ(keep.count() + stop.count(), 0);
    sheet.ask(QStringLiteral("softmax"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    EXPECT_EQ(keep.count(), 1);
    sheet.ask(QStringLiteral("softmax"));
    sheet.findChild<QPushButton*>(QStringLiteral("close.stop"))->click();
    EXPECT_EQ(stop.count(), 1);
}

TEST_F(WindowTest, SettingsPageRefusesKeysThatAreTaken) {
    m_window->show_settings();
    EXPECT_EQ(m_window->page(), QStringLiteral("settings"));
    auto* edit = find<QKeySequenceEdit>("keys.run.open");
    ASSERT_TRUE(edit);
    edit->setKeySequence(QKeySequence(QStringLiteral("F9")));
    Q_EMIT edit->editingFinished();
    EXPECT_EQ(m_window->actions().find(QStringLiteral("run.open"))->shortcut(), QKeySequence(QStringLiteral("Ctrl+O")));
    EXPECT_TRUE(find<QWidget>("settings.conflict")->isVisible());
    edit->setKeySequence(QKeySequence(QStringLiteral("Ctrl+F11")));
    Q_EMIT edit->editingFinished();
    EXPECT_EQ(m_window->actions().find(QStringLiteral("run.open"))->shortcut(),
              QKeySequence(QStringLiteral("Ctrl+F11")));
    EXPECT_FALSE(find<QWidget>("settings.conflict")->isVisible());
    press("Esc");
    EXPECT_EQ(m_window->page(), QStringLiteral("start"));
}

} // namespace
} // namespace kf::ui
