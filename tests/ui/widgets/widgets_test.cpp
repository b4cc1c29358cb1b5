// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/marks.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/key_cap.h"
#include "ui/widgets/plot_widget.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/status_chip.h"
#include "ui/widgets/style.h"
#include "ui/widgets/toast.h"
#include "ui/widgets/verdict_delegate.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <gtest/gtest.h>

namespace kf::ui {
namespace {

class Widgets : public ::testing::Test {
protected:
    static void SetUpTestSuite() { apply_style(*qApp, ThemeName::dark); }
    static QString clipboard() { return QGuiApplication::clipboard()->text(); }
    static QPushButton* button(QWidget& in, const QString& text) {
        for (QPushButton* candidate : in.findChildren<QPushButton*>())
            if (candidate->text() == text)
                return candidate;
        return nullptr;
    }
};

TEST_F(Widgets, BannersSayCauseAndRemedyOneAKey) {
    BannerStack stack;
    EXPECT_TRUE(stack.isHidden());
    stack.post(QStringLiteral("key"), make_error("http-401", "the endpoint answered 401", "set the key in Settings"));
    EXPECT_EQ(stack.texts(), QStringList{QStringLiteral("Error: The endpoint answered 401. Set the key in Settings.")});
    EXPECT_FALSE(stack.isHidden());
    int acted = 0;
    Banner banner;
    banner.key = QStringLiteral("key");
    banner.severity = Severity::warning;
    banner.cause = QStringLiteral("Clocks are <b>not</b> locked.");
    banner.action = QStringLiteral("Lock");
    banner.act = [&] { ++acted; };
    banner.details = QStringLiteral("clocks: 1980, 1830");
    stack.post(banner);
    ASSERT_EQ(stack.count(), 1) << "the same key replaces";
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(stack.texts().front(), QStringLiteral("Warning: Clocks are <b>not</b> locked."));
    QTest::mouseClick(button(stack, QStringLiteral("Lock")), Qt::LeftButton);
    EXPECT_EQ(acted, 1);
    QTest::mouseClick(button(stack, QStringLiteral("Copy details")), Qt::LeftButton);
    EXPECT_TRUE(clipboard().contains(QStringLiteral("clocks: 1980, 1830")));
    EXPECT_TRUE(clipboard().contains(QStringLiteral("Clocks are <b>not</b> locked.")));
    // What comes from outside is not taken for markup.
    bool escaped_somewhere = false;
    for (const QLabel* label : stack.findChildren<QLabel*>())
        escaped_somewhere |= label->text().contains(QStringLiteral("&lt;b&gt;not"));
    EXPECT_TRUE(escaped_somewhere);
}

TEST_F(Widgets, BannersStackAndClose) {
    BannerStack stack;
    for (const char* key : {"a", "b", "c", "d"})
        stack.post(QString::fromLatin1(key), make_error("x", key));
    EXPECT_EQ(stack.count(), 4);
    EXPECT_EQ(stack.texts().front(), QStringLiteral("Error: D.")) << "the newest is on top";
    QPushButton* more = button(stack, QStringLiteral("Show 2 more messages"));
    ASSERT_NE(more, nullptr);
    more->click();
    EXPECT_NE(button(stack, QStringLiteral("Show fewer messages")), nullptr);
    QSignalSpy closed(&stack, &BannerStack::closed);
    QToolButton* close = nullptr;
    for (QToolButton* candidate : stack.findChildren<QToolButton*>())
        if (candidate->isVisibleTo(&stack))
            close = candidate;
    ASSERT_NE(close, nullptr);
    close->click();
    EXPECT_EQ(closed.count(), 1);
    EXPECT_EQ(stack.count(), 3);
    stack.clear(QStringLiteral("nobody"));
    stack.clear_all();
    EXPECT_EQ(stack.count(), 0);
    EXPECT_TRUE(stack.isHidden());
    EXPECT_EQ(closed.count(), 1) << "only what the person closed is told";
}

TEST_F(Widgets, NarrowBannersShowEveryLine) {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* stack = new BannerStack;
    column->addWidget(stack);
    column->addWidget(new QPlainTextEdit, 1);
    window.resize(420, 500);
    window.show();
    stack->post(QStringLiteral("a"),
                make_error("x", "the endpoint answered 401 to the request that was sent a moment ago",
                           "set the key in Settings, or choose another endpoint"));
    QApplication::processEvents();
    for (const QLabel* label : stack->findChildren<QLabel*>()) {
        if (label->wordWrap()) {
            EXPECT_GE(label->height(), label->heightForWidth(label->width()));
        }
    }
}

TEST_F(Widgets, ToastsKeepTheNewestThreeAndAct) {
    QWidget host;
    host.resize(600, 400);
    ToastStack toasts(&host);
    for (const char* text : {"one", "two", "three", "four"})
        toasts.post(QString::fromLatin1(text));
    EXPECT_EQ(toasts.texts(), (QStringList{QStringLiteral("two"), QStringLiteral("three"), QStringLiteral("four")}));
    toasts.post(QStringLiteral("two"));
    EXPECT_EQ(toasts.texts().back(), QStringLiteral("two"));
    EXPECT_EQ(toasts.count(), 3);
    int acted = 0;
    toasts.post(QStringLiteral("Copied as CSV"), QStringLiteral("Show"), [&] { ++acted; });
    EXPECT_TRUE(host.rect().contains(toasts.geometry()));
    button(toasts, QStringLiteral("Show"))->click();
    EXPECT_EQ(acted, 1);
    EXPECT_FALSE(toasts.texts().contains(QStringLiteral("Copied as CSV")));
}

TEST_F(Widgets, LongNamesElideInTheMiddle) {
    ElidedLabel label(QStringLiteral("a_task_whose_name_is_longer_than_its_room_v2_final"));
    label.resize(120, 20);
    const QString shown = label.shown_text();
    EXPECT_TRUE(shown.startsWith(QStringLiteral("a_")) && shown.endsWith(QStringLiteral("al"))) << shown.toStdString();
    EXPECT_LE(label.fontMetrics().horizontalAdvance(shown), 120);
    label.show();
    EXPECT_EQ(label.toolTip(), label.text());
    label.copy();
    EXPECT_EQ(clipboard(), label.text());
    label.resize(label.sizeHint());
    EXPECT_EQ(label.shown_text(), label.text());
    EXPECT_TRUE(label.toolTip().isEmpty()) << "a tip that says what is shown is noise";
    EXPECT_LT(label.minimumSizeHint().width(), 100);
}

TEST_F(Widgets, SegmentsAreChosenByKeys) {
    Segmented row({QStringLiteral("Histogram"), QStringLiteral("ECDF"), QStringLiteral("Box"), QStringLiteral("Raw")});
    QSignalSpy chosen(&row, &Segmented::index_changed);
    row.set_item_enabled(1, false, QStringLiteral("Needs samples"));
    auto* first = row.findChildren<QToolButton*>().front();
    QTest::keyClick(first, Qt::Key_Right);
    EXPECT_EQ(row.index(), 2) << "what is disabled is passed over";
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen.front().front().toInt(), 2);
    QTest::keyClick(row.findChildren<QToolButton*>().at(2), Qt::Key_Left);
    EXPECT_EQ(row.index(), 0);
    row.set_index(3);
    EXPECT_EQ(row.text(row.index()), QStringLiteral("Raw"));
    EXPECT_EQ(chosen.count(), 2) << "set_index is silent";
    row.set_index(17);
    EXPECT_EQ(row.index(), 3);
}

TEST_F(Widgets, SearchTellsOnEnterAndEscapesInTwoSteps) {
    SearchField field(QStringLiteral("Search the log"));
    QSignalSpy searched(&field, &SearchField::searched);
    QSignalSpy escaped_spy(&field, &SearchField::escaped);
    QSignalSpy previous(&field, &SearchField::previous);
    QTest::keyClicks(&field, QStringLiteral("launch"));
    QTest::keyClick(&field, Qt::Key_Return);
    ASSERT_EQ(searched.count(), 1);
    EXPECT_EQ(searched.front().front().toString(), QStringLiteral("launch"));
    QTest::keyClick(&field, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(previous.count(), 1);
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_TRUE(field.text().isEmpty());
    EXPECT_EQ(searched.count(), 2);
    EXPECT_EQ(escaped_spy.count(), 0);
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_EQ(escaped_spy.count(), 1);
}

TEST_F(Widgets, CardsGiveTheirTextAndTheirLinks) {
    Card card(QStringLiteral("What changed"));
    card.set_rich_text(escaped(QStringLiteral("a < b & ")) +
                       link_text(QStringLiteral("line 12"), QStringLiteral("line:12")));
    card.set_note(QStringLiteral("18 cases"));
    EXPECT_EQ(card.text(), QStringLiteral("What changed\na < b & line 12\n18 cases"));
    card.copy();
    EXPECT_EQ(clipboard(), card.text());
    EXPECT_EQ(card.accessibleName(), QStringLiteral("What changed"));
    QGuiApplication::clipboard()->clear();
    EXPECT_TRUE(card.focusPolicy() & Qt::TabFocus);
    QTest::keyClick(&card, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(clipboard(), card.text());
    QSignalSpy links(&card, &Card::link_activated);
    for (QLabel* label : card.findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("line:12")))
            Q_EMIT label->linkActivated(QStringLiteral("line:12"));
    ASSERT_EQ(links.count(), 1);
    EXPECT_EQ(links.front().front().toString(), QStringLiteral("line:12"));
    QPushButton* action = card.add_action(QStringLiteral("Show evidence"));
    EXPECT_GE(action->sizeHint().height(), 24);
    card.add_action(QStringLiteral("Insert into next prompt"));
    // Side by side where there is room, below each other in a narrow dock.
    const int wide = card.heightForWidth(600);
    EXPECT_GT(card.heightForWidth(200), wide + action->sizeHint().height());
    EXPECT_LT(card.minimumSizeHint().width(), 240);
}

TEST_F(Widgets, AnEmptyStateHasOneAction) {
    EmptyState state(QStringLiteral("distribution"), QStringLiteral("Pin a second turn to compare."),
                     QStringLiteral("Pin"));
    QSignalSpy acted(&state, &EmptyState::action_triggered);
    state.button()->click();
    EXPECT_EQ(acted.count(), 1);
    EXPECT_EQ(state.accessibleName(), QStringLiteral("Pin a second turn to compare."));
    state.set(QStringLiteral("search"), QStringLiteral("Nothing is like this."));
    EXPECT_TRUE(state.button()->isHidden());
}

TEST_F(Widgets, ChipsAndStatus) {
    Chip chip;
    chip.set_verdict(VerdictKind::faster);
    EXPECT_EQ(chip.accessibleName(), QStringLiteral("faster"));
    const int narrow = chip.sizeHint().width();
    chip.set_verdict(VerdictKind::faster, QStringLiteral("−6.5 % · screen · 2 of 18 cases"));
    EXPECT_GT(chip.sizeHint().width(), narrow);
    chip.resize(chip.sizeHint());
    const QImage empty = chip.grab().toImage();
    chip.set_progress(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(chip.grab().toImage(), empty);
    chip.set_progress(0.5);
    EXPECT_NE(chip.grab().toImage(), empty);
    StatusChip status;
    EXPECT_TRUE(status.isHidden());
    status.set(QStringLiteral("R&D · 61 °C"));
    EXPECT_FALSE(status.isHidden());
    EXPECT_EQ(status.accessibleName(), QStringLiteral("R&D · 61 °C"));
    status.set({});
    EXPECT_TRUE(status.isHidden());
}

TEST_F(Widgets, KeysAsOnTheirCaps) {
    EXPECT_EQ(key_text(QKeySequence(Qt::Key_F9)), QStringLiteral("F9"));
    EXPECT_EQ(key_text(QKeySequence(Qt::SHIFT | Qt::Key_F5)), QStringLiteral("⇧F5"));
    EXPECT_EQ(key_text(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)), QStringLiteral("Ctrl ⇧P"));
    EXPECT_EQ(key_text(QKeySequence(Qt::CTRL | Qt::Key_Plus)), QStringLiteral("Ctrl +"));
    EXPECT_EQ(key_text(QKeySequence()), QString());
    EXPECT_GT(key_cap_width(QStringLiteral("F10")), key_cap_width(QStringLiteral("F9")) - 0.01);
}

TEST_F(Widgets, VerdictCellsDrawTheirMarkAndStandNonsense) {
    QStandardItemModel model(1, 1);
    const VerdictRoles roles;
    QStyleOptionViewItem option;
    option.rect = QRect(0, 0, 200, 28);
    option.state = QStyle::State_Enabled;
    const auto drawn = [&](VerdictDelegate::Part part) {
        QImage image(200, 28, QImage::Format_ARGB32_Premultiplied);
        image.fill(Theme::current().panel);
        QPainter painter(&image);
        VerdictDelegate(part).paint(&painter, option, model.index(0, 0));
        return image;
    };
    model.item(0) ? void() : model.setItem(0, new QStandardItem(QStringLiteral("8")));
    const QImage bare = drawn(VerdictDelegate::Part::verdict);
    std::vector<QImage> seen{bare};
    for (int kind = 0; kind <= static_cast<int>(VerdictKind::none); ++kind) {
        model.item(0)->setData(kind, roles.kind);
        const QImage image = drawn(VerdictDelegate::Part::verdict);
        for (const QImage& other : seen)
            EXPECT_NE(image, other) << kind;
        seen.push_back(image);
    }
    model.item(0)->setData(4711, roles.kind);
    EXPECT_EQ(drawn(VerdictDelegate::Part::verdict), bare);
    model.item(0)->setData(-1, roles.level);
    const QImage without = drawn(VerdictDelegate::Part::evidence);
    model.item(0)->setData(static_cast<int>(Level::certify), roles.level);
    EXPECT_NE(drawn(VerdictDelegate::Part::evidence), without);
    const QImage no_star = drawn(VerdictDelegate::Part::turn);
    model.item(0)->setData(true, roles.star);
    EXPECT_NE(drawn(VerdictDelegate::Part::turn), no_star);
    EXPECT_GE(VerdictDelegate(VerdictDelegate::Part::figure).sizeHint(option, model.index(0, 0)).height(),
              metrics::row_height);
}

class Diagonal : public PlotWidget {
public:
    Diagonal() : PlotWidget(QStringLiteral("Diagonal")) {}
    void render_to(QPainter& painter, const QRectF& area) const override {
        painter.setPen(Theme::current().accent);
        painter.drawLine(area.topLeft(), area.bottomRight());
    }
    QString text_twin() const override { return QStringLiteral("From 0 to 1."); }
};

TEST_F(Widgets, PlotsExportWhatTheyShow) {
    Diagonal plot;
    plot.resize(120, 60);
    plot.plot_changed();
    EXPECT_EQ(plot.accessibleDescription(), plot.text_twin());
    const auto png = plot.export_as(QStringLiteral("png"));
    ASSERT_TRUE(png.ok());
    EXPECT_EQ(QImage::fromData(png.value()).size(), QSize(240, 120));
    EXPECT_TRUE(plot.export_as(QStringLiteral("svg")).ok());
    EXPECT_EQ(plot.export_as(QStringLiteral("pdf")).error().code, "export-failed");
}

} // namespace
} // namespace kf::ui
