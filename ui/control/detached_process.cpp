// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/detached_process.h"

#include "core/base/files.h"

#include <QProcess>

#include <cerrno>
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

Error error_from_words(const QString& standard_error, const QString& fallback) {
    QString line;
    for (const QString& one : standard_error.split(u'\n', Qt::SkipEmptyParts))
        if (!one.trimmed().isEmpty())
            line = one.trimmed();
    if (line.startsWith(u"kernelforge: "_s))
        line = line.mid(13);
    if (line.isEmpty())
        return make_error("start-failed", fallback.toStdString(), "look at the terminal: kernelforge doctor");
    QString remedy;
    if (line.endsWith(u')')) {
        // The remedy may hold brackets itself.
        int depth = 0;
        for (qsizetype i = line.size() - 1; i >= 0; --i) {
            depth += line[i] == u')' ? 1 : line[i] == u'(' ? -1 : 0;
            if (depth == 0) {
                if (i > 0) {
                    remedy = line.mid(i + 1, line.size() - i - 2);
                    line = line.left(i).trimmed();
                }
                break;
            }
        }
    }
    return make_error("start-failed", line.left(2000).toStdString(), remedy.left(2000).toStdString());
}

DetachedProcess::DetachedProcess(QObject* parent) : QObject(parent) {
    m_poll.setInterval(200);
    connect(&m_poll, &QTimer::timeout, this, [this] {
        if (kill(static_cast<pid_t>(m_pid), 0) != 0 && errno == ESRCH)
            end();
    });
}

DetachedProcess::~DetachedProcess() {
    remove_folder();
}

Status DetachedProcess::start(const QString& program, const QStringList& arguments,
                              const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return make_error("start-failed", "the folder of runs cannot be written: " + error.message(),
                          "free some space, or choose another folder for runs", Place{folder.string(), 0, 0});
    m_folder = folder;
    QProcess process;
    process.setProgram(program);
    process.setArguments(arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(QString::fromStdString((folder / "out").string()));
    process.setStandardErrorFile(QString::fromStdString((folder / "err").string()));
    process.setWorkingDirectory(u"/"_s);
    // Qt forks twice and calls setsid between: the program has no parent that would have to wait for it.
    if (!process.startDetached(&m_pid)) {
        const QString why = process.errorString();
        remove_folder();
        return make_error("start-failed", program.toStdString() + " cannot be started: " + why.toStdString(),
                          "build or install kernelforge beside this program");
    }
    m_running = true;
    m_pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(m_pid), 0)));
    if (m_pidfd) {
        m_notifier = std::make_unique<QSocketNotifier>(m_pidfd.get(), QSocketNotifier::Read);
        connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { end(); });
    } else if (errno == ESRCH) {
        QMetaObject::invokeMethod(this, &DetachedProcess::end, Qt::QueuedConnection); // it is over already
    } else {
        m_poll.start();
    }
    return {};
}

void DetachedProcess::end() {
    if (!std::exchange(m_running, false))
        return;
    m_poll.stop();
    if (m_notifier)
        m_notifier->setEnabled(false);
    Q_EMIT ended();
    // Not remove_folder(): whoever was told may want its last words a little later; the destructor does it.
}

Error DetachedProcess::last_words() const {
    const auto text = read_file(m_folder / "err", std::size_t{1} << 20);
    return error_from_words(text ? QString::fromStdString(*text) : QString(),
                            u"kernelforge ended at once and said nothing"_s);
}

void DetachedProcess::remove_folder() {
    if (m_folder.empty())
        return;
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
    m_folder.clear();
}

} // namespace kf::ui
