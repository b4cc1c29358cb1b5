// SPDX-License-Identifier: GPL-3.0-or-later
// The two panes driven by mouse and keys over whole runs.
#include "tests/ui/docks/support.h"
#include "ui/models/timeline_maker.h"
#include "ui/models/turn_model.h"
#include "ui/plots/distribution_pane.h"
#include "ui/plots/distribution_plot.h"
#include "ui/plots/timeline_pane.h"
#include "ui/plots/timeline_plot.h"
#include "ui/plots/turn_table.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/style.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QSvgRenderer>
#include <QTest>

namespace kf::ui {
namespace {

class Plots : public testing::Test {
protected:
    void SetUp() override {
        load_fonts();
        apply_style(*qApp, ThemeName::dark);
    }
    void open(std::string_view fixture) {
        bench.open(fixture);
        turns = std::make_unique<TurnModel>(bench.store);
    }
    TimelinePane& timeline(QSize size = {900, 640}) {
        pane = std::make_unique<TimelinePane>(bench.context, *turns);
        pane->resize(size);
        pane->show();
        QCoreApplication::processEvents();
        return *pane;
    }
    DistributionPane& distribution() {
        other = std::make_unique<DistributionPane>(bench.context);
        other->resize(900, 280);
        other->show();
        settle();
        return *other;
    }
    void settle() {
        ASSERT_TRUE(Bench::wait_for([&] { return !other->is_loading(); }));
    }

    Bench bench;
    std::unique_ptr<TurnModel> turns;
    std::unique_ptr<TimelinePane> pane;
    std::unique_ptr<DistributionPane> other;
};

// Pixels that are not the commonest colour.
int drawn_pixels(const QImage& image) {
    std::map<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++counts[image.pixel(x, y)];
    int most = 0;
    for (const auto& [colour, count] : counts)
        most = std::max(most, count);
    return image.width() * image.height() - most;
}

void expect_exports(const Pane& shown) {
    for (const QString& format : shown.export_formats()) {
        const auto bytes = shown.export_as(format);
        ASSERT_TRUE(bytes) << to_string(bytes.error());
        EXPECT_GT(bytes->size(), 40) << format.toStdString();
    }
    const QImage png = QImage::fromData(*shown.export_as(QStringLiteral("png")));
    EXPECT_GT(drawn_pixels(png), 3000);
    QSvgRenderer svg(*shown.export_as(QStringLiteral("svg")));
    ASSERT_TRUE(svg.isValid());
    QImage drawn(svg.defaultSize(), QImage::Format_RGB32);
    drawn.fill(Qt::black);
    QPainter painter(&drawn);
    svg.render(&painter);
    painter.end();
    EXPECT_GT(drawn_pixels(drawn), 800);
    EXPECT_FALSE(shown.export_as(QStringLiteral("gif")));
}

TEST_F(Plots, AClickSelectsForEveryDockAndKeysWalk) {
    open("swiglu");
    TimelinePane& shown = timeline();
    TimelinePlot& plot = shown.plot();
    const int slot = plot.data().slot_of({6, {}});
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.place_of(slot).toPoint());
    EXPECT_EQ(bench.selection.current().turn, 6);
    EXPECT_FALSE(bench.selection.follows_newest());
    EXPECT_EQ(shown.table().order().chosen_at(shown.table().currentIndex()).turn, 6);
    QTest::keyClick(&plot, Qt::Key_Right);
    EXPECT_EQ(bench.selection.current().turn, 7);
    QTest::keyClick(&plot, Qt::Key_Left);
    QTest::keyClick(&plot, Qt::Key_Left);
    EXPECT_EQ(bench.selection.current().turn, 5) << "failures are walked over too";
    QTest::keyClick(&plot, Qt::Key_Home);
    EXPECT_EQ(bench.selection.current().turn, 0);
    QTest::keyClick(&plot, Qt::Key_End);
    EXPECT_EQ(bench.selection.current().turn, 9);
    EXPECT_TRUE(bench.selection.follows_newest()) << "the newest by hand: what comes is wanted again";
    // A failed turn is chosen in its lane.
    QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.place_of(plot.data().slot_of({2, {}})).toPoint());
    EXPECT_EQ(bench.selection.current().turn, 2);
}

TEST_F(Plots, TheTableSelectsSortsAndCopies) {
    open("swiglu");
    TurnTable& table = timeline().table();
    QAbstractItemModelTester tester(&table.order(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QModelIndex four = table.order().index_of({4, {}});
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(four).center());
    EXPECT_EQ(bench.selection.current().turn, 4);
    EXPECT_EQ(pane->plot().data().slot_of(bench.selection.current()), 4);
    table.sortByColumn(static_cast<int>(TurnColumn::time), Qt::AscendingOrder);
    EXPECT_EQ(table.order().chosen_at(table.order().index(0, 0)).turn, 8) << "the fastest first";
    const int last = table.order().rowCount() - 1;
    EXPECT_TRUE(table.order().index(last, static_cast<int>(TurnColumn::time)).data().toString().isEmpty());
    table.sortByColumn(static_cast<int>(TurnColumn::time), Qt::DescendingOrder);
    EXPECT_EQ(table.order().chosen_at(table.order().index(0, 0)).turn, 0) << "what is unknown stays last";
    EXPECT_TRUE(table.order().index(last, static_cast<int>(TurnColumn::time)).data().toString().isEmpty());
    bench.selection.select({8, {}});
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split(u'\n');
    ASSERT_EQ(lines.size(), 2);
    EXPECT_TRUE(lines[1].contains(QStringLiteral("1.512"))) << lines[1].toStdString();
    EXPECT_EQ(lines[0].count(u'\t'), lines[1].count(u'\t'));
}

TEST_F(Plots, NarrowTablesKeepTheImportantColumns) {
    open("swiglu");
    TurnTable& table = timeline({430, 640}).table();
    for (const TurnColumn kept : {TurnColumn::turn, TurnColumn::verdict, TurnColumn::time})
        EXPECT_FALSE(table.isColumnHidden(static_cast<int>(kept)));
    EXPECT_TRUE(table.isColumnHidden(static_cast<int>(TurnColumn::registers)));
    table.set_wanted({TurnColumn::turn, TurnColumn::verdict, TurnColumn::registers});
    EXPECT_FALSE(table.isColumnHidden(static_cast<int>(TurnColumn::registers)));
    const QByteArray state = pane->save_state();
    table.set_wanted({});
    pane->restore_state(state);
    EXPECT_FALSE(table.isColumnHidden(static_cast<int>(TurnColumn::registers)));
    pane->restore_state("nonsense");
    EXPECT_FALSE(table.isColumnHidden(static_cast<int>(TurnColumn::registers)));
}

TEST_F(Plots, ZoomByWheelDragAndKeysKeepsTheSelectionInSight) {
    open("turns_20");
    TimelinePlot& plot = timeline().plot();
    ASSERT_TRUE(plot.is_fitted());
    QTest::mousePress(&plot, Qt::LeftButton, {}, plot.place_of(5).toPoint() - QPoint(4, 0));
    QTest::mouseMove(&plot, plot.place_of(12).toPoint());
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, plot.place_of(12).toPoint() + QPoint(4, 0));
    EXPECT_FALSE(plot.is_fitted());
    EXPECT_GT(plot.first_visible(), 3);
    EXPECT_LT(plot.last_visible(), 14);
    bench.selection.select({18, {}});
    EXPECT_GE(plot.last_visible(), 18) << "the selection is always drawn";
    QTest::keyClick(&plot, Qt::Key_Plus);
    EXPECT_LE(plot.first_visible(), 18);
    EXPECT_GE(plot.last_visible(), 18);
    QTest::keyClick(&plot, Qt::Key_0);
    EXPECT_TRUE(plot.is_fitted());
    const QPoint place = plot.place_of(10).toPoint();
    QWheelEvent wheel(place, plot.mapToGlobal(place), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&plot, &wheel);
    EXPECT_FALSE(plot.is_fitted());
    EXPECT_NEAR(plot.place_of(10).x(), place.x(), 3) << "what is pointed at stays where it is";
    QTest::mouseDClick(&plot, Qt::LeftButton, {}, place);
    EXPECT_TRUE(plot.is_fitted());
}

TEST_F(Plots, PinningComparesAndUnpins) {
    open("swiglu");
    DistributionPane& shown = distribution();
    bench.selection.select({6, {}});
    settle();
    EXPECT_TRUE(shown.text_twin().contains(QStringLiteral("Pin a second turn to compare (Ctrl+B)")));
    EXPECT_FALSE(shown.plot().data().b.empty()) << "its own distribution is there all the same";
    auto* pin = shown.findChild<QPushButton*>(QString(), Qt::FindChildrenRecursively);
    for (QPushButton* button : shown.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Pin turn 6"))
            pin = button;
    QTest::mouseClick(pin, Qt::LeftButton);
    EXPECT_EQ(bench.selection.pinned().turn, 6);
    bench.selection.select({8, {}});
    settle();
    const DistributionData& data = shown.plot().data();
    EXPECT_EQ(data.relation, Relation::b_against_a);
    EXPECT_EQ(data.headline, QStringLiteral("B is faster: −6.7 % ± 0.2"));
    EXPECT_EQ(data.a.summary.n, 192);
    EXPECT_NEAR(data.a.summary.median_s, 1.62e-3, 0.01e-3);
    EXPECT_NEAR(data.b.summary.median_s, 1.512e-3, 0.01e-3);
    EXPECT_TRUE(shown.text_twin().contains(data.headline));
    bench.selection.select({3, {}}); // the champion that 6 dethroned: the same duel from its other side
    settle();
    EXPECT_EQ(shown.plot().data().relation, Relation::a_against_b);
    EXPECT_TRUE(shown.plot().data().headline.startsWith(QStringLiteral("A is faster: −11.5 %")));
    bench.selection.select({9, {}});
    settle();
    EXPECT_EQ(shown.plot().data().headline, QStringLiteral("Not compared with each other"));
    bench.selection.select({2, {}});
    settle();
    EXPECT_TRUE(shown.text_twin().contains(QStringLiteral("Turn 2 was not timed"))) << shown.text_twin().toStdString();
    bench.selection.select({6, {}});
    shown.pin_selected();
    EXPECT_EQ(bench.selection.pinned().turn, -1);
}

TEST_F(Plots, KeysChooseShapeAxisAndZoom) {
    open("swiglu");
    DistributionPane& shown = distribution();
    bench.selection.select({8, {}});
    settle();
    DistributionPlot& plot = shown.plot();
    const std::pair<Qt::Key, DistributionShape> keys[] = {{Qt::Key_E, DistributionShape::ecdf},
                                                          {Qt::Key_B, DistributionShape::box},
                                                          {Qt::Key_R, DistributionShape::raw},
                                                          {Qt::Key_H, DistributionShape::histogram}};
    QImage before;
    for (const auto& [key, shape] : keys) {
        QTest::keyClick(&plot, key);
        EXPECT_EQ(plot.shape(), shape);
        const QImage image = plot.grab().toImage();
        EXPECT_GT(drawn_pixels(image), 600);
        EXPECT_NE(image, before);
        before = image;
    }
    QTest::keyClick(&plot, Qt::Key_L);
    EXPECT_TRUE(plot.is_log());
    const Range all = plot.visible();
    QTest::keyClick(&plot, Qt::Key_Plus);
    EXPECT_LT(plot.visible().high - plot.visible().low, all.high - all.low);
    QTest::keyClick(&plot, Qt::Key_0);
    EXPECT_TRUE(plot.is_fitted());
    const QByteArray state = shown.save_state();
    shown.set_log(false);
    shown.restore_state(state);
    EXPECT_TRUE(plot.is_log());
}

TEST_F(Plots, AreNeverBlankAndExportWhatTheyShow) {
    for (const char* fixture :
         {"swiglu", "tuner_ended", "turns_20", "million_samples", "equal_samples", "one_sample", "nonfinite", "beam"}) {
        SCOPED_TRACE(fixture);
        open(fixture);
        bench.selection.select({1, {}});
        bench.selection.pin({0, {}});
        TimelinePane& chart = timeline();
        DistributionPane& shown = distribution();
        EXPECT_EQ(chart.text_twin(), timeline_text(make_timeline(bench.store.state(), false)));
        EXPECT_EQ(chart.plot().accessibleDescription(), chart.plot().text_twin());
        expect_exports(chart);
        if (!shown.plot().data().b.empty()) {
            expect_exports(shown);
            EXPECT_EQ(shown.plot().accessibleDescription(), shown.plot().text_twin());
        } else {
            EXPECT_FALSE(shown.plot().data().unavailable.isEmpty());
        }
        for (const auto shape : {DistributionShape::ecdf, DistributionShape::box, DistributionShape::raw}) {
            shown.set_shape(shape);
            shown.set_log(!shown.plot().is_log());
            shown.grab();
        }
        pane.reset();
        other.reset();
    }
}

TEST_F(Plots, HaveADesignedStateForEverythingThatIsMissing) {
    const std::pair<const char*, Chosen> cases[] = {{"just_started", {}},
                                                    {"start_only", {0, {}}},
                                                    {"lost_samples", {1, {}}},
                                                    {"failed_start", {0, {}}},
                                                    {"hostile", {5, {}}},
                                                    {"tuner_live", {1, {}}},
                                                    {"empty", {}},
                                                    {"missing_parent", {3, {}}}};
    for (const auto& [fixture, chosen] : cases) {
        SCOPED_TRACE(fixture);
        open(fixture);
        bench.selection.select(chosen);
        TimelinePane& chart = timeline();
        DistributionPane& shown = distribution();
        EXPECT_FALSE(chart.text_twin().isEmpty());
        EXPECT_FALSE(shown.text_twin().isEmpty());
        EXPECT_NE(chart.focus_target(), nullptr);
        EXPECT_GT(drawn_pixels(chart.grab().toImage()), 200);
        EXPECT_GT(drawn_pixels(shown.grab().toImage()), 200);
        pane.reset();
        other.reset();
    }
    bench.store.reset(RunMode::none, {}, nullptr);
    bench.selection.clear();
    turns = std::make_unique<TurnModel>(bench.store);
    EXPECT_EQ(timeline().text_twin(), QStringLiteral("No run is open."));
    EXPECT_FALSE(pane->export_as(QStringLiteral("png")));
    EXPECT_EQ(distribution().text_twin(), QStringLiteral("No run is open."));
    EXPECT_FALSE(other->export_as(QStringLiteral("csv")));
}

TEST_F(Plots, ASweepFoldsWithItsSummary) {
    open("tuner_ended");
    TurnTable& table = timeline().table();
    const QModelIndex sweep = table.order().index_of({1, {}});
    EXPECT_FALSE(table.isExpanded(sweep));
    const QString verdict = sweep.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data().toString();
    EXPECT_TRUE(verdict.contains(QStringLiteral(": "))) << verdict.toStdString();
    EXPECT_TRUE(verdict.contains(u'+')) << verdict.toStdString();
    // A point chosen elsewhere opens it.
    const auto& points = bench.store.state().turns.at(1).evaluations;
    bench.selection.select({1, points.front().id});
    EXPECT_TRUE(table.isExpanded(table.order().index_of({1, {}})));
    EXPECT_EQ(table.order().chosen_at(table.currentIndex()).evaluation, points.front().id);
}

TEST_F(Plots, APillLeadsBackToTheNewest) {
    open("turns_20");
    TurnTable& table = timeline().table();
    QPushButton* pill = table.findChild<QPushButton*>();
    ASSERT_NE(pill, nullptr);
    EXPECT_FALSE(pill->isVisible());
    bench.selection.select({1, {}});
    EXPECT_TRUE(pill->isVisible());
    QTest::mouseClick(pill, Qt::LeftButton);
    EXPECT_TRUE(bench.selection.follows_newest());
    EXPECT_EQ(bench.selection.current().turn, bench.store.state().turns.rbegin()->first);
    EXPECT_FALSE(pill->isVisible()) << "it is in sight";
}

TEST_F(Plots, TenThousandTurnsAreBinned) {
    open("turns_10000");
    TimelinePane& shown = timeline();
    EXPECT_GT(shown.plot().data().points.size(), 9000u);
    bench.selection.select({5000, {}});
    const QImage all = shown.plot().grab().toImage();
    EXPECT_GT(drawn_pixels(all), 3000);
    bench.selection.select({200, {}});
    EXPECT_NE(shown.plot().grab().toImage(), all) << "the selection shows among the bins";
    shown.plot().zoom_to(100, 300);
    EXPECT_NEAR(shown.plot().last_visible() - shown.plot().first_visible(), 200, 1);
}

} // namespace
} // namespace kf::ui
