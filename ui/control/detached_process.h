// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is started to outlive us: in a session of its own, child of nobody, its words into files. As long as
// we live we see its end, and what it said last.
#pragma once

#include "core/base/result.h"
#include "core/base/unique_fd.h"

#include <QObject>
#include <QSocketNotifier>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <filesystem>
#include <memory>

namespace kf::ui {

class DetachedProcess : public QObject {
    Q_OBJECT
public:
    explicit DetachedProcess(QObject* parent = nullptr);
    ~DetachedProcess() override; // leaves the program alone

    // `folder` gets the files "out" and "err"; it is removed with this object: a program that still
    // runs then writes where nobody reads. Errors: "start-failed".
    Status start(const QString& program, const QStringList& arguments, const std::filesystem::path& folder);
    bool running() const { return m_running; }
    qint64 pid() const { return m_pid; }
    const std::filesystem::path& folder() const { return m_folder; }
    // The last line on standard error as an error: what `kernelforge` says when it fails.
    Error last_words() const;

Q_SIGNALS:
    void ended();

private:
    void end();
    void remove_folder();

    std::filesystem::path m_folder;
    qint64 m_pid = 0;
    bool m_running = false;
    UniqueFd m_pidfd;
    std::unique_ptr<QSocketNotifier> m_notifier;
    QTimer m_poll; // where there are no pidfds
};

// "kernelforge: place: what was found (what to do)" taken apart.
Error error_from_words(const QString& standard_error, const QString& fallback);

} // namespace kf::ui
