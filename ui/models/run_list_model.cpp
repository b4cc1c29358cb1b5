// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_list_model.h"

#include "ui/models/texts.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QLocale>
#include <QPointer>

#include <algorithm>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

struct RunListModel::TaskNode {
    std::string name;
    int row = 0;
    std::vector<RunSummary> runs; // the newest first
};

// In the thread: answers come back as queued calls.
class RunListModel::Worker : public QObject {
public:
    explicit Worker(RunListModel* model) : m_model(model) {}

    void scan(const std::string& folder) {
        const std::filesystem::path runs = folder.empty() ? runs_folder() : std::filesystem::path(folder);
        tell([all = m_scanner.list(runs)](RunListModel* model) { model->receive(all); });
        while (!QThread::currentThread()->isInterruptionRequested() && m_scanner.read_next())
            if (const RunSummary* summary = m_scanner.find(m_scanner.last_read()))
                tell([one = *summary](RunListModel* model) { model->receive_one(one); });
        tell([](RunListModel* model) {
            model->m_busy = false;
            if (std::exchange(model->m_again, false))
                model->refresh();
            else
                Q_EMIT model->refreshed();
        });
    }

private:
    // The model ends the thread before it goes, so it lives.
    template<class Call> void tell(Call call) {
        QMetaObject::invokeMethod(m_model, [model = m_model, call = std::move(call)] { call(model); });
    }

    RunListModel* m_model;
    RunScanner m_scanner;
};

RunListModel::RunListModel(QObject* parent) : QAbstractItemModel(parent), m_worker(new Worker(this)) {
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread.setObjectName(u"runs"_s);
    m_thread.start(QThread::LowPriority);
    m_timer.setInterval(2000);
    connect(&m_timer, &QTimer::timeout, this, &RunListModel::refresh);
}

RunListModel::~RunListModel() {
    m_thread.requestInterruption();
    m_thread.quit();
    m_thread.wait();
}

void RunListModel::set_folder(const QString& runs) {
    m_folder = runs;
    refresh();
}

void RunListModel::set_watch(bool watch) {
    if (watch)
        m_timer.start();
    else
        m_timer.stop();
}

void RunListModel::refresh() {
    if (m_busy) {
        m_again = true;
        return;
    }
    m_busy = true;
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, folder = m_folder.toStdString()] { worker->scan(folder); });
}

void RunListModel::set_tasks(const QStringList& names) {
    m_wanted = names;
    for (const QString& name : names)
        task_node(name.toStdString(), true);
    for (int row = static_cast<int>(m_tasks.size()) - 1; row >= 0; --row) {
        const TaskNode& node = *m_tasks[static_cast<std::size_t>(row)];
        if (!node.runs.empty() || names.contains(QString::fromStdString(node.name)))
            continue;
        beginRemoveRows({}, row, row);
        m_tasks.erase(m_tasks.begin() + row);
        for (std::size_t i = static_cast<std::size_t>(row); i < m_tasks.size(); ++i)
            m_tasks[i]->row = static_cast<int>(i);
        endRemoveRows();
    }
}

RunListModel::TaskNode* RunListModel::task_node(const std::string& task, bool create) {
    const auto before = std::lower_bound(m_tasks.begin(), m_tasks.end(), task,
                                         [](const auto& node, const std::string& name) { return node->name < name; });
    if (before != m_tasks.end() && (*before)->name == task)
        return before->get();
    if (!create)
        return nullptr;
    const int row = static_cast<int>(before - m_tasks.begin());
    beginInsertRows({}, row, row);
    auto node = std::make_unique<TaskNode>();
    node->name = task;
    TaskNode* raw = m_tasks.insert(before, std::move(node))->get();
    for (std::size_t i = static_cast<std::size_t>(row); i < m_tasks.size(); ++i)
        m_tasks[i]->row = static_cast<int>(i);
    endInsertRows();
    return raw;
}

// All runs there are, as far as they are known: those that are gone go, new ones come.
void RunListModel::receive(const std::vector<RunSummary>& all) {
    std::vector<std::string> gone;
    for (const auto& node : m_tasks)
        for (const RunSummary& run : node->runs)
            if (std::none_of(all.begin(), all.end(), [&](const RunSummary& one) { return one.folder == run.folder; }))
                gone.push_back(run.folder);
    for (const std::string& folder : gone)
        remove(folder);
    for (const RunSummary& summary : all)
        put(summary);
}

void RunListModel::receive_one(const RunSummary& summary) {
    put(summary);
}

void RunListModel::put(const RunSummary& summary) {
    // Its journal may name the task in another way than its folder did before it was read.
    if (const QModelIndex known = index_of(QString::fromStdString(summary.folder)); known.isValid()) {
        TaskNode& node = *static_cast<TaskNode*>(known.internalPointer());
        RunSummary& run = node.runs[static_cast<std::size_t>(known.row())];
        if (node.name == summary.task) {
            if (run == summary)
                return;
            run = summary;
            Q_EMIT dataChanged(known, known.siblingAtColumn(columnCount() - 1));
            const QModelIndex task = createIndex(node.row, 0);
            Q_EMIT dataChanged(task, task.siblingAtColumn(columnCount() - 1));
            return;
        }
        remove(summary.folder);
    }
    TaskNode& node = *task_node(summary.task, true);
    const auto before =
        std::lower_bound(node.runs.begin(), node.runs.end(), summary.name,
                         [](const RunSummary& run, const std::string& name) { return run.name > name; });
    const int row = static_cast<int>(before - node.runs.begin());
    const QModelIndex task = createIndex(node.row, 0);
    beginInsertRows(task, row, row);
    node.runs.insert(before, summary);
    endInsertRows();
    Q_EMIT dataChanged(task, task.siblingAtColumn(columnCount() - 1));
}

void RunListModel::remove(const std::string& folder) {
    const QModelIndex known = index_of(QString::fromStdString(folder));
    if (!known.isValid())
        return;
    TaskNode& node = *static_cast<TaskNode*>(known.internalPointer());
    const QModelIndex task = createIndex(node.row, 0);
    beginRemoveRows(task, known.row(), known.row());
    node.runs.erase(node.runs.begin() + known.row());
    endRemoveRows();
    if (!node.runs.empty() || m_wanted.contains(QString::fromStdString(node.name))) {
        Q_EMIT dataChanged(task, task.siblingAtColumn(columnCount() - 1));
        return;
    }
    const int row = node.row;
    beginRemoveRows({}, row, row);
    m_tasks.erase(m_tasks.begin() + row);
    for (std::size_t i = static_cast<std::size_t>(row); i < m_tasks.size(); ++i)
        m_tasks[i]->row = static_cast<int>(i);
    endRemoveRows();
}

QModelIndex RunListModel::index_of(const QString& folder) const {
    const std::string wanted = folder.toStdString();
    for (const auto& node : m_tasks)
        for (std::size_t i = 0; i < node->runs.size(); ++i)
            if (node->runs[i].folder == wanted)
                return createIndex(static_cast<int>(i), 0, node.get());
    return {};
}

std::vector<RunSummary> RunListModel::recent(int most) const {
    std::vector<RunSummary> list;
    for (const auto& node : m_tasks)
        list.insert(list.end(), node->runs.begin(), node->runs.end());
    std::sort(list.begin(), list.end(), [](const RunSummary& a, const RunSummary& b) { return a.name > b.name; });
    if (list.size() > static_cast<std::size_t>(std::max(most, 0)))
        list.resize(static_cast<std::size_t>(std::max(most, 0)));
    return list;
}

const RunSummary* RunListModel::summary(const QModelIndex& index) const {
    if (!index.isValid() || !checkIndex(index) || !index.internalPointer())
        return nullptr;
    return &static_cast<const TaskNode*>(index.internalPointer())->runs[static_cast<std::size_t>(index.row())];
}

QModelIndex RunListModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= columnCount() || row >= rowCount(parent))
        return {};
    return parent.isValid() ? createIndex(row, column, m_tasks[static_cast<std::size_t>(parent.row())].get())
                            : createIndex(row, column);
}

QModelIndex RunListModel::parent(const QModelIndex& child) const {
    const auto* node = static_cast<const TaskNode*>(child.internalPointer());
    return child.isValid() && node ? createIndex(node->row, 0) : QModelIndex();
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return static_cast<int>(m_tasks.size());
    if (parent.internalPointer() || parent.column() != 0)
        return 0;
    return static_cast<int>(m_tasks[static_cast<std::size_t>(parent.row())]->runs.size());
}

int RunListModel::columnCount(const QModelIndex&) const {
    return static_cast<int>(RunListColumn::count);
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<RunListColumn>(section)) {
    case RunListColumn::name:
        return u"run"_s;
    case RunListColumn::state:
        return u"state"_s;
    case RunListColumn::best:
        return u"best"_s;
    case RunListColumn::turns:
        return u"turns"_s;
    case RunListColumn::count:
        break;
    }
    return {};
}

namespace {

// "30 Nov 14:02", with the year when it is another one.
QString when_text(const RunSummary& run) {
    QDateTime when;
    if (run.started_at > 0 && run.started_at < 1e11)
        when = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(run.started_at));
    else if (const auto name = RunName::parse(run.name)) {
        when = QDateTime::fromString(QString::fromStdString(name->time), u"yyyyMMdd'T'HHmmss'Z'"_s);
        when.setTimeSpec(Qt::UTC);
        when = when.toLocalTime();
    }
    if (!when.isValid())
        return plain(run.name);
    const bool this_year = when.date().year() == QDate::currentDate().year();
    return QLocale::c().toString(when, this_year ? u"d MMM HH:mm"_s : u"d MMM yyyy HH:mm"_s);
}

QString state_text(const RunSummary& run) {
    if (!run.loaded)
        return u"reading …"_s;
    if (!run.trouble.empty())
        return u"cannot be read"_s;
    switch (run.status) {
    case RunStatus::empty:
        return run.live() ? u"starting"_s : u"empty"_s;
    case RunStatus::running:
        return run.paused ? u"paused"_s : u"running"_s;
    case RunStatus::stopping:
        return u"stopping"_s;
    case RunStatus::finished:
        return u"ended"_s;
    case RunStatus::interrupted:
        return u"interrupted"_s;
    }
    return {};
}

QString side_text(const RunSummary& run) {
    if (run.live() && run.loaded && run.trouble.empty()) {
        const QString turn = run.last_turn < 0    ? u"start"_s
                             : run.last_turn == 0 ? u"start"_s
                                                  : u"turn %1"_s.arg(run.last_turn);
        return turn + (run.paused ? u" · paused"_s : u" · live"_s);
    }
    if (run.loaded && run.trouble.empty() && run.best() > 0)
        return speed_text(run.best());
    return state_text(run);
}

} // namespace

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter |
                          (index.column() >= static_cast<int>(RunListColumn::best) ? Qt::AlignRight : Qt::AlignLeft)));
    if (const auto* node = static_cast<const TaskNode*>(index.internalPointer()))
        return run_data(node->runs[static_cast<std::size_t>(index.row())], index.column(), role);
    return task_data(*m_tasks[static_cast<std::size_t>(index.row())], index.column(), role);
}

QVariant RunListModel::task_data(const TaskNode& node, int column, int role) const {
    const RunSummary* newest = node.runs.empty() ? nullptr : &node.runs.front();
    double best = 0;
    bool live = false, loading = false;
    for (const RunSummary& run : node.runs) {
        best = std::max(best, run.best());
        live = live || run.live();
        loading = loading || !run.loaded;
    }
    const QString side = best > 0 ? speed_text(best) : newest ? state_text(*newest) : u"not started"_s;
    switch (role) {
    case Qt::DisplayRole:
        switch (static_cast<RunListColumn>(column)) {
        case RunListColumn::name:
            return plain(node.name);
        case RunListColumn::state:
            return newest ? state_text(*newest) : u"not started"_s;
        case RunListColumn::best:
            return speed_text(best);
        case RunListColumn::turns:
            return node.runs.size() == 1 ? u"1 run"_s : u"%1 runs"_s.arg(node.runs.size());
        case RunListColumn::count:
            break;
        }
        return {};
    case Qt::ToolTipRole:
        return plain(node.name) + u'\n' + (node.runs.size() == 1 ? u"1 run"_s : u"%1 runs"_s.arg(node.runs.size())) +
               (best > 0 ? u"\nbest "_s + speed_text(best) : QString());
    case Qt::AccessibleTextRole:
        return plain(node.name) + u", "_s + side;
    case RunListRole::folder:
    case RunListRole::run:
    case RunListRole::trouble:
        return QString();
    case RunListRole::task:
        return QString::fromStdString(node.name);
    case RunListRole::status:
        return newest ? static_cast<int>(newest->status) : -1;
    case RunListRole::live:
        return live;
    case RunListRole::best:
        return best;
    case RunListRole::loading:
        return loading;
    case RunListRole::started:
        return newest ? newest->started_at : 0.0;
    case RunListRole::side:
        return side;
    case RunListRole::sort: // ascending: the newest name first, tasks without runs last
        return (newest ? u"0 "_s +
                             [](QString name) {
                                 for (QChar& c : name)
                                     if (c.isDigit())
                                         c = QChar(u'9' - (c.unicode() - u'0'));
                                 return name;
                             }(QString::fromStdString(newest->name).left(16))
                       : u"1"_s) +
               u' ' + QString::fromStdString(node.name);
    default:
        return {};
    }
}

QVariant RunListModel::run_data(const RunSummary& run, int column, int role) const {
    switch (role) {
    case Qt::DisplayRole:
        switch (static_cast<RunListColumn>(column)) {
        case RunListColumn::name:
            return when_text(run);
        case RunListColumn::state:
            return state_text(run);
        case RunListColumn::best:
            return speed_text(run.best());
        case RunListColumn::turns:
            return run.loaded && run.trouble.empty() ? QString::number(run.turns) : QString();
        case RunListColumn::count:
            break;
        }
        return {};
    case Qt::ToolTipRole: {
        QString text = plain(run.name) + u'\n' + state_text(run);
        const auto add = [&](const QString& line) { text += line.isEmpty() ? QString() : u'\n' + line; };
        add(plain(run.trouble));
        if (run.champion >= 0)
            add(u"champion: "_s + (run.champion == 0 ? u"the start kernel"_s : u"turn %1"_s.arg(run.champion)) +
                (run.champion_seconds > 0 ? u" · "_s + QString::fromStdString(format_seconds(run.champion_seconds))
                                          : QString()));
        if (run.eager > 0)
            add(speed_text(run.eager) + u" of eager"_s);
        if (run.against_start > 0)
            add(speed_text(run.against_start) + u" of the start kernel"_s);
        add(plain(run.device));
        add(plain(run.folder));
        return text;
    }
    case Qt::AccessibleTextRole:
        return column == 0 ? when_text(run) + u", "_s + side_text(run)
                           : run_data(run, column, Qt::DisplayRole).toString();
    case RunListRole::folder:
        return QString::fromStdString(run.folder);
    case RunListRole::run:
        return QString::fromStdString(run.name);
    case RunListRole::task:
        return QString::fromStdString(run.task);
    case RunListRole::status:
        return static_cast<int>(run.status);
    case RunListRole::live:
        return run.live();
    case RunListRole::best:
        return run.best();
    case RunListRole::loading:
        return !run.loaded;
    case RunListRole::trouble:
        return plain(run.trouble);
    case RunListRole::started:
        return run.started_at;
    case RunListRole::side:
        return side_text(run);
    case RunListRole::sort: {
        const auto found =
            std::find_if(m_tasks.begin(), m_tasks.end(), [&](const auto& node) { return node->name == run.task; });
        return found == m_tasks.end() ? QString() : u"%1"_s.arg(&run - (*found)->runs.data(), 8, 10, QLatin1Char('0'));
    }
    default:
        return {};
    }
}

} // namespace kf::ui
