// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of RunController: who follows, who replays, who steers, and the process that was started last.
#pragma once

#include "ui/control/compile_queue.h"
#include "ui/control/detached_process.h"
#include "ui/control/follower.h"
#include "ui/control/replay_source.h"
#include "ui/control/run_controller.h"
#include "ui/control/steering_link.h"

#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace kf::ui {

class FeedQueue;

class RunController::Impl : public QObject {
public:
    Impl(RunController& owner, RunStore& store);
    ~Impl() override;

    State state() const { return m_state; }
    void set_runs_folder(const QString& folder);
    void set_program(const QString& program) { m_program = program; }
    const QString& program() const { return m_program; }
    void set_evaluator_arguments(const QStringList& arguments) { m_evaluator_arguments = arguments; }
    void set_device(const QString& device) { m_device = device; }

    void start(const StartRequest& request);
    void open(const QString& place);
    void replay(const QString& place, double speed);
    ReplaySource* replay_source() const { return m_replay.active() ? &m_replay : nullptr; }
    void resume();
    void close();
    void tell(const std::string& method, Json params);
    void edit(const BenchOrder& order, const QString& hint_text);
    std::uint64_t bench(const BenchOrder& order);
    std::uint64_t compile(const QString& task, const BenchOrder& order);

private:
    struct PendingBench {
        std::uint64_t number = 0;
        BenchOrder order;
    };

    void let_go();
    // Follows a run without giving up what waits to be judged.
    void attach(const QString& place);
    void launch(const QStringList& arguments, const QString& task);
    void look_for_folder();
    void look_at_end();
    void begin();
    void start_failed(const Error& error);
    void lock_changed(const LockInfo& lock);
    void update_state();
    void fail(const Error& error);
    void listen(); // to what a model writes
    QString device() const;
    std::filesystem::path starts_folder() const { return m_runs / ".starts"; }

    // Benches (bench_orders.cpp).
    QString task_of_shown_run() const;
    bool drives(const QString& task) const;
    void find_driven(const QString& task);
    void start_for_bench(const QString& task);
    QString champion_file();
    void send_bench();
    void answer_bench(BenchAnswer answer);
    void fail_waiting(const Error& error);

    RunController& m_owner;
    RunStore& m_store;
    State m_state = State::idle;
    std::filesystem::path m_runs;
    QString m_program, m_device;
    QStringList m_evaluator_arguments;
    Follower m_follower;
    mutable ReplaySource m_replay;
    SteeringLink m_link;
    CompileQueue m_compiler;

    // The process that was started last, until its run has begun or failed.
    std::unique_ptr<DetachedProcess> m_process;
    bool m_starting = false;
    bool m_resuming = false; // in the folder that is followed
    bool m_folder_known = false;
    int m_resumed_before = 0;
    QString m_starting_task;
    QTimer m_folder_timer, m_end_timer;
    int m_end_looks = 0;

    std::uint64_t m_orders = 0;
    std::optional<PendingBench> m_waiting; // until somebody can be asked
    std::uint64_t m_sending = 0;           // the order that the run has not taken yet
    std::shared_ptr<FeedQueue> m_looker;   // for a run that is driven
};

} // namespace kf::ui
