// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/start_page.h"

#include "ui/models/texts.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/style.h"
#include "ui/window/row_delegate.h"

#include <QDateTime>
#include <QEvent>
#include <QLabel>
#include <QListView>
#include <QListWidget>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int recent_shown = 6, page_width = 1120, one_column_below = 820;

QString when_text(double seconds) {
    const QDateTime then = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(seconds * 1000));
    if (seconds <= 0 || !then.isValid())
        return {};
    const QDateTime now = QDateTime::currentDateTime();
    if (then.date() == now.date())
        return QStringLiteral("today ") + then.toString(QStringLiteral("HH:mm"));
    if (then.daysTo(now) == 1)
        return QStringLiteral("yesterday ") + then.toString(QStringLiteral("HH:mm"));
    return then.toString(then.date().year() == now.date().year() ? QStringLiteral("d MMM HH:mm")
                                                                 : QStringLiteral("d MMM yyyy"));
}

QString state_text(const RunSummary& run) {
    if (!run.trouble.empty())
        return QStringLiteral("cannot be read");
    if (!run.loaded)
        return QStringLiteral("reading …");
    if (run.live())
        return run.paused ? QStringLiteral("paused") : QStringLiteral("running");
    return run.status == RunStatus::finished ? QStringLiteral("ended") : QStringLiteral("interrupted");
}

RowTexts run_texts(const RunSummary& run) {
    RowTexts texts;
    texts.title = plain(run.task);
    QStringList parts{when_text(run.started_at), state_text(run)};
    if (run.last_turn >= 0)
        parts << (run.last_turn == 1 ? QStringLiteral("1 turn") : QStringLiteral("%1 turns").arg(run.last_turn));
    parts.removeAll(QString());
    texts.detail = parts.join(QStringLiteral(" · "));
    if (run.best() > 0) {
        texts.side = speed_text(run.best());
        texts.side_colour = run.best() > 1 ? &Theme::faster : &Theme::text;
        texts.side_detail = run.eager > 0 ? QStringLiteral("vs eager") : QStringLiteral("vs start kernel");
    }
    texts.dimmed = !run.trouble.empty();
    return texts;
}

RowTexts task_texts(const QModelIndex& index) {
    RowTexts texts;
    texts.title = index.data(TaskRole::name).toString();
    const QString trouble = index.data(TaskRole::trouble).toString();
    texts.detail = trouble.isEmpty() ? index.data(TaskRole::title).toString() : trouble;
    QString stage = index.data(TaskRole::stage).toString();
    texts.side_detail = stage.replace(QLatin1String("stage"), QLatin1String("stage "));
    texts.side = index.data(TaskRole::shape).toString();
    texts.side_colour = &Theme::dim;
    texts.dimmed = !trouble.isEmpty();
    return texts;
}

} // namespace

StartPage::StartPage(TaskListModel& tasks, RunListModel& runs, DoctorModel& doctor, QWidget* parent)
    : QWidget(parent), m_tasks(tasks), m_runs(runs), m_doctor(doctor), m_list(new QListView), m_recent(new QListWidget),
      m_no_runs(new QLabel), m_machine(new QLabel), m_findings(new QVBoxLayout), m_model_line(new QLabel),
      m_run(new QPushButton(icon(QStringLiteral("run")), QStringLiteral("Run with the tuner"))),
      m_model(new QPushButton(icon(QStringLiteral("transcript")), QStringLiteral("Run with a model"))),
      m_edit(new QPushButton(icon(QStringLiteral("edit")), QStringLiteral("Edit by hand"))),
      m_open(new QPushButton(icon(QStringLiteral("folder")), QStringLiteral("Open run…"))),
      m_again(new QPushButton(icon(QStringLiteral("refresh")), QStringLiteral("Look again"))),
      m_settings(new QPushButton(icon(QStringLiteral("settings")), QStringLiteral("Settings"))) {
    setObjectName(QStringLiteral("start"));
    setAccessibleName(QStringLiteral("Start page"));
    kf::ui::set_surface(*this, kf::ui::Surface::panel);
    setAutoFillBackground(true);

    auto* content = new QWidget;
    kf::ui::set_surface(*content, kf::ui::Surface::panel);
    m_columns = new QBoxLayout(QBoxLayout::LeftToRight, content);
    m_columns->setContentsMargins(32, 32, 32, 24);
    m_columns->setSpacing(40);
    m_columns->addStretch(1);
    m_columns->addWidget(make_tasks(), 6);
    m_columns->addWidget(make_side(), 5);
    m_columns->addStretch(1);

    auto* scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAccessibleName(QStringLiteral("Start page"));
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);

    connect(&m_tasks, &TaskListModel::refreshed, this, &StartPage::refresh_tasks);
    connect(&m_runs, &RunListModel::refreshed, this, &StartPage::refresh_runs);
    connect(&m_doctor, &DoctorModel::settled, this, &StartPage::refresh_findings);
    connect(&m_doctor, &DoctorModel::finished, this, &StartPage::refresh_findings);
    restyle();
    refresh_tasks();
    refresh_runs();
    refresh_findings();
}

QWidget* StartPage::make_tasks() {
    auto* column = new QWidget;
    column->setMaximumWidth(page_width * 6 / 11);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* heading = new QLabel(QStringLiteral("Make a kernel faster"));
    auto* lead = new QLabel(QStringLiteral("Choose what it has to compute. The tuner measures every setting of the "
                                           "start kernel, and proves the fastest right before it counts."));
    lead->setWordWrap(true);
    lead->setForegroundRole(QPalette::PlaceholderText);
    m_headings.push_back(heading);
    m_list->setObjectName(QStringLiteral("start.tasks"));
    m_list->setAccessibleName(QStringLiteral("Tasks"));
    m_list->setModel(&m_tasks);
    m_list->setItemDelegate(new RowDelegate(task_texts, m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMouseTracking(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    kf::ui::set_surface(*m_list, kf::ui::Surface::panel);
    set_look(*m_run, ButtonLook::primary);
    m_run->setObjectName(QStringLiteral("start.run"));
    m_run->setAccessibleName(m_run->text());
    m_run->setToolTip(QStringLiteral("Start a run of the selected task and watch it"));
    m_edit->setObjectName(QStringLiteral("start.edit"));
    m_edit->setAccessibleName(m_edit->text());
    m_edit->setToolTip(QStringLiteral("Open the task's start kernel in the editor; F5 measures it"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_run);
    m_model->setObjectName(QStringLiteral("start.model"));
    m_model->setAccessibleName(m_model->text());
    m_model_line->setObjectName(QStringLiteral("start.model_line"));
    m_model_line->setWordWrap(true);
    m_model_line->setForegroundRole(QPalette::PlaceholderText);
    buttons->addWidget(m_model);
    buttons->addWidget(m_edit);
    buttons->addStretch(1);
    layout->addWidget(heading);
    layout->addWidget(lead);
    layout->addSpacing(8);
    layout->addWidget(m_list);
    layout->addSpacing(8);
    layout->addLayout(buttons);
    layout->addWidget(m_model_line);
    layout->addStretch(1);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        m_run->setEnabled(!task().isEmpty());
        m_edit->setEnabled(!task().isEmpty());
        m_model->setEnabled(!task().isEmpty());
        if (!task().isEmpty())
            Q_EMIT task_chosen(task());
    });
    connect(m_list, &QListView::activated, this, [this] {
        if (!task().isEmpty())
            Q_EMIT run_requested(task());
    });
    connect(m_run, &QPushButton::clicked, this, [this] { Q_EMIT run_requested(task()); });
    connect(m_model, &QPushButton::clicked, this, [this] {
        if (m_model_trouble.isEmpty())
            Q_EMIT model_run_requested(task());
        else
            Q_EMIT model_settings_requested();
    });
    connect(m_edit, &QPushButton::clicked, this, [this] { Q_EMIT edit_requested(task()); });
    return column;
}

QWidget* StartPage::make_side() {
    auto* column = new QWidget;
    column->setMaximumWidth(page_width * 5 / 11);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* runs = new QLabel(QStringLiteral("Recent runs"));
    auto* machine = new QLabel(QStringLiteral("This machine"));
    m_headings.push_back(runs);
    m_headings.push_back(machine);
    m_recent->setObjectName(QStringLiteral("start.recent"));
    m_recent->setAccessibleName(QStringLiteral("Recent runs"));
    m_recent->setFrameShape(QFrame::NoFrame);
    m_recent->setMouseTracking(true);
    m_recent->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_recent->setItemDelegate(new RowDelegate(
        [this](const QModelIndex& index) {
            const RunSummary* run = m_runs.summary(m_runs.index_of(index.data(Qt::UserRole).toString()));
            return run ? run_texts(*run) : RowTexts{};
        },
        m_recent));
    kf::ui::set_surface(*m_recent, kf::ui::Surface::panel);
    m_no_runs->setWordWrap(true);
    m_no_runs->setForegroundRole(QPalette::PlaceholderText);
    m_machine->setWordWrap(true);
    m_machine->setForegroundRole(QPalette::PlaceholderText);
    m_open->setObjectName(QStringLiteral("start.open"));
    m_open->setAccessibleName(QStringLiteral("Open run"));
    m_open->setToolTip(QStringLiteral("A run's folder, or a .kfrun file; dropping one on the window does the same"));
    m_again->setAccessibleName(m_again->text());
    m_again->setToolTip(QStringLiteral("Ask again what this machine can judge"));
    m_settings->setAccessibleName(m_settings->text());
    m_settings->setToolTip(QStringLiteral("Theme, folder of runs, evaluator, shortcuts"));
    m_findings->setContentsMargins(0, 4, 0, 4);
    m_findings->setSpacing(6);
    auto* open_row = new QHBoxLayout;
    open_row->addWidget(m_open);
    open_row->addStretch(1);
    auto* machine_row = new QHBoxLayout;
    machine_row->setSpacing(8);
    machine_row->addWidget(m_again);
    machine_row->addWidget(m_settings);
    machine_row->addStretch(1);
    layout->addSpacing(3); // on one line with the larger heading beside it
    layout->addWidget(runs);
    layout->addWidget(m_no_runs);
    layout->addWidget(m_recent);
    layout->addLayout(open_row);
    layout->addSpacing(22);
    layout->addWidget(machine);
    layout->addWidget(m_machine);
    layout->addLayout(m_findings);
    layout->addLayout(machine_row);
    layout->addStretch(1);
    const auto open = [this](const QListWidgetItem* item) { Q_EMIT run_opened(item->data(Qt::UserRole).toString()); };
    connect(m_recent, &QListWidget::itemClicked, this, open);
    connect(m_recent, &QListWidget::itemActivated, this, open);
    connect(m_open, &QPushButton::clicked, this, &StartPage::open_requested);
    connect(m_again, &QPushButton::clicked, this, &StartPage::probe_requested);
    connect(m_settings, &QPushButton::clicked, this, &StartPage::settings_requested);
    return column;
}

QString StartPage::task() const {
    const QModelIndex index = m_list->currentIndex();
    return index.flags().testFlag(Qt::ItemIsEnabled) ? index.data(TaskRole::name).toString() : QString();
}

void StartPage::set_task(const QString& name) {
    m_wanted = name;
    if (name != task())
        refresh_tasks();
}

void StartPage::refresh_tasks() {
    int row = m_tasks.row_of(m_wanted);
    for (int i = 0; row < 0 && i < m_tasks.rowCount(); ++i)
        if (m_tasks.index(i).flags().testFlag(Qt::ItemIsEnabled))
            row = i;
    m_list->setCurrentIndex(row < 0 ? QModelIndex() : m_tasks.index(row));
    m_run->setEnabled(!task().isEmpty());
    m_model->setEnabled(!task().isEmpty());
    m_edit->setEnabled(!task().isEmpty());
    m_list->setFixedHeight(2 + std::max(1, m_tasks.rowCount()) * std::max(28, m_list->sizeHintForRow(0)));
}

void StartPage::refresh_runs() {
    const QString kept = m_recent->currentItem() ? m_recent->currentItem()->data(Qt::UserRole).toString() : QString();
    m_recent->clear();
    int height = 2;
    for (const RunSummary& run : m_runs.recent(recent_shown)) {
        auto* item = new QListWidgetItem(m_recent);
        const RowTexts texts = run_texts(run);
        item->setData(Qt::UserRole, QString::fromStdString(run.folder));
        item->setData(Qt::AccessibleTextRole,
                      QStringLiteral("%1, %2, %3 %4").arg(texts.title, texts.detail, texts.side, texts.side_detail));
        item->setToolTip(run.trouble.empty() ? QString::fromStdString(run.folder) : plain(run.trouble));
        if (item->data(Qt::UserRole).toString() == kept)
            m_recent->setCurrentItem(item);
        height += m_recent->sizeHintForRow(m_recent->count() - 1);
    }
    m_recent->setFixedHeight(height);
    m_recent->setVisible(m_recent->count() > 0);
    m_no_runs->setVisible(m_recent->count() == 0);
    m_no_runs->setText(m_runs.loading()
                           ? QStringLiteral("Looking for runs …")
                           : QStringLiteral("None yet. A run that you start here, or in a terminal, shows up."));
}

void StartPage::refresh_findings() {
    while (QLayoutItem* item = m_findings->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    m_again->setEnabled(!m_doctor.probing());
    if (m_doctor.can_judge().has_value())
        m_machine->setText(*m_doctor.can_judge() ? QStringLiteral("Kernels can be judged here.")
                                                 : QStringLiteral("Kernels cannot be judged here yet."));
    else
        m_machine->setText(m_doctor.probing() ? QStringLiteral("Looking what this machine can judge …")
                                              : m_doctor.summary());
    std::vector<DoctorRow> shown = m_doctor.rows();
    std::ranges::stable_partition(shown, [](const DoctorRow& one) { return !one.ok; });
    for (const DoctorRow& one : shown) {
        // A window that is open proves that there is a display.
        if (one.name == QLatin1String("display"))
            continue;
        auto* row = new QWidget;
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        auto* mark = new QLabel;
        mark->setPixmap(icon_pixmap(one.ok ? QStringLiteral("check") : QStringLiteral("warning"), 14,
                                    one.ok ? Theme::current().dim : Theme::current().stale, devicePixelRatioF()));
        auto* text = new QLabel;
        text->setFont(text_font(12));
        text->setWordWrap(true);
        text->setTextFormat(Qt::PlainText);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setFocusPolicy(Qt::NoFocus);
        if (one.ok) {
            text->setText(one.name + (one.found.isEmpty() ? QString() : QStringLiteral(" · ") + one.found));
            text->setForegroundRole(QPalette::PlaceholderText);
        } else {
            QString said = QStringLiteral("%1: %2.").arg(one.name, one.found);
            if (!one.disables.isEmpty())
                said += QStringLiteral(" Needed for %1.").arg(one.disables);
            if (!one.remedy.isEmpty())
                said += QStringLiteral("\nRemedy: %1.").arg(one.remedy);
            text->setText(said);
        }
        layout->addWidget(mark, 0, Qt::AlignTop);
        layout->addWidget(text, 1);
        m_findings->addWidget(row);
    }
}

void StartPage::restyle() {
    for (std::size_t i = 0; i < m_headings.size(); ++i)
        m_headings[i]->setFont(i == 0 ? text_font(20, Weight::semibold) : text_font(15, Weight::semibold));
}

void StartPage::focus_first() {
    m_list->setFocus(Qt::OtherFocusReason);
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool narrow = event->size().width() < one_column_below;
    m_columns->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void StartPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
        refresh_findings();
    }
}

void StartPage::set_model(const QString& model, const QString& trouble) {
    m_model_trouble = trouble;
    QStringList parts{model, trouble};
    parts.removeAll(QString());
    m_model_line->setText(QStringLiteral("Model: %1").arg(parts.join(QStringLiteral(" · "))));
    m_model->setText(trouble.isEmpty() ? QStringLiteral("Run with a model") : QStringLiteral("Set up a model…"));
    m_model->setAccessibleName(m_model->text());
    m_model->setToolTip(trouble.isEmpty()
                            ? QStringLiteral("The model writes kernels, each is judged, and it learns why")
                            : QStringLiteral("It cannot be asked yet: %1").arg(trouble));
}

QString StartPage::text_twin() const {
    QStringList lines{m_model_line->text()};
    for (int i = 0; i < m_tasks.rowCount(); ++i) {
        const RowTexts texts = task_texts(m_tasks.index(i));
        lines << QStringLiteral("task %1: %2, %3").arg(texts.title, texts.detail, texts.side);
    }
    for (const RunSummary& run : m_runs.recent(recent_shown)) {
        const RowTexts texts = run_texts(run);
        lines << QStringLiteral("run %1: %2 %3").arg(texts.title, texts.detail, texts.side);
    }
    lines << m_machine->text();
    for (const DoctorRow& one : m_doctor.rows())
        lines << QStringLiteral("%1 %2: %3 %4")
                     .arg(one.ok ? QStringLiteral("found") : QStringLiteral("missing"), one.name, one.found,
                          one.remedy);
    return lines.join(QLatin1Char('\n'));
}

} // namespace kf::ui
