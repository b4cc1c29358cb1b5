// SPDX-License-Identifier: GPL-3.0-or-later
// Each check finds what was broken on purpose, and finds nothing in the same window whole.
#include "tests/scenes/checks/checks.h"
#include "ui/theme/theme.h"
#include "ui/widgets/pane.h"
#include "ui/widgets/plot_widget.h"
#include "ui/widgets/style.h"

#include <QApplication>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <gtest/gtest.h>

namespace kf::scenes {
namespace {

using namespace Qt::Literals::StringLiterals;

class Plot : public ui::PlotWidget {
public:
    explicit Plot(QWidget* parent) : PlotWidget(u"plot"_s, parent) { setMinimumSize(200, 80); }
    void render_to(QPainter& painter, const QRectF& area) const override {
        painter.setPen(QPen(ui::Theme::current().accent, 3));
        if (!blank)
            painter.drawLine(area.topLeft(), area.bottomRight());
    }
    QString text_twin() const override { return twin; }
    bool blank = false;
    QString twin = u"a line"_s;
};

class Something : public ui::Pane {
public:
    explicit Something(QWidget* parent) : Pane(u"something"_s, u"Something"_s, u"info"_s, parent) {}
    QString text_twin() const override { return twin; }
    QString twin = u"text"_s;
};

// A small window with one of each; tests break one thing.
class ChecksTest : public ::testing::Test {
protected:
    void SetUp() override {
        ui::apply_style(*qApp, ui::ThemeName::dark);
        window = std::make_unique<QWidget>();
        column = new QVBoxLayout(window.get());
        label = new QLabel(u"A label that says something"_s);
        button = new QPushButton(u"Run the tuner"_s);
        button->setMinimumHeight(28);
        tool = new QToolButton;
        tool->setMinimumSize(28, 28);
        tool->setAccessibleName(u"More"_s);
        tool->setToolTip(u"More"_s);
        tool->setFocusPolicy(Qt::TabFocus);
        field = new QLineEdit;
        field->setMinimumHeight(28);
        field->setAccessibleName(u"Search"_s);
        tabs = new QTabBar;
        tabs->addTab(u"Timeline"_s);
        tabs->addTab(u"Distribution"_s);
        tabs->setAccessibleName(u"Panes"_s);
        model = new QStandardItemModel(2, 2, window.get());
        model->setHorizontalHeaderLabels({u"turn"_s, u"verdict"_s});
        model->setItem(0, 0, new QStandardItem(u"1"_s));
        model->setItem(0, 1, new QStandardItem(u"faster"_s));
        table = new QTableView;
        table->setModel(model);
        table->setAccessibleName(u"Turns"_s);
        table->horizontalHeader()->setMinimumSectionSize(16);
        table->verticalHeader()->setDefaultSectionSize(28);
        table->setMinimumHeight(120);
        plot = new Plot(nullptr);
        pane = new Something(nullptr);
        auto* inner = new QVBoxLayout(pane);
        inner->addWidget(plot);
        for (QWidget* widget : std::initializer_list<QWidget*>{label, button, tool, field, tabs, table, pane})
            column->addWidget(widget);
        window->resize(420, 520);
    }
    std::vector<Flaw> flaws() {
        window->show();
        QApplication::processEvents();
        return check_all(look_at(*window));
    }
    // What was found by this check; anything else is a failure.
    int found(const QString& check) {
        int count = 0;
        for (const Flaw& flaw : flaws()) {
            if (flaw.check == check)
                ++count;
            else
                ADD_FAILURE() << qPrintable(flaw.check + u" · "_s + flaw.where + u" · "_s + flaw.what);
        }
        return count;
    }

    std::unique_ptr<QWidget> window;
    QVBoxLayout* column;
    QLabel* label;
    QPushButton* button;
    QToolButton* tool;
    QLineEdit* field;
    QTabBar* tabs;
    QStandardItemModel* model;
    QTableView* table;
    Plot* plot;
    Something* pane;
};

TEST_F(ChecksTest, AWholeWindowHasNoFlaws) {
    EXPECT_EQ(found(u"none"_s), 0);
    ui::apply_style(*qApp, ui::ThemeName::light);
    EXPECT_EQ(found(u"none"_s), 0);
}

TEST_F(ChecksTest, ClippedTextIsFound) {
    label->setFixedWidth(60);
    EXPECT_EQ(found(u"clipped"_s), 1);
    label->setWordWrap(true);
    label->setFixedHeight(18);
    EXPECT_GE(found(u"clipped"_s), 1);
    label->setText(u"ok"_s);
    EXPECT_EQ(found(u"clipped"_s), 0);
    button->setFixedWidth(40);
    EXPECT_EQ(found(u"clipped"_s), 1);
    button->setText({});
    button->setToolTip(u"Run"_s);
    button->setAccessibleName(u"Run"_s);
    table->setColumnWidth(1, 30);
    EXPECT_GE(found(u"clipped"_s), 2); // header and cell
}

TEST_F(ChecksTest, ElidedWithTheWholeInTheToolTipIsNotClipped) {
    table->setColumnWidth(1, 30);
    model->item(0, 1)->setToolTip(u"faster"_s);
    model->setHeaderData(1, Qt::Horizontal, u"verdict"_s, Qt::ToolTipRole);
    EXPECT_EQ(found(u"clipped"_s), 0);
}

TEST_F(ChecksTest, CutAndOverlappingWidgetsAreFound) {
    auto* stray = new QWidget(window.get());
    stray->setGeometry(400, 10, 80, 20);
    EXPECT_EQ(found(u"cut"_s), 1);
    delete stray;
    flaws();
    button->setGeometry(field->geometry());
    const auto all = check_geometry(look_at(*window));
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front().check, u"overlap"_s);
}

TEST_F(ChecksTest, SqueezedWidgetsAreFound) {
    label->setText(
        u"A label that says something that is much wider than this whole window will ever be, and goes on, and on"_s);
    flaws();
    window->setMinimumSize(1, 1);
    column->setSizeConstraint(QLayout::SetNoConstraint);
    window->resize(300, 520);
    bool seen = false;
    for (const Flaw& flaw : flaws())
        seen = seen || flaw.check == u"squeezed"_s || flaw.check == u"clipped"_s || flaw.check == u"cut"_s;
    EXPECT_TRUE(seen);
}

TEST_F(ChecksTest, SmallTargetsAreFound) {
    tool->setFixedSize(18, 18);
    EXPECT_EQ(found(u"target"_s), 1);
    tool->setFixedSize(28, 28);
    table->verticalHeader()->setMinimumSectionSize(12);
    table->verticalHeader()->setDefaultSectionSize(18);
    EXPECT_EQ(found(u"target"_s), 1);
}

TEST_F(ChecksTest, WeakContrastIsFound) {
    QPalette palette = label->palette();
    const QColor weak = ui::blend(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.3);
    palette.setColor(QPalette::WindowText, weak);
    label->setPalette(palette);
    EXPECT_EQ(found(u"contrast"_s), 1);
    label->setEnabled(false); // what cannot be used may be pale
    EXPECT_EQ(found(u"contrast"_s), 0);
}

TEST_F(ChecksTest, WhatTabDoesNotReachIsFound) {
    field->setFocusPolicy(Qt::ClickFocus);
    EXPECT_EQ(found(u"tab"_s), 1);
}

TEST_F(ChecksTest, MissingNamesAndTipsAreFound) {
    tool->setAccessibleName({});
    tool->setToolTip({});
    int names = 0, tips = 0;
    for (const Flaw& flaw : flaws()) {
        names += flaw.check == u"name"_s;
        tips += flaw.check == u"tip"_s;
    }
    EXPECT_EQ(names, 1);
    EXPECT_EQ(tips, 1);
}

TEST_F(ChecksTest, BlankPlotsAndPanesAreFound) {
    plot->blank = true;
    EXPECT_EQ(found(u"blank"_s), 2); // the pane shows nothing else
    plot->blank = false;
    pane->twin.clear();
    EXPECT_EQ(found(u"blank"_s), 1);
}

} // namespace
} // namespace kf::scenes
