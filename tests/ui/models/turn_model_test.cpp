// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/turn_model.h"

#include "tests/ui/models/script.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <limits>

namespace kf::ui {
namespace {

class TurnModelTest : public ::testing::Test {
protected:
    void apply(Script& from) {
        store.apply(from.take());
        store.flush();
    }
    QModelIndex cell(int row, TurnColumn column, const QModelIndex& parent = {}) const {
        return model.index(row, static_cast<int>(column), parent);
    }
    QString text(int row, TurnColumn column, const QModelIndex& parent = {}) const {
        return cell(row, column, parent).data().toString();
    }
    // The run of the mock: start, a failure, a win, a promoted win.
    void mock_run() {
        store.reset(RunMode::live, QStringLiteral("/runs/x"), nullptr);
        store.set_lock(LockState::held);
        script.begin();
        script.turn(0, -1, "file").add(accepted(0, "e0", "verified", 2.1e-3, {}, 0.84, 40)).champion(0, "e0", 2.1e-3);
        script.end(0);
        script.turn(1, 0, "model").add(rejected(1, "e1", "compile")).end(1, "failed");
        script.turn(2, 0, "model")
            .add(rejected(2, "e2", "mismatch",
                          {{"cases", {{{"passed", false}, {"comparisons", {{{"max_abs_error", 14.453}}}}}}},
                           {"failure", {{"pattern", "tail"}, {"place", "out"}, {"message", "m"}}}}))
            .end(2, "failed");
        script.turn(3, 0, "human")
            .add(accepted(3, "e3", "faster", 1.512e-3, speedup(1.0715, 1.0692, 1.0738), 1.16, 52, 16))
            .champion(3, "e3", 1.512e-3)
            .champion(3, "e3", 1.512e-3, "promote");
        script.end(3);
        apply(script);
    }

    RunStore store;
    TurnModel model{store};
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
    Script script;
};

TEST_F(TurnModelTest, ShowsWhatTheMockShows) {
    mock_run();
    ASSERT_EQ(model.rowCount(), 4);
    EXPECT_EQ(text(0, TurnColumn::turn), u"start");
    EXPECT_EQ(text(0, TurnColumn::verdict), u"start kernel");
    EXPECT_EQ(text(0, TurnColumn::time), u"2.100");
    EXPECT_EQ(text(0, TurnColumn::against_champion), u"");
    EXPECT_EQ(text(0, TurnColumn::registers), u"40 / 0");
    EXPECT_EQ(text(1, TurnColumn::verdict), u"compile error");
    EXPECT_EQ(text(1, TurnColumn::time), u"");
    EXPECT_EQ(text(2, TurnColumn::verdict), u"wrong · the tail");
    EXPECT_EQ(text(2, TurnColumn::error), u"14.453");
    EXPECT_EQ(text(3, TurnColumn::turn), u"3 ★");
    EXPECT_EQ(text(3, TurnColumn::time), u"1.512");
    EXPECT_EQ(text(3, TurnColumn::against_champion), u"−6.7 % ± 0.2");
    EXPECT_EQ(text(3, TurnColumn::speed_against_eager), u"1.16×");
    EXPECT_EQ(text(3, TurnColumn::error), u"✓");
    EXPECT_EQ(text(3, TurnColumn::registers), u"52 / 16");
    EXPECT_EQ(text(3, TurnColumn::evidence), u"promoted");
    const QModelIndex best = cell(3, TurnColumn::verdict);
    EXPECT_EQ(best.data(TurnRole::kind).toInt(), static_cast<int>(VerdictKind::faster));
    EXPECT_EQ(best.data(TurnRole::level).toInt(), static_cast<int>(Level::promote));
    EXPECT_TRUE(best.data(TurnRole::human).toBool());
    EXPECT_TRUE(best.data(TurnRole::star).toBool());
    EXPECT_TRUE(best.data(TurnRole::champion).toBool());
    EXPECT_EQ(best.data(TurnRole::spills).toInt(), 16);
    EXPECT_FALSE(cell(0, TurnColumn::turn).data(TurnRole::champion).toBool());
    EXPECT_EQ(model.headerData(static_cast<int>(TurnColumn::time), Qt::Horizontal).toString(), u"median ms");
    const QString tip = best.data(Qt::ToolTipRole).toString();
    EXPECT_GE(tip.count(u'\n'), 4) << tip.toStdString();
    for (const char* fact : {"a person", "faster", "1.512 ms", "1.16×", "promoted", "12 rounds"})
        EXPECT_TRUE(tip.contains(QString::fromUtf8(fact))) << fact << " in " << tip.toStdString();
}

TEST_F(TurnModelTest, PointsOfASweepComeOneByOneWithoutAReset) {
    mock_run();
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    script.turn(4, 3, "tuner");
    apply(script);
    const QModelIndex sweep = model.index_of({4, {}});
    ASSERT_TRUE(sweep.isValid());
    EXPECT_EQ(sweep.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data().toString(), u"running");
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    constexpr int points = 1000;
    for (int i = 0; i < points; ++i) {
        // Progress has a name of its own, as the engine gives it.
        script.add(StageProgress{4, "p" + std::to_string(i), "measure", "started", "", 0, {}});
        auto point = accepted(4, "s" + std::to_string(i), i % 3 ? "slower" : "faster", 1.5e-3 + i * 1e-7,
                              speedup(1.0, 0.99, 1.01));
        point.level = "screen";
        point.tunables = Json{{"BLOCK", 32 * (i + 1)}};
        script.add(point);
        if (i % 10 == 0)
            apply(script);
    }
    apply(script);
    ASSERT_EQ(model.rowCount(sweep), points);
    EXPECT_EQ(reset.count(), 0);
    EXPECT_EQ(inserted.count(), 102); // the turn, 100 batches and the rest
    for (const QList<QVariant>& one : changed)
        EXPECT_EQ(one.at(0).toModelIndex().row(), sweep.row()); // nothing else was touched
    EXPECT_EQ(sweep.data(TurnRole::points).toInt(), points);
    EXPECT_TRUE(sweep.data(TurnRole::running).toBool());
    EXPECT_EQ(text(999, TurnColumn::turn, sweep), u"4.1000");
    EXPECT_EQ(text(7, TurnColumn::verdict, sweep), u"slower · BLOCK=256");
    const Chosen seventh{4, "s7"};
    const QModelIndex found = model.index_of(seventh);
    EXPECT_EQ(found.row(), 7);
    EXPECT_EQ(found.parent(), sweep);
    EXPECT_EQ(model.chosen_at(found), seventh);
    EXPECT_EQ(model.index_of({4, "not there"}), sweep);
    // One of them wins: its row and the turns' rows are told, no more.
    changed.clear();
    script.champion(4, "s7", 1.4e-3).end(4);
    apply(script);
    EXPECT_TRUE(found.data(TurnRole::champion).toBool());
    EXPECT_FALSE(model.index_of({3, {}}).data(TurnRole::champion).toBool());
    EXPECT_LE(changed.count(), 4);
    EXPECT_EQ(sweep.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data().toString(), u"slower");
}

TEST_F(TurnModelTest, NotesOfPeopleAreToldAsTheyAreWritten) {
    mock_run();
    const QTemporaryDir folder;
    RunNotes notes;
    notes.open(folder.path());
    model.set_notes(&notes);
    QSignalSpy told(&model, &QAbstractItemModel::dataChanged);
    notes.set_note(2, QStringLiteral("the tail again"));
    notes.set_note(77, QStringLiteral("no such turn"));
    ASSERT_EQ(told.count(), 1);
    EXPECT_EQ(told[0][0].toModelIndex().row(), 2);
    const QModelIndex turn = cell(2, TurnColumn::turn);
    EXPECT_EQ(turn.data(TurnRole::note).toString(), QStringLiteral("the tail again"));
    EXPECT_FALSE(turn.data(TurnRole::marked).toBool());
    EXPECT_TRUE(turn.data(Qt::ToolTipRole).toString().endsWith(QStringLiteral("Note: the tail again")));
    notes.set_starred(2, true);
    EXPECT_TRUE(turn.data(TurnRole::marked).toBool());
    EXPECT_TRUE(cell(1, TurnColumn::turn).data(TurnRole::note).toString().isEmpty());
}

TEST_F(TurnModelTest, TurnsOutOfOrderKeepTheirPlaces) {
    store.reset(RunMode::ended, {}, nullptr);
    script.begin();
    for (const int number : {7, 3, 12, 0, 5}) {
        script.turn(number, 99, "model"); // a parent that is not there
        apply(script);
    }
    script.turn(4, 3, "model").turn(6, 4, "model").turn(20, 12, "model").turn(1, 0, "model");
    apply(script);
    QStringList numbers;
    for (int row = 0; row < model.rowCount(); ++row)
        numbers << text(row, TurnColumn::turn);
    EXPECT_EQ(numbers.join(u' '), u"start 1 3 4 5 6 7 12 20");
    EXPECT_EQ(model.index_of({7, {}}).data(TurnRole::parent_turn).toInt(), -1);
    EXPECT_EQ(model.index_of({4, {}}).data(TurnRole::parent_turn).toInt(), 3);
    for (int row = 0; row < model.rowCount(); ++row)
        EXPECT_EQ(model.index_of(model.chosen_at(model.index(row, 0))).row(), row);
    EXPECT_FALSE(model.index_of({2, {}}).isValid());
    EXPECT_EQ(model.chosen_at({}).turn, -1);
}

TEST_F(TurnModelTest, NothingInAJournalMakesItFail) {
    store.reset(RunMode::ended, {}, nullptr);
    script.begin(std::string(80, 'n'));
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    int number = 0;
    for (const double figure : {nan, inf, -inf, -1.0, 0.0, 1e300, 5e-324}) {
        ++number;
        script.turn(number, 0, "tuner")
            .add(accepted(number, "a", "faster", figure, speedup(figure, figure, figure), figure, 1))
            .add(accepted(number, "a", "slower", figure))
            .add(accepted(number, "", "inconclusive", figure));
    }
    ++number;
    script.turn(number, 0, "model")
        .add(EventType::evaluation, Json{{"turn", number},
                                         {"evaluation", 7},
                                         {"verdict", Json::array()},
                                         {"stages", "x"},
                                         {"flags", 3},
                                         {"vs_baselines", Json::array({1})},
                                         {"result", {{"cases", {1, "x", nullptr}}, {"failure", {{"case", 4}}}}}})
        .add(EventType::evaluation, Json{{"turn", 1e300}})
        .add(EventType::champion, Json{{"turn", -5}, {"seconds_per_call", -1}})
        .add(EventType::turn_finished, Json{{"turn", std::numeric_limits<std::int64_t>::max()}})
        .turn(std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), std::string(100'000, 'a'))
        .turn(-7, -7, "\x1b[31m\xff");
    apply(script);
    int cells = 0;
    const std::function<void(const QModelIndex&)> look = [&](const QModelIndex& parent) {
        for (int row = 0; row < model.rowCount(parent); ++row)
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                for (const int role : {static_cast<int>(Qt::DisplayRole), static_cast<int>(Qt::ToolTipRole),
                                       static_cast<int>(Qt::AccessibleTextRole), static_cast<int>(TurnRole::sort),
                                       static_cast<int>(TurnRole::kind)}) {
                    const QString shown = index.data(role).toString();
                    if (role != TurnRole::sort) {
                        EXPECT_FALSE(shown.contains(QStringLiteral("nan"), Qt::CaseInsensitive)) << shown.toStdString();
                        EXPECT_FALSE(QStringView(shown).startsWith(u"inf") || shown.contains(QStringLiteral("+inf")) ||
                                     shown.contains(QStringLiteral("0.000")))
                            << shown.toStdString();
                    }
                }
                ++cells;
                if (column == 0)
                    look(index);
            }
    };
    look({});
    EXPECT_GT(cells, 100);
    for (const int bad : {1, 2, 3, 4, 5, 6, 7}) { // 6: 1e300 s, 7: the least number there is
        const int row = model.index_of({bad, {}}).row();
        EXPECT_EQ(text(row, TurnColumn::time), QStringLiteral("–")) << bad;
        EXPECT_EQ(text(row, TurnColumn::against_champion), QString()) << bad;
        EXPECT_EQ(text(row, TurnColumn::speed_against_eager), QString()) << bad;
    }
}

TEST_F(TurnModelTest, SortsFiguresAsFiguresAndFilters) {
    mock_run();
    QSortFilterProxyModel proxy;
    QAbstractItemModelTester proxy_tester(&proxy, QAbstractItemModelTester::FailureReportingMode::Fatal);
    proxy.setSourceModel(&model);
    proxy.setSortRole(TurnRole::sort);
    proxy.sort(static_cast<int>(TurnColumn::time));
    proxy.setFilterKeyColumn(static_cast<int>(TurnColumn::verdict));
    // 10.5 ms is more than 2.1 ms, though not as text; what has no time stands last.
    script.turn(4, 0, "model").add(accepted(4, "e4", "slower", 10.5e-3)).end(4);
    apply(script);
    QStringList order;
    for (int row = 0; row < proxy.rowCount(); ++row)
        order << proxy.index(row, 0).data().toString();
    EXPECT_EQ(order.mid(0, 3).join(u' '), u"3 ★ start 4");
    proxy.setFilterRegularExpression(QStringLiteral("faster|slower"));
    EXPECT_EQ(proxy.rowCount(), 2);
    script.turn(5, 0, "model").add(accepted(5, "e5", "faster", 1e-3)).end(5);
    apply(script);
    ASSERT_EQ(proxy.rowCount(), 3);
    EXPECT_EQ(proxy.index(0, 0).data().toString(), u"5");
}

TEST_F(TurnModelTest, TenThousandTurnsGrowAndReset) {
    store.reset(RunMode::ended, {}, nullptr);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    constexpr int turns = 10'000;
    script.begin();
    for (int number = 0; number < turns; ++number) {
        script.turn(number, number - 1, "model").add(accepted(number, "e", "slower", 1e-3)).end(number);
        if (number % 1000 == 0)
            apply(script);
    }
    apply(script);
    EXPECT_EQ(model.rowCount(), turns);
    EXPECT_EQ(reset.count(), 0);
    for (int number = 0; number < turns; number += 37)
        ASSERT_EQ(model.index_of({number, {}}).row(), number);
    store.reset(RunMode::none, {}, nullptr);
    EXPECT_EQ(reset.count(), 1);
    EXPECT_EQ(model.rowCount(), 0);
    mock_run();
    EXPECT_EQ(model.rowCount(), 4);
}

TEST_F(TurnModelTest, AQuickBenchFillsUp) {
    mock_run();
    auto quick = accepted(4, "q", "faster", 1.4e-3, speedup(1.08, 1.07, 1.09));
    quick.level = "screen";
    quick.cases = 2;
    quick.cases_total = 18;
    script.turn(4, 3, "human").add(quick).end(4);
    apply(script);
    const QModelIndex evidence = model.index_of({4, {}}).siblingAtColumn(static_cast<int>(TurnColumn::evidence));
    EXPECT_EQ(evidence.data().toString(), u"screen · 2/18");
    script.add(StageProgress{4, "q", "verify", "case", "", 0, Json{{"index", 7}, {"total", 18}}});
    apply(script);
    EXPECT_EQ(evidence.data().toString(), u"screen · 8/18");
    // The rest finds an error: the same evaluation is told again, and the turn's row turns wrong.
    auto wrong = rejected(4, "q", "mismatch", {{"failure", {{"pattern", "row"}}}});
    wrong.cases = 9;
    wrong.cases_total = 18;
    script.add(wrong).end(4, "failed");
    apply(script);
    EXPECT_EQ(evidence.data().toString(), u"screen");
    EXPECT_EQ(evidence.siblingAtColumn(static_cast<int>(TurnColumn::verdict)).data().toString(), u"wrong · whole rows");
    EXPECT_EQ(evidence.siblingAtColumn(static_cast<int>(TurnColumn::time)).data().toString(), u"");
    EXPECT_EQ(model.rowCount(model.index_of({4, {}})), 0);
}

TEST_F(TurnModelTest, TheUnitIsFixedByTheFirstMeasurement) {
    store.reset(RunMode::live, {}, nullptr);
    EXPECT_FALSE(model.unit().known);
    script.begin().turn(0, -1, "file").add(accepted(0, "e0", "verified", 2.1e-3)).champion(0, "e0", 2.1e-3);
    apply(script);
    QSignalSpy header(&model, &QAbstractItemModel::headerDataChanged);
    script.turn(1, 0, "model").add(accepted(1, "e1", "faster", 41.7e-6)).champion(1, "e1", 41.7e-6);
    apply(script);
    EXPECT_EQ(model.unit().name, u"ms");
    EXPECT_EQ(text(1, TurnColumn::time), u"0.0417"); // more digits, never another unit
    EXPECT_EQ(text(0, TurnColumn::time), u"2.1000");
    EXPECT_EQ(header.count(), 0);
}

} // namespace
} // namespace kf::ui
