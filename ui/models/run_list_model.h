// SPDX-License-Identifier: GPL-3.0-or-later
// All runs of the runs folder as a tree: tasks, and below each its runs, the newest first. A worker reads the journals;
// rows keep their place and only what changed is told.
#pragma once

#include "ui/models/run_summary.h"

#include <QAbstractItemModel>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <memory>
#include <vector>

namespace kf::ui {

enum class RunListColumn { name, state, best, turns, count };

namespace RunListRole {
enum Value {
    folder = Qt::UserRole + 1, // QString; "" for a task
    task,                      // QString
    run,                       // QString: name of the run; "" for a task
    status,                    // int RunStatus; of a task: of its newest run, −1 without runs
    live,                      // bool: its writer lives; of a task: any run's
    best,                      // double: speed of the champion, 0 when not known
    loading,                   // bool: the journal was not read yet
    trouble,                   // QString: why it cannot be read
    started,                   // double, unix seconds
    side,                      // QString: the short text at the right of a narrow list: "1.16×", "turn 10 · live"
    sort,                      // tasks: those that were worked on last first; runs: newest first (ascending order)
};
}

class RunListModel : public QAbstractItemModel {
    Q_OBJECT
public:
    explicit RunListModel(QObject* parent = nullptr);
    ~RunListModel() override;

    // Empty: the data folder's. Reads it at once.
    void set_folder(const QString& runs);
    // Tasks that are shown although they have no run yet.
    void set_tasks(const QStringList& names);
    // Looks again now; without this, every two seconds while `watch` is on.
    void refresh();
    void set_watch(bool watch);
    bool loading() const { return m_busy; }
    const RunSummary* summary(const QModelIndex& index) const; // null for a task
    QModelIndex index_of(const QString& folder) const;
    // The newest first, over all tasks.
    std::vector<RunSummary> recent(int most) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    // Every journal was looked at.
    void refreshed();

private:
    struct TaskNode;
    class Worker;

    void receive(const std::vector<RunSummary>& all);
    void receive_one(const RunSummary& summary);
    TaskNode* task_node(const std::string& task, bool create);
    void put(const RunSummary& summary);
    void remove(const std::string& folder);
    QVariant task_data(const TaskNode& node, int column, int role) const;
    QVariant run_data(const RunSummary& run, int column, int role) const;

    std::vector<std::unique_ptr<TaskNode>> m_tasks; // by name
    QStringList m_wanted;
    QString m_folder;
    bool m_busy = false, m_again = false;
    QTimer m_timer;
    QThread m_thread;
    Worker* m_worker = nullptr;
};

} // namespace kf::ui
