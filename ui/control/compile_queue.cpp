// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/compile_queue.h"

#include "ui/control/detached_process.h"

#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kill_after_ms = 1500;
constexpr qsizetype most_output = 64 << 20;

Error cannot_start(const QString& why) {
    return make_error("compile-failed", "the compiler's process cannot be started: " + why.toStdString(),
                      "build or install kernelforge beside this program");
}

} // namespace

struct CompileQueue::Job : QObject {
    std::uint64_t order = 0;
    QTemporaryDir folder;
    QProcess process;
    QByteArray output, words;

    void collect() {
        output += process.readAllStandardOutput();
        words += process.readAllStandardError();
        if (output.size() > most_output || words.size() > most_output)
            signal(SIGKILL);
    }
    // To the process and all in its session's group; what the evaluator starts dies with it.
    void signal(int number) {
        if (const auto pid = static_cast<pid_t>(process.processId()); pid > 0)
            kill(-pid, number);
    }
};

Result<EvaluationOutcome> outcome_from_output(const QByteArray& output, const QByteArray& standard_error) {
    const QByteArrayList lines = output.trimmed().split('\n');
    const QByteArray& line = lines.back();
    if (line.isEmpty()) {
        Error error = error_from_words(QString::fromUtf8(standard_error), u"kernelforge eval said nothing"_s);
        error.code = "compile-failed";
        return error;
    }
    auto json =
        parse_json(std::string_view(line.data(), static_cast<std::size_t>(line.size())), "eval", std::size_t{64} << 20);
    if (!json)
        return make_error("compile-failed", "the answer of kernelforge eval cannot be read: " + json.error().message,
                          "see that kernelforge is of the same release");
    return evaluation_outcome_from_json(*json);
}

CompileQueue::CompileQueue(QObject* parent) : QObject(parent) {}

CompileQueue::~CompileQueue() {
    if (!m_job)
        return;
    m_job->process.disconnect(this);
    m_job->signal(SIGKILL); // everything it started dies with it; nobody waits
    m_job->process.waitForFinished(500);
}

void CompileQueue::compile(std::uint64_t order, const QString& program, const QString& task, const QByteArray& source,
                           const QString& file_name, const QStringList& arguments) {
    cancel();
    auto job = std::make_unique<Job>();
    job->order = order;
    const auto refuse = [&](Error error) {
        QMetaObject::invokeMethod(
            this,
            [this, order, error = std::move(error)] {
                Q_EMIT compiled({order, false, error, {}});
            },
            Qt::QueuedConnection);
    };
    // The name stands in every message, so it is kept as far as it is one.
    QString name = QFileInfo(file_name).fileName();
    if (name.isEmpty() || name.startsWith(u'.') || name.size() > 120)
        name = u"draft.cu"_s;
    QFile file(job->folder.filePath(name));
    if (!job->folder.isValid() || !file.open(QIODevice::WriteOnly) || file.write(source) != source.size() ||
        !file.flush()) {
        refuse(make_error("compile-failed", "the draft cannot be written: " + file.errorString().toStdString(),
                          "free some space in the folder for temporary files"));
        return;
    }
    file.close();
    QProcess& process = job->process;
    process.setProgram(program);
    process.setArguments(QStringList{u"eval"_s, task, file.fileName(), u"--compile-only"_s, u"--json"_s} + arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setChildProcessModifier([] {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read the answer
    });
    Job* const raw = job.get();
    connect(&process, &QProcess::readyReadStandardOutput, this, [raw] { raw->collect(); });
    connect(&process, &QProcess::readyReadStandardError, this, [raw] { raw->collect(); });
    connect(&process, &QProcess::finished, this, [this, raw] { finish(raw); });
    connect(&process, &QProcess::errorOccurred, this, [this, raw](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish(raw);
    });
    m_job = std::move(job);
    m_job->process.start();
}

void CompileQueue::cancel() {
    if (!m_job)
        return;
    const std::uint64_t order = m_job->order;
    kill_job(std::move(m_job));
    Q_EMIT compiled({order, true, std::nullopt, {}});
}

// First asked to clear up behind itself, then ended. The job goes with its process.
void CompileQueue::kill_job(std::unique_ptr<Job> job) {
    job->process.disconnect();
    if (job->process.state() == QProcess::NotRunning) {
        job.release()->deleteLater();
        return;
    }
    Job* const raw = job.release();
    QObject::connect(&raw->process, &QProcess::finished, raw, &QObject::deleteLater);
    raw->signal(SIGTERM);
    QTimer::singleShot(kill_after_ms, raw, [raw] { raw->signal(SIGKILL); });
}

void CompileQueue::finish(Job* job) {
    if (!m_job || m_job.get() != job)
        return;
    job->collect();
    CompileAnswer answer;
    answer.order = job->order;
    if (job->process.error() == QProcess::FailedToStart) {
        answer.error = cannot_start(job->process.errorString());
    } else {
        auto outcome = outcome_from_output(job->output, job->words);
        if (outcome)
            answer.outcome = std::move(*outcome);
        else
            answer.error = outcome.error();
    }
    // The process is the sender: it goes when it has come back.
    m_job->process.disconnect(this);
    m_job.release()->deleteLater();
    Q_EMIT compiled(answer);
}

} // namespace kf::ui
