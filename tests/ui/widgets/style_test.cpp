// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn, measured: the ring of the keyboard, sizes of targets, contrast of text as it lands on the screen.
#include "ui/widgets/icon_button.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QStringListModel>
#include <QStyleOption>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QVBoxLayout>
#include <gtest/gtest.h>
#include <map>

namespace kf::ui {
namespace {

constexpr ThemeName all_themes[] = {ThemeName::dark, ThemeName::light, ThemeName::contrast};

// Pixels that are nearly of the colour.
int count_of(const QImage& image, const QColor& colour) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            count += std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) +
                         std::abs(pixel.blue() - colour.blue()) <
                     24;
        }
    return count;
}

// One of each, in a window that is active.
struct Bench {
    QWidget window;
    std::map<std::string, QWidget*> widgets;

    Bench() {
        auto* column = new QVBoxLayout(&window);
        const auto add = [&](const char* name, QWidget* widget) {
            column->addWidget(widget);
            widgets[name] = widget;
        };
        add("push button", new QPushButton(QStringLiteral("Pause after turn")));
        auto* primary = new QPushButton(QStringLiteral("Run"));
        set_look(*primary, ButtonLook::primary);
        add("primary", primary);
        auto* danger = new QPushButton(QStringLiteral("Stop now"));
        set_look(*danger, ButtonLook::danger);
        add("danger", danger);
        auto* link = new QPushButton(QStringLiteral("raw samples"));
        set_look(*link, ButtonLook::link);
        add("link", link);
        add("icon button", new IconButton(QStringLiteral("pin"), QStringLiteral("Pin")));
        add("check box", new QCheckBox(QStringLiteral("Follow")));
        add("radio", new QRadioButton(QStringLiteral("Dark")));
        add("line edit", new QLineEdit(QStringLiteral("text")));
        auto* combo = new QComboBox;
        combo->addItem(QStringLiteral("cuda:0"));
        add("combo box", combo);
        auto* editable = new QComboBox;
        editable->setEditable(true);
        add("editable combo box", editable);
        add("spin box", new QSpinBox);
        add("slider", new QSlider(Qt::Horizontal));
        auto* tabs = new QTabBar;
        tabs->addTab(QStringLiteral("Timeline"));
        tabs->addTab(QStringLiteral("Tree"));
        add("tabs", tabs);
        add("text", new QPlainTextEdit);
        window.show();
        QApplication::setActiveWindow(&window);
        static_cast<void>(QTest::qWaitForWindowActive(&window));
    }
};

TEST(Style, TheKeyboardIsSeenEverywhere) {
    for (const ThemeName name : all_themes) {
        apply_style(*qApp, name);
        Bench bench;
        for (const auto& [what, widget] : bench.widgets) {
            widget->clearFocus();
            QApplication::processEvents();
            const QImage before = widget->grab().toImage();
            widget->setFocus(Qt::TabFocusReason);
            QApplication::processEvents();
            ASSERT_TRUE(widget->hasFocus() || (widget->focusProxy() && widget->focusProxy()->hasFocus())) << what;
            const QImage after = widget->grab().toImage();
            const Theme& theme = Theme::current();
            // A primary button is the accent already; there the ring is in the colour of its text.
            const QColor ring = what == "primary" ? theme.on_accent : theme.accent;
            EXPECT_GT(count_of(after, ring), count_of(before, ring) + 30)
                << what << " in " << to_string(name).toStdString();
        }
    }
}

TEST(Style, TheKeyboardIsSeenInATableWithoutASelection) {
    apply_style(*qApp, ThemeName::dark);
    QStandardItemModel model(3, 2);
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* view = new QTableView;
    view->setModel(&model);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    column->addWidget(view);
    window.show();
    QApplication::setActiveWindow(&window);
    static_cast<void>(QTest::qWaitForWindowActive(&window));
    view->clearFocus();
    const QColor accent = Theme::current().accent;
    EXPECT_EQ(count_of(view->grab().toImage(), accent), 0);
    view->setFocus(Qt::TabFocusReason);
    view->selectionModel()->setCurrentIndex(model.index(1, 1), QItemSelectionModel::NoUpdate);
    EXPECT_GT(count_of(view->grab().toImage(), accent), 100) << "a ring around the cell";
    view->selectRow(1);
    const int edge = count_of(view->grab().toImage(), accent);
    EXPECT_GE(edge, 3 * (metrics::row_height - 2)) << "the edge of the row";
    EXPECT_LE(edge, 3 * (metrics::row_height + 4));
}

TEST(Style, TargetsAreLargeEnough) {
    apply_style(*qApp, ThemeName::dark);
    Bench bench;
    for (const auto& [what, widget] : bench.widgets) {
        EXPECT_GE(widget->sizeHint().height(), 24) << what;
        EXPECT_GE(widget->sizeHint().width(), 24) << what;
    }
    const Segmented segmented({QStringLiteral("A"), QStringLiteral("B")});
    for (const QWidget* part : segmented.findChildren<QWidget*>())
        EXPECT_GE(part->sizeHint().height(), 24);
    QStringListModel model({QStringLiteral("one"), QStringLiteral("two")});
    QListView list;
    list.setModel(&model);
    EXPECT_EQ(list.sizeHintForRow(0), metrics::row_height);
    QScrollBar bar(Qt::Vertical);
    bar.setRange(0, 1000000);
    bar.resize(bar.sizeHint().width(), 300);
    EXPECT_EQ(bar.width(), metrics::scroll_bar);
    QStyleOptionSlider option;
    option.initFrom(&bar);
    option.orientation = Qt::Vertical;
    option.maximum = 1000000;
    option.pageStep = 10;
    option.sliderPosition = 1000000;
    const QRect handle = bar.style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, &bar);
    EXPECT_GE(handle.height(), 24);
    EXPECT_EQ(handle.bottom(), bar.rect().bottom());
}

// The strongest contrast that is found in the picture of a label against its commonest colour: that of its strokes.
double text_contrast(const QImage& image) {
    std::map<QRgb, int> colours;
    for (int y = 3; y < image.height() - 3; ++y)
        for (int x = 6; x < image.width() - 6; ++x)
            ++colours[image.pixel(x, y)];
    QRgb ground = 0;
    int most = 0;
    for (const auto& [colour, count] : colours)
        if (count > most) {
            most = count;
            ground = colour;
        }
    double best = 1;
    for (const auto& [colour, count] : colours)
        best = std::max(best, contrast(QColor(ground), QColor(colour)));
    return best;
}

TEST(Style, WrittenButtonsCanBeReadInEveryState) {
    for (const ThemeName name : all_themes) {
        apply_style(*qApp, name);
        for (const ButtonLook look : {ButtonLook::normal, ButtonLook::primary, ButtonLook::danger, ButtonLook::flat,
                                      ButtonLook::link, ButtonLook::segment})
            for (const bool checked : {false, true})
                for (const bool down : {false, true}) {
                    QWidget parent;
                    QPushButton button(QStringLiteral("HHHHH"), &parent);
                    set_look(button, look);
                    button.setCheckable(true);
                    button.setChecked(checked);
                    button.setDown(down);
                    button.resize(button.sizeHint());
                    EXPECT_GE(text_contrast(button.grab().toImage()), 4.5)
                        << to_string(name).toStdString() << ' ' << static_cast<int>(look) << checked << down;
                }
    }
}

TEST(Style, HeadersAreNotCut) {
    apply_style(*qApp, ThemeName::dark);
    QStandardItemModel model(1, 1);
    const auto lowest = [&](const QString& text) {
        model.setHorizontalHeaderLabels({text});
        QTableView view;
        view.setModel(&model);
        view.resize(200, 100);
        const QImage image = view.horizontalHeader()->grab().toImage();
        int row = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (contrast(image.pixelColor(x, y), Theme::current().panel) > 3)
                    row = y;
        return row;
    };
    const int base = lowest(QStringLiteral("xxx"));
    EXPECT_GE(lowest(QStringLiteral("ppp")), base + 2);
}

TEST(Style, ContentIsNotCut) {
    apply_style(*qApp, ThemeName::dark);
    const auto widest = [](QAbstractButton& button) {
        button.resize(button.sizeHint());
        const QImage fit = button.grab().toImage();
        // With more room nothing more may be seen.
        button.resize(button.sizeHint() + QSize(80, 0));
        const QImage wide = button.grab().toImage();
        return std::pair(count_of(fit, Theme::current().text), count_of(wide, Theme::current().text));
    };
    QPushButton plain(QStringLiteral("raw samples"));
    QPushButton keyed(QStringLiteral("Pause after turn"));
    set_key_hint(keyed, QStringLiteral("F9"));
    QToolButton split;
    split.setText(QStringLiteral("Export"));
    split.setPopupMode(QToolButton::MenuButtonPopup);
    for (QAbstractButton* button : {static_cast<QAbstractButton*>(&plain), static_cast<QAbstractButton*>(&keyed),
                                    static_cast<QAbstractButton*>(&split)}) {
        const auto [fit, wide] = widest(*button);
        EXPECT_GT(fit, 20);
        EXPECT_NEAR(fit, wide, wide * 0.12) << button->text().toStdString();
    }
}

} // namespace
} // namespace kf::ui
