// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+Enter: `kernelforge eval --compile-only` in a process of its own. The newest order wins; the one before it is
// ended with all it started.
#pragma once

#include "core/autopsy/evaluation.h"

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <cstdint>
#include <memory>
#include <optional>

namespace kf::ui {

struct CompileAnswer {
    std::uint64_t order = 0;
    bool replaced = false;
    std::optional<Error> error;
    EvaluationOutcome outcome;
};

class CompileQueue : public QObject {
    Q_OBJECT
public:
    explicit CompileQueue(QObject* parent = nullptr);
    ~CompileQueue() override;

    // `arguments`: device and evaluator, as `kernelforge eval` takes them.
    void compile(std::uint64_t order, const QString& program, const QString& task, const QByteArray& source,
                 const QString& file_name, const QStringList& arguments);
    bool busy() const { return m_job != nullptr; }
    // Answers the order that runs as replaced.
    void cancel();

Q_SIGNALS:
    void compiled(const kf::ui::CompileAnswer& answer);

private:
    struct Job;
    void finish(Job* job);
    static void kill_job(std::unique_ptr<Job> job);

    std::unique_ptr<Job> m_job;
};

// The last line of standard output as `eval --json` writes it, or why there is none.
Result<EvaluationOutcome> outcome_from_output(const QByteArray& output, const QByteArray& standard_error);

} // namespace kf::ui
