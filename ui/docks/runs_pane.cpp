// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs_pane.h"

#include "core/journal/packed_run.h"
#include "ui/docks/background.h"
#include "ui/docks/run_rows.h"
#include "ui/docks/tables.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QStackedLayout>
#include <QTabBar>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

// Name, title and stage are searched.
class TaskFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void set_search(const QString& words) {
        m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QModelIndex index = sourceModel()->index(row, 0, parent);
        const QString text = index.data(TaskRole::name).toString() + QLatin1Char(' ') +
                             index.data(TaskRole::title).toString() + QLatin1Char(' ') +
                             index.data(TaskRole::stage).toString();
        return std::all_of(m_words.begin(), m_words.end(),
                           [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    }

private:
    QStringList m_words;
};

bool is_run(const QModelIndex& index) {
    return index.isValid() && !index.data(RunListRole::folder).toString().isEmpty();
}

} // namespace

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(RunListRole::sort);
    setDynamicSortFilter(true);
    sort(0);
}

void RunFilter::set_search(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunFilter::set_pinned(const QStringList& tasks) {
    m_pinned = tasks;
    invalidate();
}

bool RunFilter::holds(const QModelIndex& index) const {
    const QString text = index.data(RunListRole::task).toString() + QLatin1Char(' ') +
                         index.data(RunListRole::run).toString() + QLatin1Char(' ') +
                         index.data(Qt::DisplayRole).toString() + QLatin1Char(' ') +
                         index.data(RunListRole::side).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (m_words.isEmpty() || holds(index))
        return true;
    if (parent.isValid())
        return holds(parent);
    for (int run = 0; run < sourceModel()->rowCount(index); ++run)
        if (holds(sourceModel()->index(run, 0, index)))
            return true;
    return false;
}

bool RunFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (!left.parent().isValid() && !m_pinned.isEmpty()) {
        const qsizetype a = m_pinned.indexOf(left.data(RunListRole::task).toString());
        const qsizetype b = m_pinned.indexOf(right.data(RunListRole::task).toString());
        if (a != b)
            return b < 0 ? true : a < 0 ? false : a < b;
    }
    return QSortFilterProxyModel::lessThan(left, right);
}

RunsPane::RunsPane(const PaneContext& context, RunListModel& runs, TaskListModel& tasks, QWidget* parent)
    : Pane(QStringLiteral("runs"), QStringLiteral("Runs"), QStringLiteral("runs"), parent), m_context(context),
      m_runs(runs), m_tasks(tasks), m_filter(new RunFilter(this)), m_task_filter(new TaskFilter(this)),
      m_tabs(new QTabBar(this)), m_search(new SearchField(QStringLiteral("Find a run"), this)),
      m_pinned_label(new QLabel(QStringLiteral("PINNED"), this)), m_tree(new QTreeView(this)),
      m_list(new QListView(this)) {
    setProperty("own_tabs", true); // the window draws no second row of tabs over these
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* tab_row = new QWidget(this);
    set_surface(*tab_row, Surface::window);
    auto* tab_layout = new QHBoxLayout(tab_row);
    tab_layout->setContentsMargins(6, 0, 6, 0);
    tab_layout->addWidget(m_tabs);
    tab_layout->addStretch(1);
    column->addWidget(tab_row);
    m_tabs->addTab(QStringLiteral("Runs"));
    m_tabs->addTab(QStringLiteral("Tasks"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(QStringLiteral("Runs or tasks"));
    auto* search_row = new QHBoxLayout;
    search_row->setContentsMargins(8, 8, 8, 4);
    search_row->addWidget(m_search);
    column->addLayout(search_row);
    m_pinned_label->setFont(text_font(11));
    m_pinned_label->setForegroundRole(QPalette::PlaceholderText);
    m_pinned_label->setContentsMargins(10, 4, 0, 2);
    m_pinned_label->hide();
    column->addWidget(m_pinned_label);
    m_pages = new QStackedLayout;
    column->addLayout(m_pages, 1);

    auto* run_page = new QWidget(this);
    m_run_stack = new QStackedLayout(run_page);
    m_no_runs = new EmptyState(QStringLiteral("runs"), QString(), QString(), run_page);
    m_run_stack->addWidget(m_no_runs);
    m_run_stack->addWidget(m_tree);
    m_pages->addWidget(run_page);
    auto* task_page = new QWidget(this);
    m_task_stack = new QStackedLayout(task_page);
    m_no_tasks = new EmptyState(QStringLiteral("tasks"), QString(), QString(), task_page);
    m_task_stack->addWidget(m_no_tasks);
    m_task_stack->addWidget(m_list);
    m_pages->addWidget(task_page);

    m_filter->setSourceModel(&runs);
    m_tree->setModel(m_filter);
    set_up_view(*m_tree, QStringLiteral("Runs by task"),
                [this](QMenu& menu, const QModelIndex& index) { fill_run_menu(menu, index); });
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(16);
    m_tree->setExpandsOnDoubleClick(true);
    for (int hidden = 1; hidden < static_cast<int>(RunListColumn::count); ++hidden)
        m_tree->hideColumn(hidden);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setMinimumSectionSize(20);
    m_tree->setItemDelegate(new RunRows([this] { return m_context.store.place(); },
                                        [this](const QString& task) { return m_filter->is_pinned(task); }, m_tree));
    m_task_filter->setSourceModel(&tasks);
    m_list->setModel(m_task_filter);
    set_up_view(*m_list, QStringLiteral("Tasks"),
                [this](QMenu& menu, const QModelIndex& index) { fill_task_menu(menu, index); });
    m_list->setUniformItemSizes(true);
    m_list->setItemDelegate(new TaskRows(m_list));

    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_pages->setCurrentIndex(tab);
        m_search->setPlaceholderText(tab == runs_page ? QStringLiteral("Find a run") : QStringLiteral("Find a task"));
        m_search->setAccessibleName(m_search->placeholderText());
        refresh();
    });
    m_search->setAccessibleName(m_search->placeholderText());
    connect(m_search, &SearchField::searched, this, &RunsPane::search);
    connect(m_search, &SearchField::escaped, this, [this] { focus_target()->setFocus(); });
    connect(m_search, &SearchField::next, this, [this] { focus_target()->setFocus(); });
    connect(m_tree, &QAbstractItemView::activated, this, &RunsPane::open_run);
    connect(m_list, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT run_requested(index.data(TaskRole::folder).toString()); });
    connect(m_no_runs, &EmptyState::action_triggered, this, [this] {
        if (m_search->text().isEmpty())
            show_page(tasks_page);
        else
            m_search->clear(); // tells at once
    });
    connect(m_no_tasks, &EmptyState::action_triggered, this, [this] {
        if (m_search->text().isEmpty())
            m_tasks.refresh();
        else
            m_search->clear();
    });
    for (QAbstractItemModel* model : std::initializer_list<QAbstractItemModel*>{m_filter, m_task_filter}) {
        connect(model, &QAbstractItemModel::rowsInserted, this, &RunsPane::refresh);
        connect(model, &QAbstractItemModel::rowsRemoved, this, &RunsPane::refresh);
        connect(model, &QAbstractItemModel::modelReset, this, &RunsPane::refresh);
    }
    connect(&runs, &RunListModel::refreshed, this, &RunsPane::refresh);
    connect(&tasks, &TaskListModel::refreshed, this, &RunsPane::refresh);
    connect(&context.store, &RunStore::was_reset, this, [this] {
        expand_shown();
        m_tree->viewport()->update();
    });
    refresh();
}

RunsPane::Page RunsPane::page() const {
    return m_tabs->currentIndex() == tasks_page ? tasks_page : runs_page;
}

void RunsPane::show_page(Page page) {
    m_tabs->setCurrentIndex(page);
}

void RunsPane::set_pinned(const QStringList& tasks) {
    if (tasks == m_filter->pinned())
        return;
    m_filter->set_pinned(tasks);
    refresh();
    Q_EMIT pinned_changed(tasks);
}

QStringList RunsPane::pinned() const {
    return m_filter->pinned();
}

void RunsPane::toggle_pin(const QString& task) {
    QStringList tasks = m_filter->pinned();
    if (!tasks.removeOne(task))
        tasks.append(task);
    set_pinned(tasks);
}

void RunsPane::search(const QString& words) {
    m_filter->set_search(words);
    static_cast<TaskFilter*>(m_task_filter)->set_search(words);
    if (!words.isEmpty())
        m_tree->expandAll();
    refresh();
}

void RunsPane::expand_shown() {
    const QModelIndex run = m_filter->mapFromSource(m_runs.index_of(m_context.store.place()));
    if (!run.isValid())
        return;
    m_tree->expand(run.parent());
    m_tree->setCurrentIndex(run);
}

void RunsPane::refresh() {
    const bool searching = !m_search->text().isEmpty();
    if (m_filter->rowCount() > 0) {
        m_run_stack->setCurrentWidget(m_tree);
    } else {
        m_no_runs->set_busy(m_runs.loading() && !searching);
        if (searching)
            m_no_runs->set(QStringLiteral("search"), QStringLiteral("No run fits “%1”.").arg(m_search->text()),
                           QStringLiteral("Clear the search"));
        else if (m_runs.loading())
            m_no_runs->set(QStringLiteral("runs"), QStringLiteral("Looking for runs …"),
                           QStringLiteral("Show the tasks"));
        else
            m_no_runs->set(QStringLiteral("runs"), QStringLiteral("No runs yet."), QStringLiteral("Choose a task"));
        m_run_stack->setCurrentWidget(m_no_runs);
    }
    if (m_task_filter->rowCount() > 0) {
        m_task_stack->setCurrentWidget(m_list);
    } else {
        m_no_tasks->set_busy(m_tasks.loading() && !searching);
        if (searching)
            m_no_tasks->set(QStringLiteral("search"), QStringLiteral("No task fits “%1”.").arg(m_search->text()),
                            QStringLiteral("Clear the search"));
        else if (m_tasks.loading())
            m_no_tasks->set(QStringLiteral("tasks"), QStringLiteral("Reading the tasks …"),
                            QStringLiteral("Read again"));
        else
            m_no_tasks->set(QStringLiteral("tasks"), QStringLiteral("No tasks were found in this installation."),
                            QStringLiteral("Look again"));
        m_task_stack->setCurrentWidget(m_no_tasks);
    }
    const QModelIndex first = m_filter->index(0, 0);
    m_pinned_label->setVisible(page() == runs_page && first.isValid() &&
                               m_filter->is_pinned(first.data(RunListRole::task).toString()));
    // The task of the run that is shown, once: who folds it keeps it folded.
    const QString place = m_context.store.place();
    if (const QModelIndex run = m_runs.index_of(place); !place.isEmpty() && run.isValid()) {
        // A run moves to another task once it has been read.
        const QString shown = place + QLatin1Char('\n') + run.data(RunListRole::task).toString();
        if (!m_expanded_once.contains(shown)) {
            m_expanded_once.insert(shown);
            expand_shown();
        }
    }
    setAccessibleDescription(page() == runs_page ? QStringLiteral("%1 tasks with runs").arg(m_filter->rowCount())
                                                 : QStringLiteral("%1 tasks").arg(m_task_filter->rowCount()));
}

void RunsPane::open_run(const QModelIndex& index) {
    if (is_run(index))
        m_context.controller.open(index.data(RunListRole::folder).toString());
}

void RunsPane::resume_run(const QString& folder) {
    if (m_context.store.place() == folder) {
        m_context.controller.resume();
        return;
    }
    connect(
        &m_context.controller, &RunController::opened, this,
        [this, folder](const QString& place) {
            if (place == folder)
                m_context.controller.resume();
        },
        Qt::SingleShotConnection);
    m_context.controller.open(folder);
}

void RunsPane::pack_run(const QString& folder) {
    const QString name = QFileInfo(folder).fileName() + QStringLiteral(".kfrun");
    const QString file = QFileDialog::getSaveFileName(this, QStringLiteral("Pack the run"), name,
                                                      QStringLiteral("Packed runs (*.kfrun)"));
    if (file.isEmpty())
        return;
    in_background(
        this,
        [folder, file]() -> std::optional<Error> {
            const Status status = kf::pack_run(folder.toStdString(), file.toStdString());
            return status ? std::nullopt : std::optional(status.error());
        },
        [this, file](const std::optional<Error>& error) {
            if (error)
                m_context.notices.banner(QStringLiteral("pack"), *error);
            else
                m_context.notices.toast(QStringLiteral("Packed into %1").arg(QFileInfo(file).fileName()));
        });
}

void RunsPane::fill_run_menu(QMenu& menu, const QModelIndex& index) {
    if (!index.isValid())
        return;
    const QString task = index.data(RunListRole::task).toString();
    if (is_run(index)) {
        const QString folder = index.data(RunListRole::folder).toString();
        const bool live = index.data(RunListRole::live).toBool();
        const bool readable = index.data(RunListRole::trouble).toString().isEmpty();
        menu.addAction(icon(QStringLiteral("external")),
                       live ? QStringLiteral("Open and follow") : QStringLiteral("Open"), this,
                       [this, folder] { m_context.controller.open(folder); });
        QAction* replay = menu.addAction(icon(QStringLiteral("replay")), QStringLiteral("Replay"), this,
                                         [this, folder] { m_context.controller.replay(folder, 4); });
        replay->setEnabled(readable && !live);
        QAction* resume = menu.addAction(icon(QStringLiteral("continue")), QStringLiteral("Resume"), this,
                                         [this, folder] { resume_run(folder); });
        resume->setEnabled(!live &&
                           index.data(RunListRole::status).toInt() == static_cast<int>(RunStatus::interrupted));
        menu.addSeparator();
        menu.addAction(icon(QStringLiteral("export")), QStringLiteral("Pack into one file…"), this,
                       [this, folder] { pack_run(folder); });
        const QString name = index.data(RunListRole::run).toString();
        menu.addAction(QStringLiteral("Copy name"), this, [name] { QApplication::clipboard()->setText(name); });
        menu.addAction(icon(QStringLiteral("folder")), QStringLiteral("Show folder"), this,
                       [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
        menu.addSeparator();
    } else {
        menu.addAction(icon(QStringLiteral("run")), QStringLiteral("Run"), this,
                       [this, task] { Q_EMIT run_requested(task); });
        menu.addAction(icon(QStringLiteral("edit")), QStringLiteral("Edit the start kernel"), this,
                       [this, task] { Q_EMIT edit_requested(task); });
    }
    menu.addAction(icon(QStringLiteral("pin")),
                   m_filter->is_pinned(task) ? QStringLiteral("Unpin %1").arg(task)
                                             : QStringLiteral("Pin %1").arg(task),
                   this, [this, task] { toggle_pin(task); });
}

void RunsPane::fill_task_menu(QMenu& menu, const QModelIndex& index) {
    if (!index.isValid())
        return;
    const QString folder = index.data(TaskRole::folder).toString();
    const bool readable = index.data(TaskRole::trouble).toString().isEmpty();
    QAction* run = menu.addAction(icon(QStringLiteral("run")), QStringLiteral("Run"), this,
                                  [this, folder] { Q_EMIT run_requested(folder); });
    QAction* edit = menu.addAction(icon(QStringLiteral("edit")), QStringLiteral("Edit the start kernel"), this,
                                   [this, folder] { Q_EMIT edit_requested(folder); });
    run->setEnabled(readable);
    edit->setEnabled(readable);
    menu.addAction(icon(QStringLiteral("folder")), QStringLiteral("Show folder"), this,
                   [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
}

QString RunsPane::text_twin() const {
    QStringList lines;
    if (page() == tasks_page) {
        for (int row = 0; row < m_task_filter->rowCount(); ++row)
            lines << m_task_filter->index(row, 0).data(Qt::AccessibleTextRole).toString();
        return lines.isEmpty() ? m_no_tasks->sentence() : lines.join(QLatin1Char('\n'));
    }
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex task = m_filter->index(row, 0);
        lines << task.data(Qt::AccessibleTextRole).toString();
        for (int run = 0; run < m_filter->rowCount(task); ++run)
            lines << QStringLiteral("  ") + m_filter->index(run, 0, task).data(Qt::AccessibleTextRole).toString();
    }
    return lines.isEmpty() ? m_no_runs->sentence() : lines.join(QLatin1Char('\n'));
}

Result<QByteArray> RunsPane::export_as(const QString& format) const {
    const QAbstractItemModel* model = page() == tasks_page ? static_cast<QAbstractItemModel*>(m_task_filter) : m_filter;
    if (model->rowCount() == 0)
        return make_error("export-empty", "There is nothing in this list", "");
    if (const auto table = parse_table_format(format))
        return table_of(*model, *table);
    return Pane::export_as(format);
}

QWidget* RunsPane::focus_target() {
    if (page() == tasks_page)
        return m_task_filter->rowCount() > 0 ? static_cast<QWidget*>(m_list) : m_no_tasks->button();
    return m_filter->rowCount() > 0 ? static_cast<QWidget*>(m_tree) : m_no_runs->button();
}

void RunsPane::find() {
    m_search->setFocus();
    m_search->selectAll();
}

void RunsPane::resizeEvent(QResizeEvent* event) {
    Pane::resizeEvent(event);
    m_search->setVisible(width() >= 120);
}

} // namespace kf::ui
