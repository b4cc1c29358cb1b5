// SPDX-License-Identifier: GPL-3.0-or-later
// Draws every widget in its states into pictures to look at: kf_ui_gallery FOLDER [dark|light|contrast [text scale]].
// The scale of the screen is QT_SCALE_FACTOR's.
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/marks.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/key_cap.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/status_chip.h"
#include "ui/widgets/style.h"
#include "ui/widgets/toast.h"
#include "ui/widgets/verdict_delegate.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QSplitter>
#include <QStandardItemModel>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QToolBar>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QVBoxLayout>
#include <cstdio>

using namespace kf;
using namespace kf::ui;

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class MarkSheet : public QWidget {
public:
    MarkSheet() { setFixedSize(560, 150); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setFont(text_font(11));
        for (int kind = 0; kind <= static_cast<int>(VerdictKind::none); ++kind) {
            const double x = 22 + kind * 42;
            draw_mark(painter, static_cast<VerdictKind>(kind), {x, 16}, 10);
            draw_mark(painter, static_cast<VerdictKind>(kind), {x, 42}, 18);
            draw_mark(painter, static_cast<VerdictKind>(kind), {x, 74}, 18, true);
            painter.setPen(Theme::current().dim);
            painter.drawText(QRectF(x - 21, 90, 42, 14), Qt::AlignCenter,
                             mark_word(static_cast<VerdictKind>(kind)).left(6));
        }
        for (int level = 0; level < 4; ++level) {
            draw_evidence(painter, static_cast<Level>(level), {22.0 + level * 42, 122}, 10);
            draw_evidence(painter, static_cast<Level>(level), {38.0 + level * 42, 122}, 16);
        }
        draw_star(painter, {210, 122}, 12, Theme::current().text);
        draw_star(painter, {230, 122}, 18, Theme::current().text);
    }
};

class IconSheet : public QWidget {
public:
    IconSheet() { setFixedSize(560, 24 * (static_cast<int>(icon_names().size()) / 18 + 1) + 8); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        int place = 0;
        for (const QString& name : icon_names()) {
            icon(name).paint(&painter, QRect(8 + place % 18 * 30, 6 + place / 18 * 24, 16, 16));
            ++place;
        }
    }
};

QStandardItemModel* turns(QObject* parent) {
    struct Row {
        const char *turn, *verdict, *time, *against, *evidence;
        VerdictKind kind;
        int level;
        bool star, human;
    };
    const Row rows[] = {{"start", "start kernel", "2.100", "", "promoted", VerdictKind::start, 3, false, false},
                        {"1", "compile error", "", "", "", VerdictKind::error, -1, false, false},
                        {"2", "wrong · gate bias shifted", "", "", "", VerdictKind::wrong, -1, false, false},
                        {"3", "faster", "1.830", "−12.9 % ± 0.4", "certified", VerdictKind::faster, 2, false, false},
                        {"4", "equivalent", "1.838", "+0.4 % ± 0.4", "duel", VerdictKind::equivalent, 1, false, false},
                        {"7", "inconclusive · clocks moved", "1.606", "−0.9 % ± 1.2", "screen",
                         VerdictKind::inconclusive, 0, false, true},
                        {"8", "faster", "1.512", "−6.7 % ± 0.2", "promoted", VerdictKind::faster, 3, true, false},
                        {"9", "slower", "1.541", "+1.9 % ± 0.3", "certified", VerdictKind::slower, 2, false, false},
                        {"10", "timeout", "", "", "", VerdictKind::timeout, -1, false, false},
                        {"11", "suspect", "", "", "", VerdictKind::suspect, -1, false, false}};
    auto* model = new QStandardItemModel(0, 5, parent);
    model->setHorizontalHeaderLabels({s("turn"), s("verdict"), s("median ms"), s("vs champion"), s("evidence")});
    for (const int column : {2, 3})
        model->setHeaderData(column, Qt::Horizontal, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                             Qt::TextAlignmentRole);
    for (const int column : {0, 1, 4})
        model->setHeaderData(column, Qt::Horizontal, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                             Qt::TextAlignmentRole);
    const VerdictRoles roles;
    for (const Row& row : rows) {
        QList<QStandardItem*> items;
        for (const char* text : {row.turn, row.verdict, row.time, row.against, row.evidence})
            items << new QStandardItem(s(text));
        items[0]->setData(row.star, roles.star);
        items[0]->setData(row.star, roles.champion);
        items[1]->setData(static_cast<int>(row.kind), roles.kind);
        items[1]->setData(row.human, roles.human);
        if (row.level >= 0)
            items[4]->setData(row.level, roles.level);
        model->appendRow(items);
    }
    return model;
}

QTreeView* turn_table(QWidget* parent) {
    auto* view = new QTreeView(parent);
    view->setModel(turns(view));
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setSortingEnabled(false);
    using Part = VerdictDelegate::Part;
    int column = 0;
    for (const Part part : {Part::turn, Part::verdict, Part::figure, Part::figure, Part::evidence})
        view->setItemDelegateForColumn(column++, new VerdictDelegate(part, view));
    const int widths[] = {64, 220, 96, 130, 110};
    for (column = 0; column < 5; ++column)
        view->setColumnWidth(column, widths[column]);
    view->setCurrentIndex(view->model()->index(6, 0));
    return view;
}

QWidget* controls() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    for (const bool enabled : {true, false}) {
        auto* row = new QHBoxLayout;
        auto* primary = new QPushButton(icon(s("run")), s("Run"));
        set_look(*primary, ButtonLook::primary);
        auto* normal = new QPushButton(icon(s("pause")), s("Pause after turn"));
        set_key_hint(*normal, s("F9"));
        auto* danger = new QPushButton(icon(s("stop")), s("Stop now"));
        set_look(*danger, ButtonLook::danger);
        auto* flat = new QPushButton(s("Copy details"));
        set_look(*flat, ButtonLook::flat);
        auto* link = new QPushButton(s("raw samples"));
        set_look(*link, ButtonLook::link);
        auto* on = new QPushButton(s("Pinned"));
        on->setCheckable(true);
        on->setChecked(true);
        auto* task = new QPushButton(s("swiglu_bias"));
        task->setMenu(new QMenu(task));
        set_detail(*task, s("f16 · 4096×14336×4096"));
        for (QWidget* widget : {static_cast<QWidget*>(primary), static_cast<QWidget*>(normal),
                                static_cast<QWidget*>(danger), static_cast<QWidget*>(flat), static_cast<QWidget*>(link),
                                static_cast<QWidget*>(on), static_cast<QWidget*>(task)}) {
            widget->setEnabled(enabled);
            row->addWidget(widget);
        }
        row->addStretch();
        column->addLayout(row);
        row = new QHBoxLayout;
        auto* line = new QLineEdit(enabled ? s("typed text") : QString());
        line->setPlaceholderText(s("Hint for turn 11 …"));
        auto* search = new SearchField(s("Search the log"));
        search->setText(enabled ? s("launch") : QString());
        if (enabled)
            search->set_result(s("3 of 12"));
        auto* combo = new QComboBox;
        combo->addItems({s("nemotron-3-super-120b"), s("gpt-oss-120b")});
        auto* edit = new QComboBox;
        edit->setEditable(true);
        edit->addItem(s("cuda:0"));
        auto* spin = new QSpinBox;
        spin->setValue(20);
        spin->setSuffix(s(" turns"));
        for (QWidget* widget :
             {static_cast<QWidget*>(line), static_cast<QWidget*>(search), static_cast<QWidget*>(combo),
              static_cast<QWidget*>(edit), static_cast<QWidget*>(spin)}) {
            widget->setEnabled(enabled);
            row->addWidget(widget);
        }
        column->addLayout(row);
        row = new QHBoxLayout;
        for (const auto state : {Qt::Unchecked, Qt::PartiallyChecked, Qt::Checked}) {
            auto* check = new QCheckBox(s("Check"));
            check->setTristate(state == Qt::PartiallyChecked);
            check->setCheckState(state);
            check->setEnabled(enabled);
            row->addWidget(check);
        }
        auto* group = new QWidget;
        auto* radios = new QHBoxLayout(group);
        radios->setContentsMargins(0, 0, 0, 0);
        for (const bool chosen : {true, false}) {
            auto* radio = new QRadioButton(s(chosen ? "Chosen" : "Other"));
            radio->setChecked(chosen);
            radio->setEnabled(enabled);
            radios->addWidget(radio);
        }
        row->addWidget(group);
        auto* slider = new QSlider(Qt::Horizontal);
        slider->setValue(40);
        slider->setEnabled(enabled);
        row->addWidget(slider);
        auto* progress = new QProgressBar;
        progress->setValue(45);
        progress->setEnabled(enabled);
        row->addWidget(progress);
        auto* segmented = new Segmented({s("Histogram"), s("ECDF"), s("Box"), s("Raw")});
        segmented->setEnabled(enabled);
        row->addWidget(segmented);
        column->addLayout(row);
        row = new QHBoxLayout;
        auto* tool = new QToolButton;
        tool->setIcon(icon(s("layout")));
        auto* text = new QToolButton;
        text->setText(s("Commands"));
        text->setIcon(icon(s("search")));
        text->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        set_key_hint(*text, s("Ctrl ⇧ P"));
        auto* split = new QToolButton;
        split->setText(s("Export"));
        split->setIcon(icon(s("export")));
        split->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        split->setMenu(new QMenu(split));
        split->setPopupMode(QToolButton::MenuButtonPopup);
        for (QWidget* widget : {static_cast<QWidget*>(tool), static_cast<QWidget*>(text), static_cast<QWidget*>(split),
                                static_cast<QWidget*>(new IconButton(s("pin"), s("Pin"))),
                                static_cast<QWidget*>(new IconButton(s("more"), s("More"))),
                                static_cast<QWidget*>(new KeyCap(s("Ctrl ⏎")))}) {
            widget->setEnabled(enabled);
            row->addWidget(widget);
        }
        row->addStretch();
        column->addLayout(row);
    }
    auto* row = new QHBoxLayout;
    auto* chip = new Chip;
    chip->set_verdict(VerdictKind::faster, s("FASTER"));
    auto* filling = new Chip;
    filling->set_verdict(VerdictKind::faster, s("−6.5 % · screen · 2 of 18 cases"));
    filling->set_progress(0.35);
    auto* wrong = new Chip;
    wrong->set_verdict(VerdictKind::wrong);
    auto* replay = new Chip;
    replay->set_text(s("REPLAY ×4"), Chip::Tint::caution);
    auto* evidence = new Chip;
    evidence->set_evidence(Level::certify);
    for (QWidget* widget : {chip, filling, wrong, replay, evidence})
        row->addWidget(widget);
    row->addWidget(
        new ElidedLabel(s("a_very_long_task_name_that_does_not_fit_into_the_room_it_has_been_given_here_v2_final")));
    column->addLayout(row);
    auto* box = new QGroupBox(s("Limits"));
    auto* inside = new QHBoxLayout(box);
    inside->addWidget(new QLabel(s("Turns")));
    inside->addWidget(new QSpinBox);
    auto* focused = new QPushButton(s("Has the keyboard"));
    focused->setObjectName(s("focused"));
    inside->addWidget(focused);
    auto* busy = new QProgressBar;
    busy->setRange(0, 0);
    busy->setTextVisible(false);
    inside->addWidget(busy);
    column->addWidget(box);
    column->addWidget(new MarkSheet);
    column->addWidget(new IconSheet);
    return page;
}

QWidget* cards() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    auto* changed = new Card(s("What changed"));
    changed->set_rich_text(escaped(s("GEMMs stacked into one library call; epilogue reads h once, 16-byte loads. ")) +
                           link_text(s("+14 −22 lines"), s("diff:")));
    column->addWidget(changed);
    auto* why = new Card(s("Why it is not faster yet"));
    why->set_subtitle(s("one bottleneck"));
    why->set_text(s(
        "GEMM is 94 % of the time, at this GPU's sustained 680 TFLOP/s. The epilogue is 96 µs; its bytes need 83 µs."));
    why->add_action(s("Show evidence"));
    why->add_action(s("Insert into next prompt"));
    column->addWidget(why);
    auto* checked = new Card(s("Checked"));
    checked->set_note(s("18 cases · 5 regimes · poison ×2 · guards · inputs unchanged · 4 sanitizers · held-out 6/6 · "
                        "error 1.1× eager's"));
    column->addWidget(checked);
    auto* sent = new Card(s("Sent to the model"));
    sent->set_emphasis(true);
    sent->set_text(s("Turn 9 was slower (+1.9 % ± 0.3): 16 bytes spilled, 64 registers limit occupancy to 50 %."));
    column->addWidget(sent);
    auto* failed = new Card(s("Compile error"));
    failed->set_edge(Theme::current().error);
    failed->set_text(s("identifier \"silu\" is undefined"));
    column->addWidget(failed);
    column->addStretch();
    return page;
}

QMainWindow* window() {
    auto* main = new QMainWindow;
    main->setUnifiedTitleAndToolBarOnMac(false);
    auto* bar = main->addToolBar(s("Main"));
    bar->setMovable(false);
    auto* run = new QPushButton(icon(s("run")), s("Run"));
    set_look(*run, ButtonLook::primary);
    bar->addWidget(run);
    auto* pause = new QPushButton(icon(s("pause")), s("Pause after turn"));
    set_key_hint(*pause, s("F9"));
    bar->addWidget(pause);
    bar->addSeparator();
    bar->addAction(icon(s("compare")), s("Compare"));
    main->menuBar()->addMenu(s("Run"));
    main->menuBar()->addMenu(s("View"));
    auto* banners = new BannerStack;
    banners->post({s("a"),
                   Severity::warning,
                   s("Clocks are not locked."),
                   s("Times of this run scatter more; run nvidia-smi -lgc 1980 as root."),
                   {},
                   {},
                   {}});
    banners->post({s("b"),
                   Severity::error,
                   s("The endpoint answered 401."),
                   s("Set the key in Settings."),
                   s("Open settings"),
                   {},
                   {}});
    banners->post({s("c"), Severity::info, s("Watching a run of another window."), {}, {}, {}, {}});
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(banners);
    auto* split = new QSplitter(Qt::Vertical);
    auto* tabs = new QTabWidget;
    auto* table = turn_table(nullptr);
    tabs->addTab(table, s("Timeline"));
    tabs->addTab(new QWidget, s("Tree"));
    tabs->addTab(new QWidget, s("Issues 2"));
    split->addWidget(tabs);
    auto* lower = new QTabWidget;
    lower->addTab(new EmptyState(s("distribution"), s("Pin a second turn to compare."), s("Pin this turn")),
                  s("Distribution"));
    lower->addTab(new QWidget, s("Autopsy"));
    lower->setTabsClosable(true);
    split->addWidget(lower);
    column->addWidget(split);
    main->setCentralWidget(centre);
    auto* left = new QDockWidget(s("Runs"));
    auto* tree = new QTreeView;
    auto* model = new QStandardItemModel(tree);
    for (const char* name : {"swiglu_bias", "softmax", "causal_conv1d"}) {
        auto* item = new QStandardItem(s(name));
        item->appendRow(new QStandardItem(s("30 Nov 14:02")));
        item->appendRow(new QStandardItem(s("29 Nov 18:40")));
        model->appendRow(item);
    }
    tree->setModel(model);
    tree->setHeaderHidden(true);
    tree->expand(model->index(0, 0));
    tree->setCurrentIndex(model->index(0, 0));
    left->setWidget(tree);
    main->addDockWidget(Qt::LeftDockWidgetArea, left);
    auto* right = new QDockWidget(s("Autopsy · turn 8"));
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setWidget(cards());
    right->setWidget(scroll);
    main->addDockWidget(Qt::RightDockWidgetArea, right);
    auto* log = new QDockWidget(s("Log"));
    auto* text = new QPlainTextEdit(s("a line of text\nanother"));
    log->setWidget(text);
    main->addDockWidget(Qt::RightDockWidgetArea, log);
    const auto chip = [&](const char* words, StatusChip::Tone tone, const char* name, bool end) {
        auto* status = new StatusChip(nullptr, true);
        if (end)
            main->statusBar()->addPermanentWidget(status);
        else
            main->statusBar()->addWidget(status);
        status->set(s(words), tone, s(name));
    };
    chip("streaming turn 10 · 84 tok/s", StatusChip::Tone::accent, "", false);
    chip("SM 1980 MHz · 61 °C · 512 W", StatusChip::Tone::normal, "gpu", false);
    chip("clocks not locked", StatusChip::Tone::caution, "warning", false);
    chip("turn 10 of 20", StatusChip::Tone::normal, "", true);
    main->statusBar()->setSizeGripEnabled(false);
    return main;
}

QMenu* menu() {
    auto* menu = new QMenu;
    menu->addAction(icon(s("run")), s("Run"))->setShortcut(QKeySequence(Qt::Key_F5));
    menu->addAction(icon(s("pause")), s("Pause after turn"))->setShortcut(QKeySequence(Qt::Key_F9));
    auto* off = menu->addAction(s("Not possible now"));
    off->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    off->setEnabled(false);
    menu->addSeparator();
    auto* checked = menu->addAction(s("Follow newest"));
    checked->setCheckable(true);
    checked->setChecked(true);
    menu->addSection(s("Layout"));
    menu->addMenu(s("Theme"))->addAction(s("Dark"));
    menu->addAction(s("Full screen"))->setShortcut(QKeySequence(Qt::Key_F11));
    menu->setActiveAction(menu->actions().at(1));
    return menu;
}

QWidget* lists() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    auto* split = new QSplitter;
    auto* table = new QTableWidget(6, 3);
    table->setHorizontalHeaderLabels({s("element"), s("expected"), s("found")});
    for (int row = 0; row < 6; ++row)
        for (int cell = 0; cell < 3; ++cell) {
            auto* item = new QTableWidgetItem(s(cell == 0 ? "out[3, 4]" : "0.1234"));
            if (cell == 0)
                item->setCheckState(row % 2 == 0 ? Qt::Checked : Qt::Unchecked);
            table->setItem(row, cell, item);
        }
    table->setSortingEnabled(true);
    table->setCurrentCell(2, 1);
    split->addWidget(table);
    auto* list = new QListWidget;
    for (int i = 0; i < 40; ++i)
        list->addItem(new QListWidgetItem(icon(s("file")), s("kernel_%1.cu").arg(i)));
    list->setCurrentRow(1);
    list->setObjectName(s("list"));
    split->addWidget(list);
    column->addWidget(split, 1);
    auto* text = new QPlainTextEdit(s("Hint for turn 11: keep VEC 4 and read h once."));
    text->selectAll();
    text->setMaximumHeight(60);
    column->addWidget(text);
    auto* spins = new QHBoxLayout;
    auto* box = new QGroupBox(s("Sanitizers"));
    box->setCheckable(true);
    auto* inside = new QVBoxLayout(box);
    inside->addWidget(new QCheckBox(s("memcheck")));
    spins->addWidget(box);
    auto* dial = new QSlider(Qt::Vertical);
    dial->setValue(70);
    spins->addWidget(dial);
    auto* ticks = new QSlider(Qt::Horizontal);
    ticks->setTickPosition(QSlider::TicksBelow);
    ticks->setTickInterval(20);
    spins->addWidget(ticks);
    auto* label = new QLabel(s("A label with a <a href='x'>link</a> to a place"));
    spins->addWidget(label);
    column->addLayout(spins);
    auto* west = new QTabBar;
    west->addTab(icon(s("runs")), s("Runs"));
    west->addTab(icon(s("tasks")), s("Tasks"));
    west->addTab(icon(s("log")), s("A tab with a long name"));
    west->setTabEnabled(1, false);
    column->addWidget(west);
    return page;
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    if (argc < 2) {
        std::fputs("kf_ui_gallery FOLDER [dark|light|contrast [text scale]]\n", stderr);
        return 2;
    }
    const QDir folder(QString::fromLocal8Bit(argv[1]));
    folder.mkpath(s("."));
    if (argc > 3)
        set_text_scale(QByteArray(argv[3]).toDouble());
    for (const ThemeName name : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
        if (argc > 2 && to_string(name) != QString::fromLocal8Bit(argv[2]))
            continue;
        apply_style(application, name);
        const auto save = [&](QWidget* widget, const char* what, QSize size) {
            if (!size.isEmpty())
                widget->resize(size);
            widget->show();
            QApplication::processEvents();
            QApplication::setActiveWindow(widget);
            if (auto* focused = widget->findChild<QPushButton*>(s("focused")))
                focused->setFocus(Qt::TabFocusReason);
            if (auto* toasts = widget->findChild<ToastStack*>())
                toasts->raise();
            QApplication::processEvents();
            const QString path = folder.filePath(
                QStringLiteral("%1-%2-%3.png").arg(s(what), to_string(name)).arg(qGuiApp->devicePixelRatio()));
            widget->grab().save(path);
            widget->hide();
            delete widget;
        };
        save(controls(), "controls", {1000, 780});
        QMainWindow* main = window();
        main->resize(1280, 760);
        auto* toasts = new ToastStack(main);
        toasts->post(s("Copied as CSV"), s("Show"), [] {});
        toasts->post(s("Draft saved"));
        save(main, "window", {1280, 760});
        save(menu(), "menu", {});
        save(lists(), "lists", {760, 520});
        auto* box = new QMessageBox(QMessageBox::Question, s("Close the window"),
                                    s("The run goes on without the window."), QMessageBox::Cancel);
        set_look(*box->addButton(s("Keep running"), QMessageBox::AcceptRole), ButtonLook::primary);
        box->addButton(s("Stop after turn"), QMessageBox::DestructiveRole);
        box->setInformativeText(s("Opened again, it shows the run where it is then."));
        save(box, "question", {});
        auto* combo = new QComboBox;
        combo->addItems({s("nemotron-3-super-120b"), s("gpt-oss-120b"), s("qwen3-coder")});
        combo->show();
        combo->showPopup();
        QApplication::processEvents();
        combo->view()->window()->grab().save(folder.filePath(QStringLiteral("combo-%1.png").arg(to_string(name))));
        delete combo;
        QToolTip::showText({100, 100}, s("Pause after the turn that runs now (F9)"));
        for (QWidget* tip : QApplication::topLevelWidgets())
            if (tip->inherits("QTipLabel"))
                tip->grab().save(folder.filePath(QStringLiteral("tip-%1.png").arg(to_string(name))));
    }
    return 0;
}
