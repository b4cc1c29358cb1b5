// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks that a run can be started for, in order of their stages; a worker reads them. A task that cannot be read is
// listed with the reason.
#pragma once

#include "core/task/task.h"

#include <QAbstractListModel>
#include <QString>
#include <QStringList>
#include <QThread>

#include <vector>

namespace kf::ui {

struct TaskEntry {
    QString name, title, stage, folder;
    QString shape;   // "bf16 · 4096×14336": element type of the first output, primary size
    QString trouble; // why it cannot be read; "" when it can
    bool operator==(const TaskEntry&) const = default;
};
TaskEntry task_entry(const Task& task);

namespace TaskRole {
enum Value {
    name = Qt::UserRole + 1, // QString
    title,
    stage,
    folder,
    shape,
    trouble,
};
}

class TaskListModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit TaskListModel(QObject* parent = nullptr);
    ~TaskListModel() override;

    // Empty: the resource folder's tasks/. Reads it at once.
    void set_folder(const QString& tasks);
    void refresh();
    bool loading() const { return m_busy; }
    const std::vector<TaskEntry>& tasks() const { return m_tasks; }
    QStringList names() const;                       // of those that can be read
    int row_of(const QString& name_or_folder) const; // −1: none

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void refreshed();

private:
    void receive(std::vector<TaskEntry> tasks);

    std::vector<TaskEntry> m_tasks;
    QString m_folder;
    bool m_busy = false;
    QThread m_thread;
    QObject* m_worker = nullptr;
};

} // namespace kf::ui
