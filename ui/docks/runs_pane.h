// SPDX-License-Identifier: GPL-3.0-or-later
// Runs by task, those that are pinned on top, and the tasks that a run can be started for. Opening, replaying and
// resuming a run are the controller's work; what concerns a task is told to the window.
#pragma once

#include "ui/models/run_list_model.h"
#include "ui/models/task_list_model.h"
#include "ui/widgets/pane.h"

#include <QSortFilterProxyModel>

#include <set>

class QLabel;
class QListView;
class QStackedLayout;
class QTabBar;
class QTreeView;

namespace kf::ui {

class EmptyState;
class IconButton;
class SearchField;

// Tasks with all their runs, or those whose names hold every word; pinned tasks first.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunFilter(QObject* parent = nullptr);
    void set_search(const QString& words);
    void set_pinned(const QStringList& tasks);
    bool is_pinned(const QString& task) const { return m_pinned.contains(task); }
    const QStringList& pinned() const { return m_pinned; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    bool holds(const QModelIndex& index) const;

    QStringList m_words, m_pinned;
};

class RunsPane : public Pane {
    Q_OBJECT
public:
    RunsPane(const PaneContext& context, RunListModel& runs, TaskListModel& tasks, QWidget* parent = nullptr);

    QString text_twin() const override;
    QStringList export_formats() const override { return {QStringLiteral("csv"), QStringLiteral("md")}; }
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    void find() override;

    enum Page { runs_page, tasks_page };
    void show_page(Page page);
    Page page() const;
    // Names of tasks that stand on top; the window keeps them between sessions.
    void set_pinned(const QStringList& tasks);
    QStringList pinned() const;
    QTreeView& tree() const { return *m_tree; }
    QListView& task_list() const { return *m_list; }

Q_SIGNALS:
    void pinned_changed(const QStringList& tasks);
    // Start a run of the task, or begin to edit its start kernel. The task's folder or name.
    void run_requested(const QString& task);
    void edit_requested(const QString& task);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void open_run(const QModelIndex& index);
    void resume_run(const QString& folder);
    void pack_run(const QString& folder);
    void toggle_pin(const QString& task);
    void fill_run_menu(QMenu& menu, const QModelIndex& index);
    void fill_task_menu(QMenu& menu, const QModelIndex& index);
    void refresh();
    void expand_shown();
    void search(const QString& words);

    PaneContext m_context;
    RunListModel& m_runs;
    TaskListModel& m_tasks;
    RunFilter* m_filter;
    QSortFilterProxyModel* m_task_filter;
    QTabBar* m_tabs;
    SearchField* m_search;
    QLabel* m_pinned_label;
    QStackedLayout *m_pages, *m_run_stack, *m_task_stack;
    EmptyState *m_no_runs, *m_no_tasks;
    QTreeView* m_tree;
    QListView* m_list;
    std::set<QString> m_expanded_once;
};

} // namespace kf::ui
