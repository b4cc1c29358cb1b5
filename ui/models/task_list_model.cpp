// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/task_list_model.h"

#include "core/base/files.h"
#include "ui/models/texts.h"

#include <algorithm>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

std::vector<TaskEntry> read_tasks(const std::filesystem::path& root) {
    std::vector<TaskEntry> list;
    for (const auto& folder : list_task_folders(root)) {
        if (QThread::currentThread()->isInterruptionRequested())
            break;
        if (auto task = load_task(folder)) {
            list.push_back(task_entry(*task));
        } else {
            TaskEntry entry;
            entry.name = plain(folder.filename().string());
            entry.stage = plain(folder.parent_path().filename().string());
            entry.folder = QString::fromStdString(folder.string());
            entry.trouble = plain(to_string(task.error()));
            list.push_back(std::move(entry));
        }
    }
    std::stable_sort(list.begin(), list.end(), [](const TaskEntry& a, const TaskEntry& b) {
        return std::pair(a.stage, a.name) < std::pair(b.stage, b.name);
    });
    return list;
}

} // namespace

TaskEntry task_entry(const Task& task) {
    TaskEntry entry;
    entry.name = plain(task.name);
    entry.title = plain(task.title);
    entry.stage = plain(task.stage);
    entry.folder = QString::fromStdString(task.folder.string());
    if (!task.outputs.empty())
        entry.shape = plain(to_string(task.outputs.front().dtype));
    const auto size = task.sizes.contains("primary") ? task.sizes.find("primary") : task.sizes.begin();
    if (size != task.sizes.end()) {
        QStringList values;
        for (const auto& [name, value] : size->second)
            values << QString::number(value);
        if (!values.isEmpty())
            entry.shape += (entry.shape.isEmpty() ? u""_s : u" · "_s) + values.join(u'×');
    }
    return entry;
}

TaskListModel::TaskListModel(QObject* parent) : QAbstractListModel(parent), m_worker(new QObject) {
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.setObjectName(u"tasks"_s);
    m_thread.start();
}

TaskListModel::~TaskListModel() {
    m_thread.requestInterruption();
    m_thread.quit();
    m_thread.wait();
}

void TaskListModel::set_folder(const QString& tasks) {
    m_folder = tasks;
    refresh();
}

void TaskListModel::refresh() {
    m_busy = true;
    QMetaObject::invokeMethod(m_worker, [this, folder = m_folder.toStdString()] {
        auto list = read_tasks(folder.empty() ? resource_folder() / "tasks" : std::filesystem::path(folder));
        QMetaObject::invokeMethod(this, [this, list = std::move(list)] { receive(list); });
    });
}

void TaskListModel::receive(std::vector<TaskEntry> tasks) {
    m_busy = false;
    if (tasks != m_tasks) {
        beginResetModel();
        m_tasks = std::move(tasks);
        endResetModel();
    }
    Q_EMIT refreshed();
}

QStringList TaskListModel::names() const {
    QStringList list;
    for (const TaskEntry& task : m_tasks)
        if (task.trouble.isEmpty())
            list << task.name;
    return list;
}

int TaskListModel::row_of(const QString& name_or_folder) const {
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [&](const TaskEntry& task) {
        return task.name == name_or_folder || task.folder == name_or_folder ||
               task.stage + u'/' + task.name == name_or_folder;
    });
    return found == m_tasks.end() ? -1 : static_cast<int>(found - m_tasks.begin());
}

int TaskListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_tasks.size());
}

QVariant TaskListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TaskEntry& task = m_tasks[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case TaskRole::name:
        return task.name;
    case Qt::ToolTipRole: {
        QStringList lines{task.stage.isEmpty() ? task.name : task.stage + u'/' + task.name};
        for (const QString& line : {task.title, task.shape, task.trouble, task.folder})
            if (!line.isEmpty())
                lines << line;
        return lines.join(u'\n');
    }
    case Qt::AccessibleTextRole:
        return task.name + u", "_s + (task.trouble.isEmpty() ? task.title : task.trouble);
    case TaskRole::title:
        return task.title;
    case TaskRole::stage:
        return task.stage;
    case TaskRole::folder:
        return task.folder;
    case TaskRole::shape:
        return task.shape;
    case TaskRole::trouble:
        return task.trouble;
    default:
        return {};
    }
}

Qt::ItemFlags TaskListModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractListModel::flags(index);
    if (index.isValid() && !m_tasks[static_cast<std::size_t>(index.row())].trouble.isEmpty())
        flags &= ~Qt::ItemIsEnabled;
    return flags;
}

} // namespace kf::ui
