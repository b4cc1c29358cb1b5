// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a text's plan while it is typed: core's parser, then the plan against the task for every case of the device's
// size. Small texts are checked at once, large ones by a worker; a newer text replaces an older.
#pragma once

#include "core/candidate/resolve.h"
#include "core/journal/projection.h"
#include "ui/editor/completion.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace kf::ui {

struct PlanFindings {
    std::vector<Error> errors;
    LocalNames names;
};
// Pure. `task` may be null: form alone is checked. `limits` are the device's.
PlanFindings check_plan(const QByteArray& source, const QString& file_name, const Task* task,
                        const DeviceLimits& limits);

// What the device of a run can do, as its journal says; nothing when it does not (or says what cannot be).
std::optional<DeviceLimits> limits_of_run(const RunState& state);
// "The plan is checked against NVIDIA H200: 1024 threads a block, 227 KiB of shared memory". `device` may be empty.
QString limits_words(const DeviceLimits& limits, const QString& device);

class PlanChecker : public QObject {
    Q_OBJECT
public:
    explicit PlanChecker(QObject* parent = nullptr);
    ~PlanChecker() override;

    void set_task(std::shared_ptr<const Task> task) { m_task = std::move(task); }
    void set_limits(const DeviceLimits& limits) { m_limits = limits; }
    const DeviceLimits& limits() const { return m_limits; }
    // 250 ms after the last call `found` comes. `source` is asked then.
    void touch(std::function<QByteArray()> source, const QString& file_name);
    void check_now(const QByteArray& source, const QString& file_name);
    void cancel();

Q_SIGNALS:
    void found(const kf::ui::PlanFindings& findings);

private:
    void deliver(std::uint64_t generation, PlanFindings findings);

    std::shared_ptr<const Task> m_task;
    DeviceLimits m_limits;
    QTimer m_timer;
    std::function<QByteArray()> m_source;
    QString m_file_name;
    std::uint64_t m_generation = 0;
    bool m_slow = false; // the last check took more than it may on this thread
};

} // namespace kf::ui
