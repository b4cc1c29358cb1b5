// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/plan_check.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int typing_pause_ms = 250;
constexpr qsizetype large_source = 48 << 10;
constexpr qint64 slow_ms = 5;

// What only a device or the compiled kernel knows is not an error of the text.
bool about_the_device(const Error& error) {
    return error.code == "plan-resident" || error.code == "plan-needs-gpu" || error.code == "plan-architecture";
}

} // namespace

PlanFindings check_plan(const QByteArray& source, const QString& file_name, const Task* task,
                        const DeviceLimits& limits) {
    PlanFindings findings;
    findings.names = local_names(task, source, file_name);
    if (source.trimmed().isEmpty())
        return findings; // an empty text has its own state, not an error at line 1
    const std::string text = source.toStdString();
    const auto candidate = parse_candidate(text, file_name.toStdString(), findings.errors);
    if (!candidate || !task)
        return findings;
    const auto tunables = complete_tunables(candidate->plan, {});
    if (!tunables) {
        findings.errors.push_back(tunables.error());
        return findings;
    }
    // One error a case at most; the same one for several cases is told once.
    for (const TaskCase& one : cases_for(*task, limits.kind == "cpu" ? "cpu" : "primary", false)) {
        const auto plan = resolve_plan(*candidate, *task, one, *tunables, limits);
        if (plan || about_the_device(plan.error()))
            continue;
        const Error& error = plan.error();
        const bool known = std::any_of(findings.errors.begin(), findings.errors.end(), [&](const Error& other) {
            return other.place == error.place && other.code == error.code;
        });
        if (!known)
            findings.errors.push_back(error);
        if (findings.errors.size() >= 8)
            break;
    }
    return findings;
}

std::optional<DeviceLimits> limits_of_run(const RunState& state) {
    const Json& told = get_member(state.start.device, "limits");
    if (!told.is_object())
        return std::nullopt;
    DeviceLimits limits = limits_from_json(told);
    const auto positive = [](std::int64_t value) { return value > 0; };
    if ((limits.kind != "cpu" && limits.kind != "cuda") || limits.max_threads_per_block <= 0 || limits.warp_size <= 0 ||
        limits.sm_count <= 0 || limits.max_shared < 0 ||
        !std::all_of(limits.max_block.begin(), limits.max_block.end(), positive) ||
        !std::all_of(limits.max_grid.begin(), limits.max_grid.end(), positive))
        return std::nullopt;
    return limits;
}

QString limits_words(const DeviceLimits& limits, const QString& device) {
    const QString name = !device.isEmpty()       ? device
                         : limits.kind == "cuda" ? QStringLiteral("the GPU")
                                                 : QStringLiteral("the CPU device");
    return QStringLiteral("The plan is checked against %1: %2 threads a block, %3 KiB of shared memory")
        .arg(name)
        .arg(limits.max_threads_per_block)
        .arg(limits.max_shared / 1024);
}

PlanChecker::PlanChecker(QObject* parent) : QObject(parent), m_limits(cpu_device_limits(0)) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(typing_pause_ms);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (m_source)
            check_now(m_source(), m_file_name);
    });
}

PlanChecker::~PlanChecker() = default;

void PlanChecker::touch(std::function<QByteArray()> source, const QString& file_name) {
    ++m_generation; // what a worker finds now is about an older text
    m_source = std::move(source);
    m_file_name = file_name;
    m_timer.start();
}

void PlanChecker::cancel() {
    ++m_generation;
    m_timer.stop();
    m_source = nullptr;
}

void PlanChecker::check_now(const QByteArray& source, const QString& file_name) {
    m_timer.stop();
    const std::uint64_t generation = ++m_generation;
    if (source.size() < large_source && !m_slow) {
        QElapsedTimer clock;
        clock.start();
        PlanFindings findings = check_plan(source, file_name, m_task.get(), m_limits);
        m_slow = clock.elapsed() > slow_ms;
        deliver(generation, std::move(findings));
        return;
    }
    QPointer<PlanChecker> self(this);
    QThreadPool::globalInstance()->start([self, generation, source, file_name, task = m_task, limits = m_limits] {
        QElapsedTimer clock;
        clock.start();
        auto findings = std::make_shared<PlanFindings>(check_plan(source, file_name, task.get(), limits));
        const bool slow = clock.elapsed() > slow_ms;
        // The object may be gone by now: posted to the application, which asks on its own thread.
        QMetaObject::invokeMethod(
            qApp,
            [self, generation, findings, slow] {
                if (!self)
                    return;
                self->m_slow = slow;
                self->deliver(generation, std::move(*findings));
            },
            Qt::QueuedConnection);
    });
}

void PlanChecker::deliver(std::uint64_t generation, PlanFindings findings) {
    if (generation == m_generation)
        Q_EMIT found(findings);
}

} // namespace kf::ui
